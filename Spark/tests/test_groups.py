"""Which shards go into one turn."""
import random

from pippin_spark import groups


def test_shards_go_together_that_take_as_long_as_each_other() -> None:
    # Nothing is known of a new job.
    assert groups.groups({0: None, 1: None}, 600.0, 16) == [([0, 1], None)]
    # Waiting for answers, shard 2 overran its turn.
    assert groups.groups({0: 600.0, 1: 603.0, 2: 660.0}, 600.0, 16) == [([0, 1], None), ([2], None)]
    # Those that ended early get a short turn: if one has more to do this time, the others do not wait for a whole one.
    assert groups.groups({0: 1.0, 1: 2.5, 2: 20.0, 3: 600.0}, 600.0, 16) == [([0, 1], 30), ([2], 80), ([3], None)]
    assert groups.groups({0: 1.0}, 10.0, 16) == [([0], None)]


def test_few_turns_are_in_flight_however_many_shards_there_are() -> None:
    chance = random.Random(1)
    took: dict[int, float | None] = {shard: chance.uniform(0, 600) for shard in range(4096)}
    for most in (1, 3, 16):
        parts = groups.groups(took, 600.0, most)
        assert len(parts) <= most and sorted(shard for part, _ in parts for shard in part) == list(took)
