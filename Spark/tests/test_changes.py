"""A consumer of changes has at each cursor what `records` has."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import typing

import pyarrow.parquet
import pytest
from conftest import FAKE
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import compaction, rank, records, run, status
from pippin_spark.__main__ import main
from pippin_spark.claim import Claim
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.told import with_popularity
from pippin_spark.trouble import HELD, USAGE, Trouble
from pippin_spark.turn import Means


def crawl(spark: SparkSession, folder: pathlib.Path, turns: int | None = 1, rebuild: tuple[int, ...] = (), turns_kept: int = 1000) -> None:
    job = Job(Files(spark, str(folder)))
    with Claim(job.files) as claim:
        job.check_shards()
        wishes = run.Wishes(turns, ranks=False, turns_kept=turns_kept)
        assert run.run(spark, job, claim, Means(str(FAKE), rebuild=rebuild), wishes, lambda _: None) == 0


class Consumer:
    """Keeps what changes say."""

    def __init__(self, spark: SparkSession, folder: pathlib.Path) -> None:
        self._spark, self._folder = spark, folder
        self.cursor: str | None = None
        self.has: dict[str, typing.Any] = {}
        #: Identifiers that the last changes deleted.
        self.deleted: list[str] = []
        #: How many records had nothing but another popularity.
        self.ranked = 0

    def take(self) -> int:
        """Takes what has changed, and compares it with all records."""
        job = records.opened(self._spark, str(self._folder))
        found = records.changes(self._spark, job, self.cursor)
        rows = found.rows.collect()
        assert len({row["key"] for row in rows}) == len(rows), "an identifier twice"
        self.ranked = 0
        assert found.is_all == (self.cursor in (None, records.Cursor.START.text))
        self.deleted = [row["key"] for row in rows if row["isDeleted"]]
        for row in rows:
            assert json.loads(row["json"]).get("deleted", False) == row["isDeleted"]
            if row["isDeleted"]:
                self.has.pop(row["key"], None)
            elif row["kind"] == "popularity":
                self.ranked += 1
                record, change = self.has[row["key"]], json.loads(row["json"])
                assert change.keys() == {"uniqueIdentifier", "popularity"}
                self.has[row["key"]] = record | change | {"provenance": record.get("provenance", {}) | {"popularity": "link-graph"}}
            else:
                assert row["kind"] == "record"
                self.has[row["key"]] = json.loads(row["json"])
        self.cursor = found.cursor
        assert self.has == {row["key"]: json.loads(row["json"]) for row in records.records(self._spark, job).collect()}
        return len(rows)


@pytest.fixture
def consumer(spark: SparkSession, fake_job: pathlib.Path) -> Consumer:
    return Consumer(spark, fake_job)


def test_a_consumer_has_what_the_job_has_after_each_turn(spark: SparkSession, fake_job: pathlib.Path, consumer: Consumer) -> None:
    """Also after popularity, the loss of a shard, and deletions; whether it looks after each turn or seldom."""
    assert consumer.take() == 0 and consumer.cursor == "0000000000000000-0"
    seldom = Consumer(spark, fake_job)
    for _ in range(3):
        crawl(spark, fake_job)
        consumer.take()
    seldom.take()
    crawl(spark, fake_job, turns=None)
    assert consumer.take() > 0
    assert consumer.take() == 0, "a change came twice"
    rank.rank(spark, Job(Files(spark, str(fake_job))), Job(Files(spark, str(fake_job))).turns()[-1])
    crawl(spark, fake_job)
    assert consumer.take() == consumer.ranked == sum("popularity" in record for record in consumer.has.values()) > 20
    ranked = {key: record["popularity"] for key, record in consumer.has.items() if "popularity" in record}
    # Shard 3 is lost, and one of its pages has gone meanwhile.
    web = json.loads((fake_job / "fake.json").read_text())
    gone = sorted(row["key"] for row in records.records(spark, records.opened(spark, str(fake_job))).where("shard = 3").collect())[0]
    (fake_job / "fake.json").write_text(json.dumps(web | {"gone": [gone]}))
    shutil.rmtree(fake_job / "shards/03")
    crawl(spark, fake_job, turns=None, rebuild=(3,))
    consumer.take()
    seldom.take()
    assert consumer.deleted == [gone] == seldom.deleted and len(consumer.has) == 29
    assert all(consumer.has[key]["popularity"] == ranked[key] for key in ranked if key != gone), "a popularity was lost with the shard"
    assert seldom.has == consumer.has


def test_a_popularity_is_put_into_a_record_as_one_machine_does(spark: SparkSession) -> None:
    """`LinkPopularityTests` of one machine has the same."""
    end = '"structuredDataScore":0.75,"fetchedAt":"2026-11-20T20:00:00Z","contentHash":"0123456789abcdef"}'
    trap = r'{"url":"x","title":"\"provenance\":{},\"popularity\":1,\"structuredDataScore\":0}",'
    by_links = '"popularity":"link-graph"}'
    cases = {
        trap + end: trap + '"provenance":{' + by_links + ',"popularity":0.042,' + end,
        trap + '"provenance":{"title":"html-title"},' + end: trap + '"provenance":{"title":"html-title",' + by_links + ',"popularity":0.042,' + end,
        trap + '"provenance":{"title":"html-title"},"popularity":0.9,' + end:
            trap + '"provenance":{"title":"html-title",' + by_links + ',"popularity":0.042,' + end,
        trap + '"popularity":0.9,' + end: trap + '"provenance":{' + by_links + ',"popularity":0.042,' + end,
        trap + '"provenance":{' + by_links + ',"popularity":1,' + end: trap + '"provenance":{' + by_links + ',"popularity":0.042,' + end,
        trap + '"provenance":{"title":"html-title",' + by_links + ',"popularity":0.3,' + end:
            trap + '"provenance":{"title":"html-title",' + by_links + ',"popularity":0.042,' + end,
        '{"uniqueIdentifier":"x"}': '{"uniqueIdentifier":"x","provenance":{' + by_links + ',"popularity":0.042}',
    }  # fmt: skip
    change = '{"uniqueIdentifier":"x","popularity":0.042}'
    rows = spark.createDataFrame([(record, change) for record in cases], "record string, change string")
    found = [row[0] for row in rows.select(with_popularity(f.col("record"), f.col("change"))).collect()]
    assert found == list(cases.values())


def test_tables_and_deleted_turns_change_nothing(
    spark: SparkSession, fake_job: pathlib.Path, consumer: Consumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "LEAST_TURNS", 2)
    late = Consumer(spark, fake_job)
    crawl(spark, fake_job, turns_kept=2)
    late.take()
    for _ in range(5):
        crawl(spark, fake_job, turns_kept=2)
        consumer.take()
    assert records.opened(spark, str(fake_job)).turns()[0] > 1
    with pytest.raises(Trouble, match=r"turns up to \d+ are deleted \(`run --keep-turns`\)\. Take all records anew") as caught:
        late.take()
    assert caught.value.code == USAGE


def test_a_cursor_that_does_not_fit_is_refused(spark: SparkSession, fake_job: pathlib.Path, consumer: Consumer, tmp_path: pathlib.Path) -> None:
    crawl(spark, fake_job)
    copy = tmp_path / "copy"
    shutil.copytree(fake_job, copy)
    crawl(spark, fake_job)
    consumer.take()
    assert consumer.cursor is not None
    older = records.opened(spark, str(copy))
    with pytest.raises(Trouble, match="is ahead of .*which has 1 turns: it is of another job, or an older copy of this one was restored"):
        records.changes(spark, older, consumer.cursor)
    # The copy goes on, and has a turn of that number.
    crawl(spark, copy)
    with pytest.raises(Trouble, match="is of another job than .*, or of this one before an older copy was restored"):
        records.changes(spark, records.opened(spark, str(copy)), consumer.cursor)
    for text in ("", "x", "9f3c61d2a8b04e57-", "9f3c61d2a8b04e57--1", "9f3c61d2a8b04e57-1000000000", "9F3C61D2A8B04E57-1"):
        with pytest.raises(Trouble, match="is not a cursor"):
            records.changes(spark, older, text)


def test_the_command_writes_changes_and_keeps_the_cursor(spark: SparkSession, fake_job: pathlib.Path, tmp_path: pathlib.Path) -> None:
    crawl(spark, fake_job, turns=2)
    file, output = tmp_path / "news.cursor", tmp_path / "changes.ndjson"

    def changes(*arguments: str) -> subprocess.CompletedProcess[str]:
        with output.open("w") as stream:
            return subprocess.run(
                [sys.executable, "-m", "pippin_spark", "changes", str(fake_job), *arguments],
                stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.PIPE, text=True, cwd=pathlib.Path(__file__).parents[1],
            )  # fmt: skip

    def written() -> tuple[list[str], str]:
        *lines, last = (json.loads(line) for line in output.read_text().splitlines())
        return [line["uniqueIdentifier"] for line in lines], last["cursor"]

    assert changes("--cursor-file", str(file)).returncode == 0
    first, cursor = written()
    assert first and file.read_text() == f"{cursor}\n"
    crawl(spark, fake_job)
    assert changes("--cursor-file", str(file)).returncode == 0
    second, end = written()
    assert second and not set(first) & set(second) and file.read_text() == f"{end}\n" and end != cursor
    # As a table, with columns for deletions and changes of popularity alone.
    result = changes("--since", cursor, "--out", str(tmp_path / "table"), "--format", "parquet")
    assert result.returncode == 0 and written() == ([], end) and f"{len(second)} changes: " in result.stderr
    rows = pyarrow.parquet.read_table(tmp_path / "table").to_pylist()
    assert sorted(row["uniqueIdentifier"] for row in rows) == sorted(second)
    assert all(row["title"] and row["kind"] == "record" and (row["deleted"], row["reason"], row["at"]) == (False, None, None) for row in rows)


def test_what_is_wrong_with_cursors_is_said_before_spark_starts(
    fake_job: pathlib.Path, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    monkeypatch.setattr("pippin_spark.__main__._session", lambda *_: pytest.fail("Spark was started"))
    file = tmp_path / "cursor"
    assert main(["changes", str(fake_job), "--since", "7"]) == USAGE
    assert '"7" is not a cursor; it is what `changes` ended with' in capfd.readouterr().err
    with open(f"{file}.lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["changes", str(fake_job), "--cursor-file", str(file)]) == HELD
    assert "another consumer of changes has this cursor file" in capfd.readouterr().err
    assert main(["changes", str(fake_job), "--format", "parquet"]) == USAGE
    assert os.listdir(tmp_path) and not file.exists()


def test_a_job_on_another_file_system_is_read_without_its_storages(spark: SparkSession, fake_job: pathlib.Path) -> None:
    """viewfs is one of Hadoop's that is not of this machine, by its name."""
    crawl(spark, fake_job, turns=2)
    configuration: typing.Any = spark._jsc.hadoopConfiguration()  # noqa: SLF001
    configuration.set("fs.viewfs.mounttable.cluster.link./news", fake_job.as_uri())
    job = records.opened(spark, "viewfs://cluster/news")
    found = records.changes(spark, job)
    assert {row["key"] for row in found.rows.collect()} == {
        row["key"] for row in records.records(spark, records.opened(spark, str(fake_job))).collect()
    }
    assert records.changes(spark, job, found.cursor).rows.count() == 0
    assert status.status(job)["turn"] == job.turns()[-1]
    with pytest.raises(Trouble, match="storages are files on disks: name a folder that every executor sees under this path with --storages"):
        job.storages


def test_what_passes_through_the_driver_does_so_in_small_parts(
    spark: SparkSession, fake_job: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(spark, fake_job, turns=2)
    job = records.opened(spark, str(fake_job))
    count = records.records(spark, job).count()
    monkeypatch.setattr(records, "_ROWS_OF_PART", 1)
    before = spark.conf.get("spark.sql.shuffle.partitions")
    with records.small_parts(spark, job):
        assert spark.conf.get("spark.sql.shuffle.partitions") == str(max(4, count))
        found = list(records.lines(records.records(spark, job), "key"))
    with records.small_parts(spark, job, records.changes(spark, job).cursor):
        assert spark.conf.get("spark.sql.shuffle.partitions") == "4"
    assert spark.conf.get("spark.sql.shuffle.partitions") == before
    keys = [json.loads(line)["uniqueIdentifier"] for line in found]
    assert len(found) == count > 4 and keys == sorted(keys)
