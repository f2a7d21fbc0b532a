"""PageRank over any graph, as `LinkRank` has it on one machine: damping 0.85, a node without links passes its rank to all.

The ranks are the solution of `z = 1 + 0.85 · Pᵀz`, divided by its sum: what nodes without links pass on is the same for all nodes, and so
only scales the result. So no round needs a sum over all nodes, several rounds are one job, and a node to which no link leads has 1.

A round brings any two guesses together: their distance, the sum over all nodes, falls to 0.85 of it at the most. So there is one solution, every
start leads to it, and after rounds that changed a guess by `change` and bring others to a part `q` of their distance, it is at most
`change · q / (1 - q)` away from the solution. That ends the ranking, whether it started with the last one's ranks or with 1.

A graph that fits into the driver's memory is ranked there. As jobs of Spark a round takes many times as long.
"""
import concurrent.futures
import dataclasses
import math
import os
import typing

import numpy
import numpy.typing
import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from . import memory
from .draft import ROWS_OF_BATCH, Draft

DAMPING: typing.Final = 0.85
#: How far all ranks together may be from the solution, of 1.
TOLERANCE: typing.Final = 1e-9
MAXIMUM_ROUNDS: typing.Final = 152
#: Of the memory that is free: executors on the driver's machine, its JVM and other programs want some too.
PART_OF_FREE_MEMORY: typing.Final = 0.25
#: Of a link: its source's place and its weight.
_BYTES_OF_LINK: typing.Final = 8
#: Of a node: seven arrays of eight bytes at the most at a time, and where its links lie.
_BYTES_OF_NODE: typing.Final = 64
#: Batches that are read or computed, one for each thread.
_BYTES_BESIDE: typing.Final = 64 * 1024 * 1024
#: Rounds of one job: more would save little of its overhead, and make its plan slow to read.
_ROUNDS_OF_JOB: typing.Final = 8

_Floats: typing.TypeAlias = numpy.typing.NDArray[numpy.float64]
_Places: typing.TypeAlias = numpy.typing.NDArray[numpy.int32]


@dataclasses.dataclass(frozen=True)
class Ranks:
    #: `id`, `z`: of nodes to which links lead. All others have 1.
    grown: DataFrame
    #: The rank of a node to which no link leads, of 1 for all nodes together.
    least: float
    rounds: int

    def scaled(self, ids: DataFrame, name: str) -> DataFrame:
        """`ids` (with a column `id`) and `name`: each node's place from 0, no link leads there, to 1, all rank is there."""
        if not 0 < self.least < 1:
            return ids.withColumn(name, f.lit(0.0))
        height = f.log(f.coalesce("z", f.lit(1.0))) / -math.log(self.least)
        return ids.join(self.grown, "id", "left").withColumn(name, f.least(f.greatest(height, f.lit(0.0)), f.lit(1.0))).drop("z")


class _Step(typing.NamedTuple):
    """What some rounds came to."""

    rounds: int
    #: How much all nodes together have changed.
    change: float
    #: The sum of all nodes.
    total: float

    @property
    def distance(self) -> float:
        """From the solution, at the most, of 1."""
        part = DAMPING**self.rounds
        return self.change * part / (1 - part) / self.total


def driver_bytes(nodes: int, links: int) -> int:
    """What a graph takes in the driver."""
    return _BYTES_OF_LINK * links + _BYTES_OF_NODE * nodes + _BYTES_BESIDE


def pagerank(
    draft: Draft,
    name: str,
    start: DataFrame | None = None,
    say: typing.Callable[[str], None] = lambda _: None,
    memory_bytes: int | None = None,
) -> Ranks | None:
    """The ranks of the graph in the parts `NAME-links` (`source`, `target`, `weight`, each pair once) and `NAME-nodes` (`id`).

    - start: `id`, `z`: the ranks of an earlier graph.
    - memory_bytes: what the driver may take; None: a part of what is free.
    None if no link has weight.
    """
    nodes = draft.rows(f"{name}-nodes")
    weighty = draft.kept(
        f"{name}-weighty",
        # The links to a node lie together.
        lambda: draft.table(f"{name}-links").where("weight > 0").repartition("target").sortWithinPartitions("target"),
    )
    links = draft.rows(f"{name}-weighty")
    if links == 0:
        return None
    may = int(memory.free_bytes() * PART_OF_FREE_MEMORY) if memory_bytes is None else memory_bytes
    wants = driver_bytes(nodes, links)
    is_small = wants <= may and nodes < numpy.iinfo(numpy.int32).max
    where = "in the driver's memory" if is_small else "as jobs of Spark"
    say(f"ranking {nodes:,} {name} by {links:,} links {where}: {_megabytes(wants)} of the {_megabytes(may)} that the driver may take")
    if is_small:
        return _in_driver(draft, name, start)
    return _on_cluster(draft, name, weighty, nodes, start)


def _megabytes(count: int) -> str:
    return f"{max(1, count >> 20):,} MB"


def _in_driver(draft: Draft, name: str, start: DataFrame | None) -> Ranks:
    graph = _InDriver(draft, name, start)
    rounds = 0
    while True:
        step = graph.advance()
        rounds += step.rounds
        if step.distance < TOLERANCE or rounds >= MAXIMUM_ROUNDS:
            return Ranks(draft.keep(f"{name}-ranks", graph.grown()), 1 / step.total, rounds)


class _Chunk(typing.NamedTuple):
    """Links of one batch, those to a node side by side."""

    source: _Places
    weight: numpy.typing.NDArray[numpy.float32]
    #: The nodes to which they lead, and where the links to each begin.
    targets: _Places
    starts: _Places


class _InDriver:
    """The rounds in the memory of this process. Nodes have places, in the order of their numbers."""

    def __init__(self, draft: Draft, name: str, start: DataFrame | None) -> None:
        self._ids = numpy.empty(draft.rows(f"{name}-nodes"), numpy.int64)
        filled = 0
        for batch in draft.batches(f"{name}-nodes", ["id"]):
            self._ids[filled : filled + batch.num_rows] = batch["id"].to_numpy()
            filled += batch.num_rows
        self._ids.sort()
        # Behind the nodes, a place for what is none: nothing leads on from there.
        count = len(self._ids) + 1
        self._chunks = [self._chunk(batch) for batch in draft.batches(f"{name}-weighty", ["source", "target", "weight"])]
        sums = numpy.zeros(count)
        for chunk in self._chunks:
            # Of these types it needs no array beside the sums.
            numpy.add.at(sums, chunk.source.astype(numpy.intp), chunk.weight.astype(numpy.float64))
        sums[-1] = 0
        self._factor = numpy.divide(DAMPING, sums, out=numpy.zeros(count), where=sums > 0)
        del sums
        self._z = numpy.ones(count)
        if start is not None:
            # Through a file, as everything else that is large.
            draft.kept(f"{name}-start", lambda: start.select("id", "z"))
            for batch in draft.batches(f"{name}-start", ["id", "z"]):
                self._z[self._places(batch["id"].to_numpy())] = batch["z"].to_numpy()
            self._z[-1] = 1
        self._threads = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)), "rank")

    def _places(self, ids: numpy.typing.NDArray[numpy.int64]) -> _Places:
        # Looked up in their order: neighbors are in the processor's cache.
        order = numpy.argsort(ids)
        inside = ids[order]
        found = numpy.searchsorted(self._ids, inside).astype(numpy.int32)
        found[found == len(self._ids)] = 0
        found[self._ids[found] != inside] = len(self._ids)
        places = numpy.empty_like(found)
        places[order] = found
        return places

    def _chunk(self, batch: pyarrow.RecordBatch) -> _Chunk:
        target = batch["target"].to_numpy()
        starts = numpy.flatnonzero(numpy.concatenate(([True], target[1:] != target[:-1]))).astype(numpy.int32)
        # A copy: the batch is one piece of memory with its numbers of 64 bits.
        weight = batch["weight"].to_numpy().astype(numpy.float32)
        return _Chunk(self._places(batch["source"].to_numpy()), weight, self._places(target[starts]), starts)

    def advance(self) -> _Step:
        passed = self._z * self._factor
        new = numpy.zeros(len(passed))

        def gain(chunk: _Chunk) -> float:
            values = passed[chunk.source]
            values *= chunk.weight
            gains = numpy.add.reduceat(values, chunk.starts)
            # The chunk before may have links to the first node too.
            new[chunk.targets[1:]] = gains[1:]
            return float(gains[0])

        for chunk, first in zip(self._chunks, self._threads.map(gain, self._chunks), strict=True):
            new[chunk.targets[0]] += first
        new += 1
        new[-1] = 1
        passed = numpy.subtract(new, self._z, out=passed)
        change = float(numpy.abs(passed, out=passed).sum())
        self._z = new
        return _Step(1, change, float(new[:-1].sum()))

    def grown(self) -> typing.Iterator[pyarrow.Table]:
        self._threads.shutdown()
        for first in range(0, len(self._ids), 4 * ROWS_OF_BATCH):
            part = slice(first, min(first + 4 * ROWS_OF_BATCH, len(self._ids)))
            is_grown = self._z[part] != 1
            yield pyarrow.table({"id": self._ids[part][is_grown], "z": self._z[part][is_grown]})


def _on_cluster(draft: Draft, name: str, weighty: DataFrame, nodes: int, start: DataFrame | None) -> Ranks:
    """The rounds as jobs of Spark. What each job came to is written, and whoever goes on begins there."""
    sums = weighty.groupBy("source").agg(f.sum(f.col("weight").cast("double")).alias("sum"))
    shares = draft.kept(
        f"{name}-shares",
        lambda: weighty.join(sums, "source").select("source", "target", (f.lit(DAMPING) * f.col("weight") / f.col("sum")).alias("share")),
    )
    prefix = f"{name}-round-"
    rounds = max((int(part[len(prefix) :]) for part in draft.names() if part.startswith(prefix)), default=0)
    if rounds:
        before = draft.table(f"{prefix}{rounds:04d}")
    elif start is not None:
        before = start.select("id", "z")
    else:
        before = shares.select(f.col("target").alias("id"), f.lit(1.0).alias("z")).limit(0)
    while True:
        after = draft.kept(f"{prefix}{rounds + _ROUNDS_OF_JOB:04d}", lambda: _advanced(shares, before))
        both = after.join(before.withColumnRenamed("z", "old"), "id", "full")
        z, old = f.coalesce("z", f.lit(1.0)), f.coalesce("old", f.lit(1.0))
        row = both.agg(f.sum(f.abs(z - old)).alias("change"), f.sum(z - 1).alias("more")).first()
        if row is None:
            raise AssertionError("a sum has a row")
        step = _Step(_ROUNDS_OF_JOB, float(row["change"] or 0), nodes + float(row["more"] or 0))
        # The one before stays until its successor has been compared with it.
        draft.drop(f"{prefix}{rounds:04d}")
        rounds, before = rounds + step.rounds, after
        if step.distance < TOLERANCE or rounds >= MAXIMUM_ROUNDS:
            return Ranks(after, 1 / step.total, rounds)


def _advanced(shares: DataFrame, before: DataFrame) -> DataFrame:
    """`id`, `z` after some rounds."""
    z = before
    for _ in range(_ROUNDS_OF_JOB):
        z = (
            shares.join(z.hint("shuffle_hash"), shares["source"] == z["id"], "left")
            .groupBy("target")
            .agg((f.lit(1.0) + f.sum(f.col("share") * f.coalesce("z", f.lit(1.0)))).alias("z"))
            .withColumnRenamed("target", "id")
        )
    return z
