"""What the committed turns told, as tables. See `compaction` for what need not be read turn by turn."""
import typing

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from .job import Job

_LINES: typing.Final = "shard int, sequence long, key string, json string"
TABLE: typing.Final = f"{_LINES}, turn int, firstTurn int, firstSequence long"


def read_lines(spark: SparkSession, job: Job, kind: str, turns: list[int]) -> DataFrame | None:
    """Lines of a kind that committed turns told, with their turn, all of them; None if there are none."""
    folders = job.folders(kind, turns)
    if not folders:
        return None
    turn = f.regexp_extract(f.col("_metadata.file_path"), r".*/turns/(\d+)[^/]*/kind=", 1).cast("int")
    return spark.read.schema(_LINES).parquet(*folders).withColumn("turn", turn)


def standing(spark: SparkSession, job: Job, kind: str, since: int = 1) -> DataFrame | None:
    """Of each key of a kind at least the line that counts, of those that were told since a turn; None if there are none.

    Beside the line, `turn`, and of the first line of its key `firstTurn` and `firstSequence`.
    """
    # What deletions took away is not in the table of records.
    compacted = job.compacted("record" if kind == "deletion" else kind)
    turns = [turn for turn in job.turns() if turn >= since and (compacted is None or turn > compacted.turn)]
    tail = read_lines(spark, job, kind, turns)
    if tail is not None:
        tail = tail.withColumn("firstTurn", f.col("turn")).withColumn("firstSequence", f.col("sequence"))
    if compacted is None or compacted.turn < since or compacted.folder is None or kind == "deletion":
        return tail
    table = spark.read.schema(TABLE).parquet(job.files.url(f"tables/{kind}/{compacted.folder}")).where(f.col("turn") >= since)
    return table if tail is None else table.unionByName(tail)


def latest(spark: SparkSession, job: Job, kinds: tuple[str, ...], since: int = 1) -> DataFrame | None:
    """The last line of each key among some kinds, with its turn, kind and shard."""
    parts = [lines.withColumn("kind", f.lit(kind)) for kind in kinds if (lines := standing(spark, job, kind, since)) is not None]
    if not parts:
        return None
    return newest(parts)


def newest(parts: list[DataFrame]) -> DataFrame:
    """The last line of each key among the lines of one or more turns."""
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    last = Window.partitionBy("key").orderBy(f.col("turn").desc(), f.col("sequence").desc())
    return whole.withColumn("place", f.row_number().over(last)).where("place = 1").drop("place")


def nearest(lines: DataFrame, *apart: Column) -> DataFrame:
    """The nearest way to each URL, of lines of the kind `foreign`: `owner` is the shard that has the URL. `apart`: what is not compared."""
    order = f.struct(
        f.get_json_object("json", "$.depth").cast("int").alias("depth"), f.get_json_object("json", "$.seed.url").alias("seed"), "json"
    )
    owner = f.get_json_object("json", "$.shard").cast("int").alias("owner")
    rows = lines.select(owner, "key", order.alias("order"), *(name for name in lines.columns if name != "key"))
    best = Window.partitionBy("owner", "key", *apart).orderBy("order")
    return rows.withColumn("place", f.row_number().over(best)).where("place = 1").drop("place", "order")
