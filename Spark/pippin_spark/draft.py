"""The parts of a ranking that is being made, as Parquet in the job's folder: they outlive executors and the driver.

A part counts once its file `NAME.json` is there, which is written last and says how many rows it has and in which folder they are. A folder is
written by one driver alone. Whoever goes on with a ranking that was cut off takes such parts as they are. All is deleted when the ranking is
whole.
"""
import json
import pathlib
import tempfile
import typing
import uuid

import pyarrow
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from .files import Files

#: Rows of a batch: some megabytes.
ROWS_OF_BATCH: typing.Final = 1 << 20


class Draft:
    """Named tables in one folder."""

    def __init__(self, spark: SparkSession, files: Files, folder: str) -> None:
        self.spark, self.folder = spark, folder
        self._files = files
        self._mark = uuid.uuid4().hex[:8]

    def has(self, *names: str) -> bool:
        return all(self._files.exists(f"{self.folder}/{name}.json") for name in names)

    def kept(self, name: str, make: typing.Callable[[], DataFrame]) -> DataFrame:
        """The part of that name. It is made and written now, unless it is there."""
        if not self.has(name):
            folder = self._folder(name)
            make().write.parquet(self._files.url(folder))
            self._publish(name, self.spark.read.parquet(self._files.url(folder)).count())
        return self.table(name)

    def keep(self, name: str, tables: typing.Iterator[pyarrow.Table]) -> DataFrame:
        """Writes a part from tables of this process, in place of one that is there. None of it goes through the heap of Spark's driver."""
        # Who was cut off after it goes on from the parts before it.
        self.drop(name)
        to = self._folder(name)
        self._files.make_folder(to)
        rows = 0
        for number, table in enumerate(tables):
            rows += table.num_rows
            with tempfile.TemporaryDirectory(prefix="pippin-rank-") as folder:
                local = pathlib.Path(folder) / f"part-{number:05d}.parquet"
                pyarrow.parquet.write_table(table, local, compression="zstd")
                self._files.send(str(local), f"{to}/{local.name}")
        self._publish(name, rows)
        return self.table(name)

    def table(self, name: str) -> DataFrame:
        """A part that is there."""
        if not self.has(name):
            raise AssertionError(f"{self.folder}/{name} is read before it is written")
        return self.spark.read.parquet(self._files.url(self._part(name)["folder"]))

    def rows(self, name: str) -> int:
        return int(self._part(name)["rows"])

    def batches(self, name: str, columns: list[str]) -> typing.Iterator[pyarrow.RecordBatch]:
        """The rows of a part, file by file, in this process."""
        yield from batches(self._files, self._part(name)["folder"], columns)

    def names(self) -> list[str]:
        """Of the parts that are whole."""
        return [name[:-5] for name in self._files.names(self.folder) if name.endswith(".json") and not name.startswith(".")]

    def drop(self, name: str) -> None:
        if self.has(name):
            folder = self._part(name)["folder"]
            self._files.delete(f"{self.folder}/{name}.json")
            self._files.delete(folder)

    def _folder(self, name: str) -> str:
        """An empty folder for a part, without what an earlier try of this driver has left there."""
        folder = f"{self.folder}/{name}-{self._mark}"
        self._files.delete(folder)
        return folder

    def _part(self, name: str) -> dict[str, typing.Any]:
        fields: dict[str, typing.Any] = json.loads(self._files.read(f"{self.folder}/{name}.json"))
        return fields

    def _publish(self, name: str, rows: int) -> None:
        fields = {"rows": rows, "folder": f"{self.folder}/{name}-{self._mark}"}
        self._files.publish(f"{self.folder}/{name}.json", json.dumps(fields).encode() + b"\n")


def batches(files: Files, folder: str, columns: list[str]) -> typing.Iterator[pyarrow.RecordBatch]:
    """The rows of a folder of Parquet, file by file: no more than a batch is in memory."""
    for name in files.names(folder):
        if name.endswith(".parquet"):
            with files.fetched(f"{folder}/{name}") as local, pyarrow.parquet.ParquetFile(local) as file:
                yield from file.iter_batches(ROWS_OF_BATCH, columns=columns)
