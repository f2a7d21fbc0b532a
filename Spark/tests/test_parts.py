"""The parts of the driver that need no worker."""
import dataclasses
import itertools
import json
import pathlib
import random
import re

import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import quota, run, summary
from pippin_spark.addresses import MAXIMUM_SLOTS, slots
from pippin_spark.claim import Claim
from pippin_spark.exchange import Inbox
from pippin_spark.files import MAXIMUM_FILE_BYTES, Files
from pippin_spark.job import MAXIMUM_SHARDS, Commit, Settings
from pippin_spark.protocol import KINDS, Begin, Done, Line, ProtocolError, Telling, address_line, parse
from pippin_spark.records import typed
from pippin_spark.recordschema import record_type
from pippin_spark.trouble import HELD, Trouble, WorkerTrouble
from pippin_spark.turn import Flight
from pippin_spark.worker import Times


def test_a_line_has_four_columns() -> None:
    assert parse(b'record\t7\thttp://a/\t{"title":"\xc3\xa4"}\n') == Line("record", 7, "http://a/", '{"title":"ä"}')


@pytest.mark.parametrize(
    "line",
    [
        b'record\t7\tk\t{}',
        b"record\t7\tk\n",
        b"record\t7\tk\t{}\tx\n",
        b"rumor\t7\tk\t{}\n",
        b"record\t-7\tk\t{}\n",
        b"record\t\xd9\xa7\tk\t{}\n",
        b"record\t9999999999999999999\tk\t{}\n",
        b"record\t7\tk\t[1]\n",
        b"record\t7\t\xff\t{}\n",
        b"\n",
    ],
)
def test_other_lines_are_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse(line)


def test_lines_of_a_kind_come_in_order() -> None:
    telling = Telling(1, 0)
    telling.take(Line("record", 5, "a", "{}"))
    telling.take(Line("foreign", 3, "b", "{}"))
    with pytest.raises(ProtocolError, match="out of order: 4 after 5"):
        telling.take(Line("record", 4, "c", "{}"))


@pytest.mark.parametrize("text", ["{}", "[]", '{"turn":1}', '{"turn":[],"shard":0}', "{" * 100_000])
def test_a_done_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        Telling(1, 0).take(Line("done", 1, "1", text))


def test_begin_is_what_the_protocol_says() -> None:
    begin = Begin(7, 3, 16, "10m", "9f-1042", rate=2.5, pages=500)
    assert json.loads(begin.line()) == {
        "v": 3, "type": "begin", "turn": 7, "shard": 3, "shards": 16, "by": "site-1", "for": "10m", "cursor": "9f-1042", "rate": 2.5,
        "pages": 500,
    }  # fmt: skip
    assert json.loads(address_line("203.0.113.7", 1, 3)) == {"type": "address", "address": "203.0.113.7", "place": 1, "of": 3}
    assert json.loads(address_line("203.0.113.7", 0, 1, 0.25))["every"] == 0.25


def test_trouble_of_a_worker_is_found_in_sparks_words() -> None:
    words = f"Job aborted …\n  pippin_spark.trouble.WorkerTrouble: {WorkerTrouble(3, 7, 'the storage is held')}\n\tat org.apache"
    found = WorkerTrouble.found_in(words)
    assert found is not None
    assert (found.shard, found.status, found.trouble.code) == (3, HELD, HELD)
    assert str(found.trouble) == "shard 3: the storage is held"


@pytest.mark.parametrize(
    "weights", [{0: 1, 1: 1}, {0: 100, 1: 1, 2: 0}, {3: 0, 5: 0}, dict.fromkeys(range(40), 7), {0: 10**9, 1: 1}]
)
def test_slots_of_an_address_are_disjoint_and_everybody_has_one(weights: dict[int, int]) -> None:
    shares = slots(weights)
    places = sorted(itertools.chain.from_iterable(shares.values()))
    assert places == list(range(len(places))) and len(places) <= max(MAXIMUM_SLOTS, len(weights))
    assert all(shares[shard] for shard in weights)
    heaviest = max(weights, key=lambda shard: weights[shard])
    assert len(shares[heaviest]) == max(map(len, shares.values()))


def test_an_address_of_one_shard_is_its_own() -> None:
    assert slots({4: 12}) == {4: [0]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("scope: {}", "add `cluster"),
        ("cluster: { shards: 0 }", "from 1 to 4096"),
        ("cluster: { shards: yes }", "is no number"),
        ("cluster: { shards: 2, shared_addresses: never }", "slots or ignore"),
        ("cluster: [2]", "no keys of its own"),
        ("cluster: {", "config.yaml"),
        ("- 2", "no keys"),
    ],
)
def test_a_wrong_configuration_is_named(text: str, words: str) -> None:
    with pytest.raises(Trouble, match=words):
        Settings.parse(text.encode(), "config.yaml")


def test_times_are_what_the_worker_says() -> None:
    assert Times.parse('{"turn":600,"longestDelay":60,"delayPerAddress":0.25,"new":1}') == Times(600, 60)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"turn":"10m","longestDelay":1,"delayPerAddress":1}'])
def test_times_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(Trouble, match="no times"):
        Times.parse(text)


def test_a_commit_is_published_whole_and_never_replaced(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    files = Files(spark, str(tmp_path))
    files.publish("commits/000001.json", b"one")
    with pytest.raises(Trouble, match="another driver has written it"):
        files.publish("commits/000001.json", b"two")
    assert files.read("commits/000001.json") == b"one"
    assert [path.name for path in (tmp_path / "commits").iterdir() if not path.name.endswith(".crc")] == ["000001.json"]


def test_a_commit_is_small_however_many_hosts_a_turn_asked(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    """As many shards as there may be, each with as many hosts as its worker names."""
    host = {"host": "a-host-with-a-long-name.example", "pages": 100, "records": 90, "failures": 3, "requests": 120, "wireBytes": 10_000_000}
    summary_of_shard = {"pages": 10_000, "hosts": [host] * 100, "seeds": [{"url": "https://a.example/"}] * 100}
    dones = {
        shard: Done(7, shard, "9f3c61d2a8b04e57-1042", "time", dict.fromkeys(KINDS, 10**6), {"requests": 1}, 10**6, 10**6, 10**4,
                    "2026-11-25T03:00:00Z", 1, 1, 1, {"opening": 1.234, "crawling": 600.1, "telling": 2.2}, summary_of_shard)
        for shard in range(MAXIMUM_SHARDS)
    }  # fmt: skip
    total = summary.Sum()
    for done in dones.values():
        total.add(done.summary or {})
    commit = Commit(7, {shard: done.cursor for shard, done in dones.items()}, dones, {}, "", "", 1.0, report=total.short(10))
    text = commit.encoded()
    assert len(text) < 4_000_000
    assert Commit.parse(text, "000007.json").dones[4095] == dataclasses.replace(dones[4095], summary=None)
    files = Files(spark, str(tmp_path))
    with pytest.raises(Trouble, match="too many to be read again"):
        files.publish("commits/000007.json", bytes(MAXIMUM_FILE_BYTES + 1))
    assert not files.exists("commits/000007.json")


def test_a_commit_of_an_earlier_version_is_read() -> None:
    done = {
        "turn": 1, "shard": 0, "cursor": "9f-1", "ending": "time", "told": {}, "received": {}, "known": 1, "queued": 0, "next_due": None,
        "visits": 1, "pages": 1, "requests": 2, "seconds": {}, "summary": {"pages": 1},
    }  # fmt: skip
    text = {
        "version": 1, "turn": 1, "cursors": {"0": "9f-1"}, "told": {}, "startedAt": "", "endedAt": "", "seconds": 1, "rebuilt": [], "resharded": None,
        "places": {"0": [{"address": "10.0.0.1", "place": 0, "of": 2}]}, "shards": [done],
    }  # fmt: skip
    commit = Commit.parse(json.dumps(text).encode(), "000001.json")
    assert (commit.dones[0].hosts, commit.ran, commit.mail, commit.waiting, commit.delivered) == (0, (0,), {0: 0}, {}, None)


def test_a_commit_of_an_earlier_version_had_all_shards_and_their_mail() -> None:
    """It handed over what the turn before had told, and its own lines wait for all: nobody noted for whom they are."""
    done = {
        "turn": 5, "shard": 0, "cursor": "9f-1", "ending": "time", "told": {}, "received": {}, "known": 1, "queued": 0, "hosts": 1, "next_due": None,
        "visits": 1, "pages": 1, "requests": 2, "seconds": {}, "summary": None,
    }  # fmt: skip
    text = {
        "version": 1, "turn": 5, "cursors": {"0": "9f-1", "1": "8e-3"}, "told": {"foreign": 3}, "startedAt": "", "endedAt": "", "seconds": 1,
        "rebuilt": [], "resharded": None, "shardsSince": 1, "addresses": "[0, 0]", "linked": 4, "delivered": 2, "shards": [done, done | {"shard": 1}],
    }  # fmt: skip
    commit = Commit.parse(json.dumps(text).encode(), "000005.json")
    assert (commit.ran, commit.mail, commit.waiting, commit.delivered) == ((0, 1), {0: 4, 1: 4}, {0: 3, 1: 3}, {0: 2, 1: 2})
    assert Commit.parse(commit.encoded(), "000005.json") == commit


def test_shards_that_begin_leave_their_part_to_those_that_end_later() -> None:
    assert quota.of_ready(None, {}, {0: 1}, set(), {0}) == {}
    # All begin: all is divided.
    assert quota.of_ready(10, {}, {0: 9, 1: 9}, set(), {0, 1}) == {0: 5, 1: 5}
    # Shard 1 could begin, and does not: its part waits for it.
    assert quota.of_ready(10, {}, {0: 9, 1: 9}, set(), {0}) == {0: 5}
    # What shards in flight may still visit is theirs.
    assert quota.of_ready(10, {1: 8}, {0: 9, 1: 9}, set(), {0}) == {0: 2}
    assert quota.of_ready(10, {1: 10}, {0: 9, 1: 9}, set(), {0}) == {0: 0}
    # With nothing in flight, whoever begins gets a page: else the run would stand still.
    assert quota.of_ready(1, {}, {0: 0, 1: 1000}, set(), {0}) == {0: 1}


@pytest.mark.parametrize("seed", range(20))
def test_shards_in_flight_never_have_more_than_the_rate_and_the_pages_of_the_job(seed: int) -> None:
    numbers = random.Random(seed)
    shards = range(numbers.randint(1, 12))
    flying: dict[int, tuple[float, int]] = {}
    for _ in range(200):
        queued = {shard: numbers.choice([0, numbers.randint(0, 5000)]) for shard in shards}
        ready = {shard for shard in shards if shard not in flying and numbers.random() < 0.5}
        if ready:
            rates = quota.rates(10.0, {shard: rate for shard, (rate, _) in flying.items()}, queued, ready)
            pages = quota.of_ready(100, {shard: count for shard, (_, count) in flying.items()}, queued, set(), ready)
            assert rates.keys() == pages.keys() == ready and all(rate >= 0.99 / len(shards) for rate in rates.values())
            flying |= {shard: (rates[shard], pages[shard]) for shard in ready}
        assert sum(rate for rate, _ in flying.values()) <= 10.0 + 1e-9 and sum(count for _, count in flying.values()) <= 100
        for shard in [shard for shard in flying if numbers.random() < 0.4]:
            del flying[shard]
    alone = quota.rates(10.0, {}, {0: 5}, {0})
    assert alone[0] == pytest.approx(10.0)


def test_the_share_of_crawling_counts_the_time_in_which_there_was_something_to_do() -> None:
    share = run.Share(range(2), 0.0)
    done = Done(1, 0, "", "time", {}, {}, 0, 9, 1, None, 1, 1, 1, {"opening": 2.0, "crawling": 50.0})
    finished = dataclasses.replace(done, shard=1, ending="finished", queued=0, seconds={"crawling": 10.0})
    flight = Flight(Inbox("5f", None, {0: 1, 1: 1}, (), None, 0, {}), {}, "", 10.0, False)
    # Shard 0 would have gone on, and waits to second 70; shard 1 had nothing to do after second 20.
    share.take(flight, {0: done, 1: finished}, set(), {0}, 70.0)
    assert share.value == pytest.approx((50 + 10) / (70 + 20))
    # Something is found for shard 1 in second 100; its next turn begins with a delay, and has all its time.
    share.take(dataclasses.replace(flight, start=72.0), {0: dataclasses.replace(done, ending="finished")}, {1}, {1}, 130.0)
    share.take(dataclasses.replace(flight, start=140.0), {1: finished}, set(), set(), 155.0)
    assert share.value == pytest.approx((50 + 10 + 50 + 10) / (70 + 20 + (72 + 52 - 70) + (150 - 130)))


def test_a_seed_that_waits_for_its_address_and_then_fails_has_failed() -> None:
    total = summary.Sum()
    for seed in (
        {"url": "http://a/", "outcome": "not-visited"},
        {"url": "http://a/", "outcome": "not-visited", "reason": "Its host was left."},
        {"url": "http://a/", "outcome": "not-visited"},
    ):
        total.add({"seeds": [seed]})
    report = total.report("hosts-rest", "", "", 1.0, known=1, unvisited=1, hosts=1)
    assert [seed["url"] for seed in summary.failed_seeds(report)] == ["http://a/"]
    total.add({"seeds": [{"url": "http://a/", "outcome": "recorded"}]})
    assert summary.failed_seeds(total.report("finished", "", "", 1.0, known=1, unvisited=0, hosts=1)) == []


def test_pages_go_to_shards_that_have_work_now() -> None:
    assert quota.pages(10, {0: 1000, 1: 0, 2: 8}, set()) == {0: 10, 1: 0, 2: 0}
    assert quota.pages(10, {0: 1000, 1: 0, 2: 8}, {0}) == {0: 0, 1: 1, 2: 9}
    # A shard that rested gets some again, for its hosts may be awake by now.
    assert quota.pages(100_000, {0: 50_000, 1: 100}, {0}) == {0: 25_000, 1: 75_000}
    assert quota.pages(0, {0: 3, 1: 4}, set()) == {0: 0, 1: 0}


@pytest.mark.parametrize("seed", range(50))
def test_a_job_near_its_limit_ends_after_as_many_turns_as_pages_and_shards(seed: int) -> None:
    """Shards whose hosts rest, that have nothing, that have work: every turn visits a page, or one shard more is known to rest."""
    numbers = random.Random(seed)
    shards = range(numbers.randint(1, 20))
    ready = {shard: numbers.choice([0, 0, numbers.randint(1, 30)]) for shard in shards}
    resting_urls = {shard: numbers.choice([0, numbers.randint(0, 10_000)]) for shard in shards}
    left, resting, turns = numbers.randint(1, 40), set[int](), 0
    wanted = min(left, sum(ready.values()))
    visited = 0
    while left > 0 and len(resting) < len(shards):
        turns += 1
        quotas = quota.pages(left, {shard: ready[shard] + resting_urls[shard] for shard in shards}, resting)
        assert sum(quotas.values()) <= left
        dones = {}
        for shard in shards:
            count = min(quotas[shard], ready[shard])
            ready[shard] -= count
            visited += count
            left -= count
            ending = "pages" if count == quotas[shard] else "hosts-rest" if resting_urls[shard] else "finished"
            dones[shard] = Done(1, shard, "", ending, {}, {}, 0, ready[shard] + resting_urls[shard], 0, None, count, count, count, {})
        resting = quota.resting(resting, dict(quotas), dones, set())
        assert turns <= wanted + len(shards) + 1, "a turn has visited nothing and learned nothing"
    assert visited == wanted


def test_a_claim_of_a_machine_that_went_away_is_taken_over_after_a_lease(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    files = Files(spark, str(tmp_path))
    files.write("claims/0.json", json.dumps(
        {"host": "elsewhere", "boot": "b", "namespace": "n", "pid": 1, "started": "1", "beat": 3, "hasJob": True}
    ).encode())  # fmt: skip
    with Claim(files, lease=1) as claim:
        claim.check()
    assert not files.exists("claims/0.json")


def test_a_claim_that_is_renewed_elsewhere_is_respected(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    import threading

    files = Files(spark, str(tmp_path))
    ended = threading.Event()

    def renew() -> None:
        beat = 0
        while not ended.wait(0.2):
            beat += 1
            fields = {"host": "elsewhere", "boot": "b", "namespace": "n", "pid": 1, "started": "1", "beat": beat, "hasJob": True}
            files.write("claims/0.json", json.dumps(fields).encode())

    thread = threading.Thread(target=renew)
    thread.start()
    try:
        while not files.exists("claims/0.json"):
            pass
        with pytest.raises(Trouble, match="process 1 on elsewhere") as caught:
            with Claim(files, lease=4):
                pass
        assert caught.value.code == HELD
    finally:
        ended.set()
        thread.join()


def test_a_claim_of_a_process_that_ended_here_is_taken_over_at_once(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    import dataclasses
    import time

    from pippin_spark.claim import _Process

    files = Files(spark, str(tmp_path))
    ended = dataclasses.replace(_Process.own(), started="1")
    files.write("claims/0.json", json.dumps(dataclasses.asdict(ended) | {"beat": 9, "hasJob": True}).encode())
    began = time.monotonic()
    with Claim(files, lease=60):
        assert time.monotonic() - began < 10


def test_every_field_of_the_schema_has_a_type() -> None:
    schema = json.loads((pathlib.Path(__file__).parents[2] / "Docs/record.schema.json").read_text())
    assert record_type().names == list(schema["$defs"]["record"]["properties"])
    links = record_type()["deepLinks"].dataType.simpleString()
    assert links.startswith("array<struct<platform:string,url:string,alternativeURLs:array<string>")
    assert record_type()["rating"].dataType.simpleString() == "struct<value:double,best:double,worst:double,normalized:double,count:bigint,reviewCount:bigint>"


def test_records_become_rows_with_types(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    record = {
        "schemaVersion": 2, "uniqueIdentifier": "https://a.test/", "keywords": ["x", "y"], "popularity": 0.5,
        "rating": {"value": 4, "best": 5, "worst": 1, "normalized": 0.75, "count": 3}, "provenance": {"title": "heading"},
    }  # fmt: skip
    rows = spark.createDataFrame([(json.dumps(record),)], "json string").select(typed(f.col("json")).alias("record")).select("record.*")
    rows.write.parquet(str(tmp_path / "records"))
    [row] = pyarrow.parquet.read_table(tmp_path / "records").to_pylist()
    assert row["rating"]["value"] == 4.0 and row["keywords"] == ["x", "y"] and row["provenance"]["title"] == "heading"
    assert row["title"] is None


def test_reports_of_shards_add_up_to_one() -> None:
    def report(host: str, pause: float, seed: str) -> summary.Report:
        return {
            "pages": 2, "records": 1, "requests": 5, "wireBytes": 6000, "seconds": 2.0, "deepLinks": 0, "deletions": 0,
            "pace": {"shares": {"politeness": 1.0}}, "politeness": {"requestsTooEarly": 0},
            "outcomes": [{"code": "recorded", "count": 1, "examples": []}, {"code": "gone", "count": 1, "examples": [f"http://{host}/x"]}],
            "droppedLinks": [{"reason": "other-host", "count": 3, "examples": []}], "notCovered": [], "siteFiles": {}, "lookUps": {"found": 1},
            "hosts": [{"host": host, "pages": 2, "records": 1, "failures": 0, "requests": 5, "wireBytes": 9, "smallestPause": pause, "delay": 0.1}],
            "seeds": [{"url": "http://a/", "outcome": seed}], "renderings": {"settled": 2},
        }  # fmt: skip

    total = summary.Sum()
    total.add(report("a", 0.11, "recorded"))
    total.add(report("b", 0.105, "not-visited"))
    whole = total.report("finished", "2026-11-24T11:00:00Z", "2026-11-24T11:00:04Z", 4.0, known=9, unvisited=0, hosts=2)
    assert whole["pages"] == 4 and whole["lookUps"] == {"found": 2} and whole["seeds"] == [{"url": "http://a/", "outcome": "recorded"}]
    assert whole["renderings"] == {"settled": 4}
    words = summary.text(whole)
    assert words.startswith("Done after 4.0 s: 4 pages, 2 records, 0 deep links, 10 requests, 12 KB.")
    assert "      2  gone, like http://a/x" in words
    assert "shortest pause between two requests to one host was 105.0 ms (delay 100.0 ms, b)" in words
    assert "\x1b" not in summary.text(whole | {"outcomes": [{"code": "gone", "count": 1, "examples": ["http://\x1b[2J"]}]})


def test_the_rate_is_of_the_shards_that_run_however_many_there_are() -> None:
    """With eight slots for a thousand shards, whoever begins when."""
    chance = random.Random(1)
    for _ in range(200):
        shards, slots = chance.randrange(1, 1000), chance.choice([1, 2, 8, 5000, None])
        queued = {shard: chance.randrange(100) for shard in range(shards)}
        held: dict[int, float] = {}
        least = []
        for _ in range(100):
            free = [shard for shard in queued if shard not in held]
            room = (slots or shards) - len(held)
            begin = set(chance.sample(free, min(len(free), room, chance.randrange(1, 9))))
            if begin:
                held |= quota.rates(100, held, queued, begin, slots)
            assert sum(held.values()) <= 100.001
            if len(held) == min(slots or shards, shards):
                least.append(sum(held.values()))
            for shard in chance.sample(sorted(held), min(len(held), chance.randrange(4))):
                del held[shard]
        assert not least or least[0] > 40, f"{shards} shards, {slots} slots: {least[:5]}"


def test_faults_that_the_readme_lists_have_tests() -> None:
    folder = pathlib.Path(__file__).parent
    named = re.findall(r"`(test_[a-z0-9_]{12,})`", (folder.parent / "README.md").read_text())
    written = set(re.findall(r"^def (test_\w+)", "".join(file.read_text() for file in folder.glob("test_*.py")), re.MULTILINE))
    assert len(named) >= 40 and not set(named) - written
