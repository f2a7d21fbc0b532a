"""Brings an index up to date with what `pippin export` tells, and keeps the cursor of what it has acknowledged."""
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import tempfile

from connection import Busy, Failure, Patience

# What the answer to a bulk request has: enough to know the outcome of each document.
PATH = "/{index}/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason"
# Blocks of a whole index are told by each document.
WHOLE_INDEX = {"cluster_block_exception", "index_closed_exception", "index_not_found_exception"}


class Loader:
    def __init__(self, connection, index, export, cursor_file, batch=1000, most_bytes=5_000_000,
                 give_up_after=600.0, rejected=None):
        self.connection, self.index, self.export, self.cursor_file = connection, index, export, cursor_file
        self.batch, self.most_bytes, self.give_up_after, self.rejected = batch, most_bytes, give_up_after, rejected
        self.counts = dict.fromkeys(["indexed", "deleted", "popularities", "outdated", "absent", "rejected"], 0)

    def run(self):
        """Loads until the export has no more changes."""
        with _locked(self.cursor_file + ".lock"):
            while self._batch():
                pass
        return self.counts

    def _batch(self):
        """Sends the next changes. Returns whether there were any."""
        cursor = _read(self.cursor_file)
        command = self.export + ["--format", "opensearch-bulk", "--limit", str(self.batch)]
        command += ["--since", cursor] if cursor else []
        # The export ends before anything is sent: it holds nothing of the storage while the index is busy.
        with tempfile.TemporaryFile() as body:
            export = subprocess.run(command, stdout=body, stderr=subprocess.PIPE)
            errors = export.stderr.decode(errors="replace").strip()
            if export.returncode != 0:
                raise Failure(f"{' '.join(command)} ended with {export.returncode}: {errors}")
            body.seek(0)
            changes, chunk, size = 0, [], 0
            for lines in _actions(body):
                if chunk and size + len(lines) > self.most_bytes:
                    self._send(chunk)
                    chunk, size = [], 0
                chunk.append(lines)
                size += len(lines)
                changes += 1
            self._send(chunk)
        new = next((line[8:] for line in errors.splitlines() if line.startswith("cursor: ")), None)
        if not new:
            raise Failure(f"{' '.join(command)} told no cursor: {errors}")
        # Only what the index has acknowledged counts. A batch may be sent again: its changes are numbered.
        _write(self.cursor_file, new)
        return changes > 0

    def _send(self, chunk):
        patience = Patience(self.give_up_after)
        while chunk:
            try:
                answer = self.connection.ask(
                    "POST", PATH.format(index=self.index), b"".join(chunk), "application/x-ndjson")
            except Busy as busy:
                patience.wait(busy)
                continue
            except Failure as failure:
                if getattr(failure, "status", None) != 413:
                    raise
                if len(chunk) == 1:
                    self._reject(chunk[0], str(failure))
                    return
                middle = len(chunk) // 2
                self._send(chunk[:middle])
                chunk = chunk[middle:]
                continue
            items = answer.get("items") if isinstance(answer, dict) else None
            if not isinstance(items, list) or len(items) != len(chunk):
                patience.wait(Busy("its answer does not tell of each document"))
                continue
            again = [lines for lines, item in zip(chunk, items) if self._is_refused_for_now(lines, item)]
            if len(again) < len(chunk):
                patience = Patience(self.give_up_after)
            if again:
                patience.wait(Busy(f"{len(again)} documents are to be sent again"))
            chunk = again

    def _is_refused_for_now(self, lines, item):
        """Counts the outcome of a change. Returns whether it is to be sent again."""
        ((operation, outcome),) = item.items()
        status, error = outcome.get("status", 500), outcome.get("error") or {}
        if error.get("type") in WHOLE_INDEX:
            raise Failure(f"the index refuses documents: {error.get('reason')}")
        if status < 300:
            name = {"index": "indexed", "delete": "deleted", "update": "popularities"}[operation]
        elif status == 409 and operation != "update":
            # The index has a newer change of the record.
            name = "outdated"
        elif status == 404 and operation == "delete":
            name = "deleted"
        elif status == 404 and operation == "update":
            # Its record was refused.
            name = "absent"
        elif status in (409, 429) or status >= 500:
            return True
        else:
            self._reject(lines, f"{status} {error.get('reason')}")
            return False
        self.counts[name] += 1
        return False

    def _reject(self, lines, reason):
        """Reports a change that the index will never take, and keeps it."""
        self.counts["rejected"] += 1
        (action,) = json.loads(lines.split(b"\n", 1)[0]).values()
        print(f"rejected {action['_id']}: {reason}", file=sys.stderr)
        if self.rejected:
            with open(self.rejected, "ab") as file:
                file.write(lines)


def _actions(stream):
    """The actions of a bulk body, each with its source if it has one."""
    while line := stream.readline():
        if not line.startswith(b'{"delete"'):
            line += stream.readline()
        yield line


@contextlib.contextmanager
def _locked(path):
    """Two loaders with one cursor would each skip what the other has sent."""
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Failure(f"another loader has {path}") from None
        yield


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def _write(path, cursor):
    """All of it or nothing, also after a loss of power."""
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(cursor + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
