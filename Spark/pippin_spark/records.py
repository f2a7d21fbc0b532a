"""The records of a job, as the committed turns told them: of each identifier what was told last, unless that is its deletion."""
import typing

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from .job import Job
from .recordschema import record_type
from .told import latest


def records(spark: SparkSession, job: Job) -> DataFrame | None:
    """`key` (the identifier) and `json`."""
    lines = latest(spark, job, ("record", "deletion"))
    return None if lines is None else lines.where("kind = 'record'").select("key", "json")


def typed(json: Column) -> Column:
    """A record's JSON as a struct with the types of its schema; null where it is none."""
    return f.from_json(json, record_type(), {"mode": "PERMISSIVE"})


def write(spark: SparkSession, job: Job, output: str, form: typing.Literal["ndjson", "parquet"]) -> int:
    """Writes the records into a new folder, and says how many there are."""
    rows = records(spark, job)
    if rows is None:
        rows = spark.createDataFrame([], "key string, json string")
    if form == "parquet":
        rows.select(typed(f.col("json")).alias("record")).select("record.*").write.parquet(output)
        return int(spark.read.parquet(output).count())
    rows.select("json").write.text(output)
    return int(spark.read.text(output).count())
