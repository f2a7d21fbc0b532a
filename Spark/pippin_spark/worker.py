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
from .snapshots import Note, Snapshots, SnapshotTrouble, has_storage, held, new_state, remove
from .stores import Store
from .trouble import HELD, INTERNAL, USAGE, Trouble, WorkerTrouble

#: What goes into a task: lines for the worker's input. A shard without any has one row with null.
INPUT: typing.Final = "shard int, line string"
#: What comes out.
OUTPUT: typing.Final = "shard int, kind string, sequence long, key string, json string"
_SCHEMA: typing.Final = pa.schema(
    [("shard", pa.int32()), ("kind", pa.string()), ("sequence", pa.int64()), ("key", pa.string()), ("json", pa.string())]
)
#: Status of a shard whose storage is gone although it has told before, and of one whose task cannot use the job's folder. Not of `pippin`.
LOST: typing.Final = 100
FOLDER_TROUBLE: typing.Final = 101
#: Seconds without a renewal after which a shard may be another machine's. A thousand shards write seventy files a second.
LEASE: typing.Final = 60.0
#: Seconds for which a worker may hold a storage that Spark has given up.
HOLDING: typing.Final = 60.0
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
    #: What each storage has come to with its last committed turn, as its snapshot is called.
    states: dict[int, str]
    program: str
    job: JobFolder
    #: The job's folder, as executors may open it.
    url: str
    seeds: str
    storages: str
    links: bool
    #: Whether storages move: a snapshot is kept of each, and tasks claim their shards.
    snapshots: bool
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
            claim: Claim | None = None
            if self.snapshots:
                with as_trouble(shard, self.url):
                    claim = stack.enter_context(self._claim(shard))
                    begin = dataclasses.replace(begin, is_restored=self._settle(shard, storage, claim))
            elif shard not in self.new and shard not in self.rebuilt and not has_storage(storage):
                raise WorkerTrouble(shard, LOST, f"its storage {storage} is gone")
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

    def _settle(self, shard: int, storage: pathlib.Path, claim: Claim) -> bool:
        """Makes the storage on this machine that of the last commit, or of a try of this turn that broke off here. Says whether it was restored."""
        known, here = self.states.get(shard), _place(storage)
        snapshots = Snapshots(Store(self.url), shard_name(shard))
        if shard in self.rebuilt:
            settle_anew(storage, known)
        elif shard not in self.new:
            settle(shard, storage, known, snapshots)
        note = Note.read(storage)
        is_restored = note is not None and note.is_restored
        if shard in self.rebuilt or snapshots.has_begun_elsewhere(known, here):
            # Whom another machine has asked in a try of this turn, or the lost storage, is not known here.
            time.sleep(self.longest_delay)
        if known is not None:
            snapshots.clear(known)
        # All this took time. A try that has lost the shard must leave no note of it.
        claim.check()
        snapshots.begin(known, here)
        storage.mkdir(parents=True, exist_ok=True)
        Note(known, None, is_restored).write(storage)
        return is_restored

    def _with_state(self, shard: int, process: "_Process") -> typing.Iterator[Line]:
        """The lines, and in `done` what the storage is now."""
        for line in process.lines(self.begins[shard].turn):
            if line.kind == "done" and self.snapshots:
                began = time.monotonic()
                with as_trouble(shard, self.url):
                    process.check_claim()
                    state = self._kept(shard)
                done = json.loads(line.json)
                done["state"] = state
                done["seconds"] = done.get("seconds", {}) | {"keeping": round(time.monotonic() - began, 3)}
                line = dataclasses.replace(line, json=json.dumps(done, ensure_ascii=False, separators=(",", ":")))
            yield line

    def _kept(self, shard: int) -> str:
        known, storage = self.states.get(shard), self._storage(shard)
        state = new_state(self.begins[shard].turn)
        with held(storage, HOLDING) as has_it:
            if not has_it:
                raise WorkerTrouble(shard, HELD, f"another process holds {storage}")
            Snapshots(Store(self.url), shard_name(shard)).take(storage, state, known)
            Note(known, state).write(storage)
        return state


def settle(shard: int, storage: pathlib.Path, known: str | None, snapshots: Snapshots) -> None:
    """Makes a storage on this machine what it has come to with a committed turn (`known`), if it is not. None: it is what lies there."""
    note, is_there = Note.read(storage), has_storage(storage)
    if is_there and (known is None or note is not None and note.fits(known)):
        return
    lack = f"its storage {storage} is {'not that of its last turn' if is_there else 'gone'}"
    if known is None:
        raise WorkerTrouble(shard, LOST, lack)
    with held(storage, HOLDING) as has_it:
        if not has_it:
            raise WorkerTrouble(shard, HELD, f"another process holds {storage}")
        try:
            snapshots.restore(known, storage)
        except SnapshotTrouble as error:
            raise WorkerTrouble(shard, LOST, f"{lack}, and its snapshot cannot be used: {error}") from error
        Note(known, known, is_restored=True).write(storage)


def settle_anew(storage: pathlib.Path, known: str | None) -> None:
    """Leaves of a storage that is made anew only what is no copy of an earlier turn: such copies stay behind on machines. A backup has no note."""
    note = Note.read(storage)
    if not has_storage(storage) or note is not None and not note.fits(known):
        remove(storage)


def _place(storage: pathlib.Path) -> str:
    """This storage on this machine, since it was started."""
    return f"{pathlib.Path('/proc/sys/kernel/random/boot_id').read_text().strip()}:{storage.absolute()}"


def check_folder(url: str) -> None:
    """Raises `WorkerTrouble` if this executor cannot open the job's folder."""
    with as_trouble(0, url):
        if not Store(url).exists("config.yaml"):
            raise FileNotFoundError("there is no config.yaml")


@contextlib.contextmanager
def as_trouble(shard: int, url: str) -> typing.Iterator[None]:
    """What goes wrong with the job's folder, as a task tells it."""
    try:
        yield
    except Trouble as trouble:
        raise WorkerTrouble(shard, trouble.code, str(trouble)) from trouble
    except (OSError, pa.ArrowException, SnapshotTrouble) as error:
        raise WorkerTrouble(shard, FOLDER_TROUBLE, f"{url}: {' '.join(str(error).split())}") from error


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
        #: For the input, which is closed once.
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def __enter__(self) -> "_Process":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process, if it has not ended."""
        self._close_input()
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
            self._close_input()
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

    def _close_input(self) -> None:
        # A worker that has ended reads nothing more.
        with self._lock, contextlib.suppress(OSError):
            self._input.close()

    def _fail(self, what: str) -> typing.NoReturn:
        self._close_input()
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
            # Past the buffer: what it keeps of a failed write would fail again when the input is closed.
            with self._lock, contextlib.suppress(OSError):
                if self._input.closed:
                    return
                os.write(self._input.fileno(), lease_line(end).encode() + b"\n")

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
