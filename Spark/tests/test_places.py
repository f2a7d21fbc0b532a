"""Who has a place at an address while turns are in flight."""
import collections
import json
import random

import pytest

from pippin_spark import places
from pippin_spark.addresses import slots
from pippin_spark.protocol import address_line


def places_of(address: str, weights: dict[int, int], every: float = 1) -> list[tuple[int, str]]:
    """As the driver divides it, and a field of the line that is no place."""
    shares = slots(weights)
    count = sum(len(own) for own in shares.values())
    return [
        (shard, json.dumps(json.loads(address_line(address, place, count)) | {"every": every})) for shard, own in shares.items() for place in own
    ]


def test_an_address_at_which_nobody_holds_a_place_is_divided_anew() -> None:
    new, old = places_of("10.0.0.1", {0: 5, 1: 5}), places_of("10.0.0.1", {0: 900, 1: 5})
    rows = [places.Row(*row, False, -1) for row in new] + [places.Row(*row, False, 0) for row in old]
    assert places.division(rows) == sorted(new)


def test_the_division_by_which_a_turn_in_flight_holds_a_place_stays() -> None:
    new, old = places_of("10.0.0.1", {0: 5, 1: 5}), places_of("10.0.0.1", {0: 900, 1: 5})
    rows = [places.Row(*row, False, -1) for row in new] + [places.Row(*row, row[0] == 1, 0) for row in old]
    assert places.division(rows) == sorted(old)
    # Shard 2 has hosts there by now, or the pace is another: no turn that begins has a place until those in flight have ended.
    for changed in (
        places_of("10.0.0.1", {0: 5, 1: 5, 2: 1}), places_of("10.0.0.1", {0: 5, 1: 5}, every=1.1), places_of("10.0.0.1", {0: 5, 1: 5}, every=0.5),
    ):  # fmt: skip
        rows = [places.Row(*row, False, -1) for row in changed] + [places.Row(*row, row[0] == 1, 0) for row in old]
        assert places.division(rows) == []
    # A little growth is worth no waiting.
    rows = [places.Row(*row, False, -1) for row in places_of("10.0.0.1", {0: 5, 1: 5}, every=0.8)]
    assert places.division(rows + [places.Row(*row, row[0] == 1, 0) for row in old]) == sorted(old)


@pytest.mark.parametrize("seed", range(30))
def test_turns_in_flight_never_hold_places_that_overlap(seed: int) -> None:
    """Shards begin and end as they like, and find hosts at an address one after the other. Everybody has a place from time to time."""
    chance = random.Random(seed)
    shards = range(chance.randint(2, 9))
    weights: dict[int, int] = {chance.choice(shards): 1}
    flying: dict[int, int] = {}  # A shard in flight, and its input.
    inputs: list[tuple[set[int], list[tuple[int, str]]]] = []
    given: collections.Counter[int] = collections.Counter()
    for step in range(400):
        if chance.random() < 0.1:
            weights[chance.choice(shards)] = chance.randint(0, 100)
        elif step % 50 == 0:
            weights = {shard: chance.randint(0, 100) for shard in weights}
        begin = frozenset(shard for shard in shards if shard not in flying and chance.random() < 0.5)
        rows = [places.Row(*row, False, -1) for row in places_of("10.0.0.1", weights)]
        for index in set(flying.values()):
            own, lines = inputs[index]
            rows += [places.Row(shard, line, flying.get(shard) == index and shard in own, index) for shard, line in lines]
        lines = [(shard, line) for shard, line in places._lines(rows, begin) if shard != places.OF_OTHERS]  # noqa: SLF001
        others = [json.loads(line) for shard, line in places._lines(rows, begin) if shard == places.OF_OTHERS]  # noqa: SLF001
        inputs.append((set(begin), lines + [(other["shard"], other["line"]) for other in others]))
        flying |= dict.fromkeys(begin, len(inputs) - 1)
        given.update({shard for shard, _ in lines})
        held = [json.loads(line) for shard, index in flying.items() if shard in inputs[index][0] for owner, line in inputs[index][1] if owner == shard]
        assert len({place["of"] for place in held}) <= 1 and len({place["place"] for place in held}) == len(held), held
        for shard in [shard for shard in flying if chance.random() < 0.4]:
            del flying[shard]
    assert min(given[shard] for shard in weights) >= 10, given
