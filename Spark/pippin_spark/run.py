"""A run: turns, one after the other, until nothing is left to do now; then the ranking, and a last turn that delivers it."""
import dataclasses
import json
import time
import typing

from pyspark.sql import SparkSession

from . import rank, summary
from .claim import Claim
from .job import Commit, Job
from .trouble import Trouble
from .turn import Means, Turns, now

#: Some seeds failed; a limit was reached.
SEEDS_FAILED: typing.Final = 3
LIMIT_REACHED: typing.Final = 4
#: Long enough to take in popularity; nothing is due in such a turn's time.
DELIVERY: typing.Final = "1ms"


@dataclasses.dataclass(frozen=True)
class Wishes:
    """How far a run goes."""

    #: Turns at most; without, until nothing is left to do now.
    turns: int | None = None
    #: Rank at the end, if the configuration keeps links.
    ranks: bool = True
    #: A file for the end report as JSON, in the job's folder.
    summary: str | None = None


def run(
    spark: SparkSession, job: Job, claim: Claim, means: Means, wishes: Wishes, say: typing.Callable[[str], None]
) -> int:
    """Returns the exit code."""
    turns = Turns(spark, job, claim, means, say)
    started_at, start = now(), time.monotonic()
    total = summary.Sum()
    pages = job.settings.maximum_pages
    ending = "turns"
    count = links = 0
    commit: Commit | None = None
    while wishes.turns is None or count < wishes.turns:
        commit = turns.run(pages, started_at)
        count += 1
        links += commit.told.get("links", 0)
        pages -= _take(commit, total)
        say(line(commit))
        if pages <= 0:
            ending = "page-limit"
            break
        if commit.is_idle:
            ending = "finished"
            break
        if _waits_for_hosts(commit):
            ending = "hosts-rest"
            break
    if commit is None:
        raise Trouble("--turns 0: nothing to do")
    # Without a change of links, the ranks are what they were.
    if wishes.ranks and links > 0 and ending != "turns":
        claim.check()
        result = rank.rank(spark, job, commit.turn)
        say(result.text)
        if result.values > 0:
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


def _waits_for_hosts(commit: Commit) -> bool:
    """Whether only resting hosts, quiet hours and limits keep URLs from being visited: another turn at once would be idle."""
    return commit.told.get("foreign", 0) == 0 and all(
        done.ending in ("finished", "hosts-rest", "quiet-hours", "host-limit") for done in commit.dones.values()
    )


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
