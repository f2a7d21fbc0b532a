"""The links among all pages of a job as they count for popularity: `CrawlGraph` of one machine, over all shards.

Redirects and canonical links are resolved, a page's links to itself left out, each target counts once a page; `nofollow` weighs 0; a link
that most pages of a host have is part of its template (Docs/Record.md, "Popularity").

A node's number is a hash of its URL key (64 bits), so that no table of numbers is needed. Of a billion URLs, about one job in forty
has two that share a number; they would be one node. Hosts and sites have such numbers too.

Each step that costs much is a part of the ranking's draft (`draft`): no executor takes it along.
"""
import dataclasses
import typing

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

from .draft import Draft
from .job import Job
from .told import latest, standing
from .trouble import Trouble

#: A host with fewer pages has no template, and a link that fewer pages have is not part of one.
LEAST_PAGES_OF_TEMPLATE: typing.Final = 10
#: Redirects and canonical links in a row: this many doublings follow chains of a thousand.
_DOUBLINGS: typing.Final = 10
#: URLs in circles of redirects, which are resolved in the driver.
_MAXIMUM_IN_CIRCLES: typing.Final = 1_000_000
_LINKS: typing.Final = "followed array<string>, nofollow array<string>, leadsTo string, gone boolean, record string"
#: Of a draft, as in `LinkGraph`.
_PARTS: typing.Final = ("pages-links", "pages-nodes", "pages-records")
_LEADS: typing.Final = t.StructType([t.StructField("id", t.LongType()), t.StructField("to", t.LongType())])


@dataclasses.dataclass(frozen=True)
class LinkGraph:
    #: `source`, `target`, `weight`.
    links: DataFrame
    #: `id`, `site` (its number): one row for each node.
    nodes: DataFrame
    #: `shard`, `key`, `id`: the node of each page with a record.
    pages: DataFrame


def number(key: Column) -> Column:
    return f.xxhash64(key)


def host(key: Column) -> Column:
    """The host in a URL key, without port and final dot."""
    return f.rtrim(f.regexp_extract(key, r"^[a-z]+://(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#]*)", 1), f.lit("."))


def read(spark: SparkSession, job: Job, draft: Draft) -> LinkGraph | None:
    """The graph of all committed turns. None if no page was told with links."""
    if draft.has(*_PARTS):
        return _written(draft)
    lines = latest(spark, job, ("links",))
    if lines is None:
        return None
    return write(draft, lines, _sites(spark, job), _known(spark, job, lines))


def write(draft: Draft, lines: DataFrame, sites: DataFrame | None, known: DataFrame | None) -> LinkGraph:
    """The graph of the last lines of all pages: `shard`, `key`, `json`. The rest as in `build`."""
    rows = draft.kept(
        "rows",
        lambda: lines.select("shard", "key", f.from_json("json", _LINKS).alias("page"))
        .select("shard", "key", number(f.col("key")).alias("id"), "page.*")
        .where("gone is not true"),
    )
    return build(draft, rows, sites, known)


def build(draft: Draft, rows: DataFrame, sites: DataFrame | None, known: DataFrame | None) -> LinkGraph:
    """`rows`: `shard`, `key`, `id`, `record`, `followed`, `nofollow`, `leadsTo`. `sites`: `host`, `site`. `known`: `id` of URLs that the job knows."""
    leads = draft.kept("leads", lambda: _resolved(draft, rows.where("leadsTo is not null").select("id", number(f.col("leadsTo")).alias("to"))))
    sources = rows.where("leadsTo is null").select("id", f.xxhash64(host(f.col("key"))).alias("host"), "followed", "nofollow")
    followed = sources.select("id", "host", f.explode("followed").alias("url"), f.lit(1.0).cast("float").alias("weight"))
    avoided = sources.select("id", "host", f.explode("nofollow").alias("url"), f.lit(0.0).cast("float").alias("weight"))
    avoided = avoided.withColumn("target", number(f.col("url")))
    # A URL that only such links name is nobody's: the frontier of one machine would not know it.
    every = followed.select(number(f.col("url")).alias("id")).unionByName(rows.select("id"))
    if known is not None:
        every = every.unionByName(known)
    avoided = avoided.join(every.select(f.col("id").alias("target")).distinct(), "target", "leftsemi")
    met = followed.withColumn("target", number(f.col("url"))).unionByName(avoided)
    hosts = (
        met.select(f.col("target").alias("id"), host(f.col("url")).alias("host"))
        .unionByName(rows.where("leadsTo is null").select("id", host(f.col("key")).alias("host")))
        .unionByName(rows.where("leadsTo is not null").select(number(f.col("leadsTo")).alias("id"), host(f.col("leadsTo")).alias("host")))
        .dropDuplicates(["id"])
    )
    links = (
        met.join(leads.select(f.col("id").alias("target"), "to"), "target", "left")
        .select(f.col("id").alias("source"), "host", f.coalesce("to", "target").alias("target"), "weight")
        .where("source <> target")
        .groupBy("source", "host", "target")
        .agg(f.max("weight").alias("weight"))
    )
    pages_of_host = sources.groupBy("host").agg(f.count("*").alias("pages")).where(f"pages >= {LEAST_PAGES_OF_TEMPLATE}")
    template = (
        links.where("weight > 0")
        .groupBy("host", "target")
        .agg(f.count("*").alias("count"))
        .join(pages_of_host, "host")
        .where(f"count >= {LEAST_PAGES_OF_TEMPLATE} and 2 * count > pages")
        .select("host", "target", "count")
    )
    # In single precision, as on one machine.
    weighed = links.join(template, ["host", "target"], "left").select(
        "source", "target", (f.col("weight") / f.coalesce("count", f.lit(1))).cast("float").alias("weight")
    )
    elsewhere = leads.where("id <> to").select("id")
    nodes = hosts.join(elsewhere, "id", "leftanti")
    if sites is not None:
        nodes = nodes.join(sites, "host", "left").select("id", f.coalesce("site", "host").alias("host"))
    nodes = nodes.select("id", f.xxhash64("host").alias("site"))
    pages = rows.where("record is not null").select("shard", "key", "id").join(leads, "id", "left")
    pages = pages.select("shard", "key", f.coalesce("to", "id").alias("id"))
    for part, table in zip(_PARTS, (weighed, nodes, pages), strict=True):
        draft.kept(part, lambda table=table: table)  # type: ignore[misc]
    for part in draft.names():
        if part == "rows" or part.startswith("leads"):
            draft.drop(part)
    return _written(draft)


def _written(draft: Draft) -> LinkGraph:
    return LinkGraph(*(draft.table(part) for part in _PARTS))


def add_sites(draft: Draft, graph: LinkGraph) -> None:
    """Writes the graph of sites, as the parts `sites-links` and `sites-nodes`."""
    draft.kept("sites-links", lambda: between_sites(graph))
    draft.kept("sites-nodes", lambda: graph.nodes.select(f.col("site").alias("id")).distinct())


def between_sites(graph: LinkGraph) -> DataFrame:
    """Each site's links to pages of another site, added up."""
    of_source = graph.nodes.select(f.col("id").alias("source"), f.col("site").alias("from"))
    of_target = graph.nodes.select(f.col("id").alias("target"), f.col("site").alias("to"))
    return (
        graph.links.where("weight > 0")
        .join(of_source, "source")
        .join(of_target, "target")
        .where("from <> to")
        .groupBy(f.col("from").alias("source"), f.col("to").alias("target"))
        .agg(f.sum(f.col("weight").cast("double")).alias("weight"))
    )


def _resolved(draft: Draft, leads: DataFrame) -> DataFrame:
    """Follows each chain to its end: `id`, `to`. A circle ends at the smallest of its numbers, which then leads to itself."""
    first = draft.kept("leads-0", lambda: leads.dropDuplicates(["id"]))
    whole, before = first, -1
    for doubling in range(_DOUBLINGS):
        # Rows whose end leads on.
        onward = whole.join(first.select(f.col("id").alias("to")), "to", "leftsemi").count()
        if onward in (0, before):
            break
        before = onward
        whole = draft.kept(f"leads-{doubling + 1}", lambda shorter=whole: _doubled(shorter))  # type: ignore[misc]
    # What leads on after all of that leads in circles.
    members = whole.join(first.select(f.col("id").alias("to")), "to", "leftsemi").select(f.col("to").alias("id")).distinct()
    circles = {row["id"]: row["to"] for row in first.join(members, "id").limit(_MAXIMUM_IN_CIRCLES + 1).collect()}
    if not circles:
        return whole
    if len(circles) > _MAXIMUM_IN_CIRCLES:
        raise Trouble("more than a million URLs redirect in circles: the links cannot be ranked")
    ends: dict[int, int] = {}
    for start in circles:
        circle: list[int] = []
        at = start
        while at not in ends and at in circles and at not in circle[:1]:
            circle.append(at)
            at = circles[at]
            if len(circle) > len(circles):
                break
        end = ends.get(at, min(circle, default=at))
        ends.update(dict.fromkeys(circle, end))
    table = draft.spark.createDataFrame(list(ends.items()), _LEADS).select(f.col("id").alias("to"), f.col("to").alias("end"))
    return whole.join(table, "to", "left").select("id", f.coalesce("end", "to").alias("to"))


def _doubled(leads: DataFrame) -> DataFrame:
    step = leads.select(f.col("id").alias("to"), f.col("to").alias("next"))
    return leads.join(step, "to", "left").select("id", f.coalesce("next", "to").alias("to"))


def _sites(spark: SparkSession, job: Job) -> DataFrame | None:
    """The site of each host, as the workers tell it."""
    lines = latest(spark, job, ("host",))
    if lines is None:
        return None
    return lines.select(f.rtrim(f.col("key"), f.lit(".")).alias("host"), f.get_json_object("json", "$.site").alias("site")).where(
        "site is not null"
    ).dropDuplicates(["host"])


def _known(spark: SparkSession, job: Job, links: DataFrame) -> DataFrame | None:
    """URLs that are in a frontier for certain: pages that were told of, even as gone, and what shards found for each other."""
    told = links.select(number(f.col("key")).alias("id"))
    foreign = standing(spark, job, "foreign")
    return told if foreign is None else told.unionByName(foreign.select(number(f.col("key")).alias("id")))
