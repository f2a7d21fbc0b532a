"""Records of one host with nearly the same text: `NearDuplicates` of one machine, over all shards.

The SimHashes of two differ in at most three of 64 bits. So of four pieces of 16 bits one is equal, and only records that share a piece are
compared. The record that was found first is the original; no two are each other's duplicate.
"""
import typing

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from .job import Job
from .linkgraph import host
from .told import latest, standing

MAXIMUM_DISTANCE: typing.Final = 3
_PIECES: typing.Final = 4
_PIECE_BITS: typing.Final = 16


def of_job(spark: SparkSession, job: Job) -> DataFrame | None:
    """`record`, `original`. None if the workers told no fingerprints."""
    pages = latest(spark, job, ("links",))
    state = latest(spark, job, ("record", "deletion"))
    firsts = standing(spark, job, "record")
    if pages is None or state is None or firsts is None:
        return None
    prints = pages.select(
        f.get_json_object("json", "$.record").alias("record"),
        host(f.col("key")).alias("host"),
        f.conv(f.get_json_object("json", "$.simHash"), 16, -10).cast("long").alias("simHash"),
    ).where("record is not null and simHash is not null")
    if prints.isEmpty():
        return None
    listed = state.where("kind = 'record'").select(f.col("key").alias("record"))
    # The order in which records were found.
    order = firsts.groupBy(f.col("key").alias("record")).agg(f.min(f.struct("firstTurn", "firstSequence", "key")).alias("order"))
    return near(prints.dropDuplicates(["record"]).join(listed, "record", "leftsemi").join(order, "record"))


def near(prints: DataFrame) -> DataFrame:
    """`prints`: `record`, `host`, `simHash`, `order`. Of each record with an original, `record` and `original`."""
    # Equal texts are one group, however many there are: only groups are compared with each other.
    groups = prints.groupBy("host", "simHash").agg(f.min("order").alias("first"), f.min_by("record", "order").alias("original"))
    pieces = groups.select(
        "host",
        "simHash",
        "first",
        "original",
        f.explode(f.array(*(f.lit(piece) for piece in range(_PIECES)))).alias("piece"),
    ).withColumn("bits", f.expr(f"shiftrightunsigned(simHash, piece * {_PIECE_BITS}) & {(1 << _PIECE_BITS) - 1}"))
    others = pieces.select("host", "piece", "bits", *(f.col(name).alias(f"other_{name}") for name in ("simHash", "first", "original")))
    pairs = pieces.join(others, ["host", "piece", "bits"]).where(
        f"bit_count(simHash ^ other_simHash) <= {MAXIMUM_DISTANCE}"
    )
    # The earliest among all groups that are near, each group near itself. A record's own group may begin before it.
    candidates = (
        pairs.groupBy("host", "simHash")
        .agg(f.min_by("other_original", "other_first").alias("original"), f.min("other_first").alias("first"))
    )
    return (
        prints.join(candidates, ["host", "simHash"])
        .where(f.col("first") < f.col("order"))
        .select("record", "original")
    )


