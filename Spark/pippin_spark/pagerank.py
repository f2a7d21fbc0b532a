"""PageRank over any graph, as `LinkRank` has it on one machine: damping 0.85, a node without links passes its rank to all.

The ranks are the solution of `x = c + 0.85 · Pᵀx`, divided by its sum: what nodes without links pass on is the same for all nodes, and so
only scales the result. So no round needs a sum over all nodes, and several rounds are one job. From `x = c` on every round only adds, so
the growth of the sum is how much all ranks together change.

A graph that fits into the driver is ranked there. A round of it takes milliseconds; as a job of Spark it would take a second.
"""
import dataclasses
import math
import typing

import numpy
import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

DAMPING: typing.Final = 0.85
TOLERANCE: typing.Final = 1e-9
MAXIMUM_ROUNDS: typing.Final = 152
#: Links up to which the driver ranks by itself: some 100 MB and seconds, where Spark's jobs alone take most of a minute.
LINKS_OF_DRIVER: typing.Final = 2_000_000
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


def pagerank(spark: SparkSession, links: DataFrame, node_count: int, links_of_driver: int = LINKS_OF_DRIVER) -> Ranks | None:
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
    link_count = shares.count()
    if link_count == 0:
        return None
    base = (1 - DAMPING) / node_count
    iteration = _InDriver(spark, shares, base) if link_count <= links_of_driver else _OnCluster(shares, base)
    total, rounds = node_count * base, 0
    while rounds < MAXIMUM_ROUNDS:
        now = node_count * base + iteration.advance()
        rounds += _ROUNDS_OF_JOB
        is_done = (now - total) / now < TOLERANCE
        total = now
        if is_done:
            break
    return Ranks(iteration.grown(), base, base / total, rounds)


class _InDriver:
    """The rounds in the memory of this process."""

    def __init__(self, spark: SparkSession, shares: DataFrame, base: float) -> None:
        table = shares.toArrow()
        self._spark, self._base = spark, base
        self._share = table["share"].to_numpy()
        self._ids, self._target = numpy.unique(table["target"].to_numpy(), return_inverse=True)
        sources = table["source"].to_numpy()
        place = numpy.searchsorted(self._ids, sources)
        # Behind the nodes to which links lead: one for all others, which stays as it is.
        other = len(self._ids)
        self._source = numpy.where(numpy.append(self._ids, -1)[place] == sources, place, other)
        self._source[place == other] = other
        self._x = numpy.full(other + 1, base)

    def advance(self) -> float:
        """`_ROUNDS_OF_JOB` rounds. How much all nodes have grown since the beginning."""
        for _ in range(_ROUNDS_OF_JOB):
            gains = numpy.bincount(self._target, self._share * self._x[self._source], len(self._ids))
            self._x[:-1] = self._base + gains
        return float((self._x[:-1] - self._base).sum())

    def grown(self) -> DataFrame:
        return self._spark.createDataFrame(pyarrow.table({"id": self._ids, "x": self._x[:-1]}))


class _OnCluster:
    """The rounds as jobs of Spark."""

    def __init__(self, shares: DataFrame, base: float) -> None:
        self._shares, self._base = shares, base
        self._grown = shares.select(f.col("target").alias("id"), f.lit(base).alias("x")).limit(0).localCheckpoint()

    def advance(self) -> float:
        """As that of `_InDriver`."""
        grown, base = self._grown, self._base
        for _ in range(_ROUNDS_OF_JOB):
            grown = (
                self._shares.join(grown.hint("shuffle_hash"), self._shares["source"] == grown["id"], "left")
                .groupBy("target")
                .agg((f.lit(base) + f.sum(f.col("share") * f.coalesce("x", f.lit(base)))).alias("x"))
                .withColumnRenamed("target", "id")
            )
        self._grown = grown.localCheckpoint()
        row = self._grown.agg(f.sum(f.col("x") - base).alias("more")).first()
        return float(row["more"] if row else 0)

    def grown(self) -> DataFrame:
        return self._grown
