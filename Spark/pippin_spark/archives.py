"""Web archives read again: `pippin extract --warc` on many files at a time, into one Parquet table with the types of the record."""
import collections
import contextlib
import dataclasses
import json
import subprocess
import threading
import time
import typing

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from . import stores
from .files import Files
from .recordschema import record_type
from .trouble import USAGE, Trouble

#: An archive that gives no page for so long is given up: reading one page is bounded to seconds.
_PATIENCE: typing.Final = 600.0
_BATCH_BYTES: typing.Final = 4 * 1024 * 1024
_COPY_BYTES: typing.Final = 1024 * 1024
_MAXIMUM_LINE_BYTES: typing.Final = 64 * 1024 * 1024
_RAW: typing.Final = "kind string, archive string, json string"
_SCHEMA: typing.Final = pa.schema([("kind", pa.string()), ("archive", pa.string()), ("json", pa.string())])
#: What readers of tables skip: names that begin with an underscore.
LIST: typing.Final = "_archives.json"


@dataclasses.dataclass(frozen=True)
class Archive:
    """What became of one file."""

    name: str
    pages: int
    seconds: float
    #: Why it, or a part of it, could not be read.
    trouble: str | None


def read(spark: SparkSession, program: str, inputs: list[str], output: str) -> tuple[list[Archive], int]:
    """Reads archives into a new folder, and says what became of each, and how many records there are."""
    names: list[str] = []
    for pattern in inputs:
        found = Files(spark, pattern.rpartition("/")[0] or ".").find(pattern)
        if not found:
            raise Trouble(f"{pattern}: there is no such file", USAGE)
        names += [name for name in found if not name.endswith((".cdxj", ".cdx", ".lock", ".open"))]
    names = list(dict.fromkeys(names))
    folder, _, last = output.rstrip("/").rpartition("/")
    files = Files(spark, folder or ("/" if output.startswith("/") else "."))
    if files.exists(last):
        raise Trouble(f"{output} exists; name a new folder", USAGE)
    draft = f".{last}.draft"
    files.delete(draft)
    try:
        table(spark, program, names).write.partitionBy("kind").parquet(files.url(draft))
        rows = spark.read.schema("archive string").parquet(files.url(f"{draft}/kind=archive")).collect()
        archives = sorted((Archive(**json.loads(row["archive"])) for row in rows), key=lambda archive: archive.name)
        if not files.exists(f"{draft}/kind=record"):
            spark.createDataFrame([], _table_type()).write.parquet(files.url(f"{draft}/kind=record"))
        files.write(f"{draft}/kind=record/{LIST}", json.dumps([dataclasses.asdict(a) for a in archives], indent=1).encode() + b"\n")
        files.rename(f"{draft}/kind=record", last)
    finally:
        files.delete(draft)
    return archives, int(spark.read.parquet(files.url(last)).count())


def _table_type() -> t.StructType:
    return t.StructType([*record_type().fields, t.StructField("archive", t.StringType())])


def table(spark: SparkSession, program: str, names: list[str]) -> DataFrame:
    """A row for each record (`kind` is `record`), and one for each archive, with its `Archive` as JSON in place of its name."""
    reader = ArchiveTask(program, names)
    lines = spark.range(0, len(names), 1, len(names)).mapInArrow(reader.read, _RAW)
    page = t.StructType([t.StructField("record", record_type())])
    records = f.from_json(f.when(f.col("kind") == "record", f.col("json")), page)
    is_summary = f.col("kind") == "archive"
    return (
        lines.select("kind", f.when(is_summary, f.col("json")).otherwise(f.col("archive")).alias("archive"), records.alias("page"))
        .where("kind = 'archive' or page.record.uniqueIdentifier is not null")
        .select("kind", "page.record.*", "archive")
    )


@dataclasses.dataclass(frozen=True)
class ArchiveTask:
    """Reads the archives whose numbers it gets."""

    program: str
    names: list[str]

    def read(self, batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
        for batch in batches:
            for index in batch.column(0).to_pylist():
                yield from self._archive(self.names[index])

    def _archive(self, name: str) -> typing.Iterator[pa.RecordBatch]:
        began, pages, trouble = time.monotonic(), 0, None
        try:
            with _Extraction(self.program, name) as extraction:
                lines: list[str] = []
                size = 0
                for line in extraction.lines():
                    pages += 1
                    lines.append(line)
                    size += len(line)
                    if size > _BATCH_BYTES:
                        yield _rows("record", name, lines)
                        lines, size = [], 0
                if lines:
                    yield _rows("record", name, lines)
                trouble = extraction.trouble
        except (OSError, pa.ArrowException) as error:
            trouble = f"{type(error).__name__}: {error}"
        archive = Archive(name, pages, round(time.monotonic() - began, 3), trouble)
        yield _rows("archive", name, [json.dumps(dataclasses.asdict(archive))])


def _rows(kind: str, name: str, lines: list[str]) -> pa.RecordBatch:
    columns = [pa.array([kind] * len(lines)), pa.array([name] * len(lines)), pa.array(lines, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)


class _Extraction:
    """A run of `pippin extract --warc` on one archive."""

    def __init__(self, program: str, name: str) -> None:
        self._source: typing.Any = None
        path = "-"
        if name.startswith(("file:", "/")):
            path = "/" + name.removeprefix("file:").lstrip("/")
            open(path, "rb").close()  # A file that is not there is told with its own error.
        else:
            system, inside = stores.opened(name)
            self._source = system.open_input_stream(inside)
        self._last_sign = time.monotonic()
        self._is_stuck = False
        self._said: collections.deque[str] = collections.deque(maxlen=3)
        self._process = subprocess.Popen(
            [program, "extract", "--warc", "--no-facts", path],
            stdin=subprocess.PIPE if self._source is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._has_ended = threading.Event()
        for work in (self._feed, self._listen, self._watch):
            threading.Thread(target=work, daemon=True).start()
        self.trouble: str | None = None

    def __enter__(self) -> "_Extraction":
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended.set()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def lines(self) -> typing.Iterator[str]:
        assert self._process.stdout
        while data := self._process.stdout.readline(_MAXIMUM_LINE_BYTES):
            self._last_sign = time.monotonic()
            if data.endswith(b"\n"):
                yield data[:-1].decode(errors="replace")
        status = self._process.wait()
        if self._is_stuck:
            self.trouble = f"no page came for {_PATIENCE:.0f} s"
        elif status != 0:
            time.sleep(0.05)  # What it said last may still be on its way.
            self.trouble = " / ".join(self._said) or f"pippin ended with status {status}"

    def _feed(self) -> None:
        if self._source is None or self._process.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError), self._source, self._process.stdin:
            try:
                while data := self._source.read(_COPY_BYTES):
                    self._process.stdin.write(data)
            except OSError as error:
                self._said.append(str(error))

    def _listen(self) -> None:
        assert self._process.stderr
        with self._process.stderr as stream:
            while data := stream.readline(64 * 1024):
                if text := data.decode(errors="replace").strip():
                    self._said.append(text[:1000])

    def _watch(self) -> None:
        while not self._has_ended.wait(5):
            if time.monotonic() > self._last_sign + _PATIENCE:
                self._is_stuck = True
                self._process.kill()
                return
