"""A run: turns, one after the other, until nothing is left to do now; then the ranking, if links came since the last one, and a last
turn that delivers it."""
import dataclasses
import json
import time
import typing

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from . import compaction, rank, summary
from .claim import Claim
from .job import Commit, Job
from .trouble import INTERNAL, Trouble, sentence
from .turn import Means, Turns, now

#: Some seeds failed; a limit was reached.
SEEDS_FAILED: typing.Final = 3
LIMIT_REACHED: typing.Final = 4
#: Long enough to take in popularity; nothing is due in such a turn's time.
DELIVERY: typing.Final = "1ms"
RANKING_TRIES: typing.Final = 3
#: Turns in a row without a visit. The first of a job finds addresses, and so do some later ones.
IDLE_TURNS: typing.Final = 5


@dataclasses.dataclass(frozen=True)
class Wishes:
    """How far a run goes."""

    #: Turns at most; without, until nothing is left to do now.
    turns: int | None = None
    #: Rank at the end, if the configuration keeps links.
    ranks: bool = True
    #: A file for the end report as JSON, in the job's folder.
    summary: str | None = None
    #: Turns whose lines stay for consumers of changes.
    turns_kept: int = compaction.TURNS_KEPT


def run(
    spark: SparkSession, job: Job, claim: Claim, means: Means, wishes: Wishes, say: typing.Callable[[str], None]
) -> int:
    """Returns the exit code."""
    turns = Turns(spark, job, claim, means, say)
    started_at, start = now(), time.monotonic()
    total = summary.Sum()
    pages = job.settings.maximum_pages
    ending = "turns"
    count = idle = 0
    commit: Commit | None = None
    while wishes.turns is None or count < wishes.turns:
        commit = turns.run(pages, started_at)
        count += 1
        pages -= _take(commit, total)
        say(line(commit))
        compaction.compact(spark, job, claim, wishes.turns_kept)
        if pages <= 0:
            ending = "page-limit"
            break
        if commit.is_idle:
            ending = "finished"
            break
        if turns.resting:
            ending = "hosts-rest"
            break
        # Names may lead to another address at each look-up: then no driver can name it in time.
        idle = 0 if commit.told.get("foreign", 0) or any(done.visits for done in commit.dones.values()) else idle + 1
        if idle >= IDLE_TURNS and all(done.ending != "time" for done in commit.dones.values()):
            ending = "addresses"
            break
    if commit is None:
        raise Trouble("--turns 0: nothing to do")
    if wishes.ranks and job.settings.links and job.has_unranked_links():
        claim.check()
        result = _ranked(spark, job, commit.turn, say)
        say(result.text)
        if job.undelivered_ranking() is not None:
            commit = turns.run(0, started_at, duration=DELIVERY)
            _take(commit, total)
            say(line(commit))
    report = total.report(
        ending,
        started_at,
        now(),
        time.monotonic() - start,
        known=sum(done.known for done in commit.dones.values()),
        unvisited=sum(done.queued for done in commit.dones.values()),
        hosts=sum(done.hosts for done in commit.dones.values()),
    )
    say(summary.text(report))
    if wishes.summary is not None:
        with open(wishes.summary, "w", encoding="utf-8") as file:
            json.dump(report, file, ensure_ascii=False)
            file.write("\n")
    if ending == "page-limit":
        return LIMIT_REACHED
    return SEEDS_FAILED if summary.failed_seeds(report) else 0


def _take(commit: Commit, total: summary.Sum) -> int:
    """Adds a turn up, and says how many pages it visited."""
    for done in commit.dones.values():
        if done.summary is not None:
            total.add(done.summary)
    return sum(done.pages for done in commit.dones.values())


def _ranked(spark: SparkSession, job: Job, turn: int, say: typing.Callable[[str], None]) -> rank.Result:
    """Ranks, and again if an executor died: what it held of the ranking is gone with it."""
    for left in reversed(range(RANKING_TRIES)):
        try:
            return rank.rank(spark, job, turn)
        except (Py4JJavaError, PySparkException) as error:
            words = f"the ranking failed: {sentence(error)}"
            if left == 0:
                raise Trouble(f"{words} All turns are committed; the next run ranks again, and so does `pippin_spark rank`.", INTERNAL) from error
            say(f"{words} It is tried again.")
    raise AssertionError("a last try returns or raises")


def line(commit: Commit) -> str:
    """One line for a turn."""
    dones = commit.dones.values()
    crawling = max((done.seconds.get("crawling", 0.0) for done in dones), default=0.0)
    share = 100 * crawling / commit.seconds if commit.seconds > 0 else 0
    told = ", ".join(f"{commit.told.get(kind, 0):,} {name}" for kind, name in (("record", "records"), ("deletion", "deletions")))
    words = (
        f"turn {commit.turn}: {sum(done.pages for done in dones):,} pages, {sum(done.requests for done in dones):,} requests, {told}; "
        f"{sum(done.queued for done in dones):,} queued, {commit.told.get('foreign', 0):,} for other shards; "
        f"{commit.seconds:.1f} s, {share:.0f} % of them crawling"
    )
    return words + (f"; crawled again: shard {', '.join(map(str, commit.rebuilt))}" if commit.rebuilt else "")
