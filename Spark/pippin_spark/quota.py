"""Which shard may visit how many of the pages that a job has left, and how many requests a second it may begin.

Turns in flight keep what they were given until they end. Near the limit, a turn either visits a page or leaves one more shard of which is known that it rests: so the job ends, wherever its work lies.
"""
import typing

from .protocol import Done

#: Pages a shard with which a quarter may lie idle for a turn.
_PLENTY: typing.Final = 8
#: Of the rate, what is divided equally: so shards that have begun have left some for each of the others.
_EQUAL_SHARE: typing.Final = 0.1
#: Endings of shards that rest.
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


def of_ready(left: int | None, held: dict[int, int], queued: dict[int, int], resting: set[int], ready: set[int]) -> dict[int, int]:
    """The pages of the shards that begin turns; none if nothing is limited. Shards that could begin, and do not, have their part too.

    - held: what the shards in flight were given.
    """
    if left is None:
        return {}
    free = max(0, left - sum(held.values()))
    parts = pages(free, {shard: count for shard, count in queued.items() if shard not in held}, resting)
    if not held and not any(parts[shard] for shard in ready):
        parts = pages(free, {shard: queued[shard] for shard in ready}, resting)
    return {shard: parts[shard] for shard in ready}


def rates(rate: float, held: dict[int, float], queued: dict[int, int], ready: set[int], slots: int | None = None) -> dict[int, float]:
    """The requests a second of the shards that begin turns, by what waits there. With those in flight (`held`) they are never above `rate`.

    - slots: how many shards may be in flight; None: all.
    """
    slots = len(queued) if slots is None else min(slots, len(queued))
    least = rate * _EQUAL_SHARE / slots
    free = max(0.0, rate * (1 - _EQUAL_SHARE) - sum(max(0.0, part - least) for part in held.values()))
    others = [1 + count for shard, count in queued.items() if shard not in held and shard not in ready]
    # Nobody knows which of the others begin beside them.
    later = min(len(others), max(0, slots - len(held) - len(ready)))
    total = sum(1 + queued[shard] for shard in ready) + (later * sum(others) / len(others) if others else 0)
    return {shard: least + free * (1 + queued[shard]) / total for shard in ready}


def rests(done: Done) -> bool:
    """Whether another turn at once would visit nothing, unless other shards found something."""
    return done.ending in _RESTS


def resting(before: set[int], pages: dict[int, int | None], dones: dict[int, Done], waiting: set[int]) -> set[int]:
    """The shards of which is known after a turn that only hosts are left that rest, or nothing.

    - pages: what each of the turn might visit. A shard that might visit none has learned nothing, and stays what it was.
    - waiting: shards for which others have found something.
    """
    learned = {shard for shard in dones if pages[shard] != 0}
    return (before - learned | {shard for shard in learned if rests(dones[shard])}) - waiting


def divide(count: int, weights: dict[int, int]) -> dict[int, int]:
    """A whole number in parts by weight, whose sum is that number."""
    total = sum(weights.values())
    parts = {key: count * weight // total for key, weight in weights.items()}
    rest = count - sum(parts.values())
    for key in sorted(weights, key=lambda key: (-weights[key], key))[:rest]:
        parts[key] += 1
    return parts
