"""What shards found for each other in one turn becomes their input of the next.

A job of its own, because it shuffles: were it part of the fetching job, Spark would run healthy partitions again after a failure, and two
workers would meet at a host. It leaves one file for each shard, so that the fetching job reads one shard with each task.
"""
import contextlib
import typing

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from .job import Job, number
from .worker import INPUT

#: Larger than any file: none is split, and no two share a task.
_WHOLE_FILES: typing.Final = str(1 << 40)
_LINES: typing.Final = "shard int, sequence long, key string, json string"


def read_lines(spark: SparkSession, job: Job, kind: str, turns: list[int]) -> DataFrame | None:
    """Lines of a kind that committed turns told, with their turn; None if there are none."""
    folders = job.folders(kind, turns)
    if not folders:
        return None
    turn = f.regexp_extract(f.col("_metadata.file_path"), r".*/turns/(\d+)/kind=", 1).cast("int")
    return spark.read.schema(_LINES).parquet(*folders).withColumn("turn", turn)


def prepare(spark: SparkSession, job: Job, turn: int, rebuilt: tuple[int, ...] = ()) -> None:
    """Writes the input of a turn, unless it is there already, or nothing is to be handed over.

    `rebuilt`: shards whose storage is lost. They get everything that was ever found for them.
    """
    inbox = f"inbox/{number(turn)}"
    if rebuilt:
        job.files.delete(inbox)
    if job.files.exists(inbox):
        return
    parts: list[DataFrame] = []
    requests = read_lines(spark, job, "foreign", [known for known in job.turns_of_shards() if known == turn - 1])
    if requests is not None:
        parts.append(_requests(requests))
    if rebuilt:
        earlier = read_lines(spark, job, "foreign", [known for known in job.turns_of_shards() if known < turn - 1])
        if earlier is not None:
            parts.append(_requests(earlier).where(f.col("shard").isin(list(rebuilt))))
    popularity = f"rank/{number(turn - 1)}/popularity"
    if job.files.exists(popularity):
        values = spark.read.parquet(job.files.url(popularity))
        line = f.to_json(f.struct(f.lit("popularity").alias("type"), "key", f.col("value")))
        parts.append(values.select(f.col("shard").cast("int"), line.alias("line")))
    found = _union(parts)
    if found is None:
        return
    # Each shard has a row and so a file and a task, even if there is nothing for it.
    tasks = spark.range(0, job.shards, 1, 1).selectExpr("cast(id as int) as shard", "cast(null as string) as line")
    draft = f"inbox/.{number(turn)}.draft"
    job.files.delete(draft)
    found.unionByName(tasks).repartitionById(job.shards, f.col("shard")).write.partitionBy("shard").parquet(job.files.url(draft))
    job.files.rename(draft, inbox)


def _requests(lines: DataFrame) -> DataFrame:
    """The nearest way to each URL, as a line for its shard."""
    fields = lines.select(
        f.get_json_object("json", "$.shard").cast("int").alias("shard"),
        "key",
        f.get_json_object("json", "$.depth").cast("int").alias("depth"),
        f.get_json_object("json", "$.seed.url").alias("seed"),
        "json",
    )
    nearest = fields.groupBy("shard", "key").agg(f.min_by("json", f.struct("depth", "seed", "json")).alias("json"))
    # As `protocol.request_line` does it.
    return nearest.select("shard", f.concat(f.lit('{"type":"request",'), f.col("json").substr(f.lit(2), f.length("json"))).alias("line"))


@contextlib.contextmanager
def inbox(spark: SparkSession, job: Job, turn: int) -> typing.Iterator[DataFrame]:
    """The input of a turn, in as many partitions as there are shards, each with the lines of one."""
    folder = f"inbox/{number(turn)}"
    if not job.files.exists(folder):
        yield spark.range(0, job.shards, 1, job.shards).selectExpr("cast(id as int) as shard", "cast(null as string) as line")
        return
    names = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = {name: spark.conf.get(name) for name in names}
    for name in names:
        spark.conf.set(name, _WHOLE_FILES)
    try:
        yield spark.read.schema(INPUT).parquet(job.files.url(folder)).select("shard", "line")
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))


def _union(parts: list[DataFrame]) -> DataFrame | None:
    if not parts:
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    return whole
