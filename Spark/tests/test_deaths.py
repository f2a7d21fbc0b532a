"""A driver that dies at any operation on the job's files is followed by one that ends what it has begun.

A driver that gets through says what it does: its operations, and its writes. Another is then ended before an operation or in the middle of a
write, once for the first and once for the last of each kind: what is done, in which folder. With EVERY_DEATH=1 in the environment each single
one is tried, in some twenty minutes.
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import sys
import typing

import pytest
from conftest import FAKE
from pyspark.sql import SparkSession

from pippin_spark import compaction, rank, records, run
from pippin_spark.claim import FOLDER, Claim
from pippin_spark.draft import Draft
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.turn import Means

HOSTS, PAGES = 4, 3
MEANS = Means(str(FAKE))
EVERY_DEATH = "EVERY_DEATH" in os.environ
EVERYTHING = {f"http://h{host}.test/{page}" for host in range(HOSTS) for page in range(PAGES)}


class Died(Exception):
    """The driver's end."""


class MortalFiles(Files):
    """Files of a driver that dies before its n-th change of them, or in the middle of its n-th write."""

    def __init__(self, spark: SparkSession, root: str, deadline: int, in_writes: bool, since: str = "") -> None:
        """`since`: changes count from the first on whose path begins so."""
        super().__init__(spark, root)
        self._deadline, self._in_writes, self._since = deadline, in_writes, since
        self.died_at: str | None = None
        self.operations: list[str] = []

    def _live(self, what: str, path: str) -> None:
        if self.died_at is not None:
            raise Died(self.died_at)
        if not self._in_writes and not path.startswith(FOLDER):
            self._count(f"{what} {path}", path)

    def _count(self, what: str, path: str) -> None:
        if not path.startswith(self._since):
            return
        self._since = ""
        self.operations.append(what)
        if len(self.operations) > self._deadline:
            self.died_at = what
            raise Died(what)

    def write(self, path: str, content: bytes) -> None:
        self._live("write", path)
        if self._in_writes and not path.startswith(FOLDER):
            super().write(path, content[: len(content) // 2])
            self._count(f"half of {path}", path)
        super().write(path, content)

    def send(self, local: str, path: str) -> None:
        self._live("send", path)
        super().send(local, path)

    def rename(self, old: str, new: str) -> None:
        self._live("rename to", new)
        super().rename(old, new)

    def delete(self, path: str) -> None:
        if path.startswith(FOLDER):
            # A dead driver's claim would go by itself, as its process has ended; here it is the process of the next one, too.
            super().delete(path)
        elif self.died_at is None:  # A dead driver cleans nothing up.
            self._live("delete", path)
            super().delete(path)

    def make_folder(self, path: str) -> None:
        self._live("make folder", path)
        super().make_folder(path)


def drive(spark: SparkSession, files: Files, means: Means, wishes: run.Wishes) -> int:
    job = Job(files)
    with Claim(files) as claim:
        job.check_shards()
        return run.run(spark, job, claim, means, wishes, lambda _: None)


@pytest.fixture
def job(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "config.yaml").write_text("cluster: { shards: 2, turn: 10s, links: true }\n")
    (folder / "seeds.txt").write_text("".join(f"http://h{host}.test/0\n" for host in range(HOSTS)))
    times = {"turn": 1, "longestDelay": 0.01, "delayPerAddress": 0.01}
    (folder / "fake.json").write_text(json.dumps({"hosts": HOSTS, "pages": PAGES, "visits": 4, "times": times}))
    return folder


def die_everywhere(
    spark: SparkSession,
    job: pathlib.Path,
    means: Means,
    wishes: run.Wishes,
    since: str,
    next_means: typing.Callable[[pathlib.Path], Means],
) -> list[str]:
    """Where drivers died that were started on copies of a job; after each, the next driver leaves it as if that had not happened."""
    deaths: list[str] = []
    for in_writes in (False, True):
        operations = drive_copy(spark, job, means, wishes, MortalFiles(spark, str(job.parent / f"through-{in_writes}"), sys.maxsize, in_writes, since)).operations
        assert operations, f"nothing is done from {since} on"
        for deadline in worth_a_death(operations):
            folder = job.parent / f"death-{deadline}-{in_writes}"
            files = drive_copy(spark, job, means, wishes, MortalFiles(spark, str(folder), deadline, in_writes, since))
            # Two drivers need not do the same in the same order, and one may have less to do.
            if files.died_at is None:
                continue
            deaths.append(f"{files.died_at}, {len(list((folder / 'inbox').glob('[0-9a-f]*.json')))} in flight")
            assert drive(spark, Files(spark, str(folder)), next_means(folder), run.Wishes(ranks=wishes.ranks)) == 0, deaths[-1]
            survived(spark, folder, deaths[-1], is_ranked=wishes.ranks)
            shutil.rmtree(folder)
    return deaths


def drive_copy(spark: SparkSession, job: pathlib.Path, means: Means, wishes: run.Wishes, files: MortalFiles) -> MortalFiles:
    """Drives a copy of the job until its driver ends or dies."""
    assert files.local_root is not None
    shutil.copytree(job, files.local_root)
    with contextlib.suppress(Died):
        drive(spark, files, means, wishes)
    return files


def worth_a_death(operations: list[str]) -> list[int]:
    """The first and the last operation of each kind."""
    if EVERY_DEATH:
        return list(range(len(operations)))
    kinds: dict[str, list[int]] = collections.defaultdict(list)
    for index, operation in enumerate(operations):
        # Numbers and names made up for one run say nothing of the kind, nor does the name of one part of several.
        kinds[re.sub("[0-9a-f]{6,}", "N", operation.rpartition("/")[0])].append(index)
    return sorted({index for of_kind in kinds.values() for index in (of_kind[0], of_kind[-1])})


def survived(spark: SparkSession, folder: pathlib.Path, where: str, is_ranked: bool = True) -> None:
    rows = records.records(spark, Job(Files(spark, str(folder))))
    found = {row["key"]: json.loads(row["json"]) for row in rows.collect()}
    assert found.keys() == EVERYTHING, where
    if is_ranked:
        without = [key for key, record in found.items() if "popularity" not in record]
        assert not without, f"{where}: no popularity in {without}"


def test_a_driver_may_die_in_a_turn(spark: SparkSession, job: pathlib.Path) -> None:
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(turns=3, ranks=False))
    deaths = die_everywhere(spark, job, MEANS, run.Wishes(turns=1, ranks=False), "", lambda _: MEANS)
    assert any("commits/" in where for where in deaths) and any("half of inbox/" in where for where in deaths)


def test_a_driver_may_die_with_several_turns_in_flight(spark: SparkSession, job: pathlib.Path) -> None:
    """Shard 1 is slow: it has a turn alone, while shard 0 goes on."""
    web = json.loads((job / "fake.json").read_text())
    (job / "fake.json").write_text(json.dumps(web | {"visits": 2, "slow": {"1": 3}}))
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(turns=2, ranks=False))
    deaths = die_everywhere(spark, job, MEANS, run.Wishes(turns=1, ranks=False), "", lambda _: MEANS)
    assert any("commits/" in where and "2 in flight" in where for where in deaths), deaths
    assert any("commits/" in where and "1 in flight" in where for where in deaths), deaths


def test_a_driver_may_die_in_a_ranking_and_before_it_is_handed_over(spark: SparkSession, job: pathlib.Path) -> None:
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(ranks=False))
    deaths = die_everywhere(spark, job, MEANS, run.Wishes(), "rank/", lambda _: MEANS)
    assert any("half of rank/" in where for where in deaths) and any("commits/" in where for where in deaths)


def test_a_driver_may_die_while_it_makes_a_lost_shard_anew(spark: SparkSession, job: pathlib.Path) -> None:
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(ranks=False))
    shutil.rmtree(job / "shards/01")
    # A driver that died before had its input ready, without what the lost shard must get.
    drive_to_input(spark, job)
    asked = Means(str(FAKE), rebuild=(1,))

    def next_means(folder: pathlib.Path) -> Means:
        # Before the shard is noted as lost, nothing has begun, and whoever starts the next driver asks again.
        return MEANS if list(folder.glob("rebuilt/*/1")) else asked

    deaths = die_everywhere(spark, job, asked, run.Wishes(turns=1, ranks=False), "rebuilt/", next_means)
    assert any("rebuilt/" in where for where in deaths) and any("half of inbox/" in where for where in deaths)


def test_a_driver_may_die_while_it_makes_tables_and_deletes_turns(
    spark: SparkSession, job: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(turns=3, ranks=False))
    monkeypatch.setattr(compaction, "LEAST_TURNS", 2)
    wishes = run.Wishes(turns=1, ranks=False, turns_kept=1)
    deaths = die_everywhere(spark, job, MEANS, wishes, "tables/foreign", lambda _: MEANS)
    assert any("half of tables/" in where for where in deaths) and any("delete commits/" in where for where in deaths)


def drive_to_input(spark: SparkSession, folder: pathlib.Path) -> None:
    """A driver that dies as soon as the input of its first turn is written."""

    class Brief(MortalFiles):
        def publish(self, path: str, content: bytes) -> None:
            super().publish(path, content)
            if path.startswith("inbox/"):
                raise Died(path)

    with pytest.raises(Died):
        drive(spark, Brief(spark, str(folder), 1000, in_writes=False), MEANS, run.Wishes())


def test_what_a_run_did_not_rank_the_next_one_ranks(spark: SparkSession, job: pathlib.Path) -> None:
    """`--turns`, a driver that ended after the last turn with links, a ranking that failed: links are ranked by what was told, not by whom."""
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(ranks=False))
    spark_job = Job(Files(spark, str(job)))
    assert spark_job.has_unranked_links()
    # Nothing is left to crawl, and no turn of this run tells of a link.
    assert drive(spark, Files(spark, str(job)), MEANS, run.Wishes()) == 0
    survived(spark, job, "the next run")
    spark_job = Job(Files(spark, str(job)))
    assert not spark_job.has_unranked_links() and spark_job.undelivered_ranking() is None


def test_turns_of_a_number_are_ranked_too(spark: SparkSession, job: pathlib.Path) -> None:
    drive(spark, Files(spark, str(job)), MEANS, run.Wishes(turns=4))
    spark_job = Job(Files(spark, str(job)))
    assert spark_job.last_ranking() == spark_job.turns()[-2] and spark_job.undelivered_ranking() is None


def test_a_ranking_that_an_executor_takes_along_is_tried_again(
    spark: SparkSession, job: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, tries = rank._rank, []  # noqa: SLF001

    def fails_once(spark: SparkSession, job: Job, folder: str, draft: Draft, say: typing.Callable[[str], None]) -> rank.Result:
        tries.append(folder)
        result = whole(spark, job, folder, draft, say)
        if len(tries) == 1:
            spark.sql("select raise_error('Checkpoint block rdd_7_0 not found')").collect()
        return result

    monkeypatch.setattr(rank, "_rank", fails_once)
    assert drive(spark, Files(spark, str(job)), MEANS, run.Wishes()) == 0
    assert len(tries) == 2
    survived(spark, job, "an executor died")
