"""What the committed turns told, as tables."""
import typing

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from .job import Job

_LINES: typing.Final = "shard int, sequence long, key string, json string"


def read_lines(spark: SparkSession, job: Job, kind: str, turns: list[int]) -> DataFrame | None:
    """Lines of a kind that committed turns told, with their turn; None if there are none."""
    folders = job.folders(kind, turns)
    if not folders:
        return None
    turn = f.regexp_extract(f.col("_metadata.file_path"), r".*/turns/(\d+)/kind=", 1).cast("int")
    return spark.read.schema(_LINES).parquet(*folders).withColumn("turn", turn)


def latest(spark: SparkSession, job: Job, kinds: tuple[str, ...], turns: list[int] | None = None) -> DataFrame | None:
    """The last line of each key among some kinds, with its turn, kind and shard."""
    turns = job.turns() if turns is None else turns
    parts = [
        lines.withColumn("kind", f.lit(kind)) for kind in kinds if (lines := read_lines(spark, job, kind, turns)) is not None
    ]
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    last = Window.partitionBy("key").orderBy(f.col("turn").desc(), f.col("sequence").desc())
    return whole.withColumn("place", f.row_number().over(last)).where("place = 1").drop("place")
