"""One task: a worker process for one shard and one turn, between Spark's batches.

Runs in executors. The worker's standard input is its lifeline: it stays open until `done` was read, and ends with this process, whatever
ends it. Output is passed on as it comes; if the worker does not finish, the task fails, and Spark throws away what it had.
"""
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import typing

import pyarrow as pa

from .job import shard_name
from .protocol import (
    END,
    MAXIMUM_LINE_BYTES,
    Begin,
    Line,
    ProtocolError,
    Telling,
    parse,
)
from .trouble import INTERNAL, USAGE, Trouble, WorkerTrouble

#: What goes into a task: lines for the worker's input. A shard without any has one row with null.
INPUT: typing.Final = "shard int, line string"
#: What comes out.
OUTPUT: typing.Final = "shard int, kind string, sequence long, key string, json string"
_SCHEMA: typing.Final = pa.schema(
    [("shard", pa.int32()), ("kind", pa.string()), ("sequence", pa.int64()), ("key", pa.string()), ("json", pa.string())]
)
#: Status of a shard whose storage is gone although it has told before. Not one of `pippin`.
LOST: typing.Final = 100
_BATCH_BYTES: typing.Final = 4 * 1024 * 1024
_BATCH_LINES: typing.Final = 10_000
#: Seconds that a worker has to end after `done`, or after its input has ended.
_ENDING: typing.Final = 20.0


@dataclasses.dataclass(frozen=True)
class JobFolder:
    """The job's configuration and seeds, for executors."""

    #: Where they lie, if executors see that folder; else their contents, by name.
    path: str | None
    small_files: dict[str, bytes]

    @contextlib.contextmanager
    def opened(self) -> typing.Iterator[str]:
        """A folder on this machine that has them."""
        if self.path is not None:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="pippin-job-") as copies:
            for name, content in self.small_files.items():
                descriptor = os.open(os.path.join(copies, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(descriptor, "wb") as file:
                    file.write(content)
            yield copies


@dataclasses.dataclass(frozen=True)
class Times:
    """The durations of a job in seconds, and what a cluster leaves out of it. Only the workers read durations, so a worker is asked for them."""

    turn: float
    #: The longest pause that a host may have been promised.
    longest_delay: float
    #: A sentence for each output in the configuration that a cluster does not have.
    left_out: tuple[str, ...] = ()

    @staticmethod
    def ask(program: str, job: JobFolder, turn: str | None) -> str:
        """Asks in an executor, where the program is. `turn` is how long turns are, in place of the configuration's."""
        with job.opened() as folder:
            arguments = [program, "worker", "--times", "--config", os.path.join(folder, "config.yaml")]
            if turn is not None:
                arguments += ["--for", turn]
            try:
                result = subprocess.run(
                    arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60
                )
            except subprocess.TimeoutExpired as error:
                raise WorkerTrouble(0, USAGE, f"{program} did not answer within a minute") from error
            except OSError as error:
                raise WorkerTrouble(0, USAGE, f"{program} cannot be started: {error.strerror}") from error
        if result.returncode != 0:
            raise WorkerTrouble(0, result.returncode, " / ".join(result.stderr.split("\n")[-4:]).strip(" /"))
        return result.stdout.strip()

    @staticmethod
    def parse(text: str) -> "Times":
        try:
            fields = json.loads(text)
            left_out = tuple(str(words) for words in fields.get("leftOut", []))
            return Times(float(fields["turn"]), float(fields["longestDelay"]), left_out)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Trouble(f"`pippin worker --times` wrote {text[:100]!r}, which are no times", INTERNAL) from error


@dataclasses.dataclass(frozen=True)
class ShardTask:
    """All that an executor must know to run a turn."""

    begins: dict[int, Begin]
    #: Shards that begin with an empty storage.
    new: frozenset[int]
    program: str
    job: JobFolder
    seeds: str
    storages: str
    links: bool
    #: Seconds without a line before a worker counts as stuck.
    limit: float
    #: How long a storage may be held by a worker that Spark has given up.
    wait_for_storage: str = "60s"
    #: A folder for a crawl log of each shard.
    logs: str | None = None

    def tell(self, batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
        """For `mapInArrow`. A partition has the rows of one shard, at least one."""
        shard: int | None = None
        with contextlib.ExitStack() as stack:
            process: _Process | None = None
            for batch in batches:
                for shard_value, line in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
                    if shard is None or process is None:
                        shard = int(shard_value)
                        process = stack.enter_context(self._start(shard))
                    if shard_value != shard:
                        raise WorkerTrouble(shard, None, f"a task got lines of shard {shard_value} too")
                    if line is not None:
                        process.write(line)
            if shard is None or process is None:
                return
            process.write(END)
            yield from _batches(shard, process.lines(self.begins[shard].turn))

    @contextlib.contextmanager
    def _start(self, shard: int) -> typing.Iterator["_Process"]:
        begin = self.begins[shard]
        storage = pathlib.Path(self.storages, shard_name(shard))
        if shard not in self.new and not (storage.is_dir() and any(storage.iterdir())):
            raise WorkerTrouble(shard, LOST, f"its storage {storage} is gone")
        with self.job.opened() as folder:
            arguments = [
                self.program, "worker",
                "--config", os.path.join(folder, "config.yaml"),
                "--storage", str(storage),
                "--seeds", os.path.join(folder, self.seeds),
                "--wait-for-storage", self.wait_for_storage,
            ]  # fmt: skip
            if self.links:
                arguments.append("--links")
            if self.logs is not None:
                os.makedirs(self.logs, exist_ok=True)
                arguments += ["--log", os.path.join(self.logs, f"{shard_name(shard)}.jsonl")]
            with _Process(shard, arguments, self.limit) as process:
                process.write(begin.line())
                yield process


class _Process:
    """A running worker."""

    def __init__(self, shard: int, arguments: list[str], limit: float) -> None:
        self._shard = shard
        self._limit = limit
        self._is_stuck = False
        try:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=1024 * 1024
            )
        except OSError as error:
            raise WorkerTrouble(shard, USAGE, f"{arguments[0]} cannot be started: {error.strerror}") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input, self._output = self._process.stdin, self._process.stdout
        self._said: collections.deque[str] = collections.deque(maxlen=20)
        self._listener = threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        self._last_sign = time.monotonic()
        self._has_ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def __enter__(self) -> "_Process":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process, if it has not ended."""
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._has_ended.set()
        self._output.close()
        self._listener.join(1)

    def write(self, line: str) -> None:
        data = line.encode() + b"\n"
        if len(data) > MAXIMUM_LINE_BYTES:
            raise WorkerTrouble(self._shard, USAGE, f"a line for the worker is longer than 16 MB: {line[:100]}")
        try:
            self._input.write(data)
        except BrokenPipeError:
            self._fail("it ended before it had read its input")

    def lines(self, turn: int) -> typing.Iterator[Line]:
        """What the worker tells, to its end."""
        telling = Telling(turn, self._shard)
        try:
            self._input.flush()
        except BrokenPipeError:
            self._fail("it ended before it had read its input")
        try:
            while telling.done is None:
                data = self._output.readline(MAXIMUM_LINE_BYTES)
                if not data:
                    self._fail("it ended without done")
                self._last_sign = time.monotonic()
                if len(data) == MAXIMUM_LINE_BYTES:
                    raise ProtocolError("a line is longer than 16 MB")
                line = parse(data)
                telling.take(line)
                yield line
            self._input.close()
            if self._output.read(1):
                raise ProtocolError("something follows done")
            status = self._process.wait(_ENDING)
            if status != 0:
                self._fail("it wrote done, but did not end well")
        except ProtocolError as error:
            raise WorkerTrouble(self._shard, None, f"it broke the protocol: {error}") from error
        except subprocess.TimeoutExpired as error:
            raise WorkerTrouble(self._shard, None, "it did not end after done") from error

    def _fail(self, what: str) -> typing.NoReturn:
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            status: int | None = self._process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            status = None
        self._listener.join(1)
        if self._is_stuck:
            what = f"it wrote nothing for {self._limit:.0f} s, and was ended"
        words = " / ".join(self._said) or "it said nothing"
        raise WorkerTrouble(self._shard, status, f"{what} (status {status}): {words}")

    def _watch(self) -> None:
        """Ends a worker that is stuck."""
        while not self._has_ended.wait(max(0.0, self._last_sign + self._limit - time.monotonic()) + 0.1):
            if time.monotonic() > self._last_sign + self._limit:
                self._is_stuck = True
                self._process.kill()
                return

    def _listen(self, stream: typing.IO[bytes]) -> None:
        with stream:
            while data := stream.readline(64 * 1024):
                if text := data.decode(errors="replace").strip():
                    self._said.append(text[:1000])


def _batches(shard: int, lines: typing.Iterator[Line]) -> typing.Iterator[pa.RecordBatch]:
    rows: list[Line] = []
    size = 0
    for line in lines:
        rows.append(line)
        size += len(line.json)
        if size > _BATCH_BYTES or len(rows) >= _BATCH_LINES:
            yield _batch(shard, rows)
            rows, size = [], 0
    if rows:
        yield _batch(shard, rows)


def _batch(shard: int, rows: list[Line]) -> pa.RecordBatch:
    columns = [
        pa.array([shard] * len(rows), pa.int32()),
        pa.array([row.kind for row in rows], pa.string()),
        pa.array([row.sequence for row in rows], pa.int64()),
        pa.array([row.key for row in rows], pa.string()),
        pa.array([row.json for row in rows], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)
