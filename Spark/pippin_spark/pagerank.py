"""PageRank over any graph, as `LinkRank` has it on one machine: damping 0.85, a node without links passes its rank to all.

The ranks are the solution of `x = c + 0.85 · Pᵀx`, divided by its sum: what nodes without links pass on is the same for all nodes, and so
only scales the result. So no round needs a sum over all nodes, and several rounds are one job. From `x = c` on every round only adds, so
the growth of the sum is how much all ranks together change.
"""
import dataclasses
import math
import typing

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

DAMPING: typing.Final = 0.85
TOLERANCE: typing.Final = 1e-9
MAXIMUM_ROUNDS: typing.Final = 152
#: Rounds of one job: more would save little of its overhead, and make its plan slow to read.
_ROUNDS_OF_JOB: typing.Final = 8


@dataclasses.dataclass(frozen=True)
class Ranks:
    #: `id`, `x`: of nodes to which links lead. All others have `base`.
    grown: DataFrame
    base: float
    #: The rank of a node to which no link leads.
    least: float
    rounds: int

    def scaled(self, ids: DataFrame, name: str) -> DataFrame:
        """`ids` (with a column `id`) and `name`: each node's place from 0, no link leads there, to 1, all rank is there."""
        if not 0 < self.least < 1:
            return ids.withColumn(name, f.lit(0.0))
        height = f.log(f.coalesce("x", f.lit(self.base)) / self.base) / -math.log(self.least)
        return ids.join(self.grown, "id", "left").withColumn(name, f.least(f.greatest(height, f.lit(0.0)), f.lit(1.0))).drop("x")


def pagerank(spark: SparkSession, links: DataFrame, node_count: int) -> Ranks | None:
    """`links`: `source`, `target`, `weight`, each pair once. None if no link has weight."""
    parts = int(spark.conf.get("spark.sql.shuffle.partitions") or 4)
    weighty = links.where("weight > 0").localCheckpoint()
    sums = weighty.groupBy("source").agg(f.sum(f.col("weight").cast("double")).alias("sum"))
    # A checkpoint and no cache: every round names it, and Spark compares the plans of whatever is cached, again and again.
    shares = (
        weighty.join(sums, "source")
        .select("source", "target", (f.lit(DAMPING) * f.col("weight") / f.col("sum")).alias("share"))
        .repartition(parts, "source")
        .localCheckpoint()
    )
    if shares.isEmpty():
        return None
    base = (1 - DAMPING) / node_count
    grown = shares.select(f.col("target").alias("id"), f.lit(base).alias("x")).limit(0).localCheckpoint()
    total, rounds = node_count * base, 0
    while rounds < MAXIMUM_ROUNDS:
        for _ in range(_ROUNDS_OF_JOB):
            grown = (
                shares.join(grown.hint("shuffle_hash"), shares["source"] == grown["id"], "left")
                .groupBy("target")
                .agg((f.lit(base) + f.sum(f.col("share") * f.coalesce("x", f.lit(base)))).alias("x"))
                .withColumnRenamed("target", "id")
            )
        rounds += _ROUNDS_OF_JOB
        grown = grown.localCheckpoint()
        row = grown.agg(f.sum(f.col("x") - base).alias("more")).first()
        now = node_count * base + float(row["more"] if row else 0)
        is_done = (now - total) / now < TOLERANCE
        total = now
        if is_done:
            break
    return Ranks(grown, base, base / total, rounds)
