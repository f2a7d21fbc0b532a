"""Popularity and near duplicates over all shards are what one machine computes."""
import collections
import contextlib
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

import networkx
import pytest
from cluster import HANGS_AFTER, command_line, descendants
from conftest import FAKE
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from pippin_spark import linkgraph, memory, rank, run
from pippin_spark.claim import Claim
from pippin_spark.duplicates import near
from pippin_spark.linkgraph import LinkGraph
from pippin_spark.draft import Draft
from pippin_spark.files import Files
from pippin_spark.job import Job
from pippin_spark.pagerank import Ranks, driver_bytes, pagerank
from pippin_spark.turn import Means

ROWS = "shard int, key string, record string, followed array<string>, nofollow array<string>, leadsTo string"


@pytest.fixture
def draft(spark: SparkSession, tmp_path: pathlib.Path) -> Draft:
    return Draft(spark, Files(spark, str(tmp_path)), "draft")


def build(draft: Draft, pages: list[tuple[str, list[str], list[str], str | None]]) -> LinkGraph:
    rows = draft.spark.createDataFrame([(0, key, key, followed, nofollow, leads) for key, followed, nofollow, leads in pages], ROWS)
    rows = rows.withColumn("id", linkgraph.number(f.col("key")))
    return linkgraph.build(draft, rows, None, None)


def names(spark: SparkSession, graph: LinkGraph, urls: list[str]) -> tuple[dict[tuple[str, str], float], set[str]]:
    """The links and nodes by their URLs."""
    table = {row["id"]: row["key"] for row in spark.createDataFrame([(url,) for url in urls], "key string").select("key", linkgraph.number(f.col("key")).alias("id")).collect()}
    links = {(table[row["source"]], table[row["target"]]): row["weight"] for row in graph.links.collect()}
    return links, {table[row["id"]] for row in graph.nodes.collect()}


#: What the driver may take.
PLACES = pytest.mark.parametrize("memory_bytes", [0, 1 << 30], ids=["on the cluster", "in the driver"])


def made_up(seed: int) -> networkx.DiGraph:
    """With nodes without links, weights, and parts that do not hang together."""
    chance = random.Random(seed)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(120))
    for source in range(90):
        for target in chance.sample(range(110), chance.randrange(6)):
            if source != target:
                graph.add_edge(source, target, weight=chance.choice([1.0, 1.0, 0.25, 0.125]))
    return graph


def put(draft: Draft, graph: networkx.DiGraph) -> None:
    rows = [(source, target, data["weight"]) for source, target, data in graph.edges(data=True)]
    nodes = [(node,) for node in graph.nodes]
    draft.kept("pages-links", lambda: draft.spark.createDataFrame(rows, "source long, target long, weight float"))
    draft.kept("pages-nodes", lambda: draft.spark.createDataFrame(nodes, "id long"))


def ranks_of(graph: networkx.DiGraph, ranks: Ranks) -> dict[int, float]:
    grown = {row["id"]: row["z"] for row in ranks.grown.collect()}
    return {node: grown.get(node, 1.0) * ranks.least for node in graph.nodes}


@PLACES
@pytest.mark.parametrize("seed", [1, 2])
def test_ranks_are_those_of_networkx(draft: Draft, seed: int, memory_bytes: int) -> None:
    graph = made_up(seed)
    # Without scipy, which would only make it faster.
    wanted = _pagerank_python(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    put(draft, graph)
    ranks = pagerank(draft, "pages", memory_bytes=memory_bytes)
    assert ranks is not None
    found = ranks_of(graph, ranks)
    assert max(abs(found[node] - rank) for node, rank in wanted.items()) < 1e-9
    least = min(wanted.values())
    assert ranks.least == pytest.approx(least, abs=1e-9)
    for row in ranks.scaled(draft.table("pages-nodes"), "height").collect():
        assert row["height"] == pytest.approx(math.log(wanted[row["id"]] / least) / -math.log(least), abs=1e-6)


@PLACES
def test_a_ranking_that_starts_with_the_last_one_gives_the_same_in_fewer_rounds(spark: SparkSession, tmp_path: pathlib.Path, memory_bytes: int) -> None:
    files = Files(spark, str(tmp_path))
    before, cold, warm = (Draft(spark, files, name) for name in ("before", "cold", "warm"))
    old, graph = made_up(1), made_up(1)
    # A page that is linked no more, and one that is new: some ranks must fall.
    graph.remove_edges_from(list(graph.in_edges(next(node for node in graph if graph.in_degree(node) > 1))))
    graph.add_edge(0, 500, weight=1.0)
    put(before, old)
    start = pagerank(before, "pages", memory_bytes=memory_bytes)
    assert start is not None
    results = []
    for draft, first in ((cold, None), (warm, start.grown)):
        put(draft, graph)
        ranks = pagerank(draft, "pages", first, memory_bytes=memory_bytes)
        assert ranks is not None
        results.append(ranks)
    wanted = _pagerank_python(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    for ranks in results:
        found = ranks_of(graph, ranks)
        assert max(abs(found[node] - rank) for node, rank in wanted.items()) < 1e-9
    assert results[1].rounds < results[0].rounds


def test_links_to_one_node_may_fill_several_batches(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pippin_spark.draft.ROWS_OF_BATCH", 7)
    graph = made_up(3)
    graph.add_weighted_edges_from((source, 119, 0.5) for source in range(100))
    put(draft, graph)
    ranks = pagerank(draft, "pages", memory_bytes=1 << 30)
    assert ranks is not None
    wanted = _pagerank_python(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    found = ranks_of(graph, ranks)
    assert max(abs(found[node] - rank) for node, rank in wanted.items()) < 1e-9


def test_it_says_where_it_ranks(draft: Draft) -> None:
    said: list[str] = []
    put(draft, made_up(1))
    pagerank(draft, "pages", say=said.append)
    assert "in the driver's memory: " in said[0], said
    assert driver_bytes(10_000_000, 100_000_000) < 2 << 30


def test_a_container_has_what_its_limit_leaves(tmp_path: pathlib.Path) -> None:
    limit, used, statistics = (tmp_path / name for name in ("limit", "used", "statistics"))
    assert memory._of_group(limit, used, statistics) is None, "a machine without such groups"  # noqa: SLF001
    for file, text in ((limit, "1000\n"), (used, "700\n"), (statistics, "anon 300\ninactive_file 400\n")):
        file.write_text(text)
    assert memory._of_group(limit, used, statistics) == 700, "files that were read are given up"  # noqa: SLF001
    limit.write_text("max\n")
    assert memory._of_group(limit, used, statistics) is None  # noqa: SLF001
    assert memory.free_bytes() > 0


@PLACES
def test_a_ranking_goes_on_from_what_is_written(draft: Draft, tmp_path: pathlib.Path, memory_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is gone that is needed no more, and no round is made twice."""
    put(draft, made_up(1))
    publish, cut = Files.publish, "pages-round-0032.json" if memory_bytes == 0 else "pages-ranks.json"

    def dies(files: Files, path: str, content: bytes) -> None:
        if path.endswith(cut):
            raise InterruptedError(path)
        publish(files, path, content)

    monkeypatch.setattr(Files, "publish", dies)
    with pytest.raises(InterruptedError):
        pagerank(draft, "pages", memory_bytes=memory_bytes)
    monkeypatch.undo()
    shutil.rmtree(next((tmp_path / "draft").glob("pages-links-*")))
    published: list[str] = []

    def notes(files: Files, path: str, content: bytes) -> None:
        published.append(path)
        publish(files, path, content)

    monkeypatch.setattr(Files, "publish", notes)
    ranks = pagerank(draft, "pages", memory_bytes=memory_bytes)
    assert ranks is not None and published[0] == f"draft/{cut}"


def test_a_ranking_that_was_cut_off_behind_its_ranks_writes_them_anew(draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same driver, which tries again, and the next one."""
    graph = made_up(1)
    put(draft, graph)
    publish = Files.publish

    def dies(files: Files, path: str, content: bytes) -> None:
        publish(files, path, content)
        if path.endswith("pages-ranks.json"):
            raise InterruptedError(path)

    monkeypatch.setattr(Files, "publish", dies)
    for driver in (draft, draft, Draft(draft.spark, draft._files, "draft")):  # noqa: SLF001
        with pytest.raises(InterruptedError):
            pagerank(driver, "pages", memory_bytes=1 << 30)
    monkeypatch.undo()
    ranks = pagerank(draft, "pages", memory_bytes=1 << 30)
    assert ranks is not None
    wanted = _pagerank_python(graph, alpha=0.85, tol=1e-12, max_iter=1000)
    found = ranks_of(graph, ranks)
    assert max(abs(found[node] - rank) for node, rank in wanted.items()) < 1e-9


@PLACES
def test_a_graph_without_weight_has_no_ranks(draft: Draft, memory_bytes: int) -> None:
    graph = networkx.DiGraph()
    graph.add_edge(1, 2, weight=0.0)
    put(draft, graph)
    assert pagerank(draft, "pages", memory_bytes=memory_bytes) is None


@pytest.fixture
def crawled(spark: SparkSession, fake_job: pathlib.Path) -> pathlib.Path:
    """A job that is crawled and not ranked."""
    job = Job(Files(spark, str(fake_job)))
    with Claim(job.files) as claim:
        job.check_shards()
        run.run(spark, job, claim, Means(str(FAKE)), run.Wishes(ranks=False), lambda _: None)
    return fake_job


def ranking_on_cluster(job: pathlib.Path) -> subprocess.Popen[str]:
    program = pathlib.Path(__file__).parent / "driver_without_memory.py"
    command = [sys.executable, str(program), "rank", str(job), "--master", "local-cluster[2,1,1024]"]
    environment = os.environ | {"PYTHONPATH": str(program.parents[1])}
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def until_round(driver: subprocess.Popen[str], job: pathlib.Path, number: int) -> None:
    """Waits until a part of that round, or of a later one, is written."""
    deadline = time.monotonic() + HANGS_AFTER
    while not any(int(part.name[12:16]) >= number for part in job.glob("rank/*.draft/pages-round-*.json")):
        assert driver.poll() is None and time.monotonic() < deadline, driver.communicate()
        time.sleep(0.02)


def values(spark: SparkSession, job: pathlib.Path) -> dict[str, float]:
    last = Job(Files(spark, str(job))).last_ranking()
    assert last is not None
    return {row["key"]: row["value"] for row in spark.read.parquet(str(job / f"rank/{last:06d}/popularity")).collect()}


def test_an_executor_may_die_in_a_ranking(spark: SparkSession, crawled: pathlib.Path) -> None:
    with ranking_on_cluster(crawled) as driver:
        until_round(driver, crawled, 8)
        os.kill(next(pid for pid in descendants(driver.pid) if b"CoarseGrainedExecutorBackend" in command_line(pid)), signal.SIGKILL)
        _, said = driver.communicate(timeout=HANGS_AFTER)
    assert driver.returncode == 0, said
    assert "as jobs of Spark" in said and "failed" not in said
    found = values(spark, crawled)
    shutil.rmtree(crawled / "rank")
    job = Job(Files(spark, str(crawled)))
    rank.rank(spark, job, job.turns()[-1])
    assert values(spark, crawled) == found and len(found) == 30
    assert not list(crawled.glob("rank/*.draft"))


def test_a_killed_driver_is_followed_by_one_that_goes_on_from_its_rounds(spark: SparkSession, crawled: pathlib.Path) -> None:
    with ranking_on_cluster(crawled) as driver:
        until_round(driver, crawled, 16)
        for pid in [driver.pid, *descendants(driver.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    marker = next(crawled.glob("rank/*.draft/pages-links.json"))
    made = marker.stat().st_mtime_ns
    with ranking_on_cluster(crawled) as driver:
        until_round(driver, crawled, 24)
        assert marker.stat().st_mtime_ns == made
        _, said = driver.communicate(timeout=HANGS_AFTER)
    assert driver.returncode == 0 and "was cut off; it goes on" in said, said
    assert len(values(spark, crawled)) == 30


def test_what_no_link_has_changed_is_not_ranked_again(spark: SparkSession, crawled: pathlib.Path) -> None:
    job = Job(Files(spark, str(crawled)))
    said: list[str] = []
    first = rank.rank(spark, job, job.turns()[-1], said.append)
    assert len(said) == 2, "pages and sites"
    assert rank.rank(spark, job, job.turns()[-1], said.append) == first
    assert "stands" in said[2] and len(said) == 3
    # Another version of this program ranks another way.
    marker = f"rank/{job.turns()[-1]:06d}.json"
    job.files.write(marker, json.dumps(json.loads(job.files.read(marker)) | {"version": 0}).encode())
    rank.rank(spark, job, job.turns()[-1], said.append)
    assert len(said) == 5


def test_a_draft_of_another_history_is_not_taken(spark: SparkSession, crawled: pathlib.Path) -> None:
    """As after a copy of the job's folder was put back."""
    job = Job(Files(spark, str(crawled)))
    turn = job.turns()[-1]
    draft = Draft(spark, job.files, f"rank/{turn:06d}.draft")
    put(draft, made_up(1))
    job.files.write(f"{draft.folder}/of", b'{"version": 1, "fingerprint": "of another"}')
    assert rank.rank(spark, job, turn).pages == 30


def test_redirects_and_canonical_links_are_resolved(spark: SparkSession, draft: Draft) -> None:
    a, b, c, d, e, g = (f"http://x.test/{letter}" for letter in "abcdeg")
    graph = build(draft, [
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


def test_a_link_that_is_followed_anywhere_is_followed(spark: SparkSession, draft: Draft) -> None:
    a, b = "http://x.test/a", "http://x.test/b"
    graph = build(draft, [(a, [b], [b], None), (b, [], [a], None)])
    links, _ = names(spark, graph, [a, b])
    assert links == {(a, b): 1, (b, a): 0}


def test_links_of_a_template_count_together_as_one(spark: SparkSession, draft: Draft, tmp_path: pathlib.Path) -> None:
    pages = [f"http://x.test/{i}" for i in range(12)]
    graph = build(draft, [(url, [pages[0], pages[(i + 1) % 12]], [], None) for i, url in enumerate(pages)])
    links, _ = names(spark, graph, pages)
    # Eleven pages link to the first, more than half of twelve; the twelfth is itself.
    assert links[pages[5], pages[0]] == pytest.approx(1 / 11, rel=1e-7)
    assert links[pages[5], pages[6]] == 1
    few = build(Draft(spark, Files(spark, str(tmp_path)), "few"), [(url, [pages[0]], [], None) for url in pages[:9]])
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
