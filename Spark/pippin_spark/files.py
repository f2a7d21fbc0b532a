"""A job's folder on whichever file system Hadoop knows. The only module that calls Hadoop's API.

What is promised depends on the file system: a rename is atomic on local disks and HDFS; object stores copy, so that a reader may see a
part. Nobody reads an output that no commit names, and a commit is one small file.
"""
import contextlib
import os
import tempfile
import typing
import uuid

from pyspark.sql import SparkSession

from .trouble import DISK, Trouble

#: No file that is read whole is larger: configuration, seeds, commits, claims.
MAXIMUM_FILE_BYTES: typing.Final = 64 * 1024 * 1024


class Files:
    """Files below one folder. Paths are relative to it, with `/`."""

    def __init__(self, spark: SparkSession, root: str) -> None:
        # py4j has no types.
        jvm: typing.Any = spark._jvm  # noqa: SLF001
        configuration: typing.Any = spark._jsc.hadoopConfiguration()  # noqa: SLF001
        # Looked up once: py4j asks the JVM for each part of such a name, which searches all jars for each.
        self._new_path = jvm.org.apache.hadoop.fs.Path
        path = self._new_path(root if ":/" in root else f"file://{os.path.abspath(root)}")
        with _sentences(root):
            self._system = path.getFileSystem(configuration)
            self._root = self._system.makeQualified(path)
        self.is_local: bool = self._root.toUri().getScheme() == "file"

    @property
    def root(self) -> str:
        """As Spark reads and writes it."""
        return str(self._root.toString())

    @property
    def local_root(self) -> str | None:
        """The folder as a path of this machine, if it is one."""
        return str(self._root.toUri().getPath()) if self.is_local else None

    def url(self, path: str) -> str:
        return f"{self.root.rstrip('/')}/{path}"

    def exists(self, path: str) -> bool:
        with _sentences(path):
            return bool(self._system.exists(self._path(path)))

    def names(self, path: str) -> list[str]:
        """Of files and folders in a folder, sorted; none if there is no such folder."""
        with _sentences(path):
            if not self._system.exists(self._path(path)):
                return []
            return sorted(str(status.getPath().getName()) for status in self._system.listStatus(self._path(path)))

    def small_files(self, path: str = "") -> dict[str, bytes]:
        """The files directly in a folder, by name."""
        with _sentences(path):
            statuses = [status for status in self._system.listStatus(self._path(path)) if status.isFile()]
            if sum(status.getLen() for status in statuses) > MAXIMUM_FILE_BYTES:
                raise Trouble(f"{self.url(path)}: the files in this folder are too large to be sent to the executors")
            return {name: self.read(f"{path}/{name}" if path else name) for name in (str(s.getPath().getName()) for s in statuses)}

    def find(self, pattern: str) -> list[str]:
        """Files that a pattern (`*`, `{a,b}`) names, or that lie directly in the folders that it names."""
        with _sentences(pattern):
            found = self._system.globStatus(self._new_path(pattern)) or []
            files: list[str] = []
            for status in found:
                inside = [status] if status.isFile() else [s for s in self._system.listStatus(status.getPath()) if s.isFile()]
                files += [str(s.getPath().toString()) for s in inside]
            return sorted(files)

    def read(self, path: str) -> bytes:
        with _sentences(path):
            if self._system.getFileStatus(self._path(path)).getLen() > MAXIMUM_FILE_BYTES:
                raise Trouble(f"{self.url(path)} is too large")
            stream = self._system.open(self._path(path))
            try:
                return bytes(stream.readAllBytes())
            finally:
                stream.close()

    def write(self, path: str, content: bytes) -> None:
        """Writes a file, in place of an older one."""
        if len(content) > MAXIMUM_FILE_BYTES:
            raise Trouble(f"{self.url(path)} would have {len(content):,} bytes, too many to be read again", DISK)
        with _sentences(path):
            stream = self._system.create(self._path(path), True)
            try:
                stream.write(content)
                if stream.hasCapability("hsync"):
                    stream.hsync()
            finally:
                stream.close()

    @contextlib.contextmanager
    def fetched(self, path: str) -> typing.Iterator[str]:
        """A file as one of this machine, of any size; a copy unless it is one."""
        if self.local_root is not None:
            yield os.path.join(self.local_root, path)
            return
        with tempfile.TemporaryDirectory(prefix="pippin-file-") as folder:
            local = os.path.join(folder, path.rpartition("/")[2])
            with _sentences(path):
                self._system.copyToLocalFile(False, self._path(path), self._new_path(f"file://{local}"), True)
            yield local

    def send(self, local: str, path: str) -> None:
        """Copies a file of this machine, of any size. Nobody may read `path` until something else says that it is whole."""
        with _sentences(path):
            self._system.copyFromLocalFile(False, True, self._new_path(f"file://{local}"), self._path(path))

    def publish(self, path: str, content: bytes) -> None:
        """Writes a new file under a name of its own, then renames it: whoever sees `path` sees all of it."""
        folder, _, name = path.rpartition("/")
        draft = f"{folder}/.{name}.{uuid.uuid4().hex}" if folder else f".{name}.{uuid.uuid4().hex}"
        self.make_folder(folder)
        self.write(draft, content)
        try:
            self.rename(draft, path)
        finally:
            self.delete(draft)

    def rename(self, old: str, new: str) -> None:
        """Renames a file or folder. `new` must not exist."""
        with _sentences(new):
            if self._system.exists(self._path(new)):
                raise Trouble(f"{self.url(new)} exists: another driver has written it. Start again to go on from there.", DISK)
            if not self._system.rename(self._path(old), self._path(new)):
                raise Trouble(f"{self.url(old)} cannot be renamed to {new}", DISK)

    def delete(self, path: str) -> None:
        """Deletes a file, or a folder with all that is in it, if it exists."""
        with _sentences(path):
            self._system.delete(self._path(path), True)

    def make_folder(self, path: str) -> None:
        with _sentences(path):
            self._system.mkdirs(self._path(path))

    def _path(self, path: str) -> typing.Any:
        # Names such as `shard=3` and `.draft` are taken as they are.
        return self._new_path(self._root, path) if path else self._root


@contextlib.contextmanager
def _sentences(path: str) -> typing.Iterator[None]:
    """Java's exceptions as a sentence that names the file."""
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

    try:
        yield
    except Py4JJavaError as error:
        exception = error.java_exception
        raise Trouble(f"{path or 'the job'}: {exception.getClass().getSimpleName()}: {exception.getMessage()}", DISK) from error
    except (Py4JNetworkError, Py4JError, ConnectionError) as error:
        raise Trouble(f"{path or 'the job'}: Spark's JVM is gone: {error}", DISK) from error
