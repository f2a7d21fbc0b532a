"""Turns: exchange, fetch, commit. Each covers some of the shards, and several are in flight at a time.

    inbox/5f1c…-0.json           ←  what was found for its shards, popularity, addresses   (a job with a shuffle; written when all is there)
    turns/.81c4….draft           ←  one worker for each of its shards                      (a job without one, in a thread)
    turns/000007-81c4…                                                                     (renamed when whole and about to be committed)
    commits/000007.json                                                                    (renamed last)

Only the driver's own thread writes into the job's folder, one thing after the other; the threads of turns do nothing but wait for Spark.

Killed anywhere, the next driver begins the turns in flight again: workers tell what lies after the committed cursor, and end their turn when
the first try would have ended it.
"""
import dataclasses
import datetime
import queue
import time
import typing
import uuid

import pyarrow as pa
import pyspark
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from . import exchange, quota, summary
from .claim import Claim
from .exchange import Inbox
from .job import Commit, Job, number, shard_name, turn_of
from .protocol import KINDS, Begin, Done
from .snapshots import NOTE
from .trouble import DISK, INTERNAL, USAGE, Trouble, WorkerTrouble, sentence
from .worker import FOLDER_TROUBLE, LEASE, LOST, OUTPUT, JobFolder, ShardTask, Times, check_folder

#: Hosts in the report that a commit keeps.
_HOSTS_OF_COMMIT: typing.Final = 10
#: Seconds that threads have to end when their jobs were cancelled.
_ENDING: typing.Final = 30.0


@dataclasses.dataclass(frozen=True)
class Means:
    """With what turns are run."""

    program: str
    duration: str | None = None
    wait_for_storage: str = "60s"
    logs: str | None = None
    #: Seconds without a line after a turn's end, before a worker counts as stuck.
    patience: float = 600.0
    #: Shards that their first turn makes anew, because their storage is lost or an older copy.
    rebuild: tuple[int, ...] = ()
    #: Seconds without a renewal after which a shard's claim is dead.
    lease: float = LEASE
    #: How many shards may be in flight; None: all.
    slots: int | None = None


@dataclasses.dataclass(frozen=True)
class Order:
    """What all turns that begin at a time have in common."""

    #: How many pages the whole job may still visit in this run.
    pages: int | None
    #: When the run began.
    began: str
    #: How long the turns are, in place of what the configuration says.
    duration: str | None = None
    #: The turns are over at once: they only hand over.
    delivers: bool = False


@dataclasses.dataclass
class Flight:
    """A turn in flight."""

    inbox: Inbox
    begins: dict[int, Begin]
    #: When it began.
    started_at: str
    start: float
    #: It is over at once: it only hands over.
    delivers: bool
    #: What its shards said, and how many lines it has for each shard; or why there is nothing.
    dones: dict[int, Done] = dataclasses.field(default_factory=dict)
    mailed: dict[int, int] = dataclasses.field(default_factory=dict)
    failure: Exception | None = None
    thread: pyspark.InheritableThread | None = None
    #: Of this try alone: tasks of an earlier one may still be writing.
    name: str = dataclasses.field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def draft(self) -> str:
        return f"turns/.{self.name}.draft"

    @property
    def group(self) -> str:
        """Of its jobs in Spark."""
        return f"pippin-turn-{self.inbox.name}"


@dataclasses.dataclass(frozen=True)
class Landing:
    """The end of a turn."""

    flight: Flight
    result: Commit | Exception


class Turns:
    """Runs the turns of a job. Use it as a context: turns in flight end with it."""

    def __init__(self, spark: SparkSession, job: Job, claim: Claim, means: Means, say: typing.Callable[[str], None]) -> None:
        self._spark = spark
        self._session = exchange.session_of_turns(spark)
        self._job = job
        self._claim = claim
        self._means = means
        self._say = say
        local = job.files.local_root
        self._folder = JobFolder(local, {} if local else job.files.small_files())
        self.times = self._ask_times()
        for words in self.times.left_out:
            say(words)
        self._rebuild = set(means.rebuild)
        self._flights: dict[str, Flight] = {}
        #: Turns that failed: the next driver begins them again.
        self._failed: list[Inbox] = []
        self._landed: queue.SimpleQueue[Flight] = queue.SimpleQueue()
        #: Shards of which the last turn with pages to visit left only hosts that rest.
        self.resting: set[int] = set()

    def __enter__(self) -> "Turns":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends what is still in flight. The next driver begins it again."""
        for flight in self._flights.values():
            try:
                self._spark.sparkContext.cancelJobGroup(flight.group)
            except (Py4JError, ConnectionError):
                break  # Spark is gone, and its jobs with it.
        for flight in self._flights.values():
            if flight.thread is not None:
                flight.thread.join(_ENDING)

    @property
    def in_flight(self) -> set[int]:
        """The shards of turns in flight."""
        return {shard for flight in self._flights.values() for shard in flight.begins}

    @property
    def room(self) -> int:
        """How many shards may begin a turn now."""
        return (self._job.shards if self.slots is None else self.slots) - len(self.in_flight)

    @property
    def slots(self) -> int | None:
        """How many shards may be in flight; None: all."""
        return self._means.slots

    @property
    def count(self) -> int:
        """How many turns are in flight."""
        return len(self._flights)

    @property
    def pages(self) -> dict[int, int]:
        """How many pages the shards in flight may visit, where that is limited."""
        begins = [begin for flight in self._flights.values() for begin in flight.begins.values()]
        return {begin.shard: begin.pages for begin in begins if begin.pages is not None}

    def resume(self, order: Order) -> set[int]:
        """Begins the turns again that a driver has left in flight. Returns their shards."""
        self._begin_rebuilding()
        inboxes = exchange.in_flight(self._job)
        self._claim.check()
        exchange.clear(self._job, inboxes)
        for name in self._job.files.names("turns"):
            # Drafts of drivers that died. What one had renamed before it could commit it stays until the turn of that number goes: a driver that has
            # lost the job without knowing may commit it yet.
            if turn_of(name) is None:
                self._job.files.delete(f"turns/{name}")
        for inbox in inboxes:
            self._start(inbox, order, quota.of_ready(self._pages(order), self.pages, self._queued(), self.resting, set(inbox.turns)))
        return self.in_flight

    def start(self, groups: list[list[int]], order: Order, durations: list[str | None] | None = None) -> None:
        """Begins a turn with each group of shards. `durations`: how long each is."""
        self._claim.check()
        ready = {shard for group in groups for shard in group}
        pages = quota.of_ready(self._pages(order), self.pages, self._queued(), self.resting, ready)
        if not order.delivers and order.pages:
            # Without a page to visit they wait until others have left them some.
            groups = [[shard for shard in group if pages[shard] > 0] for group in groups]
        began = now(), time.monotonic()
        chosen = [(group, duration) for group, duration in zip(groups, durations or [None] * len(groups)) if group]
        if not chosen:
            return
        inboxes = exchange.prepare(self._spark, self._job, self._claim, [group for group, _ in chosen], self._inboxes())
        for inbox, (_, duration) in zip(inboxes, chosen):
            self._start(inbox, order if duration is None else dataclasses.replace(order, duration=duration), pages, began)

    def land(self, seconds: float | None) -> "Landing | None":
        """Waits for the end of a turn, and commits it; None if none has ended in time. One that failed stays in flight for the next driver."""
        try:
            flight = self._landed.get(timeout=seconds)
        except queue.Empty:
            return None
        del self._flights[flight.inbox.name]
        if flight.failure is None:
            return Landing(flight, self._commit(flight))
        self._failed.append(flight.inbox)
        return Landing(flight, self._advised(flight.failure) if isinstance(flight.failure, WorkerTrouble) else flight.failure)

    def _commit(self, flight: Flight) -> Commit:
        before = self._job.last_commit()
        inbox, dones = flight.inbox, flight.dones
        turn = before.turn + 1 if before else 1
        told = {kind: sum(done.told.get(kind, 0) for done in dones.values()) for kind in KINDS}
        waiting = dict(before.waiting) if before else {}
        for shard, count in inbox.waited.items():
            waiting[shard] = waiting.get(shard, 0) - count
        for shard, count in flight.mailed.items():
            waiting[shard] = waiting.get(shard, 0) + count
        waiting = {shard: count for shard, count in waiting.items() if count > 0}
        mail = dict(before.mail) if before else {}
        mail |= dict.fromkeys(dones, inbox.mail)
        # Nothing waits for these: so they have all that was told up to here.
        mail |= dict.fromkeys(set(range(self._job.shards)).difference(waiting), turn)
        delivered = self._job.delivered()
        if inbox.ranking is not None:
            delivered = delivered | dict.fromkeys(dones, inbox.ranking)
        total = summary.Sum()
        for done in dones.values():
            total.add(done.summary or {})
        commit = Commit(
            turn=turn,
            cursors=(before.cursors if before else {}) | {shard: done.cursor for shard, done in dones.items()},
            dones=(before.dones if before else {}) | dones,
            told=told,
            started_at=flight.started_at,
            ended_at=now(),
            seconds=time.monotonic() - flight.start,
            # Of two drivers that take one number, each has a folder of its own, and the commit that counts names one.
            folder=f"{number(turn)}-{flight.name}",
            ran=tuple(sorted(dones)),
            mail=mail,
            waiting=waiting,
            rebuilt=inbox.rebuilt,
            # Without a name the storage is whatever lies there.
            states={shard: state for shard, state in (before.states if before else {}).items() if shard not in dones}
            | {shard: done.state for shard, done in dones.items() if done.state is not None},
            turns=self._job.all_turns(),
            shards_since=self._job.first_turn_of_shards(),
            linked=turn if told["links"] > 0 else self._job.last_linked(),
            delivered=delivered,
            report=total.short(_HOSTS_OF_COMMIT),
        )
        if not flight.delivers:
            pages = {shard: begin.pages for shard, begin in flight.begins.items()}
            self.resting = quota.resting(self.resting, pages, dones, set(waiting))
        self._claim.check()
        self._job.files.rename(flight.draft, f"turns/{commit.folder}")
        self._claim.check()
        self._job.publish(commit)
        self._claim.check()
        exchange.clear(self._job, self._inboxes())
        return commit

    def _inboxes(self) -> list[Inbox]:
        return [*(flight.inbox for flight in self._flights.values()), *self._failed]

    def _begin_rebuilding(self) -> None:
        """Notes which shards their next turn makes anew, before their storages are begun."""
        wanted = sorted(self._rebuild.difference(self._job.rebuilt()))
        self._rebuild.clear()
        if not wanted:
            return
        if unknown := [shard for shard in wanted if not 0 <= shard < self._job.shards]:
            raise Trouble(f"--rebuild {unknown[0]}: the job has shards 0 to {self._job.shards - 1}", USAGE)
        names = ", ".join(map(str, wanted))
        self._say(
            f"shard {names}: made anew from what was found and told for it, after a pause of {self.times.longest_delay:g} s, the longest of "
            "the configuration."
        )
        self._claim.check()
        next_turns = self._job.next_turns()
        for shard in wanted:
            self._job.rebuild(next_turns[shard], shard)

    def _advised(self, trouble: WorkerTrouble) -> Trouble:
        """What a worker said, with what to do about its storage."""
        if trouble.status == LOST:
            return Trouble(
                f"shard {trouble.shard}: {trouble.reason}. If its disk is only away, bring it back and run again. If the storage is lost, put "
                f"a backup of it there (without the {NOTE} of a copied folder), or nothing, and run with `--rebuild {trouble.shard}`: what the "
                "backup lacks is crawled again. "
                "`cluster.snapshots: true` in the configuration keeps a copy of each storage in the job's folder.",
                DISK,
            )
        words = trouble.trouble
        if trouble.status == FOLDER_TROUBLE:
            return Trouble(f"{words} Executors need the job's folder for `cluster.snapshots`.", DISK)
        if trouble.status == DISK:
            storage = f"{self._job.storages}/{shard_name(trouble.shard)}"
            return Trouble(
                f"{words} Storage: {storage}. If it is damaged, move it away, put a backup of it there, or nothing, and run with "
                f"`--rebuild {trouble.shard}`.",
                DISK,
            )
        return words

    def _ask_times(self) -> Times:
        program, folder, duration = self._means.program, self._folder, self._means.duration
        url = self._job.files.root if self._job.settings.snapshots else None

        def ask(batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
            for _ in batches:
                if url is not None:
                    check_folder(url)
                yield pa.RecordBatch.from_arrays([pa.array([Times.ask(program, folder, duration)])], names=["json"])

        try:
            [row] = self._spark.range(0, 1, 1, 1).mapInArrow(ask, "json string").collect()
        except (Py4JJavaError, PySparkException) as error:
            trouble = WorkerTrouble.found_in(str(error))
            if trouble is not None:
                raise self._advised(trouble) from error
            raise Trouble(f"the job's times: {sentence(error)}", INTERNAL) from error
        return Times.parse(row["json"])

    def _queued(self) -> dict[int, int]:
        """What waits in each shard."""
        commit = self._job.last_commit()
        dones = commit.dones if commit else {}
        return {shard: dones[shard].queued if shard in dones else 0 for shard in range(self._job.shards)}

    @staticmethod
    def _pages(order: Order) -> int | None:
        return 0 if order.delivers else order.pages

    def _start(self, inbox: Inbox, order: Order, pages: dict[int, int], began: tuple[str, float] | None = None) -> None:
        before, queued = self._job.last_commit(), self._queued()
        rate = self._job.settings.rate
        rates = {} if rate is None else quota.rates(rate, self._rates(), queued, set(inbox.turns), self.slots)
        started_at, start = began or (now(), time.monotonic())
        begins = {
            shard: Begin(
                turn=turn,
                shard=shard,
                shards=self._job.shards,
                duration=order.duration or self._means.duration or self._job.settings.turn,
                cursor=before.cursors.get(shard) if before and shard not in inbox.rebuilt else None,
                run=order.began,
                rate=rates.get(shard),
                pages=pages.get(shard),
            )
            for shard, turn in inbox.turns.items()
        }
        flight = Flight(inbox, begins, started_at, start, order.delivers)
        new = {shard for shard in begins if (before is None or shard not in before.dones) and self._job.first_turn_of_shards() == 1}
        task = ShardTask(
            begins=begins,
            new=frozenset(new),
            rebuilt=frozenset(inbox.rebuilt),
            states={shard: before.states[shard] for shard in begins if before and shard in before.states},
            program=self._means.program,
            job=self._folder,
            url=self._job.files.root,
            seeds=self._job.settings.seeds,
            storages=self._job.storages,
            links=self._job.settings.links,
            snapshots=self._job.settings.snapshots,
            longest_delay=self.times.longest_delay,
            # A turn that only delivers is over at once.
            limit=(0 if order.delivers else self.times.turn) + self._means.patience,
            wait_for_storage=self._means.wait_for_storage,
            lease=self._means.lease,
            logs=self._means.logs,
        )
        self._claim.check()
        self._flights[inbox.name] = flight
        flight.thread = pyspark.InheritableThread(target=self._fetch, args=(flight, task), daemon=True)
        flight.thread.start()

    def _rates(self) -> dict[int, float]:
        begins = [begin for flight in self._flights.values() for begin in flight.begins.values()]
        return {begin.shard: begin.rate for begin in begins if begin.rate is not None}

    def _fetch(self, flight: Flight, task: ShardTask) -> None:
        """In a thread: to its end, whatever that is."""
        try:
            self._session.sparkContext.setJobGroup(flight.group, f"a turn of {len(flight.begins)} shards", interruptOnCancel=True)
            self._told(flight, task)
        except Exception as error:  # The driver's own thread raises it.
            flight.failure = error
        self._landed.put(flight)

    def _told(self, flight: Flight, task: ShardTask) -> None:
        name, shards = f"a turn of shards {', '.join(map(str, flight.inbox.shards[:10]))}", self._job.shards
        draft = self._job.files.url(flight.draft)
        try:
            exchange.opened(self._session, self._job, flight.inbox).mapInArrow(task.tell, OUTPUT).write.partitionBy("kind").parquet(draft)
            rows = self._session.read.schema("shard int, json string").parquet(f"{draft}/kind=done").collect()
            flight.dones = {row["shard"]: Done.parse(row["json"]) for row in rows}
            if any(done.told.get("foreign", 0) for done in flight.dones.values()):
                found = self._session.read.schema("json string").parquet(f"{draft}/kind=foreign")
                owners = found.groupBy(f.get_json_object("json", "$.shard").cast("int").alias("owner")).count().collect()
                flight.mailed = {row["owner"]: row["count"] for row in owners}
        except (Py4JJavaError, PySparkException) as error:
            trouble = WorkerTrouble.found_in(str(error))
            if trouble is not None:
                raise trouble from error
            raise Trouble(f"{name}: {sentence(error)}", INTERNAL) from error
        if len(rows) != len(flight.begins) or set(flight.dones) != set(flight.begins):
            raise Trouble(f"{name}: {len(rows)} workers of {len(flight.begins)} shards wrote done", DISK)
        if strangers := [owner for owner in flight.mailed if owner is None or not 0 <= owner < shards]:
            raise Trouble(f"{name} found something for shard {strangers[0]}; the job has shards 0 to {shards - 1}", INTERNAL)


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
