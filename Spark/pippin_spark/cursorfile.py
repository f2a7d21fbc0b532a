"""The file in which a consumer of changes keeps its cursor."""
import contextlib
import fcntl
import os
import pathlib
import typing

from .trouble import DISK, HELD, Trouble

#: A cursor has 26 characters at the most.
_MOST: typing.Final = 1000


class CursorFile:
    """Read first, written when everything else is: a cursor is never ahead of what was taken. Two consumers with one file are refused."""

    def __init__(self, path: str) -> None:
        self._path = pathlib.Path(path)

    @contextlib.contextmanager
    def locked(self) -> typing.Iterator[None]:
        """Keeps others out. Each of two would skip the changes that the other has taken."""
        try:
            lock = open(self._path.with_name(self._path.name + ".lock"), "ab")
        except OSError as error:
            raise self._trouble(error) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if not isinstance(error, BlockingIOError):
                    raise self._trouble(error) from error
                raise Trouble(f"{self._path}: another consumer of changes has this cursor file. Wait for it to end", HELD) from error
            yield

    def read(self) -> str | None:
        """None if there is no file yet."""
        try:
            with self._path.open("rb") as file:
                return file.read(_MOST).decode("utf-8", "replace").strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._trouble(error) from error

    def write(self, cursor: str) -> None:
        draft = self._path.with_name(f".{self._path.name}.draft")
        try:
            with draft.open("wb") as file:
                file.write(cursor.encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self._path)
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise self._trouble(error) from error

    def _trouble(self, error: OSError) -> Trouble:
        return Trouble(f"{self._path}: {error.strerror}", DISK)
