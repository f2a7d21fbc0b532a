"""A job's folder as executors see it: through Arrow, because Hadoop's API is the driver's alone. `Files` is the driver's way.

Files are read and written as streams, on local disks, S3, GCS, Azure and HDFS. What is written here counts only when a commit names it.
"""
import contextlib
import os
import typing

import pyarrow as pa
import pyarrow.fs

#: In no file that is read whole is more.
MAXIMUM_BYTES: typing.Final = 64 * 1024 * 1024


def opened(url: str) -> tuple[pyarrow.fs.FileSystem, str]:
    """The file system of a URL or path, and the path there. Hadoop and Arrow name the same stores differently.

    Raises `OSError` or `pa.ArrowException` for one that Arrow does not know.
    """
    if url.startswith(("file:", "/")):
        return pyarrow.fs.LocalFileSystem(), "/" + url.removeprefix("file:").lstrip("/")
    system, path = pyarrow.fs.FileSystem.from_uri(url.replace("s3a://", "s3://", 1).replace("s3n://", "s3://", 1))
    return system, path


class Store:
    """Files below one folder. Paths are relative to it, with `/`. Errors are `OSError`s."""

    def __init__(self, url: str) -> None:
        self._system, path = opened(url)
        self._root = path.rstrip("/")
        self._is_local = isinstance(self._system, pyarrow.fs.LocalFileSystem)

    def names(self, path: str) -> list[str]:
        """Of files and folders in a folder, sorted; none if there is no such folder."""
        selector = pyarrow.fs.FileSelector(self._path(path), allow_not_found=True)
        return sorted(info.base_name for info in self._system.get_file_info(selector))

    def exists(self, path: str) -> bool:
        return bool(self._system.get_file_info(self._path(path)).type != pyarrow.fs.FileType.NotFound)

    def read(self, path: str) -> bytes:
        """Raises `FileNotFoundError` if there is no such file."""
        with self._system.open_input_stream(self._path(path)) as stream:
            content: bytes = stream.read(MAXIMUM_BYTES + 1)
        if len(content) > MAXIMUM_BYTES:
            raise OSError(f"{self._path(path)} is too large")
        return content

    def reader(self, path: str) -> pa.NativeFile:
        """For parts of a large file."""
        return self._system.open_input_file(self._path(path))

    @contextlib.contextmanager
    def writer(self, path: str) -> typing.Iterator[typing.BinaryIO]:
        """Writes a file, in place of an older one. It is there, and on disk, when the context ends without an error."""
        name = self._path(path)
        if not self._is_local:
            with self._system.open_output_stream(name) as stream:
                yield stream
            return
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())

    def write(self, path: str, content: bytes) -> None:
        with self.writer(path) as file:
            file.write(content)

    def make_folder(self, path: str) -> None:
        self._system.create_dir(self._path(path))

    def delete(self, path: str) -> None:
        """Deletes a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._system.delete_file(self._path(path))

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}"
