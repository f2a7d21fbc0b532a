"""What the driver does when workers, executors and other drivers misbehave. The worker is a scripted one."""
import collections
import json
import pathlib
import typing

import pytest
from conftest import FAKE
from pyspark.sql import SparkSession

from pippin_spark import records, run
from pippin_spark.claim import Claim
from pippin_spark.exchange import read_lines
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.trouble import HELD, USAGE, Trouble
from pippin_spark.turn import Means, Turns, divide

MEANS = Means(str(FAKE))


class Driver:
    """A driver of a fake job, turn by turn."""

    def __init__(self, spark: SparkSession, folder: pathlib.Path) -> None:
        self.spark, self.folder = spark, folder
        self.said: list[str] = []

    def run(self, turns: int | None = None, means: Means = MEANS) -> int:
        job = Job(Files(self.spark, str(self.folder)))
        with Claim(job.files, lease=4) as claim:
            job.check_shards()
            return run.run(self.spark, job, claim, means, run.Wishes(turns, ranks=False), self.said.append)

    @property
    def job(self) -> Job:
        return Job(Files(self.spark, str(self.folder)))

    def visits(self) -> collections.Counter[str]:
        log = self.folder / "visits.log"
        return collections.Counter(log.read_text().split()) if log.exists() else collections.Counter()

    def records(self) -> dict[str, typing.Any]:
        rows = records.records(self.spark, self.job)
        found = rows.collect() if rows is not None else []
        assert len({row["key"] for row in found}) == len(found), "an identifier twice"
        return {row["key"]: json.loads(row["json"]) for row in found}

    def lines(self, kind: str) -> list[tuple[str, int, str]]:
        """All that the committed turns told of a kind, as often as they told it."""
        rows = read_lines(self.spark, self.job, kind, self.job.turns())
        return [(row["key"], row["shard"], row["sequence"]) for row in rows.collect()] if rows is not None else []


EVERYTHING = {f"http://h{host}.test/{page}" for host in range(6) for page in range(5)}


@pytest.fixture
def driver(spark: SparkSession, fake_job: pathlib.Path) -> Driver:
    return Driver(spark, fake_job)


def test_a_run_goes_on_until_nothing_is_left(driver: Driver) -> None:
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    told = collections.Counter(driver.lines("record"))
    assert set(told.values()) == {1}, "a change was told twice"
    assert len(driver.job.turns()) > 3
    assert "Done after" in driver.said[-1]


def test_a_second_run_finds_nothing_to_do(driver: Driver) -> None:
    driver.run()
    before = driver.visits()
    assert driver.run() == 0
    assert driver.visits() == before
    assert len(driver.job.turns()) == len(set(driver.job.turns()))


def test_a_worker_that_fails_once_costs_nothing(driver: Driver) -> None:
    driver.run(turns=1)
    for fault in ["crash", "no done", "half line", "garbage", "count", "after done", "other shard", "status"]:
        (driver.folder / "fault-3").write_text(fault)
        assert driver.run(turns=1) == 0
        assert not (driver.folder / "fault-3").exists(), f"{fault} never happened"
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}, "a change was told twice"
    assert driver.visits().keys() == EVERYTHING


def test_a_worker_that_is_stuck_is_ended(driver: Driver) -> None:
    (driver.folder / "fault-2").write_text("hang")
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 1s, links: true }\n")
    assert driver.run(means=Means(str(FAKE), patience=2)) == 0
    assert set(driver.records()) == EVERYTHING


def test_a_worker_that_always_fails_ends_the_turn_with_its_words_and_its_status(driver: Driver) -> None:
    driver.run(turns=1)
    (driver.folder / "fault-3").write_text("usage always")
    with pytest.raises(Trouble) as caught:
        driver.run()
    assert caught.value.code == USAGE
    assert "shard 3" in str(caught.value) and "config.yaml:3: unknown key" in str(caught.value)
    assert driver.job.turns() == [1], "a turn without all shards was committed"
    (driver.folder / "fault-3").unlink()
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING


def test_a_program_that_is_not_there_is_named(driver: Driver) -> None:
    with pytest.raises(Trouble, match="/nowhere/pippin cannot be started: No such file"):
        driver.run(means=Means("/nowhere/pippin"))


def test_an_output_that_no_commit_names_does_not_exist(driver: Driver) -> None:
    """A driver was killed after it had written a turn, or half of it, and before its commit."""
    driver.run(turns=2)
    commit = driver.folder / "commits/000002.json"
    commit.unlink()
    known = {key for key, _, _ in driver.lines("record")}
    assert known == {key for key, _, _ in driver.lines("record")} and len(driver.job.turns()) == 1
    for file in (driver.folder / "turns/000002").rglob("kind=record/*.parquet"):
        file.write_bytes(file.read_bytes()[:100])
    half = driver.folder / "turns/.000002.draft/kind=record"
    half.mkdir(parents=True)
    (half / "part-0.parquet").write_bytes(b"PAR1")
    inbox = driver.folder / "inbox/.000002.draft"
    inbox.mkdir(parents=True)
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}


def test_a_lost_storage_is_crawled_again_from_what_was_found_for_it(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text(
        "cluster: { shards: 4, turn: 10s, links: true }\npoliteness: { delay: 100ms, max_crawl_delay: 200ms }\n"
    )
    driver.run(turns=3)
    lost = {key for key, shard, _ in driver.lines("record") if shard == 3}
    (driver.folder / "shards/03").rename(driver.folder / "lost")
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING
    again = {url for url, count in driver.visits().items() if count > 1}
    assert again <= lost and max(driver.visits().values()) == 2
    assert any("shard 3: its storage" in words and "after a pause of 0.2 s" in words for words in driver.said)


def test_a_driver_that_dies_while_a_storage_is_made_anew_is_followed_by_one_that_knows(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s }\npoliteness: { delay: 10ms, max_crawl_delay: 10ms }\n")
    driver.run(turns=2)
    (driver.folder / "shards/03").rename(driver.folder / "lost")
    (driver.folder / "fault-3").write_text("usage always")
    with pytest.raises(Trouble, match="unknown key"):
        driver.run()
    (driver.folder / "fault-3").unlink()
    assert (driver.folder / "shards/03").exists(), "the new storage was not begun"
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING


def test_another_number_of_shards_is_refused(driver: Driver) -> None:
    driver.run(turns=1)
    (driver.folder / "config.yaml").write_text("cluster: { shards: 5 }\n")
    with pytest.raises(Trouble, match="reshard") as caught:
        driver.run(turns=1)
    assert caught.value.code == USAGE


def test_a_missing_commit_is_noticed(driver: Driver) -> None:
    driver.run(turns=3)
    (driver.folder / "commits/000002.json").unlink()
    with pytest.raises(Trouble, match="a commit is missing among turns 1 to 3"):
        driver.run(turns=1)


def test_pages_of_the_whole_job_are_limited(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s }\nscope: { max_pages: 10 }\n")
    assert driver.run() == 4
    assert sum(driver.visits().values()) == 10


def test_two_drivers_at_once_are_refused(driver: Driver) -> None:
    files = driver.job.files
    with Claim(files, lease=4):
        with pytest.raises(Trouble, match="another driver has this job: process") as caught:
            with Claim(files, lease=4):
                pass
        assert caught.value.code == HELD
    with Claim(files, lease=4):
        pass
    assert list((driver.folder / "claims").glob("*.json")) == []


def test_shares_add_up() -> None:
    assert divide(10, {0: 1, 1: 1, 2: 1}) == {0: 4, 1: 3, 2: 3}
    assert divide(7, {0: 100, 1: 1}) == {0: 7, 1: 0}
    assert divide(0, {0: 1, 1: 2}) == {0: 0, 1: 0}
    for count in range(50):
        assert sum(divide(count, {0: 3, 1: 7, 2: 1, 3: 90}).values()) == count


def test_turns_takes_a_driver_that_lost_its_claim_out_of_the_game(driver: Driver) -> None:
    driver.run(turns=1)
    job = driver.job
    with Claim(job.files, lease=4) as claim:
        turns = Turns(driver.spark, job, claim, MEANS, driver.said.append)
        for file in (driver.folder / "claims").glob("*.json"):
            file.unlink()
        with pytest.raises(Trouble) as caught:
            turns.run(None, "2026-11-24T11:00:00Z")
    assert caught.value.code == HELD
    assert driver.job.turns() == [1]


def test_shards_that_share_an_address_get_slots_of_it(driver: Driver) -> None:
    """The fake hosts are at two addresses."""
    driver.run()
    last = driver.job.last_commit()
    assert last is not None
    named = [(place["address"], place["of"], place["place"]) for own in last.places.values() for place in own]
    assert {address for address, _, _ in named} == {"10.0.0.0", "10.0.0.1"}
    assert len(named) == len(set(named)), "two shards have one slot"
    for address in ("10.0.0.0", "10.0.0.1"):
        [count] = {of for name, of, _ in named if name == address}
        assert {place for name, _, place in named if name == address} == set(range(count))
