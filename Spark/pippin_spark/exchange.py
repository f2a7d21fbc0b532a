"""What shards found for each other in one turn becomes their input of the next.

A job of its own, because it shuffles: were it part of the fetching job, Spark would run healthy partitions again after a failure, and two
workers would meet at a host. It leaves one file for each shard, so that the fetching job reads one shard with each task.

    inbox/000007-5f1c…/shard=3/*.parquet   the lines of shard 3
    inbox/000007.json                      which folder that is, and what is in it; written last

What is in it is compared, not only that it is there: a driver that dies may leave an input to which a lost shard or a ranking has come since.
"""
import contextlib
import dataclasses
import json
import typing
import uuid

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from . import addresses
from .job import Job, number
from .told import latest, nearest, read_lines, standing
from .worker import INPUT

#: Larger than any file: none is split, and no two share a task.
_WHOLE_FILES: typing.Final = str(1 << 40)


@dataclasses.dataclass(frozen=True)
class Inbox:
    """The input of a turn."""

    #: None: there is nothing for anybody.
    folder: str | None
    #: Shards that get everything that was ever found and told for them.
    rebuilt: tuple[int, ...]
    #: The turn after which the popularity was ranked that this turn hands over.
    ranking: int | None
    #: A digest of who may ask which address when.
    addresses: str

    @staticmethod
    def parse(text: bytes) -> "Inbox | None":
        """None for what a driver that died has left half-written."""
        try:
            fields = json.loads(text)
            return Inbox(fields["folder"], tuple(fields["rebuilt"]), fields["ranking"], fields["addresses"])
        except (ValueError, KeyError, TypeError):
            return None


def prepare(spark: SparkSession, job: Job, turn: int, rebuilt: tuple[int, ...] = ()) -> Inbox:
    """Writes the input of a turn, unless the same is there already.

    `rebuilt`: shards whose storage is lost, or an older copy of it. They get everything that was ever found and told for them.
    """
    ranking = job.undelivered_ranking()
    marker = f"inbox/{number(turn)}.json"
    if job.files.exists(marker):
        known = Inbox.parse(job.files.read(marker))
        if known is not None and (known.rebuilt, known.ranking) == (rebuilt, ranking):
            return known
    for name in job.files.names("inbox"):
        # Of turns that are committed, of drivers that died, or without what has come since.
        job.files.delete(f"inbox/{name}")
    written = _write(spark, job, turn, rebuilt, ranking)
    job.files.publish(marker, json.dumps(dataclasses.asdict(written)).encode() + b"\n")
    return written


def _write(spark: SparkSession, job: Job, turn: int, rebuilt: tuple[int, ...], ranking: int | None) -> Inbox:
    parts: list[DataFrame] = []
    since = job.first_turn_of_shards()
    requests = read_lines(spark, job, "foreign", [turn - 1] if turn > since else [])
    if requests is not None:
        parts.append(_requests(requests))
    if rebuilt:
        earlier = standing(spark, job, "foreign", since)
        if earlier is not None:
            parts.append(_requests(earlier).where(f.col("shard").isin(list(rebuilt))))
        told = latest(spark, job, ("record", "deletion"), since)
        if told is not None:
            start = f.to_json(f.struct(f.lit("record").alias("type"), "key"))
            line = f.concat(start.substr(f.lit(1), f.length(start) - 1), f.lit(',"record":'), "json", f.lit("}"))
            own = told.where(f.col("shard").isin(list(rebuilt)) & (f.col("kind") == "record"))
            parts.append(own.select("shard", line.alias("line")))
    if ranking is not None:
        values = spark.read.parquet(job.files.url(f"rank/{number(ranking)}/popularity"))
        line = f.to_json(f.struct(f.lit("popularity").alias("type"), "key", f.col("value")))
        parts.append(values.select(f.col("shard").cast("int"), line.alias("line")))
    named, digest = addresses.lines(spark, job), ""
    if named is not None:
        # Not a checkpoint: an executor that dies with it must cost nothing.
        named = named.persist()
        digest = addresses.digest(named)
        parts.append(named)
    if not parts:
        return Inbox(None, rebuilt, ranking, digest)
    # Each shard has a row and so a file and a task, even if there is nothing for it.
    found = spark.range(0, job.shards, 1, 1).selectExpr("cast(id as int) as shard", "cast(null as string) as line")
    for part in parts:
        found = found.unionByName(part)
    folder = f"{number(turn)}-{uuid.uuid4().hex[:12]}"
    found.repartitionById(job.shards, f.col("shard")).write.partitionBy("shard").parquet(job.files.url(f"inbox/{folder}"))
    if named is not None:
        # Or each turn would leave a list of addresses in the executors.
        named.unpersist()
    return Inbox(folder, rebuilt, ranking, digest)


def _requests(lines: DataFrame) -> DataFrame:
    """The nearest way to each URL, as a line for its shard."""
    line = f.concat(f.lit('{"type":"request",'), f.col("json").substr(f.lit(2), f.length("json")))
    return nearest(lines).select(f.col("owner").alias("shard"), line.alias("line"))


@contextlib.contextmanager
def opened(spark: SparkSession, job: Job, inbox: Inbox) -> typing.Iterator[DataFrame]:
    """The input of a turn, in as many partitions as there are shards, each with the lines of one."""
    if inbox.folder is None:
        yield spark.range(0, job.shards, 1, job.shards).selectExpr("cast(id as int) as shard", "cast(null as string) as line")
        return
    names = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
    before = {name: spark.conf.get(name) for name in names}
    for name in names:
        spark.conf.set(name, _WHOLE_FILES)
    try:
        yield spark.read.schema(INPUT).parquet(job.files.url(f"inbox/{inbox.folder}")).select("shard", "line")
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))
