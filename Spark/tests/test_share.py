"""Slow hosts in one shard do not hold up the others. In real time, so only with SHARE=1 in the environment: eleven minutes, on a machine
that does little else."""
import json
import os
import pathlib

import pytest
from conftest import FAKE
from pyspark.sql import SparkSession
from test_driver import Driver, Try, together

from pippin_spark import run
from pippin_spark.claim import Claim
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.turn import Means

#: Seconds of a turn, and seconds more for which answers of the slow shard are awaited.
TURN = SLOW = 120


def share(tries: list[Try]) -> float:
    """Of the time in which every shard has something to do, how much all of them crawl: from when each has ended its first turn with
    pages to when the first has ended its last one."""
    shards = {attempt.shard for attempt in tries}
    working = [attempt for attempt in tries if attempt.ended - attempt.began > 5]
    since = max(min(attempt.ended for attempt in working if attempt.shard == shard) for shard in shards)
    until = min(max(attempt.ended for attempt in working if attempt.shard == shard) for shard in shards)
    crawled = sum(max(0.0, min(attempt.ended, until) - max(attempt.began, since)) for attempt in working)
    print(f"share of crawling: {100 * crawled / (len(shards) * (until - since)):.1f} % of {until - since:.0f} s in {len(shards)} shards")
    return crawled / (len(shards) * (until - since))


@pytest.mark.skipif("SHARE" not in os.environ, reason="it takes eleven minutes: SHARE=1")
def test_a_shard_with_slow_hosts_costs_the_others_less_than_a_twentieth_of_their_time(spark: SparkSession, fake_job: pathlib.Path) -> None:
    """Twelve hosts that never end, in four shards."""
    (fake_job / "config.yaml").write_text(f"cluster: {{ shards: 4, turn: {TURN}s }}\n")
    (fake_job / "seeds.txt").write_text("".join(f"http://h{host}.test/0\n" for host in range(12)))
    lasts = {str(shard): TURN for shard in range(4)}
    times = {"turn": TURN, "longestDelay": 0.2, "delayPerAddress": 0.1}
    (fake_job / "fake.json").write_text(
        json.dumps({"hosts": 12, "pages": 1_000_000, "visits": 4, "lasts": lasts, "slow": {"3": SLOW}, "times": times})
    )
    driver = Driver(spark, fake_job)
    job = Job(Files(spark, str(fake_job)))
    with Claim(job.files) as claim:
        job.check_shards()
        run.run(spark, job, claim, Means(str(FAKE)), run.Wishes(turns=4, ranks=False), print)
    together(driver.tries())
    assert share(driver.tries()) >= 0.95
