"""A job's folder as it is after a year: what its driver reads, holds and writes. `python3 tests/year.py SHARDS TURNS_KEPT [FOLDER]`

The commits, the turns' folders and the tables have the size and the names that a driver gives them; lines are few. Prints a line for each figure.
"""
import collections
import json
import pathlib
import resource
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))

from pippin_spark import compaction, exchange, status  # noqa: E402
from pippin_spark.claim import Claim  # noqa: E402
from pippin_spark.files import Files  # noqa: E402
from pippin_spark.job import COMPACTED, Commit, Compacted, Job, Turn, number  # noqa: E402
from pippin_spark.protocol import SHARD_RULE, Done  # noqa: E402
from pippin_spark.session import session  # noqa: E402

#: Turns of ten minutes in a year, of 16 in flight each with a part of the shards.
TURNS = 52_560
LINES = {"record": 60_000, "deletion": 900, "links": 66_000, "foreign": 41_000, "host": 9_000, "done": 0}


def done(shard: int, turn: int) -> Done:
    return Done(
        turn=turn, shard=shard, cursor=f"9f3c61d2a8b04e57-{turn * 700_000}", ending="time", told=LINES | {"done": 1},
        received={"requests": 41_000, "new": 39_000, "popularity": 0}, known=1_000_000, queued=400_000, hosts=30_000,
        next_due="2026-11-27T04:00:00Z", visits=60_000, pages=58_000, requests=66_000,
        seconds={"opening": 2.1, "crawling": 590.3, "telling": 3.7, "keeping": 2.2}, state=f"{turn:06d}-{shard:012x}",
    )  # fmt: skip


def commit(turn: int, shards: int, turns: dict[int, Turn]) -> Commit:
    return Commit(
        turn=turn, cursors={shard: f"9f3c61d2a8b04e57-{turn * 700_000}" for shard in range(shards)},
        dones={shard: done(shard, turn) for shard in range(shards)}, told={kind: count * shards for kind, count in LINES.items()},
        started_at="2026-11-27T03:50:00.000Z", ended_at="2026-11-27T04:00:00.000Z", seconds=603.2, folder=f"{number(turn)}-{turn:032x}",
        ran=tuple(range(shards)), mail=dict.fromkeys(range(shards), turn - 1), waiting=dict.fromkeys(range(shards), 41_000),
        shards_since=1, linked=turn, turns=turns, states={shard: f"{turn:06d}-{shard:012x}" for shard in range(shards)},
        delivered=dict.fromkeys(range(shards), turn - 900), report={"hosts": [{"host": f"h{n}.example", "pages": 9_000} for n in range(10)]},
    )  # fmt: skip


def make(files: Files, folder: pathlib.Path, shards: int, kept: int) -> int:
    """Writes the folder. Returns the bytes of a commit."""
    (folder / "config.yaml").write_text(f"cluster: {{ shards: {shards}, turn: 10m, links: true }}\n")
    (folder / "shards.json").write_text(json.dumps({"version": 1, "shards": shards, "by": SHARD_RULE}))
    size = 0
    turns: dict[int, Turn] = {}
    for name in ("commits", "inbox", "rank", *(f"tables/{kind}" for kind in COMPACTED)):
        (folder / name).mkdir(parents=True)
    for turn in range(TURNS - kept + 1, TURNS + 1):
        written = commit(turn, shards, turns)
        text = written.encoded()
        size = len(text)
        turns[turn] = written.own
        (folder / f"commits/{number(turn)}.json").write_bytes(text)
        for kind in LINES:
            (folder / f"turns/{written.folder}/kind={kind}").mkdir(parents=True)
    for kind in COMPACTED:
        # The worst: a table so large that it waits for nearly all turns that are kept. Hosts' have no more than some thousand files.
        table = Compacted(TURNS - (3 if kind == "host" else kept - 8), LINES[kind] * shards * kept * 2, None)
        (folder / f"tables/{kind}/{number(table.turn)}.json").write_text(json.dumps(table.__dict__))
    return size


def main(shards: int, kept: int, folder: pathlib.Path) -> None:
    with session("local[2]", 2) as spark:
        files = Files(spark, str(folder))
        size = make(files, folder, shards, kept)
        print(f"{shards} shards, {kept} turns kept: a commit has {size:,} bytes, all {size * kept / 1e6:,.0f} MB")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        steps: dict[str, float] = collections.OrderedDict()

        def step(name: str, began: float) -> float:
            steps[name] = time.monotonic() - began
            return time.monotonic()

        moment = time.monotonic()
        job = Job(files, str(folder / "shards"))
        with Claim(files) as claim:
            job.check_shards()
            moment = step("claim and shards.json", moment)
            job.last_commit()
            moment = step("the last commit", moment)
            exchange.clear(job, exchange.in_flight(job))
            moment = step("turns in flight", moment)
            job.undelivered_ranking()
            job.has_unranked_links()
            moment = step("rankings", moment)
            compaction.compact(spark, job, claim, kept)
            moment = step("what tables and deletions are due", moment)
            job.folders("record", job.turns())
            moment = step("where the turns' lines lie", moment)
            status.standing(job)
            moment = step("status", moment)
        for name, seconds in steps.items():
            print(f"{name}: {seconds:.2f} s")
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"in all {sum(steps.values()):.1f} s; {(after - before) / 1000:.0f} MB more in the driver's Python, {after / 1000:.0f} MB in all")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else scratch))
