"""One turn: exchange, fetch, commit.

    inbox/000007.json    ←  foreign lines of turn 6, popularity, addresses   (a job with a shuffle; renamed when all is there)
    turns/000007         ←  one worker for each shard                        (a job without one; renamed when whole)
    commits/000007.json                                                      (renamed last)

Killed anywhere, the next driver does the same turn again: workers tell what lies after the committed cursor, and end their turn when the
first try would have ended it.
"""
import dataclasses
import datetime
import time
import typing

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from . import exchange, quota, summary
from .claim import Claim
from .exchange import Inbox
from .job import Commit, Job, number, shard_name
from .protocol import KINDS, Begin, Done
from .trouble import DISK, INTERNAL, USAGE, Trouble, WorkerTrouble, sentence
from .worker import LOST, OUTPUT, JobFolder, ShardTask, Times

#: Hosts in the report that a commit keeps.
_HOSTS_OF_COMMIT: typing.Final = 10


@dataclasses.dataclass(frozen=True)
class Means:
    """With what turns are run."""

    program: str
    duration: str | None = None
    wait_for_storage: str = "60s"
    logs: str | None = None
    #: Seconds without a line after a turn's end, before a worker counts as stuck.
    patience: float = 600.0
    #: Shards that the first turn makes anew, because their storage is lost or an older copy.
    rebuild: tuple[int, ...] = ()


class Turns:
    """Runs the turns of a job."""

    def __init__(self, spark: SparkSession, job: Job, claim: Claim, means: Means, say: typing.Callable[[str], None]) -> None:
        self._spark = spark
        self._job = job
        self._claim = claim
        self._means = means
        self._say = say
        local = job.files.local_root
        self._folder = JobFolder(local, {} if local else job.files.small_files())
        self._times = self._ask_times()
        for words in self._times.left_out:
            say(words)
        self._rebuild = set(means.rebuild)
        #: Shards of which the last turn with pages to visit left only hosts that rest.
        self._resting: set[int] = set()

    @property
    def resting(self) -> bool:
        """Whether only resting hosts, quiet hours and limits keep URLs from being visited: another turn at once would be idle."""
        return len(self._resting) == self._job.shards

    def run(self, pages: int | None, began: str, duration: str | None = None) -> Commit:
        """Runs the turn after the last committed one.

        - pages: how many pages the whole job may still visit in this run.
        - began: when the run began.
        """
        before = self._job.last_commit()
        turn = 1 if before is None else before.turn + 1
        started, start = now(), time.monotonic()
        self._begin_rebuilding(turn)
        rebuilt = self._job.rebuilt(turn)
        inbox = exchange.prepare(self._spark, self._job, turn, rebuilt)
        self._pause_for_changed(inbox, before)
        begins = self._begins(turn, before, pages, rebuilt, began, duration)
        try:
            dones = self._fetch(turn, begins, inbox, delivers=duration is not None)
        except WorkerTrouble as trouble:
            raise self._advised(trouble) from trouble
        told = {kind: sum(done.told.get(kind, 0) for done in dones.values()) for kind in KINDS}
        if duration is None:
            self._resting = quota.resting(self._resting, {shard: begin.pages for shard, begin in begins.items()}, dones, told)
        total = summary.Sum()
        for done in dones.values():
            total.add(done.summary or {})
        commit = Commit(
            turn=turn,
            cursors={shard: done.cursor for shard, done in dones.items()},
            dones=dones,
            told=told,
            started_at=started,
            ended_at=now(),
            seconds=time.monotonic() - start,
            rebuilt=rebuilt,
            shards_since=self._job.first_turn_of_shards(),
            addresses=inbox.addresses,
            linked=turn if told["links"] > 0 else self._job.last_linked(),
            delivered=inbox.ranking or self._job.last_delivered(),
            report=total.short(_HOSTS_OF_COMMIT),
        )
        self._claim.check()
        self._job.files.publish(f"commits/{number(turn)}.json", commit.encoded())
        return commit

    def _begin_rebuilding(self, turn: int) -> None:
        """Notes which shards this turn makes anew, before their storages are begun."""
        wanted = sorted(self._rebuild.difference(self._job.rebuilt(turn)))
        self._rebuild.clear()
        if not wanted:
            return
        if unknown := [shard for shard in wanted if not 0 <= shard < self._job.shards]:
            raise Trouble(f"--rebuild {unknown[0]}: the job has shards 0 to {self._job.shards - 1}", USAGE)
        # Their hosts were asked until the disks were lost, and the pauses are lost with them.
        pause = self._times.longest_delay
        names = ", ".join(map(str, wanted))
        self._say(
            f"shard {names}: made anew from what was found and told for it, after a pause of {pause:g} s, the longest of the configuration."
        )
        time.sleep(pause)
        self._claim.check()
        for shard in wanted:
            self._job.rebuild(turn, shard)

    def _advised(self, trouble: WorkerTrouble) -> Trouble:
        """What a worker said, with what to do about its storage."""
        if trouble.status == LOST:
            return Trouble(
                f"shard {trouble.shard}: {trouble.reason}. If its disk is only away, bring it back and run again. If the storage is lost, put "
                f"a backup of it there, or nothing, and run with `--rebuild {trouble.shard}`: what the backup lacks is crawled again.",
                DISK,
            )
        words = trouble.trouble
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

        def ask(batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
            for _ in batches:
                yield pa.RecordBatch.from_arrays([pa.array([Times.ask(program, folder, duration)])], names=["json"])

        try:
            [row] = self._spark.range(0, 1, 1, 1).mapInArrow(ask, "json string").collect()
        except (Py4JJavaError, PySparkException) as error:
            trouble = WorkerTrouble.found_in(str(error))
            if trouble is not None:
                raise trouble.trouble from error
            raise Trouble(f"the job's times: {sentence(error)}", INTERNAL) from error
        return Times.parse(row["json"])

    def _pause_for_changed(self, inbox: Inbox, before: Commit | None) -> None:
        """Slots lie in absolute time. Where a shard gets others than it had, the last request of the old ones must be a delay ago."""
        if before is None or before.addresses == inbox.addresses:
            return
        ended = datetime.datetime.fromisoformat(before.ended_at)
        since = (datetime.datetime.now(datetime.timezone.utc) - ended).total_seconds()
        time.sleep(min(max(0.0, self._times.delay_per_address - since), self._times.delay_per_address))

    def _begins(
        self, turn: int, before: Commit | None, pages: int | None, rebuilt: tuple[int, ...], began: str, duration: str | None
    ) -> dict[int, Begin]:
        queued = {shard: before.dones[shard].queued if before and shard in before.dones else 0 for shard in range(self._job.shards)}
        total = sum(1 + count for count in queued.values())
        rate = self._job.settings.rate
        pages_of = quota.pages(pages, queued, self._resting) if pages is not None else {}
        return {
            shard: Begin(
                turn=turn,
                shard=shard,
                shards=self._job.shards,
                duration=duration or self._means.duration or self._job.settings.turn,
                cursor=before.cursors.get(shard) if before and shard not in rebuilt else None,
                run=began,
                rate=None if rate is None else rate * (1 + queued[shard]) / total,
                pages=pages_of.get(shard),
            )
            for shard in queued
        }

    def _fetch(self, turn: int, begins: dict[int, Begin], inbox: Inbox, delivers: bool) -> dict[int, Done]:
        task = ShardTask(
            begins=begins,
            new=frozenset(begins if turn == 1 else inbox.rebuilt),
            program=self._means.program,
            job=self._folder,
            seeds=self._job.settings.seeds,
            storages=self._job.storages,
            links=self._job.settings.links,
            # A turn that only delivers is over at once.
            limit=(0 if delivers else self._times.turn) + self._means.patience,
            wait_for_storage=self._means.wait_for_storage,
            logs=self._means.logs,
        )
        files, draft, folder = self._job.files, f"turns/.{number(turn)}.draft", f"turns/{number(turn)}"
        # No commit names them: a driver died after it had written them.
        files.delete(draft)
        files.delete(folder)
        self._claim.check()
        try:
            with exchange.opened(self._spark, self._job, inbox) as lines:
                lines.mapInArrow(task.tell, OUTPUT).write.partitionBy("kind").parquet(files.url(draft))
            rows = self._spark.read.schema("shard int, json string").parquet(files.url(f"{draft}/kind=done")).collect()
        except (Py4JJavaError, PySparkException) as error:
            trouble = WorkerTrouble.found_in(str(error))
            if trouble is not None:
                raise trouble from error
            raise Trouble(f"turn {turn}: {sentence(error)}", INTERNAL) from error
        dones = {row["shard"]: Done.parse(row["json"]) for row in rows}
        if len(rows) != self._job.shards or set(dones) != set(begins):
            raise Trouble(f"turn {turn}: {len(rows)} workers of {self._job.shards} shards wrote done", DISK)
        self._claim.check()
        files.rename(draft, folder)
        return dones


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
