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
import socket
import subprocess
import tempfile
import threading
import time
import typing

import pyarrow as pa

from .claim import FOLDER, Claim
from .job import shard_name
from .protocol import (
    END,
    MAXIMUM_LINE_BYTES,
    Begin,
    Line,
    ProtocolError,
    Telling,
    lease_line,
    parse,
)
from .snapshots import Note, Snapshots, SnapshotTrouble, State, has_storage, held, new_state, remove, turn_of
from .stores import Store
from .trouble import DISK, HELD, INTERNAL, USAGE, Trouble, WorkerTrouble

#: What goes into a task: lines for the worker's input. A shard without any has one row with null.
INPUT: typing.Final = "shard int, line string"
#: What comes out.
OUTPUT: typing.Final = "shard int, kind string, sequence long, key string, json string"
_SCHEMA: typing.Final = pa.schema(
    [("shard", pa.int32()), ("kind", pa.string()), ("sequence", pa.int64()), ("key", pa.string()), ("json", pa.string())]
)
#: Status of a shard whose storage is gone although it has told before, and of one of which there is a snapshot of an earlier turn. Not of `pippin`.
LOST: typing.Final = 100
BEHIND: typing.Final = 101
#: Seconds without a renewal after which a shard may be another machine's. A thousand shards write seventy files a second.
LEASE: typing.Final = 60.0
#: Seconds for which a worker may hold a storage that Spark has given up.
_HOLDING: typing.Final = 60.0
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
    #: Shards that begin with an empty storage, and those that are made anew in what lies in its place.
    new: frozenset[int]
    rebuilt: frozenset[int]
    #: What the last commit knows of each storage.
    states: dict[int, State]
    program: str
    job: JobFolder
    #: The job's folder, as executors may open it.
    url: str
    seeds: str
    storages: str
    links: bool
    #: A snapshot is made after so many turns of a shard; 0: never.
    snapshots: int
    #: Seconds in which hosts may have been promised not to be asked again.
    longest_delay: float
    #: Seconds without a line before a worker counts as stuck.
    limit: float
    #: How long a storage may be held by a worker that Spark has given up.
    wait_for_storage: str = "60s"
    lease: float = LEASE
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
            process.end_input()
            yield from _batches(shard, self._with_state(shard, process))

    @contextlib.contextmanager
    def _start(self, shard: int) -> typing.Iterator["_Process"]:
        begin, storage = self.begins[shard], self._storage(shard)
        with contextlib.ExitStack() as stack:
            with _as_trouble(shard, f"its storage {storage}"):
                claim = stack.enter_context(self._claim(shard)) if self.snapshots > 0 else None
                self._settle(shard, storage)
            folder = stack.enter_context(self.job.opened())
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
            process = stack.enter_context(_Process(shard, arguments, self.limit, claim))
            process.write(begin.line())
            yield process


    def _claim(self, shard: int) -> Claim:
        """Only where storages move: the lock of a storage on one machine is none on another."""
        return Claim(Store(self.url), self.lease, f"{FOLDER}/{shard_name(shard)}", patience=2 * self.lease)

    def _storage(self, shard: int) -> pathlib.Path:
        return pathlib.Path(self.storages, shard_name(shard))

    def _snapshots(self, shard: int) -> Snapshots:
        return Snapshots(Store(self.url), shard_name(shard))

    def _settle(self, shard: int, storage: pathlib.Path) -> None:
        """Makes the storage on this machine that of the last commit, or of a try of this turn that broke off here."""
        known, note, is_there = self.states.get(shard, State()), Note.read(storage), has_storage(storage)
        # A backup that was put into its place is what is wanted, and so is what an earlier try has made of it.
        fits = is_there and (shard in self.rebuilt or known.state is None or note is not None and note.fits(known.state))
        if not fits and shard not in self.new and (shard not in self.rebuilt or known.snapshot is not None):
            self._restore(shard, storage, known, is_there)
        if shard in self.rebuilt:
            # Its hosts were asked until it was lost, and the pauses are lost with it.
            time.sleep(self.longest_delay)
        if self.snapshots > 0:
            snapshots = self._snapshots(shard)
            if known.snapshot is not None:
                snapshots.clear(known.snapshot)
            snapshots.begin(known.state, socket.gethostname())
        storage.mkdir(parents=True, exist_ok=True)
        Note(known.state, None).write(storage)

    def _restore(self, shard: int, storage: pathlib.Path, known: State, is_there: bool) -> None:
        lack = f"its storage {storage} is {'an older copy' if is_there else 'gone'}"
        is_current = known.snapshot is not None and known.snapshot == known.state
        if known.snapshot is None:
            raise WorkerTrouble(shard, LOST, lack)
        if not is_current and shard not in self.rebuilt:
            raise WorkerTrouble(shard, BEHIND, f"{lack}, and its last snapshot is of turn {turn_of(known.snapshot)} of the shard")
        snapshots = self._snapshots(shard)
        with held(storage, _HOLDING) as has_it:
            if not has_it:
                raise WorkerTrouble(shard, HELD, f"another process holds {storage}")
            if shard not in self.rebuilt and snapshots.has_begun(known.state):
                # Whom another machine has asked in a try of this turn is not known here.
                time.sleep(self.longest_delay)
            try:
                snapshots.restore(known.snapshot, storage)
            except SnapshotTrouble as error:
                if shard in self.rebuilt:
                    # It was told before, and this was asked for: all is crawled again.
                    remove(storage)
                    return
                raise WorkerTrouble(shard, LOST, f"{lack}, and its snapshot cannot be used: {error}") from error
            Note(known.state, known.state).write(storage)

    def _with_state(self, shard: int, process: "_Process") -> typing.Iterator[Line]:
        """The lines, and in `done` what the storage is now, with the last snapshot of it."""
        for line in process.lines(self.begins[shard].turn):
            if line.kind == "done":
                began = time.monotonic()
                with _as_trouble(shard, "its snapshot"):
                    process.check_claim()
                    now = self._kept(shard)
                done = json.loads(line.json)
                done |= dataclasses.asdict(now)
                done["seconds"] = done.get("seconds", {}) | {"keeping": round(time.monotonic() - began, 3)}
                line = dataclasses.replace(line, json=json.dumps(done, ensure_ascii=False, separators=(",", ":")))
            yield line

    def _kept(self, shard: int) -> State:
        known, turn, storage = self.states.get(shard, State()), self.begins[shard].turn, self._storage(shard)
        name, snapshot = new_state(turn), known.snapshot
        with held(storage, _HOLDING) as has_it:
            if not has_it:
                raise WorkerTrouble(shard, HELD, f"another process holds {storage}")
            if self.snapshots > 0 and (turn % self.snapshots == 0 or snapshot is None or shard in self.rebuilt):
                self._snapshots(shard).take(storage, name, snapshot)
                snapshot = name
            Note(known.state, name).write(storage)
        return State(name, snapshot)


@contextlib.contextmanager
def _as_trouble(shard: int, what: str) -> typing.Iterator[None]:
    try:
        yield
    except Trouble as trouble:
        raise WorkerTrouble(shard, trouble.code, f"{what}: {trouble}") from trouble
    except (OSError, pa.ArrowException, SnapshotTrouble) as error:
        raise WorkerTrouble(shard, DISK, f"{what}: {' '.join(str(error).split())}") from error


class _Process:
    """A running worker."""

    def __init__(self, shard: int, arguments: list[str], limit: float, claim: Claim | None) -> None:
        """`claim`: the worker is told until when it holds."""
        self._shard = shard
        self._limit = limit
        self._claim = claim
        self._is_stuck = False
        self._is_cut_off = False
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

    def end_input(self) -> None:
        """From here on the worker may crawl."""
        if self._claim is not None:
            self.write(lease_line(self._claim.end))
        self.write(END)

    def check_claim(self) -> None:
        """Raises `Trouble` if another machine may have the shard."""
        if self._claim is not None:
            self._claim.check()

    def lines(self, turn: int) -> typing.Iterator[Line]:
        """What the worker tells; `done` when it has ended."""
        telling = Telling(turn, self._shard)
        try:
            self._input.flush()
        except BrokenPipeError:
            self._fail("it ended before it had read its input")
        if self._claim is not None:
            threading.Thread(target=self._renew, args=(self._claim,), daemon=True).start()
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
                if telling.done is None:
                    yield line
            self._has_ended.set()
            self._input.close()
            if self._output.read(1):
                raise ProtocolError("something follows done")
            status = self._process.wait(_ENDING)
            if status != 0:
                self._fail("it wrote done, but did not end well")
            yield line
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
        if self._is_cut_off:
            what = "its claim of the shard could not be renewed in time, and another machine may have it"
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

    def _renew(self, claim: Claim) -> None:
        """Tells the worker until when the shard is its own, and ends it then: it ends itself if this process stands still."""
        while not self._has_ended.wait(claim.lease / 8):
            end = claim.end
            if end <= time.clock_gettime(time.CLOCK_BOOTTIME):
                self._is_cut_off = True
                self._process.kill()
                return
            with contextlib.suppress(OSError, ValueError):  # It has ended, and its input is closed.
                self._input.write(lease_line(end).encode() + b"\n")
                self._input.flush()

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
