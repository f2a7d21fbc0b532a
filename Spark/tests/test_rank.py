"""Popularity and near duplicates over all shards are what one machine computes."""
import collections
import math
import random

import networkx
import pytest
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import linkgraph
from pippin_spark.duplicates import near
from pippin_spark.linkgraph import LinkGraph
from pippin_spark.pagerank import LINKS_OF_DRIVER, pagerank

ROWS = "shard int, key string, record string, followed array<string>, nofollow array<string>, leadsTo string"


def build(spark: SparkSession, pages: list[tuple[str, list[str], list[str], str | None]]) -> LinkGraph:
    rows = spark.createDataFrame([(0, key, key, followed, nofollow, leads) for key, followed, nofollow, leads in pages], ROWS)
    rows = rows.withColumn("id", linkgraph.number(f.col("key")))
    return linkgraph.build(spark, rows, None, None)


def names(spark: SparkSession, graph: LinkGraph, urls: list[str]) -> tuple[dict[tuple[str, str], float], set[str]]:
    """The links and nodes by their URLs."""
    table = {row["id"]: row["key"] for row in spark.createDataFrame([(url,) for url in urls], "key string").select("key", linkgraph.number(f.col("key")).alias("id")).collect()}
    links = {(table[row["source"]], table[row["target"]]): row["weight"] for row in graph.links.collect()}
    return links, {table[row["id"]] for row in graph.nodes.collect()}


@pytest.mark.parametrize("links_of_driver", [0, LINKS_OF_DRIVER], ids=["on the cluster", "in the driver"])
@pytest.mark.parametrize("seed", [1, 2])
def test_ranks_are_those_of_networkx(spark: SparkSession, seed: int, links_of_driver: int) -> None:
    """Also with nodes without links, weights, and parts that do not hang together."""
    chance = random.Random(seed)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(120))
    for source in range(90):
        for target in chance.sample(range(110), chance.randrange(6)):
            if source != target:
                graph.add_edge(source, target, weight=chance.choice([1.0, 1.0, 0.25, 0.1]))
    # Without scipy, which would only make it faster.
    wanted = _pagerank_python(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    rows = [(source, target, data["weight"]) for source, target, data in graph.edges(data=True)]
    ranks = pagerank(spark, spark.createDataFrame(rows, "source long, target long, weight double"), 120, links_of_driver)
    assert ranks is not None
    grown = {row["id"]: row["x"] for row in ranks.grown.collect()}
    scale = ranks.least / ranks.base
    assert max(abs(grown.get(node, ranks.base) * scale - rank) for node, rank in wanted.items()) < 1e-9
    assert ranks.least == pytest.approx(min(wanted.values()), abs=1e-9)
    ids = spark.createDataFrame([(node,) for node in range(120)], "id long")
    least = min(wanted.values())
    for row in ranks.scaled(ids, "height").collect():
        assert row["height"] == pytest.approx(math.log(wanted[row["id"]] / least) / -math.log(least), abs=1e-6)


def test_a_graph_without_weight_has_no_ranks(spark: SparkSession) -> None:
    assert pagerank(spark, spark.createDataFrame([(1, 2, 0.0)], "source long, target long, weight double"), 2) is None


def test_redirects_and_canonical_links_are_resolved(spark: SparkSession) -> None:
    a, b, c, d, e, g = (f"http://x.test/{letter}" for letter in "abcdeg")
    graph = build(spark, [
        (a, [b, c], [], None),
        (b, [], [], c),  # b → c → d
        (c, [], [], d),
        (d, [a, b, e], [g], None),  # a link to itself through b
        (e, [], [], "http://x.test/f"),  # e → f → e
        ("http://x.test/f", [], [], e),
    ])  # fmt: skip
    links, nodes = names(spark, graph, [a, b, c, d, e, g, "http://x.test/f"])
    circle = next(node for node in nodes if node in (e, "http://x.test/f"))
    assert links == {(a, d): 1, (d, a): 1, (d, circle): 1}
    assert nodes == {a, d, circle}, "a URL that only a nofollow link names is no node"


def test_a_link_that_is_followed_anywhere_is_followed(spark: SparkSession) -> None:
    a, b = "http://x.test/a", "http://x.test/b"
    graph = build(spark, [(a, [b], [b], None), (b, [], [a], None)])
    links, _ = names(spark, graph, [a, b])
    assert links == {(a, b): 1, (b, a): 0}


def test_links_of_a_template_count_together_as_one(spark: SparkSession) -> None:
    pages = [f"http://x.test/{i}" for i in range(12)]
    graph = build(spark, [(url, [pages[0], pages[(i + 1) % 12]], [], None) for i, url in enumerate(pages)])
    links, _ = names(spark, graph, pages)
    # Eleven pages link to the first, more than half of twelve; the twelfth is itself.
    assert links[pages[5], pages[0]] == pytest.approx(1 / 11, rel=1e-7)
    assert links[pages[5], pages[6]] == 1
    few = build(spark, [(url, [pages[0]], [], None) for url in pages[:9]])
    assert set(names(spark, few, pages)[0].values()) == {1}, "a host with fewer than ten pages has no template"


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("https://shop.example/a?b=http://c/", "shop.example"),
        ("http://127.0.0.1:8080/", "127.0.0.1"),
        ("http://[2001:db8::1]:8080/x", "[2001:db8::1]"),
        ("https://example.org./", "example.org"),
        ("https://example.org", "example.org"),
    ],
)
def test_hosts_of_keys(spark: SparkSession, key: str, host: str) -> None:
    row = spark.createDataFrame([(key,)], "key string").select(linkgraph.host(f.col("key")).alias("host")).first()
    assert row is not None and row["host"] == host


def test_near_duplicates_are_those_of_comparing_all(spark: SparkSession) -> None:
    chance = random.Random(3)
    bases = [chance.getrandbits(64) for _ in range(6)]
    prints: list[tuple[str, str, int, int]] = []
    for number in range(300):
        value = chance.choice(bases)
        for _ in range(chance.randrange(7)):
            value ^= 1 << chance.randrange(64)
        prints.append((f"r{number}", f"h{chance.randrange(2)}", value - (1 << 64) if value >= 1 << 63 else value, number))
    wanted: dict[str, str] = {}
    of_host: dict[str, list[tuple[str, int]]] = collections.defaultdict(list)
    for record, host, value, _ in prints:
        for earlier, other in of_host[host]:
            if ((value ^ other) & (1 << 64) - 1).bit_count() <= 3:
                wanted[record] = earlier
                break
        of_host[host].append((record, value))
    rows = spark.createDataFrame(prints, "record string, host string, simHash long, order int")
    found = {row["record"]: row["original"] for row in near(rows).collect()}
    assert found == wanted and len(wanted) > 100
