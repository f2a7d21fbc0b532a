"""Which shard may visit how many of the pages that a job has left.

Near the limit, a turn either visits a page or leaves one more shard of which is known that it rests: so the job ends, wherever its work lies.
"""
import typing

from .protocol import Done

#: Pages a shard with which a quarter may lie idle for a turn.
_PLENTY: typing.Final = 8
#: Endings after which another turn at once would visit nothing, unless other shards found something.
_RESTS: typing.Final = ("finished", "hosts-rest", "quiet-hours", "host-limit")


def pages(count: int, queued: dict[int, int], resting: set[int]) -> dict[int, int]:
    """The pages of each shard, by what waits there. Shards that rested last get a quarter, for hosts that are awake by now; none if few
    pages are left, while others have work."""
    awake = {shard: 1 + queued[shard] for shard in queued.keys() - resting}
    asleep = {shard: 1 + queued[shard] for shard in queued.keys() & resting}
    if not awake or not asleep:
        return divide(count, awake or asleep)
    for_asleep = count // 4 if count >= _PLENTY * len(queued) else 0
    return divide(count - for_asleep, awake) | divide(for_asleep, asleep)


def resting(before: set[int], pages: dict[int, int | None], dones: dict[int, Done], told: dict[str, int]) -> set[int]:
    """The shards of which is known after a turn that only hosts are left that rest, or nothing.

    - pages: what each might visit. A shard that might visit none has learned nothing, and stays what it was.
    """
    if told.get("foreign", 0) > 0:
        # Some shards get new URLs.
        return set()
    return {
        shard for shard, done in dones.items() if (shard in before if pages[shard] == 0 else done.ending in _RESTS)
    }


def divide(count: int, weights: dict[int, int]) -> dict[int, int]:
    """A whole number in parts by weight, whose sum is that number."""
    total = sum(weights.values())
    parts = {key: count * weight // total for key, weight in weights.items()}
    rest = count - sum(parts.values())
    for key in sorted(weights, key=lambda key: (-weights[key], key))[:rest]:
        parts[key] += 1
    return parts
