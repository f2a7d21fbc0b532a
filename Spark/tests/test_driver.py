"""What the driver does when workers, executors and other drivers misbehave. The worker is a scripted one."""
import collections
import datetime
import itertools
import json
import pathlib
import re
import shutil
import typing

import pyarrow.parquet
import pytest
from conftest import FAKE
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pippin_spark import addresses, exchange, rank, records, run
from pippin_spark.claim import Claim
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.quota import divide
from pippin_spark.told import read_lines
from pippin_spark.trouble import DISK, HELD, USAGE, Trouble, sentence
from pippin_spark.turn import Means, Order, Turns

MEANS = Means(str(FAKE))


class Driver:
    """A driver of a fake job, turn by turn."""

    def __init__(self, spark: SparkSession, folder: pathlib.Path) -> None:
        self.spark, self.folder = spark, folder
        self.said: list[str] = []

    def run(self, turns: int | None = None, means: Means = MEANS) -> int:
        job = Job(Files(self.spark, str(self.folder)))
        with Claim(job.files) as claim:
            job.check_shards()
            return run.run(self.spark, job, claim, means, run.Wishes(turns, ranks=False), self.said.append)

    @property
    def job(self) -> Job:
        return Job(Files(self.spark, str(self.folder)))

    def visits(self) -> collections.Counter[str]:
        log = self.folder / "visits.log"
        return collections.Counter(log.read_text().split()) if log.exists() else collections.Counter()

    def records(self) -> dict[str, typing.Any]:
        found = records.records(self.spark, self.job).collect()
        assert len({row["key"] for row in found}) == len(found), "an identifier twice"
        return {row["key"]: json.loads(row["json"]) for row in found}

    def tries(self) -> list["Try"]:
        return [Try(*json.loads(line)) for line in (self.folder / "tries.log").read_text().splitlines()]

    def lines(self, kind: str) -> list[tuple[str, int, str]]:
        """All that the committed turns told of a kind, as often as they told it."""
        rows = read_lines(self.spark, self.job, kind, self.job.turns())
        return [(row["key"], row["shard"], row["sequence"]) for row in rows.collect()] if rows is not None else []


class Try(typing.NamedTuple):
    """What a worker was given, and when it worked."""

    turn: int
    shard: int
    places: dict[str, list[list[int]]]
    began: float
    ended: float


def together(tries: list[Try]) -> int:
    """No two shards had places at a time that do not fit together. Returns how many pairs had an address together."""
    count = 0
    for one, other in itertools.combinations(tries, 2):
        if one.shard == other.shard or one.ended <= other.began or other.ended <= one.began:
            continue
        for address in one.places.keys() & other.places.keys():
            count += 1
            places = [place for attempt in (one, other) for place, _ in attempt.places[address]]
            counts = {count for attempt in (one, other) for _, count in attempt.places[address]}
            assert len(counts) == 1 and len(set(places)) == len(places), f"{address}: {one} {other}"
    return count


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


def test_more_shards_than_slots_take_turns(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text("cluster: { shards: 9, turn: 10s, links: true }\n")
    assert driver.run(means=Means(str(FAKE), slots=2)) == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    assert max(len(driver.job.commit(turn).ran) for turn in driver.job.turns()) <= 2
    tries = sorted(driver.tries(), key=lambda attempt: attempt.began)
    assert all(sum(other.began <= attempt.began < other.ended for other in tries) <= 2 for attempt in tries)
    # Each has its first turn before any has its third.
    firsts = {attempt.shard: index for index, attempt in reversed(list(enumerate(tries)))}
    thirds = [index for index, attempt in enumerate(tries) if sum(other.shard == attempt.shard for other in tries[:index]) == 2]
    assert len(firsts) == 9 and (not thirds or max(firsts.values()) < min(thirds))


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
    for file in driver.folder.glob("turns/000002-*/kind=record/*.parquet"):
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


def test_a_driver_that_comes_back_in_the_middle_of_its_commit_commits_its_own_lines(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stood still for longer than its claim holds, and another driver has begun its turns again meanwhile."""
    driver.run(turns=2)
    turn = driver.job.turns()[-1] + 1
    publish, others = Files.publish, Driver(driver.spark, driver.folder)

    def late(files: Files, path: str, content: bytes) -> None:
        if path == f"commits/{turn:06d}.json" and not others.said:
            others.said.append("began")
            job = others.job
            with Claim(job.files) as claim, Turns(driver.spark, job, claim, MEANS, others.said.append) as turns:
                turns.resume(Order(100, "2026-11-27T00:00:00Z"))
        publish(files, path, content)

    monkeypatch.setattr(Files, "publish", late)
    # Its claim would be dead, were its process another than this one.
    monkeypatch.setattr(Claim, "check", lambda _: None)
    monkeypatch.setattr(Claim, "_take", lambda _: None)
    driver.run(turns=1)
    assert others.said and turn in driver.job.turns()
    monkeypatch.undo()
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING


def without_snapshots(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s, links: true, snapshots: false }\n")


def test_a_storage_that_is_away_is_not_made_anew_unasked(driver: Driver) -> None:
    """A disk that is not mounted for a turn looks like a lost one."""
    without_snapshots(driver)
    driver.run(turns=3)
    before, turns = driver.visits(), driver.job.turns()
    (driver.folder / "shards/03").rename(driver.folder / "away")
    with pytest.raises(Trouble, match="shard 3: its storage .*/shards/03 is gone. If its disk is only away, bring it back .* `--rebuild 3`") as caught:
        driver.run()
    assert caught.value.code == DISK and driver.job.turns() == turns
    (driver.folder / "away").rename(driver.folder / "shards/03")
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING
    assert driver.visits() >= before and max(driver.visits().values()) == 1


def test_a_lost_storage_is_made_anew_when_asked(driver: Driver) -> None:
    """What was told of pages that are gone by now goes too."""
    without_snapshots(driver)
    driver.run(turns=4)
    lost = {key for key, shard, _ in driver.lines("record") if shard == 3}
    told = {key for key, shard, _ in driver.lines("record")}
    [gone] = sorted(lost)[-1:]
    web = json.loads((driver.folder / "fake.json").read_text())
    (driver.folder / "fake.json").write_text(json.dumps(web | {"gone": [gone]}))
    (driver.folder / "shards/03").rename(driver.folder / "lost")
    assert driver.run(means=Means(str(FAKE), rebuild=(3,))) == 0
    assert gone in told and gone not in driver.records()
    again = {url for url, count in driver.visits().items() if count > 1}
    assert again == lost and max(driver.visits().values()) == 2
    assert any("shard 3: made anew" in words and "after a pause of 0.2 s" in words for words in driver.said)
    assert any("crawled again: shard 3" in words for words in driver.said)


def test_a_backup_of_a_storage_is_taken_when_asked(driver: Driver) -> None:
    """The copy is older than what its shard has told, and gets what it lacks from what was told."""
    without_snapshots(driver)
    driver.run(turns=2)
    shutil.copytree(driver.folder / "shards/03", driver.folder / "backup")
    driver.run(turns=3)
    shutil.rmtree(driver.folder / "shards/03")
    (driver.folder / "backup").rename(driver.folder / "shards/03")
    assert driver.run(means=Means(str(FAKE), rebuild=(3,))) == 0
    assert set(driver.records()) == EVERYTHING
    assert max(driver.visits().values()) == 2


def test_a_shard_that_does_not_exist_cannot_be_made_anew(driver: Driver) -> None:
    driver.run(turns=1)
    for shard in (4, -1):
        with pytest.raises(Trouble, match=f"--rebuild {shard}: the job has shards 0 to 3"):
            driver.run(means=Means(str(FAKE), rebuild=(shard,)))


def test_a_job_near_its_limit_ends_wherever_its_work_lies(driver: Driver) -> None:
    """Most URLs wait in a shard whose hosts rest: the pages that are left go to the others, or the run ends."""
    web = json.loads((driver.folder / "fake.json").read_text())
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s }\nscope: { max_pages: 14 }\n")
    (driver.folder / "fake.json").write_text(json.dumps(web | {"resting": [1]}))
    status = driver.run()
    assert (status, sum(driver.visits().values())) in {(4, 14), (0, sum(driver.visits().values()))}
    assert len(driver.job.turns()) <= 14 + 4, driver.said


@pytest.mark.parametrize("kind", ["host", "record", "foreign", "links"])
def test_a_damaged_file_of_a_committed_turn_is_named_in_a_sentence(driver: Driver, kind: str) -> None:
    driver.run(turns=3)
    files = list(driver.folder.glob(f"turns/000003-*/kind={kind}/*.parquet"))
    assert files, f"turn 3 told no {kind}"
    for file in files:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises((Py4JJavaError, PySparkException, Trouble)) as caught:
        driver.run(means=Means(str(FAKE), rebuild=(0, 1, 2, 3)))
        rank.rank(driver.spark, driver.job, 3)
    words = str(caught.value) if isinstance(caught.value, Trouble) else sentence(caught.value)
    assert re.search(rf"turns/000003-\w+/kind={kind}/part-", words), words
    assert "\n" not in words and len(words) < 1500, words


def test_outputs_that_a_cluster_does_not_have_are_told_once(driver: Driver) -> None:
    web = json.loads((driver.folder / "fake.json").read_text())
    words = "output.ndjson is not used on a cluster"
    (driver.folder / "fake.json").write_text(json.dumps(web | {"times": web["times"] | {"leftOut": [words]}}))
    driver.run(turns=2)
    assert driver.said.count(words) == 1


def test_a_storage_that_is_damaged_is_named_with_what_to_do(driver: Driver) -> None:
    driver.run(turns=2)
    (driver.folder / "fault-2").write_text("status always")
    with pytest.raises(Trouble, match="shard 2: .* Storage: .*/shards/02. If it is damaged, move it away, .* `--rebuild 2`") as caught:
        driver.run()
    assert caught.value.code == DISK


def test_another_number_of_shards_is_refused(driver: Driver) -> None:
    driver.run(turns=1)
    (driver.folder / "config.yaml").write_text("cluster: { shards: 5 }\n")
    with pytest.raises(Trouble, match="reshard") as caught:
        driver.run(turns=1)
    assert caught.value.code == USAGE


def test_a_missing_commit_is_noticed(driver: Driver) -> None:
    driver.run(turns=3)
    (driver.folder / "commits/000002.json").unlink()
    with pytest.raises(Trouble, match=f"a commit is missing among turns 1 to {driver.job.turns()[-1]}"):
        driver.run(turns=1)


def test_pages_of_the_whole_job_are_limited(driver: Driver) -> None:
    (driver.folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s }\nscope: { max_pages: 10 }\n")
    assert driver.run() == 4
    assert sum(driver.visits().values()) == 10


def test_two_drivers_at_once_are_refused(driver: Driver) -> None:
    files = driver.job.files
    with Claim(files):
        with pytest.raises(Trouble, match="another driver has this job: process") as caught:
            with Claim(files):
                pass
        assert caught.value.code == HELD
    with Claim(files):
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
    with Claim(job.files) as claim:
        with Turns(driver.spark, job, claim, MEANS, driver.said.append) as turns:
            for file in (driver.folder / "claims").glob("*.json"):
                file.unlink()
            with pytest.raises(Trouble) as caught:
                turns.start([[0, 1, 2, 3]], Order(None, "2026-11-24T11:00:00Z"))
    assert caught.value.code == HELD
    assert driver.job.turns() == [1]


def test_shards_that_share_an_address_get_slots_of_it(driver: Driver) -> None:
    """The fake hosts are at two addresses. Nobody is told of one before a turn has told of it, and those who have one at a time fit together."""
    driver.run()
    tries = driver.tries()
    assert not any(attempt.places for attempt in tries if attempt.turn == 1)
    together(tries)
    assert {address for attempt in tries for address in attempt.places} == {"10.0.0.0", "10.0.0.1"}
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)


def slow(folder: pathlib.Path, **more: typing.Any) -> None:
    """All hosts are seeds, and whatever shard 3 asks answers after six seconds."""
    (folder / "seeds.txt").write_text("".join(f"http://h{host}.test/0\n" for host in range(6)))
    web = json.loads((folder / "fake.json").read_text())
    (folder / "fake.json").write_text(json.dumps(web | {"visits": 2, "slow": {"3": 6}} | more))


def test_shards_go_on_while_another_is_slow(driver: Driver) -> None:
    slow(driver.folder)
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}, "a change was told twice"
    tries = driver.tries()
    long = [attempt for attempt in tries if attempt.ended - attempt.began > 6]
    commits = [driver.job.commit(turn) for turn in driver.job.turns()]
    began = [datetime.datetime.fromisoformat(commit.started_at).timestamp() for commit in commits]
    meanwhile = [moment for moment in began if any(one.began < moment < one.ended for one in long)]
    assert meanwhile, "the others waited"
    assert together(tries) > 3, "no two shards had an address at a time"
    assert any(0 < len(commit.ran) < 4 for commit in commits) and commits[-1].is_idle
    assert not list((driver.folder / "inbox").iterdir()), "inputs of turns stay"


def test_a_shard_that_fails_lets_the_others_end_their_turns(driver: Driver) -> None:
    slow(driver.folder)
    driver.run(turns=3)
    before = driver.job.last_commit()
    assert before is not None
    (driver.folder / "fault-0").write_text("usage always")
    with pytest.raises(Trouble, match="shard 0: .*unknown key"):
        driver.run()
    commit = driver.job.last_commit()
    assert commit is not None and commit.dones[3].turn > before.dones[3].turn, "what the slow shard did is lost"
    assert commit.dones[0].turn == before.dones[0].turn
    (driver.folder / "fault-0").unlink()
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    together(driver.tries())


def test_turns_that_a_driver_left_in_flight_are_begun_again_as_they_were(driver: Driver) -> None:
    """With their shards, numbers and places, beside each other."""
    slow(driver.folder)
    driver.run(turns=2)
    job = driver.job
    with Claim(job.files) as claim:
        with Turns(driver.spark, job, claim, MEANS, driver.said.append) as turns:
            turns.start([[3], [0, 2]], Order(1000, "2026-11-24T11:00:00Z"))
    left = exchange.in_flight(job)
    assert sorted(inbox.shards for inbox in left) == [[0, 2], [3]]
    before = len(driver.tries())
    assert driver.run() == 0
    again = [attempt for attempt in driver.tries()[before:] if any(inbox.turns.get(attempt.shard) == attempt.turn for inbox in left)]
    assert {attempt.shard for attempt in again} == {0, 2, 3}
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING


def test_a_job_of_an_earlier_version_goes_on(driver: Driver) -> None:
    """Its commits cover all shards, and an input that it left is written anew."""
    slow(driver.folder, slow={})
    job = driver.job
    with Claim(job.files) as claim:
        job.check_shards()
        with Turns(driver.spark, job, claim, MEANS, driver.said.append) as turns:
            for _ in range(3):
                turns.start([[0, 1, 2, 3]], Order(1000, "2026-11-24T11:00:00Z"))
                landing = turns.land(None)
                assert landing is not None and not isinstance(landing.result, Exception)
    assert landing.result.waiting, "nothing is on its way"
    for file in (driver.folder / "commits").glob("*.json"):
        fields = json.loads(file.read_text())
        for name in ("ran", "mail", "waiting"):
            del fields[name]
        file.write_text(json.dumps(fields | {"version": 1, "addresses": "[0, 0]", "delivered": 0}))
        file.with_name(f".{file.name}.crc").unlink()
    (driver.folder / "inbox/000004.json").write_text(json.dumps({"folder": None, "rebuilt": [], "ranking": None, "addresses": "[0, 0]"}))
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING


def test_hosts_of_one_ipv6_network_share_an_address(driver: Driver) -> None:
    """Workers of earlier versions told whole addresses."""
    driver.run(turns=1)
    [file, *_] = driver.folder.glob("turns/000001-*/kind=host/*.parquet")
    rows = [
        {"shard": shard, "sequence": 9, "key": f"v6-{shard}.test", "json": json.dumps({"address": address, "queued": 1})}
        for shard, address in enumerate(["2001:db8::1", "2001:db8::", "2001:db8:0:0:1::2", "2001:db8:0:1::1"])
    ]
    table = pyarrow.parquet.read_schema(file)
    (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table), file)
    named = addresses.lines(driver.spark, driver.job)
    assert named is not None
    lines = [json.loads(row["line"]) | {"shard": row["shard"]} for row in named.collect() if "2001:" in row["line"]]
    shared = sorted((line["shard"], line["place"] >= 0, line["of"] >= 3) for line in lines if line["address"] == "2001:db8::")
    assert {shard for shard, _, _ in shared} == {0, 1, 2} and all(is_place and is_shared for _, is_place, is_shared in shared)
    assert [(line["shard"], line["of"]) for line in lines if line["address"] == "2001:db8:0:1::"] == [(3, 1)]


def test_an_address_is_asked_as_often_as_the_most_careful_shard_finds_fit(driver: Driver) -> None:
    driver.run(turns=2)
    fit = {0: {"10.0.0.0": 0.5}, 1: {"10.0.0.0": 0.25, "10.0.0.1": 0.4}, 2: {"10.0.0.9": 0.2, "10.0.0.1": 0.4}, 3: {}}

    def lines(age: datetime.timedelta, turns: tuple[int, ...] = (1, 2)) -> dict[str, set[float | None]]:
        """Where the shards said in some turns what they found fit."""
        ended = (datetime.datetime.now(datetime.UTC) - age).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        for folder in driver.folder.glob("turns/*/kind=done"):
            files = list(folder.glob("*.parquet"))
            schema = pyarrow.parquet.read_schema(files[0])
            rows = [row for file in files for row in pyarrow.parquet.read_table(file, schema=schema).to_pylist()]
            for row in rows:
                said = json.loads(row["json"])
                judged = [{"address": address, "every": every} for address, every in fit[row["shard"]].items() if said["turn"] in turns]
                row["json"] = json.dumps(said | {"addresses": judged, "summary": {"endedAt": ended}})
            for file in files:
                (file.parent / f".{file.name}.crc").unlink(missing_ok=True)
                file.unlink()
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), files[0])
        named = addresses.lines(driver.spark, driver.job)
        assert named is not None
        every: dict[str, set[float | None]] = collections.defaultdict(set)
        for row in named.collect():
            line = json.loads(row["line"])
            every[line["address"]].add(line.get("every"))
        return every

    assert lines(datetime.timedelta(minutes=5)) == {"10.0.0.0": {0.5}, "10.0.0.1": {0.4}}
    # A turn that did not ask an address says nothing.
    assert lines(datetime.timedelta(minutes=5), turns=(1,)) == {"10.0.0.0": {0.5}, "10.0.0.1": {0.4}}
    # What was found long ago is forgotten.
    assert lines(datetime.timedelta(minutes=16)) == {"10.0.0.0": {None}, "10.0.0.1": {None}}


@pytest.mark.parametrize(
    ("address", "machine"),
    [
        ("::1", "::1"), ("::ffff:203.0.113.7", "203.0.113.7"), ("64:ff9b::cb00:7107", "203.0.113.7"), ("2002:cb00:7107:5::1", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"), ("203.0.113.7", "203.0.113.7"),
    ],
)  # fmt: skip
def test_an_address_is_named_as_workers_pace_it(address: str, machine: str) -> None:
    assert addresses._machine(address) == machine  # noqa: SLF001


def test_a_run_ends_when_no_driver_can_name_an_address_in_time(driver: Driver) -> None:
    """Every look-up of its names gives another address."""
    web = json.loads((driver.folder / "fake.json").read_text())
    (driver.folder / "fake.json").write_text(json.dumps(web | {"wandering": True}))
    assert driver.run() == 0
    assert len(driver.job.turns()) == run.IDLE_TURNS and not driver.visits()
    assert "Only hosts are left that are at another address at each look-up" in driver.said[-1]
