"""A job whose turns were made into tables, and deleted, is the same job."""
import collections
import dataclasses
import json
import pathlib
import shutil

import pytest
from conftest import FAKE
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import addresses, compaction, linkgraph, rank, records, run
from pippin_spark.claim import Claim
from pippin_spark.draft import Draft
from pippin_spark.files import Files
from pippin_spark.job import COMPACTED, Commit, Job, number
from pippin_spark.protocol import Done
from pippin_spark.told import latest, nearest, read_lines, standing
from pippin_spark.trouble import Trouble
from pippin_spark.turn import Means

HOSTS, PAGES = 6, 5
EVERYTHING = {f"http://h{host}.test/{page}" for host in range(HOSTS) for page in range(PAGES)}


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are made after every second turn."""
    monkeypatch.setattr(compaction, "LEAST_TURNS", 2)
    monkeypatch.setattr(compaction, "MOST_HOST_FILES", 2)


def crawl(spark: SparkSession, folder: pathlib.Path, rebuild: tuple[int, ...] = (), turns_kept: int = 1000, turns: int | None = None) -> Job:
    job = Job(Files(spark, str(folder)))
    with Claim(job.files) as claim:
        job.check_shards()
        wishes = run.Wishes(turns, ranks=False, turns_kept=turns_kept)
        assert run.run(spark, job, claim, Means(str(FAKE), rebuild=rebuild), wishes, lambda _: None) == 0
    return job


def found(spark: SparkSession, job: Job) -> set[str]:
    return {row["key"] for row in records.records(spark, job).collect()}


def test_tables_hold_what_counts_of_all_turns(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    job = crawl(spark, fake_job)
    for kind, parts in COMPACTED.items():
        compacted = job.compacted(kind)
        assert compacted is not None and compacted.turn > 2, kind
        whole = [lines.withColumn("kind", f.lit(part)) for part in parts if (lines := read_lines(spark, job, part, job.turns())) is not None]
        of_key: dict[str, tuple[int, int, str]] = {}
        for line in (row for lines in whole for row in lines.collect()):
            if kind != "foreign":
                of_key[line["key"]] = max(of_key.get(line["key"], (0, 0, "")), (line["turn"], line["sequence"], line["json"]))
        if kind == "foreign":
            every, kept = read_lines(spark, job, kind, job.turns()), standing(spark, job, kind)
            assert every is not None and kept is not None
            assert nearest(kept).select("owner", "key", "json").toPandas().sort_values("key").values.tolist() == (
                nearest(every).select("owner", "key", "json").toPandas().sort_values("key").values.tolist()
            )
            continue
        rows = latest(spark, job, parts)
        assert rows is not None
        assert {row["key"]: (row["turn"], row["sequence"], row["json"]) for row in rows.collect()} == of_key, kind
    assert found(spark, job) == EVERYTHING
    graph = linkgraph.read(spark, job, Draft(spark, job.files, "rank/draft"))
    assert graph is not None and graph.nodes.count() == len(EVERYTHING)


def test_turns_that_tables_hold_are_deleted_and_nothing_is_lost(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    job = crawl(spark, fake_job, turns_kept=1)
    assert 1 not in job.told_turns() and len(job.told_turns()) <= 3, job.told_turns()
    assert job.turns() == job.told_turns() and job.turns()[0] == job.covered_turn() + 1 or job.turns()[0] == job.turns()[-1]
    assert found(spark, job) == EVERYTHING
    assert rank.rank(spark, job, job.turns()[-1]).values == len(EVERYTHING)
    named = addresses.lines(spark, job)
    assert named is not None
    shards = collections.Counter(row["shard"] for row in named.collect())
    assert len(shards) > 1
    # A lost shard gets everything that was ever found and told for it.
    shutil.rmtree(fake_job / "shards/03")
    job = crawl(spark, fake_job, rebuild=(3,), turns_kept=1)
    assert found(spark, job) == EVERYTHING


def test_what_was_ranked_and_handed_over_is_known_after_its_turns_are_gone(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    job = crawl(spark, fake_job, turns_kept=1)
    assert job.has_unranked_links(), "the turns with links are deleted, and their links are not ranked yet"
    rank.rank(spark, job, job.turns()[-1])
    assert not job.has_unranked_links() and job.undelivered_ranking() is not None
    for _ in range(4):
        crawl(spark, fake_job, turns_kept=1, turns=1)
    job = Job(Files(spark, str(fake_job)))
    ranking = job.last_ranking()
    assert ranking is not None and job.turns()[0] > ranking + 1
    assert job.undelivered_ranking() is None and not job.has_unranked_links()


def test_lines_that_wait_for_a_slow_shard_stay_until_it_has_them(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    """Hosts 1 and 5 are found by others while shard 3 is in a turn, and tables are made meanwhile."""
    web = json.loads((fake_job / "fake.json").read_text())
    (fake_job / "fake.json").write_text(json.dumps(web | {"visits": 2, "slow": {"3": 5}}))
    job = crawl(spark, fake_job, turns_kept=1)
    assert 1 not in job.told_turns()
    assert found(spark, job) == EVERYTHING


def test_a_turn_that_was_deleted_by_half_is_no_error(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    """A driver died between the commit and the lines, or in the middle of the lines."""
    job = crawl(spark, fake_job)
    job.files.delete("commits/000001.json")
    shutil.rmtree(next(fake_job.glob("turns/000001-*/kind=host")))
    job = Job(Files(spark, str(fake_job)))
    assert found(spark, job) == EVERYTHING
    assert found(spark, crawl(spark, fake_job, turns_kept=1, turns=1)) == EVERYTHING
    assert not list(fake_job.glob("turns/000001*"))


def test_a_commit_that_is_missing_before_the_tables_is_noticed(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    job = crawl(spark, fake_job)
    (fake_job / "commits/000001.json").unlink()
    assert Job(Files(spark, str(fake_job))).last_commit() is not None, "tables have what turn 1 told"
    shutil.rmtree(fake_job / "tables")
    with pytest.raises(Trouble, match="a commit is missing among turns 1 to"):
        Job(job.files).last_commit()


def test_a_table_that_was_written_by_half_does_not_count(spark: SparkSession, fake_job: pathlib.Path, eager: None) -> None:
    job = crawl(spark, fake_job, turns=5)
    compacted = job.compacted("record")
    assert compacted is not None and compacted.folder is not None
    before = found(spark, job)
    [marker] = fake_job.glob(f"tables/record/{number(compacted.turn)}.json")
    marker.unlink()
    for file in (fake_job / "tables/record" / compacted.folder).glob("*.parquet"):
        file.write_bytes(b"PAR1")
    assert found(spark, Job(Files(spark, str(fake_job)))) == before
    assert found(spark, crawl(spark, fake_job)) == EVERYTHING


class CountingFiles(Files):
    """Counts the commits that are read."""

    reads = 0

    def read(self, path: str) -> bytes:
        self.reads += path.startswith("commits/")
        return super().read(path)


def test_a_driver_starts_with_the_last_commits_however_many_there_are(spark: SparkSession, fake_job: pathlib.Path) -> None:
    """After 3,000 turns with a table of each kind."""
    files = Files(spark, str(fake_job))
    job = Job(files)
    job.check_shards()
    done = Done(1, 0, "9f-1", "time", {}, {}, 1, 0, 1, None, 1, 1, 2, {})
    last = 3000
    (fake_job / "commits").mkdir()
    for turn in range(1, last + 1):
        dones = {shard: dataclasses.replace(done, turn=turn, shard=shard) for shard in range(4)}
        told = {kind: 10 for kind in ("record", "links", "foreign", "host")}
        commit = Commit(turn, {shard: "9f-1" for shard in range(4)}, dones, told, "", "2026-11-24T11:00:00Z", 1.0, shards_since=1, linked=turn, ran=tuple(range(4)), delivered=dict.fromkeys(range(4), last - 20 if turn == last else 0))
        (fake_job / "commits" / f"{number(turn)}.json").write_bytes(commit.encoded())
    for kind in COMPACTED:
        (fake_job / "tables" / kind).mkdir(parents=True)
        (fake_job / "tables" / kind / f"{number(last - 10)}.json").write_text(json.dumps({"turn": last - 10, "rows": 10**9, "folder": None}))
    (fake_job / "rank").mkdir()
    (fake_job / "rank" / f"{number(last - 20)}.json").write_text("{}")
    (fake_job / "rank" / number(last - 20) / "popularity").mkdir(parents=True)
    counting = CountingFiles(spark, str(fake_job))
    job = Job(counting)
    assert job.last_commit() is not None and job.first_turn_of_shards() == 1
    assert job.has_unranked_links() and job.undelivered_ranking() is None
    with Claim(job.files) as claim:
        compaction.compact(spark, job, claim)
    assert job.folders("host", [turn for turn in job.turns() if turn > last - 10])
    assert counting.reads < 50
