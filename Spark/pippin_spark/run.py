"""A run: turns until nothing is left to do now; then the ranking, if links came since the last one, and a last turn that delivers it.

No shard waits for another's turn: as soon as a turn is committed, its shards are free, and begin the next one with all others that are free
and have something to do (`groups`). What others found for a shard meanwhile waits for it.
"""
import collections
import dataclasses
import json
import time
import typing

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from . import compaction, groups, quota, rank, status, summary
from .claim import Claim
from .job import Commit, Job
from .metrics import Metrics
from .protocol import Done
from .trouble import INTERNAL, Trouble, sentence
from .turn import Flight, Means, Order, Turns, now

#: Some seeds failed; a limit was reached.
SEEDS_FAILED: typing.Final = 3
LIMIT_REACHED: typing.Final = 4
#: Long enough to take in popularity; nothing is due in such a turn's time.
DELIVERY: typing.Final = "1ms"
RANKING_TRIES: typing.Final = 3
#: Turns of a shard in a row without a visit. The first of a job finds addresses, and so do some later ones.
IDLE_TURNS: typing.Final = 5
#: Outcomes of pages that have a record, and how many of the others a line names.
_EXPECTED: typing.Final = ("recorded", "without-deep-links", "not-modified")
_OUTCOMES_SHOWN: typing.Final = 3
#: A shard holds up others if it takes so many times as long as most, and so many seconds more.
_HELD_UP_BY: typing.Final = 1.5
_HELD_UP_SECONDS: typing.Final = 10.0


@dataclasses.dataclass(frozen=True)
class Wishes:
    """How far a run goes."""

    #: Turns of each shard at most; without, until nothing is left to do now.
    turns: int | None = None
    #: Rank at the end, if the configuration keeps links.
    ranks: bool = True
    #: A file for the end report as JSON, in the job's folder.
    summary: str | None = None
    #: Turns whose lines stay for consumers of changes.
    turns_kept: int = compaction.TURNS_KEPT
    #: A file for node_exporter's textfile collector.
    metrics: str | None = None


class Run:
    """Begins turns and takes them in, until no shard has anything to do."""

    def __init__(
        self, job: Job, turns: Turns, wishes: Wishes, began: str, say: typing.Callable[[str], None], metrics: Metrics | None = None
    ) -> None:
        self._job, self._turns, self._wishes, self._began, self._say, self._metrics = job, turns, wishes, began, say, metrics
        self._start = time.monotonic()
        self.total = summary.Sum()
        self.pages = job.settings.maximum_pages
        #: Pages of this run so far.
        self._visited = 0
        #: How often each shard has begun a turn in this run.
        self._count: collections.Counter[int] = collections.Counter()
        #: Turns in a row in which a shard found no address that it might ask.
        self._idle: collections.Counter[int] = collections.Counter()
        #: When each shard ended.
        self._ended: dict[int, float] = {}
        self._share = Share(range(job.shards), time.monotonic())
        #: Shards that had something to do when they began the turns in flight.
        self._working: set[int] = set()
        #: Where the job stands.
        self.commit: Commit | None = None
        self._rebuilt: set[int] = set()
        self._unranked: set[int] = set()

    @property
    def crawling(self) -> float | None:
        """Of the time in which shards had something to do, the part in which they crawled; with fewer slots than shards, of the slots' time."""
        slots = self._turns.slots
        return self._share.value if slots is None else self._share.crawled / (slots * (time.monotonic() - self._start))

    def crawl(self, compact: typing.Callable[[], None]) -> str:
        """Returns why it has ended."""
        trouble: Exception | None = None
        self._working = self._turns.resume(self._order())
        self._count.update(self._working)
        self._look()
        self._show()
        next_beginning = 0.0
        while True:
            # When to look again; None: when the next turn has ended.
            wake: float | None = None
            if trouble is None and self._turns.count < groups.MOST_IN_FLIGHT:
                ready = self._ready()
                if ready and (self._turns.count == 0 or time.monotonic() >= next_beginning):
                    begun = time.monotonic()
                    # Where no pages are left for anybody, it is their turn when others have ended.
                    ready = self._ready() if self._begin(ready) else set()
                    next_beginning = begun + groups.GATHERING
                wake = next_beginning if ready else self._awaking(next_beginning)
            if self._turns.count == 0:
                break
            landing = self._turns.land(None if wake is None else max(0.0, wake - time.monotonic()))
            if landing is None:
                continue
            if isinstance(landing.result, Exception):
                # What the others do is not lost with it. The last word is of the first that failed.
                if trouble is not None:
                    self._say(f"another turn failed: {landing.result}")
                trouble = trouble or landing.result
                continue
            self._take(landing.result, landing.flight)
            compact()
        if trouble is not None:
            raise trouble
        return self._ending()

    def deliver(self, shards: set[int]) -> None:
        """Hands a ranking over."""
        self._turns.start([sorted(shards)], dataclasses.replace(self._order(), duration=DELIVERY, delivers=True))
        while self._turns.count > 0:
            landing = self._turns.land(None)
            if landing is None:
                continue
            if isinstance(landing.result, Exception):
                raise landing.result
            self._take(landing.result, landing.flight)

    def _order(self) -> Order:
        return Order(self.pages, self._began)

    def _look(self) -> None:
        self.commit = self._job.last_commit()
        self._rebuilt = self._job.rebuilt()
        ranking = self._job.undelivered_ranking()
        self._unranked = self._job.shards_without(ranking) if ranking is not None else set()

    @property
    def _dones(self) -> dict[int, Done]:
        return self.commit.dones if self.commit else {}

    def _begin(self, ready: set[int]) -> set[int]:
        """Returns the shards that have begun a turn."""
        known = {shard: done for shard, done in self._dones.items() if shard not in self._rebuilt}
        took = {shard: sum(known[shard].seconds.values()) if shard in known else None for shard in ready}
        parts = groups.groups(took, self._turns.times.turn, groups.MOST_IN_FLIGHT - self._turns.count)
        before, wanting = self._turns.in_flight, self._wanting()
        self._turns.start([part for part, _ in parts], self._order(), [None if seconds is None else f"{seconds:.0f}s" for _, seconds in parts])
        begun = self._turns.in_flight - before
        self._working = self._working & before | begun & wanting
        self._count.update(begun)
        self._show()
        return begun

    def _take(self, commit: Commit, flight: Flight) -> None:
        moment = time.monotonic()
        self._look()
        dones = [commit.dones[shard] for shard in commit.ran]
        for done in dones:
            if done.summary is not None:
                self.total.add(done.summary)
            self._ended[done.shard] = moment
            is_idle = done.ending == "addresses" and done.visits == 0 and done.told.get("foreign", 0) == 0
            self._idle[done.shard] = self._idle[done.shard] + 1 if is_idle else 0
        if any(done.visits for done in dones) and any(done.ending == "addresses" for done in commit.dones.values()):
            # What was found and who has ended may name an address for others.
            self._idle.clear()
        pages = sum(done.pages for done in dones)
        self.pages -= pages
        self._visited += pages
        self._share.take(flight, {done.shard: done for done in dones}, set(commit.waiting), self._with_work(), moment)
        self._say(line(commit, self._visited, self._turns.count, len(self._turns.in_flight)))
        if self._metrics is not None:
            self._metrics.take(commit)
        self._show()

    def report(self, ending: str) -> summary.Report:
        """What the run has come to."""
        dones = self._dones.values()
        return self.total.report(
            ending,
            self._began,
            now(),
            time.monotonic() - self._start,
            known=sum(done.known for done in dones),
            unvisited=sum(done.queued for done in dones),
            hosts=sum(done.hosts for done in dones),
        )

    def _show(self) -> None:
        if self._metrics is not None:
            self._metrics.show(status.standing(self._job), self.report("running"), self._turns.count, len(self._turns.in_flight), self.crawling)

    def _with_work(self) -> set[int]:
        """The shards that have something to do for themselves, or for others."""
        waiting = self.commit.waiting if self.commit else {}
        return {shard for shard in range(self._job.shards) if shard in waiting or self._goes_on(shard, self._dones.get(shard))}

    def _goes_on(self, shard: int, done: Done | None) -> bool:
        if done is None:
            return True
        # Names may lead to another address at each look-up: then no driver can name it in time.
        return not quota.rests(done) and not (done.ending == "addresses" and self._idle[shard] >= IDLE_TURNS)

    def _wanting(self) -> set[int]:
        """The shards for which there is something to do."""
        # Each begins once in a run: what fell due since the last one is known to its storage alone.
        new = {shard for shard in range(self._job.shards) if self._count[shard] == 0}
        return self._with_work() | self._rebuilt | self._unranked | new

    def _ready(self) -> set[int]:
        """The shards that may begin a turn now."""
        may_begin = self._may_begin()
        ready = self._wanting() & may_begin
        # Shards that only look whether hosts are awake do not keep a run going, or each would wake the next for ever.
        if ready or self._working & self._turns.in_flight:
            ready |= {shard for shard, moment in self._asleep(may_begin).items() if moment <= time.monotonic()}
        # With fewer slots than shards, those come first that have waited longest.
        return set(sorted(ready, key=self._waiting)[: max(0, self._turns.room)])

    def _waiting(self, shard: int) -> tuple[float, int, int]:
        """Less for one that has waited longer, also for one that earlier runs have let wait."""
        done = self._dones.get(shard)
        return self._ended.get(shard, 0.0), done.turn if done else 0, shard

    def _may_begin(self) -> set[int]:
        if self.pages <= 0 and self._count:
            return set()
        flying, limit = self._turns.in_flight, self._wishes.turns
        return {shard for shard in range(self._job.shards) if shard not in flying and (limit is None or self._count[shard] < limit)}

    def _asleep(self, shards: set[int]) -> dict[int, float]:
        """Of shards with hosts that rest alone, when some may be awake: a turn's time after the last one."""
        resting = {shard for shard, done in self._dones.items() if done.queued > 0 and quota.rests(done)}
        return {shard: self._ended.get(shard, 0.0) + self._turns.times.turn for shard in resting & shards}

    def _awaking(self, earliest: float) -> float | None:
        """When the first shard may be awake; None if none is asleep."""
        moments = [moment for moment in self._asleep(self._may_begin()).values() if moment > time.monotonic()]
        return max(earliest, min(moments)) if moments else None

    def _ending(self) -> str:
        if self.pages <= 0:
            return "page-limit"
        if self.commit is not None and self.commit.is_idle and len(self.commit.dones) == self._job.shards:
            return "finished"
        if self._wanting():
            return "turns"
        return "addresses" if any(count >= IDLE_TURNS for count in self._idle.values()) else "hosts-rest"


class Share:
    """Of the time in which shards have something to do, the part in which they crawl.

    A shard has something to do from the moment a run begins, or its last turn leaves it something, or others find something for it, until its
    worker has ended with nothing left.
    """

    def __init__(self, shards: typing.Iterable[int], moment: float) -> None:
        self._since: dict[int, float] = dict.fromkeys(shards, moment)
        self.crawled = self._had = 0.0

    @property
    def value(self) -> float | None:
        return min(1.0, self.crawled / self._had) if self._had > 0 else None

    def take(self, flight: Flight, dones: dict[int, Done], waiting: set[int], has_work: set[int], moment: float) -> None:
        """A turn has ended. `has_work`: the shards that have something to do after it."""
        for shard, done in dones.items():
            self.crawled += done.seconds.get("crawling", 0.0)
            since = min(self._since.pop(shard, flight.start), flight.start)
            # It waits for the others of its turn only if there is something to do for it.
            ended = moment if shard in has_work and not quota.rests(done) else min(moment, flight.start + sum(done.seconds.values()))
            self._had += ended - since
            if shard in has_work:
                self._since[shard] = moment
        for shard in waiting:
            self._since.setdefault(shard, moment)


def run(
    spark: SparkSession, job: Job, claim: Claim, means: Means, wishes: Wishes, say: typing.Callable[[str], None]
) -> int:
    """Returns the exit code."""
    if wishes.turns is not None and wishes.turns < 1:
        raise Trouble("--turns 0: nothing to do")
    started_at, metrics = now(), None
    if wishes.metrics is not None:
        metrics = Metrics(wishes.metrics, time.time(), say)
    try:
        ending, report = _crawled(spark, job, claim, means, wishes, say, started_at, metrics)
    except BaseException as error:
        if metrics is not None:
            metrics.end("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    say(summary.text(report))
    if metrics is not None:
        metrics.end(ending)
    if wishes.summary is not None:
        with open(wishes.summary, "w", encoding="utf-8") as file:
            json.dump(report, file, ensure_ascii=False)
            file.write("\n")
    if ending == "page-limit":
        return LIMIT_REACHED
    return SEEDS_FAILED if summary.failed_seeds(report) else 0


def _crawled(
    spark: SparkSession,
    job: Job,
    claim: Claim,
    means: Means,
    wishes: Wishes,
    say: typing.Callable[[str], None],
    started_at: str,
    metrics: Metrics | None,
) -> tuple[str, summary.Report]:
    """Why the run has ended, and what it has come to."""
    with Turns(spark, job, claim, means, say) as turns:
        crawl = Run(job, turns, wishes, started_at, say, metrics)
        ending = crawl.crawl(lambda: compaction.compact(spark, job, claim, wishes.turns_kept))
        commit = crawl.commit
        if commit is None:
            raise AssertionError("a run begins each shard once")
        if wishes.ranks and job.settings.links and job.has_unranked_links():
            claim.check()
            result = _ranked(spark, job, commit.turn, say)
            say(result.text)
            if (ranking := job.undelivered_ranking()) is not None:
                crawl.deliver(job.shards_without(ranking))
    report = crawl.report(ending)
    if (share := crawl.crawling) is not None:
        report["crawlingShare"] = round(share, 3)
        say(f"shards crawled {100 * share:.0f} % of the time in which they had something to do")
    return ending, report


def _ranked(spark: SparkSession, job: Job, turn: int, say: typing.Callable[[str], None]) -> rank.Result:
    """Ranks. If Spark gives it up, it is tried again from what is written of it."""
    for left in reversed(range(RANKING_TRIES)):
        try:
            return rank.rank(spark, job, turn, say)
        except (Py4JJavaError, PySparkException) as error:
            words = f"the ranking failed: {sentence(error)}"
            if left == 0:
                raise Trouble(f"{words} All turns are committed; the next run ranks again, and so does `pippin_spark rank`.", INTERNAL) from error
            say(f"{words} It is tried again.")
    raise AssertionError("a last try returns or raises")


def line(commit: Commit, pages: int, turns_in_flight: int, shards_in_flight: int) -> str:
    """One line for a turn. `pages`: of this run."""
    turn, dones = status.last_turn(commit), commit.dones.values()
    ran = f"{len(commit.ran)} of {len(dones)} shards" if len(commit.ran) < len(dones) else f"all {len(dones)} shards"
    seconds = max(commit.seconds, 0.001)
    words = [
        f"turn {commit.turn}, {ran}: {turn['pages']:,} pages in {commit.seconds:.1f} s, {turn['pages'] / seconds:.1f} a second, "
        f"{100 * turn['seconds']['crawling'] / seconds:.0f} % of the time crawling",
        f"{turn['requests']:,} requests, {commit.told.get('record', 0):,} records, {commit.told.get('deletion', 0):,} deletions",
    ]
    report = commit.report or {}
    outcomes = sorted(report.get("outcomes", {}).items(), key=lambda outcome: (-outcome[1], outcome[0]))
    if troubles := [f"{count:,} {code}" for code, count in outcomes if code not in _EXPECTED][:_OUTCOMES_SHOWN]:
        words.append(", ".join(troubles))
    if early := report.get("requestsTooEarly", 0):
        words.append(f"{early} REQUESTS CAME TOO EARLY, which is a defect: please report it")
    if (slow := _held_up(commit)) is not None:
        words.append(f"shard {slow} held up the others")
    if commit.rebuilt:
        words.append(f"crawled again: shard {', '.join(map(str, commit.rebuilt))}")
    words.append(
        f"so far {pages:,} pages; {sum(done.queued for done in dones):,} of {sum(done.known for done in dones):,} URLs queued, "
        f"{sum(commit.waiting.values()):,} on their way to other shards"
    )
    if turns_in_flight:
        words.append(f"in flight: {turns_in_flight} with {shards_in_flight} shards")
    return "; ".join(words)


def _held_up(commit: Commit) -> int | None:
    """The shard that took so much longer than half of the turn's shards that these waited for it."""
    took = sorted((sum(commit.dones[shard].seconds.values()), shard) for shard in commit.ran)
    if len(took) < 2:
        return None
    (slowest, shard), (median, _) = took[-1], took[(len(took) - 1) // 2]
    return shard if slowest > _HELD_UP_BY * median and slowest - median > _HELD_UP_SECONDS else None
