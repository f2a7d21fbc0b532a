"""One driver for a job, and one task for a shard: a claim with a lease, as a file in the job's folder.

Each driver writes a claim under a name of its own, then lists the claims. It has the job only after a listing without any other living
claim. Of two drivers, the one that listed last was listed after both had written, so it sees the other: **two never have the job, on every
file system that lists what was written before** (local, HDFS, S3, GCS, Azure). Neither an atomic create nor a rename is needed, and no
clocks are compared: a claim is dead if its content did not change for the length of a lease, by the clock of the one who looks.

Limits: a driver that stands still for longer than a lease (a frozen virtual machine) may be taken for dead. It notices before its next
commit, and a commit never replaces another; between its last look and the rename of a commit lies a gap of milliseconds that no file
system without locks can close. A task tells its worker until when the claim of its shard holds (`end`), and the worker ends itself then, so a
shard's hosts are asked by one machine, also when a task or its machine stands still.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import socket
import threading
import time
import typing
import uuid

from .trouble import HELD, Trouble

FOLDER: typing.Final = "claims"
#: Seconds without a change after which a claim is dead. It is renewed four times in that time.
LEASE: typing.Final = 20.0
#: The part of a lease after which the driver itself no longer trusts its claim.
MARGIN: typing.Final = 0.75


@dataclasses.dataclass(frozen=True)
class _Process:
    """A process, so that one on the same machine that has ended need not be waited for."""

    host: str
    boot: str
    namespace: str
    pid: int
    started: str

    @staticmethod
    def own() -> "_Process":
        return _Process(
            socket.gethostname(),
            pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
            os.readlink("/proc/self/ns/pid"),
            os.getpid(),
            _started("self"),
        )

    def is_here(self) -> bool:
        """Whether its number means the same process to us."""
        here = _Process.own()
        return (self.host, self.boot, self.namespace) == (here.host, here.boot, here.namespace)

    def has_ended(self) -> bool:
        """True only if that is certain."""
        if not self.is_here():
            return False
        try:
            return _started(str(self.pid)) != self.started
        except (FileNotFoundError, ProcessLookupError):
            return True


def _started(pid: str) -> str:
    """When a process started, in ticks; a process that is dead but not awaited has ended too."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return "ended" if fields[0] in "ZX" else fields[19]


#: What file systems raise, for the driver and in executors.
_TROUBLE: typing.Final = (Trouble, OSError)


class Folder(typing.Protocol):
    """Where claims are: `Files` or `Store`."""

    def names(self, path: str) -> list[str]: ...
    def exists(self, path: str) -> bool: ...
    def read(self, path: str) -> bytes: ...
    def write(self, path: str, content: bytes) -> None: ...
    def delete(self, path: str) -> None: ...
    def make_folder(self, path: str) -> None: ...


class Claim:
    """Use it as a context. `check` says whether what is claimed is still ours."""

    def __init__(self, files: Folder, lease: float = LEASE, folder: str = FOLDER, patience: float = 0.0) -> None:
        """`folder`: of all claims of one thing. `patience`: seconds to wait for another's to end."""
        self._files = files
        self.lease = lease
        self._folder = folder
        self._patience = patience
        self._name = f"{folder}/{uuid.uuid4().hex}.json"
        self._beat = 0
        self._renewed = _now()
        self._is_lost = False
        self._since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._has_job = False
        self._lock = threading.Lock()

    def __enter__(self) -> "Claim":
        self._files.make_folder(self._folder)
        self._write()
        try:
            self._take()
        except BaseException:
            self._files.delete(self._name)
            raise
        self._has_job = True
        self._write()
        self.check()
        self._thread = threading.Thread(target=self._renew, name="claim", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(self.lease)
        with contextlib.suppress(*_TROUBLE):  # Spark may be gone; then the lease runs out.
            self._files.delete(self._name)

    @property
    def end(self) -> float:
        """Until when it is ours for certain, in seconds of CLOCK_BOOTTIME."""
        with self._lock:
            return 0.0 if self._is_lost else self._renewed + self.lease * MARGIN

    def check(self) -> None:
        """Call it before anything that another driver must not do too."""
        with self._lock:
            age = _now() - self._renewed
            is_lost = self._is_lost or age > self.lease * MARGIN
        if is_lost or not self._files.exists(self._name):
            words = "this driver could not renew its claim" if self._folder == FOLDER else f"the claim in {self._folder} could not be renewed"
            raise Trouble(f"{words} in time, and another may have the job by now. What is committed is safe; start again to go on.", HELD)

    def _take(self) -> None:
        """Returns once a listing has no other living claim."""
        seen: dict[str, tuple[bytes, float]] = {}
        last = _now() + self._patience
        while True:
            listed = _now()
            others = [name for name in self._files.names(self._folder) if name.endswith(".json") and f"{self._folder}/{name}" != self._name]
            if not others:
                return
            for name in others:
                path = f"{self._folder}/{name}"
                try:
                    text = self._files.read(path)
                except _TROUBLE:
                    continue  # It went, or is replaced this moment; the next listing decides.
                before, since = seen.setdefault(name, (text, listed))
                process = _process(text)
                if process is not None and process.has_ended() or before == text and listed - since > self.lease:
                    self._files.delete(path)
                    continue
                is_alive = before != text or process is not None and process.is_here()
                # Of two that start together, the one with the smaller name waits for the other to give up.
                if listed >= last and is_alive and process is not None and (_fields(text).get("hasJob") is True or path < self._name):
                    fields = _fields(text)
                    raise Trouble(
                        f"another driver has this job: process {process.pid} on {process.host}, since {fields.get('since', '?')}"
                        if self._folder == FOLDER
                        else f"process {process.pid} on {process.host} has it since {fields.get('since', '?')}",
                        HELD,
                    )
                if before != text:
                    seen[name] = (text, listed)
            time.sleep(min(0.25, self.lease / 20))
            if _now() - self._renewed > self.lease / 8:
                self._write()

    def _write(self) -> None:
        began = _now()
        self._beat += 1
        fields = dataclasses.asdict(_Process.own()) | {"beat": self._beat, "hasJob": self._has_job, "since": self._since}
        self._files.write(self._name, json.dumps(fields).encode())
        with self._lock:
            # Whoever looks may take the claim for dead once it did not change for a lease. It is ours only while that cannot be.
            self._is_lost = self._is_lost or _now() - self._renewed > self.lease * MARGIN
            self._renewed = began

    def _renew(self) -> None:
        while not self._stopped.wait(self.lease / 4):
            try:
                if self._is_lost or not self._files.exists(self._name):
                    return  # `check` says so.
                self._write()
            except _TROUBLE:
                continue  # The next beat may succeed; `check` judges the time since the last one.


def _now() -> float:
    """Seconds, counting those in which the machine slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _fields(text: bytes) -> dict[str, typing.Any]:
    try:
        fields = json.loads(text)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _process(text: bytes) -> _Process | None:
    fields = _fields(text)
    try:
        return _Process(*(fields[field.name] for field in dataclasses.fields(_Process)))
    except KeyError:
        return None
