"""A Delta table has what `records` has, after whatever happened between two upserts."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import typing

import pyarrow as pa
import pytest
from conftest import FAKE
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import deltatable, rank, records, run
from pippin_spark.claim import Claim
from pippin_spark.deltatable import upsert
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.trouble import DISK, USAGE, Trouble
from pippin_spark.turn import Means


class Follower:
    """A job, and a table that follows it."""

    def __init__(self, spark: SparkSession, folder: pathlib.Path) -> None:
        self.spark, self.folder, self.path = spark, folder, folder.parent / "table"

    def crawl(self, turns: int | None = 1, rebuild: tuple[int, ...] = ()) -> None:
        job = Job(Files(self.spark, str(self.folder)))
        with Claim(job.files, lease=4) as claim:
            job.check_shards()
            assert run.run(self.spark, job, claim, Means(str(FAKE), rebuild=rebuild), run.Wishes(turns, ranks=False), lambda _: None) == 0

    @property
    def job(self) -> Job:
        return records.opened(self.spark, str(self.folder))

    def follow(self, anew: bool = False) -> deltatable.Upsert:
        result = upsert(self.spark, self.job, str(self.path), anew)
        self.check()
        return result

    def check(self) -> None:
        told = records.typed_records(records.records(self.spark, self.job)).toArrow().to_pylist()
        key = lambda row: row["uniqueIdentifier"]  # noqa: E731
        assert sorted(self.rows(), key=key) == sorted(told, key=key)

    def rows(self) -> list[dict[str, typing.Any]]:
        rows: list[dict[str, typing.Any]] = DeltaTable(str(self.path)).to_pyarrow_table().to_pylist()
        return rows

    @property
    def version(self) -> int:
        return DeltaTable(str(self.path)).version()


@pytest.fixture
def follower(spark: SparkSession, fake_job: pathlib.Path) -> Follower:
    return Follower(spark, fake_job)


def test_a_table_follows_new_records_popularity_and_deletions(follower: Follower) -> None:
    follower.crawl(2)
    first = follower.follow()
    assert first.is_all and first.inserted > 0 and first.cursor.endswith(f"-{follower.job.turns()[-1]}")
    version = follower.version
    assert follower.follow().text == "0 records inserted, 0 updated, 0 deleted" and follower.version == version, "nothing was new"
    follower.crawl(None)
    second = follower.follow()
    assert second.inserted == 30 - first.inserted and second.deleted == 0 and follower.version == version + 1
    rank.rank(follower.spark, follower.job, follower.job.turns()[-1])
    follower.crawl()
    third = follower.follow()
    ranked = [row for row in follower.rows() if row["popularity"] is not None]
    assert third.updated == len(ranked) > 20 and all(row["title"] and row["provenance"]["popularity"] == "link-graph" for row in ranked)
    # A shard is lost, and a page of it has gone meanwhile.
    web = json.loads((follower.folder / "fake.json").read_text())
    gone = min(row["key"] for row in records.records(follower.spark, follower.job).where("shard = 3").collect())
    (follower.folder / "fake.json").write_text(json.dumps(web | {"gone": [gone]}))
    shutil.rmtree(follower.folder / "shards/03")
    follower.crawl(None, rebuild=(3,))
    assert follower.follow().deleted == 1 and gone not in {row["uniqueIdentifier"] for row in follower.rows()}


def test_an_upsert_that_was_killed_is_repeated_or_skipped(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    follower.crawl(2)
    packed = deltatable._packed

    def broken(batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
        yield from packed(batches)
        raise OSError("the executor is gone")

    with monkeypatch.context() as patched:
        patched.setattr(deltatable, "_packed", broken)
        with pytest.raises(Exception, match="the executor is gone"):
            upsert(follower.spark, follower.job, str(follower.path))
        assert not DeltaTable.is_deltatable(str(follower.path))
    follower.follow()
    before, version = follower.rows(), follower.version
    follower.crawl(None)
    with monkeypatch.context() as patched:
        patched.setattr(deltatable, "_packed", broken)
        with pytest.raises(Exception, match="the executor is gone"):
            upsert(follower.spark, follower.job, str(follower.path))
    assert follower.rows() == before and follower.version == version, "a part was committed"
    # Killed between the writing of files and the commit: the log has no entry yet.
    upsert(follower.spark, follower.job, str(follower.path))
    log = follower.path / "_delta_log" / f"{version + 1:020d}.json"
    log.rename(follower.path.parent / "log.json")
    assert follower.rows() == before
    follower.follow()
    # Killed right after the commit: the next one finds nothing to do.
    version = follower.version
    follower.follow()
    assert follower.version == version


def test_turns_without_records_move_the_cursor(follower: Follower) -> None:
    follower.crawl(None)
    cursor = follower.follow().cursor
    follower.crawl()
    job = follower.job
    assert all(job.told(turn).get("record", 0) == 0 for turn in job.turns() if turn > records.Cursor.parse(cursor).turn)
    moved = follower.follow()
    assert moved.cursor != cursor
    version = follower.version
    assert follower.follow().cursor == moved.cursor and follower.version == version


def test_a_table_of_something_else_is_not_touched(follower: Follower) -> None:
    follower.crawl(2)
    write_deltalake(str(follower.path), pa.table({"x": [1]}))
    with pytest.raises(Trouble, match="is a table of something else: it has no cursor of a job") as caught:
        upsert(follower.spark, follower.job, str(follower.path))
    assert caught.value.code == USAGE and follower.rows() == [{"x": 1}]
    assert follower.follow(anew=True).is_all
    # Of a job that is another by now.
    shutil.rmtree(follower.folder / "commits")
    shutil.rmtree(follower.folder / "turns")
    shutil.rmtree(follower.folder / "shards")
    follower.crawl(2)
    with pytest.raises(Trouble, match="is of another job|is ahead of"):
        upsert(follower.spark, follower.job, str(follower.path))
    follower.follow(anew=True)


def test_of_two_upserts_at_a_time_one_counts(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    follower.crawl(2)
    follower.follow()
    follower.crawl(None)
    reader = deltatable._reader

    def second_first(rows: typing.Any, count: deltatable._Count) -> pa.RecordBatchReader:
        monkeypatch.setattr(deltatable, "_reader", reader)
        upsert(follower.spark, follower.job, str(follower.path))
        return reader(rows, count)

    monkeypatch.setattr(deltatable, "_reader", second_first)
    with pytest.raises(Trouble, match="The table is as it was") as caught:
        upsert(follower.spark, follower.job, str(follower.path))
    assert caught.value.code == DISK
    follower.check()


def test_records_of_many_types_go_into_a_table_batch_by_batch(spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = {
        "schemaVersion": 2, "keywords": ["x", "y"], "popularity": 0.5, "rating": {"value": 4, "best": 5, "count": 3}, "isAccessibleForFree": True,
        "deepLinks": [{"platform": "ios", "url": "app://x", "alternativeURLs": ["app://y"]}], "provenance": {"title": "heading"},
    }  # fmt: skip
    monkeypatch.setattr(deltatable, "_ROWS_OF_BATCH", 7)
    rows = spark.range(0, 100, 1, 3).select(
        f.concat(f.lit(json.dumps(record)[:-1] + ', "uniqueIdentifier": "https://a.test/'), f.col("id"), f.lit('"}')).alias("json")
    )
    count = deltatable._Count()
    write_deltalake(str(tmp_path / "t"), deltatable._reader(records.typed_records(rows), count))
    found = DeltaTable(str(tmp_path / "t")).to_pyarrow_table().to_pylist()
    assert count.rows == 100 == len({row["uniqueIdentifier"] for row in found})
    assert all(row["deepLinks"][0]["alternativeURLs"] == ["app://y"] and row["rating"]["value"] == 4.0 for row in found)


def test_the_command_makes_a_table_and_says_what_it_did(follower: Follower) -> None:
    follower.crawl(2)

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pippin_spark", "records", str(follower.folder), *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1], env=dict(os.environ),
        )  # fmt: skip

    result = command("--table", str(follower.path))
    assert result.returncode == 0, result.stderr
    follower.check()
    assert f"{len(follower.rows())} records: {follower.path}, cursor " in result.stdout
    for wrong in (["--format", "delta"], ["--table", "x", "--format", "parquet"], ["--anew"], ["--table", "x", "--out", "y"]):
        assert command(*wrong).returncode == USAGE
