"""What a run says of itself while it goes on."""
import json
import pathlib
import re
import time

import pytest
import yaml
from conftest import FAKE
from pyspark.sql import SparkSession

from pippin_spark import run, status, summary
from pippin_spark.claim import Claim
from pippin_spark.files import Files
from pippin_spark.job import Commit, Job
from pippin_spark.metrics import Metrics
from pippin_spark.protocol import Done
from pippin_spark.trouble import DISK, Trouble
from pippin_spark.turn import Means

SAMPLE = re.compile(r'^(?P<name>[a-z_]+)(?:\{(?P<labels>[a-z_]+="[^"\\\n]*"(?:,[a-z_]+="[^"\\\n]*")*)\})? (?P<value>-?[0-9.e+-]+)$')


def read(file: pathlib.Path) -> dict[str, float]:
    """The samples, by name and labels; each of a family that HELP and TYPE announce."""
    found: dict[str, float] = {}
    families: list[str] = []
    for line in file.read_text().splitlines():
        if line.startswith("# TYPE "):
            name = line.split()[2]
            assert name not in families
            families.append(name)
        elif not line.startswith("# HELP "):
            sample = SAMPLE.match(line)
            assert sample is not None and sample["name"] == families[-1], line
            key = sample["name"] + (f"{{{sample['labels']}}}" if sample["labels"] else "")
            assert key not in found
            found[key] = float(sample["value"])
    return found


def crawl(spark: SparkSession, folder: pathlib.Path, file: pathlib.Path, turns: int | None = None) -> list[str]:
    said: list[str] = []
    job = Job(Files(spark, str(folder)))
    with Claim(job.files) as claim:
        job.check_shards()
        assert run.run(spark, job, claim, Means(str(FAKE)), run.Wishes(turns, ranks=False, metrics=str(file)), said.append) == 0
    return said


def test_the_file_has_what_the_run_came_to_and_where_the_job_stands(spark: SparkSession, fake_job: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "pippin.prom"
    began = time.time()
    said = crawl(spark, fake_job, file)
    found, job = read(file), Job(Files(spark, str(fake_job)))
    standing = status.status(job)
    assert found['pippin_run_state{state="finished"}'] == 1
    assert began - 1 < found["pippin_start_time_seconds"] < found["pippin_last_commit_timestamp_seconds"] <= found["pippin_last_success_timestamp_seconds"]
    assert found["pippin_turns_total"] == found["pippin_last_turn"] == standing["turn"] == len(job.turns())
    assert found["pippin_shards{ending=\"finished\"}"] == 4 and standing["shardsByEnding"] == {"finished": 4}
    assert found["pippin_known_urls"] == 30 == standing["known"] and found["pippin_queued_urls"] == 0 == standing["queued"]
    assert found["pippin_waiting_requests"] == 0 == standing["foreign"] and found["pippin_turns_in_flight"] == 0 == standing["turnsInFlight"]
    assert found["pippin_known_hosts"] == standing["hosts"] and found["pippin_unranked_links"] == 1
    seconds = sum(found[f'pippin_turn_seconds_total{{part="{part}"}}'] for part in ("opening", "crawling", "telling", "beside"))
    assert seconds == pytest.approx(sum(job.commit(turn).seconds for turn in job.turns()), rel=0.02)
    assert 0 < found["pippin_crawling_share"] <= 1
    alerts = yaml.safe_load((pathlib.Path(__file__).parents[2] / "Examples/spark/pippin-alerts.yaml").read_text())["groups"][0]["rules"]
    names = {name for alert in alerts for name in re.findall(r"pippin_\w+", alert["expr"])}
    assert names and names <= {re.sub(r"\{.*", "", sample) for sample in found}
    lines = [line for line in said if line.startswith("turn ")]
    assert len(lines) == len(job.turns()) and "so far 30 pages; 0 of 30 URLs queued, 0 on their way to other shards" in lines[-1]
    words = status.text(standing)
    assert "0 in flight\n" in words and "shards by ending: 4 finished" in words and json.dumps(standing)


def test_a_run_that_fails_says_so_and_keeps_when_one_last_succeeded(spark: SparkSession, fake_job: pathlib.Path, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "pippin.prom"
    crawl(spark, fake_job, file, turns=1)
    success = read(file)["pippin_last_success_timestamp_seconds"]
    (fake_job / "fault-3").write_text("usage always")
    with pytest.raises(Trouble, match="shard 3"):
        crawl(spark, fake_job, file)
    found = read(file)
    assert found['pippin_run_state{state="failed"}'] == 1 and 'pippin_run_state{state="running"}' not in found
    assert found["pippin_last_success_timestamp_seconds"] == success
    standing = status.status(Job(Files(spark, str(fake_job))))
    assert standing["turnsInFlight"] >= 1 and 3 in standing["shardsInFlight"]
    assert "(in flight)" in status.text(standing)


def test_a_file_that_cannot_be_written_is_said_at_the_start_and_later_ends_nothing(tmp_path: pathlib.Path) -> None:
    with pytest.raises(Trouble, match="--metrics .*/nowhere/x.prom: No such file or directory") as caught:
        Metrics(str(tmp_path / "nowhere/x.prom"), 0.0, lambda _: None)
    assert caught.value.code == DISK
    said: list[str] = []
    folder = tmp_path / "folder"
    folder.mkdir()
    metrics = Metrics(str(folder / "x.prom"), 0.0, said.append)
    (folder / "x.prom").unlink()
    folder.rmdir()
    metrics.end("finished")
    metrics.end("finished")
    assert len(said) == 1 and "No such file or directory: the metrics are those of before" in said[0]


def test_labels_of_the_web_do_not_break_out(tmp_path: pathlib.Path) -> None:
    total = summary.Sum()
    total.add({"outcomes": [{"code": 'x"} 1\n# TYPE \\', "count": 2, "examples": []}]})
    metrics = Metrics(str(tmp_path / "x.prom"), 0.0, lambda _: None)
    metrics.show({"turn": 0}, total.report("running", "", "", 1.0, known=0, unvisited=0, hosts=0), 0, 0, None)
    assert 'pippin_visits_total{outcome="x\\"} 1\\n# TYPE \\\\"} 2\n' in (tmp_path / "x.prom").read_text()


def test_the_line_of_a_turn_names_who_held_it_up_and_what_went_wrong() -> None:
    done = Done(7, 0, "", "time", {}, {}, 100, 9, 3, None, 6, 5, 6, {"opening": 1.0, "crawling": 20.0, "telling": 1.0})
    dones = {shard: Done(**(vars(done) | {"shard": shard})) for shard in range(4)}
    dones[2] = Done(**(vars(dones[2]) | {"seconds": {"opening": 1.0, "crawling": 57.0, "telling": 2.0}}))
    report = {"outcomes": {"recorded": 9, "gone": 2, "failed.timed-out": 3}, "requestsTooEarly": 0}
    commit = Commit(12, {}, dones, {"record": 9, "deletion": 1}, "", "2026-11-24T11:00:00Z", 62.5, ran=(0, 1, 2), waiting={1: 4}, rebuilt=(1,), report=report)
    assert run.line(commit, 40, 2, 3) == (
        "turn 12, 3 of 4 shards: 15 pages in 62.5 s, 0.2 a second, 91 % of the time crawling; 18 requests, 9 records, 1 deletions; "
        "3 failed.timed-out, 2 gone; shard 2 held up the others; crawled again: shard 1; so far 40 pages; 36 of 400 URLs queued, "
        "4 on their way to other shards; in flight: 2 with 3 shards"
    )
    assert status.parts(commit) == {"opening": 1.0, "crawling": 57.0, "telling": 2.0, "beside": 2.5}
