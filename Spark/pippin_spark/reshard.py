"""A job of N shards becomes one of M: `pippin reshard` makes each new storage out of all old ones, with all that was fetched.

    STORAGES.new/00 …      made by one task for each new shard; the old ones are only read
    commits/000008.json    the move; from here on the job has M shards
    STORAGES.old-8/00 …    the old storages, for you to delete
    STORAGES/00 …          the new ones; then shards.json

Killed before the commit, nothing has happened, and the same command begins anew. Killed after it, the next driver of the job ends it.
"""
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import time
import typing

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .claim import Claim
from .job import Commit, Job, shard_name
from .snapshots import Note, Snapshots, new_state
from .stores import Store
from .trouble import INTERNAL, USAGE, Trouble, WorkerTrouble, sentence
from .turn import now
from .worker import as_trouble, settle

_SCHEMA: typing.Final = pa.schema([("shard", pa.int32()), ("json", pa.string()), ("state", pa.string())])


def reshard(spark: SparkSession, job: Job, claim: Claim, program: str) -> dict[str, int]:
    """Moves the job to as many shards as its configuration says. Returns what was moved."""
    end_move(spark, job)
    old = job.known_shards()
    commit = job.last_commit()
    if old == job.shards:
        raise Trouble(f"the job has {old} shards already: set cluster.shards to the wanted number first", USAGE)
    if commit is None:
        raise Trouble("no turn was run yet: delete shards.json, and the first turn writes it anew", USAGE)
    began, started = time.monotonic(), now()
    storages = [os.path.join(job.storages, shard_name(shard)) for shard in range(old)]
    url = job.files.root if job.settings.snapshots else None
    maker = ShardMaker(program, storages, f"{job.storages}.new", job.shards, url, commit.states, commit.turn + 1)
    try:
        _at_once(spark, maker.clear)
        rows = spark.range(0, job.shards, 1, job.shards).mapInArrow(maker.make, "shard int, json string, state string").collect()
    except (Py4JJavaError, PySparkException) as error:
        trouble = WorkerTrouble.found_in(str(error))
        if trouble is None:
            raise Trouble(f"reshard: {sentence(error)}", INTERNAL) from error
        raise trouble.trouble from error
    claim.check()
    move = Commit(
        turn=commit.turn + 1, cursors={}, dones={}, told={}, started_at=started, ended_at=now(),
        seconds=time.monotonic() - began, resharded=job.shards, turns=job.all_turns(),
        states={row["shard"]: row["state"] for row in rows if row["state"]},
    )  # fmt: skip
    job.publish(move)
    end_move(spark, job)
    counts = [json.loads(row["json"]) for row in rows]
    return {key: sum(int(count.get(key, 0)) for count in counts) for key in ("hosts", "urls", "records", "found")}


def end_move(spark: SparkSession, job: Job) -> None:
    """Ends a move that is committed, if a driver died in the middle."""
    commit = job.last_commit()
    if commit is None or commit.resharded is None or not job.files.exists("shards.json") or job.known_shards() == commit.resharded:
        return
    _at_once(spark, Swap(job.storages, commit.turn).run)
    for name in job.files.names("snapshots"):
        if name.isdecimal() and int(name) >= commit.resharded:
            job.files.delete(f"snapshots/{name}")
    job.write_shards(commit.resharded)


@dataclasses.dataclass(frozen=True)
class ShardMaker:
    """Makes new storages, in executors."""

    program: str
    old: list[str]
    folder: str
    shards: int
    #: The job's folder, if storages move: old ones are what they have come to by the last commit, new ones get snapshots.
    url: str | None
    states: dict[int, str]
    #: The number of the move.
    turn: int

    def clear(self) -> None:
        """Removes what a try before has left."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def make(self, batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
        for batch in batches:
            for shard in batch.column(0).to_pylist():
                text, state = self._make(int(shard))
                columns = [pa.array([shard], pa.int32()), pa.array([text]), pa.array([state], pa.string())]
                yield pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)

    def _make(self, shard: int) -> tuple[str, str | None]:
        storage = os.path.join(self.folder, shard_name(shard))
        if self.url is not None:
            with as_trouble(shard, self.url):
                for number, path in enumerate(self.old):
                    settle(number, pathlib.Path(path), self.states.get(number), Snapshots(Store(self.url), shard_name(number)))
        # A task that is tried again begins anew.
        shutil.rmtree(storage, ignore_errors=True)
        arguments = [self.program, "reshard", "--storage", storage, "--shard", str(shard), "--shards", str(self.shards), *self.old]
        try:
            result = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise WorkerTrouble(shard, USAGE, f"{self.program} cannot be started: {error.strerror}") from error
        if result.returncode != 0:
            raise WorkerTrouble(shard, result.returncode, " / ".join(result.stderr.split("\n")[-4:]).strip(" /"))
        if self.url is None:
            return result.stdout.strip(), None
        state = new_state(self.turn)
        with as_trouble(shard, self.url):
            Snapshots(Store(self.url), shard_name(shard)).take(pathlib.Path(storage), state, None)
            Note(state, state).write(pathlib.Path(storage))
        return result.stdout.strip(), state


@dataclasses.dataclass(frozen=True)
class Swap:
    """Puts the new storages into the place of the old ones. Run again, it goes on."""

    storages: str
    turn: int

    def run(self) -> None:
        storages, old, new = (pathlib.Path(self.storages + suffix) for suffix in ("", f".old-{self.turn}", ".new"))
        if new.is_dir():
            if storages.is_dir():
                storages.rename(old)
            new.rename(storages)


def _at_once(spark: SparkSession, work: typing.Callable[[], None]) -> None:
    """Does something in an executor, which sees the storages."""

    def task(batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
        yield from ()
        for _ in batches:
            work()

    spark.range(0, 1, 1, 1).mapInArrow(task, "shard int, json string").collect()
