"""One turn: exchange, fetch, commit.

    inbox/000007   ←  foreign lines of turn 6, popularity          (a job with a shuffle; renamed when whole)
    turns/000007   ←  one worker for each shard                     (a job without one; renamed when whole)
    commits/000007.json                                             (renamed last)

Killed anywhere, the next driver does the same turn again: workers tell what lies after the committed cursor, and end their turn when the
first try would have ended it.
"""
import concurrent.futures
import dataclasses
import datetime
import json
import time
import typing

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from . import addresses, exchange
from .claim import Claim
from .job import Commit, Job, number
from .protocol import KINDS, Begin, Done, Place
from .trouble import DISK, INTERNAL, Trouble, WorkerTrouble
from .worker import LOST, OUTPUT, JobFolder, ShardTask, Times


@dataclasses.dataclass(frozen=True)
class Means:
    """With what turns are run."""

    program: str
    duration: str | None = None
    wait_for_storage: str = "60s"
    logs: str | None = None
    #: Seconds without a line after a turn's end, before a worker counts as stuck.
    patience: float = 600.0


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

    def run(self, pages: int | None, began: str, duration: str | None = None) -> Commit:
        """Runs the turn after the last committed one.

        - pages: how many pages the whole job may still visit in this run.
        - began: when the run began.
        """
        before = self._job.last_commit()
        turn = 1 if before is None else before.turn + 1
        started, start = now(), time.monotonic()
        rebuilt = self._rebuilt(turn)
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            found = beside.submit(self._places, before)
            exchange.prepare(self._spark, self._job, turn)
            places = found.result()
        self._pause_for_changed(places, before)
        while True:
            begins = self._begins(turn, before, places, pages, rebuilt, began, duration)
            try:
                dones = self._fetch(turn, begins, rebuilt, delivers=duration is not None)
                break
            except WorkerTrouble as trouble:
                if trouble.status != LOST or trouble.shard in rebuilt:
                    raise trouble.trouble from trouble
                # Its hosts were asked until the disk was lost, and the pauses are lost with it.
                pause = self._times.longest_delay
                self._say(
                    f"shard {trouble.shard}: {trouble.reason}. It is crawled again from what was found for it, "
                    f"after a pause of {pause:g} s, the longest of the configuration."
                )
                time.sleep(pause)
                rebuilt = (*rebuilt, trouble.shard)
                self._claim.check()
                # Written before the new storage is: a driver that goes on from here must know that its cursor does not count.
                self._job.files.write(f"rebuilt/{number(turn)}.json", json.dumps(rebuilt).encode())
                exchange.prepare(self._spark, self._job, turn, rebuilt)
        commit = Commit(
            turn=turn,
            cursors={shard: done.cursor for shard, done in dones.items()},
            dones=dones,
            told={kind: sum(done.told.get(kind, 0) for done in dones.values()) for kind in KINDS},
            started_at=started,
            ended_at=now(),
            seconds=time.monotonic() - start,
            rebuilt=rebuilt,
            places={shard: [dataclasses.asdict(place) for place in own] for shard, own in places.items()},
        )
        self._claim.check()
        self._job.files.publish(f"commits/{number(turn)}.json", commit.encoded())
        return commit

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
            raise Trouble(f"the job's times: {str(error).splitlines()[0]}", INTERNAL) from error
        return Times.parse(row["json"])

    def _places(self, before: Commit | None) -> dict[int, list[Place]]:
        """Each shard's slots; those of the turn before if it told nothing new of hosts."""
        if before is not None and before.resharded is None and before.told.get("host", 0) == 0:
            return {shard: [Place(**place) for place in own] for shard, own in before.places.items()}
        return addresses.places(self._spark, self._job)

    def _rebuilt(self, turn: int) -> tuple[int, ...]:
        """Shards that a driver before this one began anew in this turn."""
        name = f"rebuilt/{number(turn)}.json"
        return tuple(json.loads(self._job.files.read(name))) if self._job.files.exists(name) else ()

    def _pause_for_changed(self, places: dict[int, list[Place]], before: Commit | None) -> None:
        """Slots lie in absolute time. Where a shard gets others than it had, the last request of the old ones must be a delay ago."""
        if before is None:
            return
        if before.places == {shard: [dataclasses.asdict(place) for place in own] for shard, own in places.items()}:
            return
        ended = datetime.datetime.fromisoformat(before.ended_at)
        since = (datetime.datetime.now(datetime.timezone.utc) - ended).total_seconds()
        time.sleep(min(max(0.0, self._times.delay_per_address - since), self._times.delay_per_address))

    def _begins(
        self,
        turn: int,
        before: Commit | None,
        places: dict[int, list[Place]],
        pages: int | None,
        rebuilt: tuple[int, ...],
        began: str,
        duration: str | None,
    ) -> dict[int, Begin]:
        shards = range(self._job.shards)
        weights = {shard: 1 + (before.dones[shard].queued if before and shard in before.dones else 0) for shard in shards}
        total = sum(weights.values())
        rate = self._job.settings.rate
        quota = divide(pages, weights) if pages is not None else {}
        return {
            shard: Begin(
                turn=turn,
                shard=shard,
                shards=self._job.shards,
                duration=duration or self._means.duration or self._job.settings.turn,
                cursor=before.cursors.get(shard) if before and shard not in rebuilt else None,
                run=began,
                rate=None if rate is None else rate * weights[shard] / total,
                pages=quota.get(shard),
                places=tuple(places.get(shard, ())),
            )
            for shard in shards
        }

    def _fetch(
        self, turn: int, begins: dict[int, Begin], rebuilt: tuple[int, ...], delivers: bool
    ) -> dict[int, Done]:
        task = ShardTask(
            begins=begins,
            new=frozenset(begins if turn == 1 else rebuilt),
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
            with exchange.inbox(self._spark, self._job, turn) as lines:
                lines.mapInArrow(task.tell, OUTPUT).write.partitionBy("kind").parquet(files.url(draft))
            rows = self._spark.read.schema("shard int, json string").parquet(files.url(f"{draft}/kind=done")).collect()
        except (Py4JJavaError, PySparkException) as error:
            trouble = WorkerTrouble.found_in(str(error))
            if trouble is not None:
                raise trouble from error
            raise Trouble(f"turn {turn}: {str(error).splitlines()[0]}", INTERNAL) from error
        dones = {row["shard"]: Done.parse(row["json"]) for row in rows}
        if len(rows) != self._job.shards or set(dones) != set(begins):
            raise Trouble(f"turn {turn}: {len(rows)} workers of {self._job.shards} shards wrote done", DISK)
        self._claim.check()
        files.rename(draft, folder)
        return dones


def divide(count: int, weights: dict[int, int]) -> dict[int, int]:
    """A whole number in parts by weight, whose sum is that number."""
    total = sum(weights.values())
    parts = {key: count * weight // total for key, weight in weights.items()}
    rest = count - sum(parts.values())
    for key in sorted(weights, key=lambda key: (-weights[key], key))[:rest]:
        parts[key] += 1
    return parts


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
