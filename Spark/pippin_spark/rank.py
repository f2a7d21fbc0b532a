"""Popularity of all pages, and near duplicates, over all shards.

`rank/000007/popularity` (`shard`, `key`, `value`) goes to the workers in the next turn, and `rank/000007/duplicates` (`record`, `original`)
says which records say nearly the same as an earlier one of their host. `rank/000007.json`, written last, says that both are whole.
"""
import contextlib
import dataclasses
import json
import typing

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from . import duplicates, linkgraph
from .job import Job, number
from .pagerank import pagerank

#: As on one machine: `0.7 · page + 0.3 · site`, in steps of a thousandth.
SHARE_OF_SITE = 0.3
STEPS = 1000
#: The last one is handed over; somebody may be reading the one before.
RANKINGS_KEPT = 2
#: Some million links: a second's work in a round.
PAGES_OF_PARTITION = 20_000


@dataclasses.dataclass(frozen=True)
class Result:
    """What a ranking came to."""

    pages: int
    links: int
    values: int
    #: None: the workers told no fingerprints.
    duplicates: int | None

    @property
    def text(self) -> str:
        words = f"ranked {self.pages:,} pages by {self.links:,} links" if self.values else "no page links to another: nothing is ranked"
        return words if self.duplicates is None else f"{words}; {self.duplicates:,} near duplicates"


def rank(spark: SparkSession, job: Job, turn: int) -> Result:
    """Ranks what the turns up to the last committed one told. Another ranking after that turn is thrown away."""
    compacted = job.compacted("links")
    pages = compacted.rows if compacted else 0
    pages += sum(job.told(known).get("links", 0) for known in job.turns() if compacted is None or known > compacted.turn)
    marker = f"rank/{number(turn)}.json"
    job.files.delete(marker)
    job.files.delete(f"rank/{number(turn)}")
    with few_shuffles(spark, pages // PAGES_OF_PARTITION):
        result = _rank(spark, job, f"rank/{number(turn)}")
    job.files.publish(marker, json.dumps(dataclasses.asdict(result)).encode() + b"\n")
    for older in job.rankings()[:-RANKINGS_KEPT]:
        job.files.delete(f"rank/{number(older)}.json")
        job.files.delete(f"rank/{number(older)}")
    return result


@contextlib.contextmanager
def few_shuffles(spark: SparkSession, wanted: int) -> typing.Iterator[None]:
    """A small graph in one partition needs no exchange at all in a round; more would cost more than the work."""
    name = "spark.sql.shuffle.partitions"
    before = int(spark.conf.get(name) or 4)
    spark.conf.set(name, str(max(1, min(before, wanted))))
    try:
        yield
    finally:
        spark.conf.set(name, str(before))


def _rank(spark: SparkSession, job: Job, folder: str) -> Result:
    graph = linkgraph.read(spark, job)
    if graph is None:
        return Result(0, 0, 0, _duplicates(spark, job, folder))
    values = 0
    page_count, link_count = graph.nodes.count(), graph.links.count()
    pages = pagerank(spark, graph.links, page_count)
    if pages is not None:
        site_count = graph.nodes.select("site").distinct().count()
        sites = pagerank(spark, linkgraph.between_sites(graph), site_count)
        scores = pages.scaled(graph.nodes, "page")
        value = f.col("page")
        if sites is not None:
            names = graph.nodes.select("site", f.xxhash64("site").alias("id")).distinct()
            scores = scores.join(sites.scaled(names, "ofSite").select("site", "ofSite"), "site")
            value = (1 - SHARE_OF_SITE) * value + SHARE_OF_SITE * f.col("ofSite")
        popularity = (
            graph.pages.join(scores, "id")
            .withColumn("exact", value)
            .select("shard", "key", (f.round(f.col("exact") * STEPS) / STEPS).alias("value"), "exact")
        )
        popularity.coalesce(max(1, job.shards)).write.parquet(job.files.url(f"{folder}/popularity"))
        values = int(spark.read.parquet(job.files.url(f"{folder}/popularity")).count())
    return Result(page_count, link_count, values, _duplicates(spark, job, folder))


def _duplicates(spark: SparkSession, job: Job, folder: str) -> int | None:
    found = duplicates.of_job(spark, job)
    if found is None:
        return None
    found.write.parquet(job.files.url(f"{folder}/duplicates"))
    return int(spark.read.parquet(job.files.url(f"{folder}/duplicates")).count())
