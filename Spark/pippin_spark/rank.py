"""Popularity of all pages, and near duplicates, over all shards.

`rank/000007/popularity` (`shard`, `key`, `value`) goes to the workers in the next turn, and `rank/000007/duplicates` (`record`, `original`)
says which records say nearly the same as an earlier one of their host. `rank/000007/pages` and `sites` (`id`, `z`) are the ranks with which the
next ranking starts. `rank/000007.json`, written last, says that all are whole. Until then the ranking's parts lie in `rank/000007.draft`, and
whoever goes on with it takes what is there (`draft`).
"""
import contextlib
import dataclasses
import json
import typing

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from . import duplicates, linkgraph
from .draft import Draft
from .job import Job, number
from .linkgraph import LinkGraph
from .pagerank import Ranks, pagerank

#: As on one machine: `0.7 · page + 0.3 · site`, in steps of a thousandth.
SHARE_OF_SITE = 0.3
STEPS = 1000
#: The last one is handed over; somebody may be reading the one before.
RANKINGS_KEPT = 2
#: Some million links: a second's work in a round.
PAGES_OF_PARTITION = 20_000
#: As many exchange some hundred million small pieces; then partitions grow.
MAXIMUM_PARTITIONS = 10_000
_PARTITIONS = "spark.sql.shuffle.partitions"
#: Of drafts and rankings: another way to compute them has another number, and takes neither as they are.
VERSION = 1


@dataclasses.dataclass(frozen=True)
class Result:
    """What a ranking came to."""

    pages: int
    links: int
    values: int
    #: None: the workers told no fingerprints.
    duplicates: int | None
    #: Rounds among pages and among sites.
    rounds: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        words = f"ranked {self.pages:,} pages by {self.links:,} links" if self.values else "no page links to another: nothing is ranked"
        return words if self.duplicates is None else f"{words}; {self.duplicates:,} near duplicates"


def rank(spark: SparkSession, job: Job, turn: int, say: typing.Callable[[str], None] = lambda _: None) -> Result:
    """Ranks what the turns up to the last committed one told, or goes on where another driver was cut off.

    If no turn has told of links since the last ranking, that one stands.
    """
    if (last := job.last_ranking()) is not None and not job.has_unranked_links() and (result := _result(job, last)) is not None:
        say(f"no links were found since the ranking of turn {last}, which stands")
        return result
    compacted = job.compacted("links")
    pages = compacted.rows if compacted else 0
    pages += sum(job.told(known).get("links", 0) for known in job.turns() if compacted is None or known > compacted.turn)
    marker = f"rank/{number(turn)}.json"
    job.files.delete(marker)
    job.files.delete(f"rank/{number(turn)}")
    draft = _draft(spark, job, turn, say)
    with partitions(spark, pages // PAGES_OF_PARTITION):
        result = _rank(spark, job, f"rank/{number(turn)}", draft, say)
    job.files.publish(marker, json.dumps({"version": VERSION} | dataclasses.asdict(result)).encode() + b"\n")
    job.files.delete(draft.folder)
    for older in job.rankings()[:-RANKINGS_KEPT]:
        job.files.delete(f"rank/{number(older)}.json")
        job.files.delete(f"rank/{number(older)}")
    return result


def _result(job: Job, ranking: int) -> Result | None:
    """What a ranking came to; None if another version made it."""
    fields = json.loads(job.files.read(f"rank/{number(ranking)}.json"))
    if fields.pop("version", None) != VERSION:
        return None
    return Result(**fields | {"rounds": tuple(fields["rounds"])})


def _draft(spark: SparkSession, job: Job, turn: int, say: typing.Callable[[str], None]) -> Draft:
    """The draft of a turn's ranking. Drafts of other turns, other versions and another job's history are deleted."""
    draft = Draft(spark, job.files, f"rank/{number(turn)}.draft")
    of = json.dumps({"version": VERSION, "fingerprint": job.fingerprint(turn)}).encode() + b"\n"
    for name in job.files.names("rank"):
        folder = f"rank/{name}"
        if name.endswith(".draft") and (folder != draft.folder or not job.files.exists(f"{folder}/of") or job.files.read(f"{folder}/of") != of):
            job.files.delete(folder)
    if draft.names():
        say(f"the ranking of turn {turn} was cut off; it goes on from {draft.folder}")
    elif not job.files.exists(f"{draft.folder}/of"):
        job.files.make_folder(draft.folder)
        job.files.write(f"{draft.folder}/of", of)
    return draft


@contextlib.contextmanager
def partitions(spark: SparkSession, wanted: int) -> typing.Iterator[None]:
    """A small graph in one partition needs no exchange at all in a round; a large one in few would not fit into an executor's memory."""
    before = spark.conf.get(_PARTITIONS) or "4"
    spark.conf.set(_PARTITIONS, str(max(1, min(wanted, MAXIMUM_PARTITIONS))))
    try:
        yield
    finally:
        spark.conf.set(_PARTITIONS, before)


def few_shuffles(spark: SparkSession, wanted: int) -> contextlib.AbstractContextManager[None]:
    """As `partitions`, and no more than there are slots: for what must be quick."""
    return partitions(spark, min(wanted, int(spark.conf.get(_PARTITIONS) or 4)))


def _rank(spark: SparkSession, job: Job, folder: str, draft: Draft, say: typing.Callable[[str], None]) -> Result:
    graph = linkgraph.read(spark, job, draft)
    if graph is None:
        return Result(0, 0, 0, _duplicates(spark, job, folder))
    pages = pagerank(draft, "pages", _last_ranks(spark, job, "pages"), say)
    page_count, link_count, values, rounds = draft.rows("pages-nodes"), draft.rows("pages-links"), 0, (0, 0)
    if pages is not None:
        linkgraph.add_sites(draft, graph)
        sites = pagerank(draft, "sites", _last_ranks(spark, job, "sites"), say)
        rounds = (pages.rounds, sites.rounds if sites else 0)
        popularity(graph, pages, sites, draft.table("sites-nodes")).coalesce(max(1, job.shards)).write.parquet(
            job.files.url(f"{folder}/popularity")
        )
        values = int(spark.read.parquet(job.files.url(f"{folder}/popularity")).count())
        for name, ranks in (("pages", pages), ("sites", sites)):
            if ranks is not None:
                ranks.grown.write.parquet(job.files.url(f"{folder}/{name}"))
    return Result(page_count, link_count, values, _duplicates(spark, job, folder), rounds)


def _last_ranks(spark: SparkSession, job: Job, name: str) -> DataFrame | None:
    """`id`, `z` of the last ranking that has them, of whichever shards: a page's number does not depend on its shard."""
    for ranking in reversed(job.rankings()):
        folder = f"rank/{number(ranking)}/{name}"
        if _result(job, ranking) is not None and job.files.exists(folder):
            return spark.read.parquet(job.files.url(folder))
    return None


def popularity(graph: LinkGraph, pages: Ranks, sites: Ranks | None, site_nodes: DataFrame) -> DataFrame:
    """`shard`, `key`, `value`, `exact` of each page with a record."""
    scores = pages.scaled(graph.nodes, "page")
    value = f.col("page")
    if sites is not None:
        of_sites = sites.scaled(site_nodes, "ofSite").select(f.col("id").alias("site"), "ofSite")
        scores = scores.join(of_sites, "site")
        value = (1 - SHARE_OF_SITE) * value + SHARE_OF_SITE * f.col("ofSite")
    return (
        graph.pages.join(scores, "id")
        .withColumn("exact", value)
        .select("shard", "key", (f.round(f.col("exact") * STEPS) / STEPS).alias("value"), "exact")
    )


def _duplicates(spark: SparkSession, job: Job, folder: str) -> int | None:
    found = duplicates.of_job(spark, job)
    if found is None:
        return None
    found.write.parquet(job.files.url(f"{folder}/duplicates"))
    return int(spark.read.parquet(job.files.url(f"{folder}/duplicates")).count())
