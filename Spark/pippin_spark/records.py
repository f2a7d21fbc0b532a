"""The records of a job as tables: all that hold now, and what changed since a cursor.

A consumer takes `changes` without a cursor once, keeps the cursor that comes with them, and gives it back the next time: so it has every
record as it is, and no deletion is missed. A cursor names the last turn that was taken. Turns have no gaps (Docs/Cluster.md), so whoever has
read the lines up to turn 7 misses nothing that comes later.
"""
import contextlib
import dataclasses
import re
import typing

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from .files import Files
from .job import COMPACTED, Job
from .recordschema import record_type
from .told import latest, newest, read_lines
from .trouble import USAGE, Trouble

#: What `records` and `changes` have in common.
ROW: typing.Final = "key string, kind string, isDeleted boolean, json string, turn int, shard int, sequence long"
#: Records have some kilobytes, and each part of a table costs Spark a task.
_ROWS_OF_PART: typing.Final = 10_000
_MOST_PARTS: typing.Final = 10_000
Form = typing.Literal["ndjson", "parquet"]


def opened(spark: SparkSession, folder: str) -> Job:
    """A job to be read, on any file system of Hadoop. It has the turns that were committed when it was first asked; open it again to see more."""
    return Job(Files(spark, folder))


def records(spark: SparkSession, job: Job) -> DataFrame:
    """The records that hold now (`ROW`): of each identifier what was told last, unless that is its deletion."""
    lines = latest(spark, job, COMPACTED["record"])
    return _rows(spark, None if lines is None else lines.where("kind = 'record'"))


@dataclasses.dataclass(frozen=True)
class Changes:
    """Of each identifier that was told since a cursor what was told last: a record or a deletion, or a popularity, if only that has changed."""

    #: As in `ROW`; `kind` says which. `json` of a deletion has its reason and moment, that of a popularity its value (Docs/record.schema.json).
    rows: DataFrame
    #: For the next time. It does not count until `rows` are where they should be.
    cursor: str
    #: Nothing was taken before: `rows` are the records that hold now, and whatever else the consumer has does not hold any more.
    is_all: bool


def changes(spark: SparkSession, job: Job, since: str | None = None) -> Changes:
    """What changed since a cursor; without one, all records that hold now."""
    turns = job.turns()
    last = turns[-1] if turns else 0
    cursor = Cursor(job.fingerprint(last), last).text if turns else Cursor.START.text
    start = Cursor.START if since is None else Cursor.parse(since)
    if start == Cursor.START:
        return Changes(records(spark, job), cursor, is_all=True)
    start.check(job)
    taken = [turn for turn in turns if turn > start.turn]
    # Tables do not have what was deleted, so turns are read.
    found = {kind: lines for kind in COMPACTED["record"] if (lines := read_lines(spark, job, kind, taken)) is not None}
    return Changes(_rows(spark, newest(found)), cursor, is_all=False)


@dataclasses.dataclass(frozen=True)
class Cursor:
    """The last turn that a consumer has taken. As text it is what an export of one machine ends with: `9f3c61d2a8b04e57-1042`."""

    #: Of the turn's commit: a cursor of another job fits none of this one.
    fingerprint: str
    turn: int

    #: Nothing was taken.
    START: typing.ClassVar["Cursor"]

    @property
    def text(self) -> str:
        return f"{self.fingerprint}-{self.turn}"

    @staticmethod
    def parse(text: str) -> "Cursor":
        found = re.fullmatch(r"([0-9a-f]{16})-(0|[1-9]\d{0,8})", text.strip())
        if found is None:
            raise Trouble(f'"{text[:100]}" is not a cursor; it is what `changes` ended with, like 9f3c61d2a8b04e57-42', USAGE)
        return Cursor(found[1], int(found[2]))

    def check(self, job: Job) -> None:
        """Refuses a cursor from which this job cannot go on."""
        turns = job.turns()
        anew = "Take all records anew: begin without a cursor"
        if not turns or self.turn > turns[-1]:
            raise Trouble(
                f"cursor {self.text} is ahead of {job.files.root}, which has {turns[-1] if turns else 0} turns: it is of another job, or an older "
                f"copy of this one was restored. {anew}",
                USAGE,
            )
        if self.turn < turns[0]:
            raise Trouble(f"cursor {self.text}: turns up to {turns[0] - 1} are deleted (`run --keep-turns`). {anew}", USAGE)
        if self.fingerprint != job.fingerprint(self.turn):
            raise Trouble(
                f"cursor {self.text} is of another job than {job.files.root}, or of this one before an older copy was restored. {anew}", USAGE
            )


Cursor.START = Cursor("0" * 16, 0)


def typed(json: Column) -> Column:
    """A record's JSON as a struct with the types of its schema; null where it is none."""
    return f.from_json(json, record_type(), {"mode": "PERMISSIVE"})


def typed_records(rows: DataFrame) -> DataFrame:
    """A column for each field of a record, with its type."""
    return rows.select(typed(f.col("json")).alias("record")).select("record.*")


def typed_changes(rows: DataFrame) -> DataFrame:
    """A column for each field of a record, with its type; `kind`; and `deleted`, `reason` and `at` of deletions.

    Where `kind` is `popularity`, only `popularity` has changed, and the other fields are null.
    """
    deletion = f.from_json("json", "reason string, at string")
    of_deletion = [f.when(f.col("isDeleted"), deletion[name]).alias(name) for name in ("reason", "at")]
    found = rows.select(typed(f.col("json")).alias("record"), "kind", f.col("isDeleted").alias("deleted"), *of_deletion)
    return found.select("record.*", "kind", "deleted", "reason", "at")


def write(rows: DataFrame, output: str, form: Form, table: typing.Callable[[DataFrame], DataFrame]) -> int:
    """Writes records or changes into a new folder, and says how many there are. `table`: their columns, where the form has some."""
    spark = rows.sparkSession
    if form == "parquet":
        table(rows).write.parquet(output)
        return int(spark.read.parquet(output).count())
    rows.select("json").write.text(output)
    return int(spark.read.text(output).count())


@contextlib.contextmanager
def small_parts(spark: SparkSession, job: Job, since: str | None = None) -> typing.Iterator[None]:
    """For what passes through the driver, which has one part of a table or two at a time: parts of records, or of changes since a cursor, are so
    small that they fit into its memory, however many there are."""
    start, rows = 0 if since is None else Cursor.parse(since).turn, 0
    if start == 0 and (compacted := job.compacted("record")) is not None:
        start, rows = compacted.turn, compacted.rows
    turns = [turn for turn in job.turns() if turn > start]
    rows += sum(job.told(turn).get(kind, 0) for turn in turns for kind in COMPACTED["record"])
    name = "spark.sql.shuffle.partitions"
    before = spark.conf.get(name) or "4"
    spark.conf.set(name, str(max(int(before), min(rows // _ROWS_OF_PART, _MOST_PARTS))))
    try:
        yield
    finally:
        spark.conf.set(name, before)


def lines(rows: DataFrame, *order: str) -> typing.Iterator[bytes]:
    """The JSON of rows, one line after the other. See `small_parts`."""
    for row in rows.orderBy(*order).select("json").toLocalIterator(prefetchPartitions=True):
        yield row["json"].encode() + b"\n"


def _rows(spark: SparkSession, found: DataFrame | None) -> DataFrame:
    if found is None:
        return spark.createDataFrame([], ROW)
    is_deleted = (f.col("kind") == "deletion").alias("isDeleted")
    return found.select("key", "kind", is_deleted, "json", "turn", "shard", "sequence")
