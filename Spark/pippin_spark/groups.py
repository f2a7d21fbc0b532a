"""Which shards go into one turn, and how long it is.

A turn ends with the last of its shards, and a shard that has ended earlier waits for it. So those go together of which is expected that they take
as long as each other: as long as they took last. And a turn of shards that took little last is short: one that has more to do this time than
last keeps the others waiting for a few times what they expected, not for a whole turn.
"""
import math
import typing

#: Shards of a turn take so much longer than the quickest, or some seconds.
_SPREAD: typing.Final = 1.05
_SECONDS: typing.Final = 2.0
#: A turn is so many times as long as its slowest shard took last.
_GROWTH: typing.Final = 4
#: Seconds that a turn has at the least: what begins and ends it takes some.
LEAST: typing.Final = 30.0
#: Turns in flight. A job of a thousand shards must not make a thousand commits.
MOST_IN_FLIGHT: typing.Final = 16
#: Seconds between two beginnings, at the least: whoever ends meanwhile goes along.
GATHERING: typing.Final = 2.0


def groups(took: dict[int, float | None], longest: float, most: int) -> list[tuple[list[int], float | None]]:
    """The shards of each turn, and its seconds; None for `longest`.

    - took: the seconds of each shard's last turn; None if it had none.
    - longest: the seconds of a turn.
    - most: how many turns, at the most; 1 or more.
    """
    expected = {shard: longest if seconds is None else seconds for shard, seconds in took.items()}
    parts: list[list[int]] = []
    for shard in sorted(expected, key=lambda shard: (expected[shard], shard)):
        if parts and expected[shard] <= expected[parts[-1][0]] * _SPREAD + _SECONDS:
            parts[-1].append(shard)
        else:
            parts.append([shard])
    while len(parts) > max(1, most):
        # Whoever differs least goes together.
        steps = [(expected[after[-1]] + 1) / (expected[before[0]] + 1) for before, after in zip(parts, parts[1:])]
        place = min(range(len(steps)), key=lambda index: steps[index])
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return [(sorted(part), _seconds(expected[part[-1]], longest)) for part in parts]


def _seconds(slowest: float, longest: float) -> float | None:
    seconds = math.ceil(max(LEAST, slowest * _GROWTH))
    return None if seconds >= longest else seconds
