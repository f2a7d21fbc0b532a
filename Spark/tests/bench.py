"""The figures of Spark/README.md, "Measured": python bench.py turns | share | scaling | warc | rank | rounds. PIPPIN names the program.

Times are of this machine, where executors, drivers and the web's server share the cores.
"""
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import typing

sys.path[:0] = [str(pathlib.Path(__file__).parents[1]), str(pathlib.Path(__file__).parent)]

from cluster import Driver, Job, Server, Site, descendants, hosts  # noqa: E402
from madeupweb import Page  # noqa: E402

from pippin_spark import archives  # noqa: E402
from pippin_spark.session import session, slots_for  # noqa: E402

LATENCY: typing.Final = 0.2


def web(folder: pathlib.Path, count: int, pages: int, delay: float, latency: float | None) -> tuple[Server, Site]:
    server = Server()
    everybody = hosts(count, delay)
    port = server.listen([host.address for host in everybody])
    site = Site(everybody, pages, port, seed=1, with_trouble=False)
    if latency is not None:
        for page in site.pages.values():
            page.latency = latency
    # From the seed to the first page of every host, so that all are known at once.
    return server, site


def commits(job: Job) -> list[dict[str, typing.Any]]:
    """Of each commit only the shards of its turn."""
    found = [json.loads(file.read_text()) for file in sorted((job.folder / "commits").glob("*.json"))]
    return [commit | {"shards": [shard for shard in commit["shards"] if shard["shard"] in commit["ran"]]} for commit in found]


class Memory:
    """The most that a driver and all that it started had in memory, by kind."""

    def __init__(self, driver: Driver) -> None:
        self.peak: dict[str, int] = {}
        self._driver = driver
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while self._driver.process.poll() is None:
            now: dict[str, int] = {}
            for pid in [self._driver.process.pid, *descendants(self._driver.process.pid)]:
                try:
                    kind = _kind(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
                    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                except OSError:
                    continue
                size = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
                now[kind] = now.get(kind, 0) + size
            now["all"] = sum(now.values())
            for kind, size in now.items():
                self.peak[kind] = max(self.peak.get(kind, 0), size)
            time.sleep(0.5)

    def __str__(self) -> str:
        return ", ".join(f"{kind} {size // 1024} MB" for kind, size in sorted(self.peak.items()))


def _kind(command: bytes) -> str:
    for mark, kind in ((b"\0worker\0", "workers"), (b"CoarseGrained", "executors' JVMs"), (b"SparkSubmit", "driver's JVM"), (b"daemon", "Pythons of tasks")):
        if mark in command:
            return kind
    return "driver"


def turns(folder: pathlib.Path) -> None:
    """What a turn costs beside its crawling."""
    server, site = web(folder, 48, 30_000, 0.1, None)
    try:
        server.serve(site)
        job = Job(folder / "overhead", site, turn="10s")
        with job.start("--turns", "7") as driver:
            memory = Memory(driver)
            driver.wait()
        for commit in commits(job):
            inside = [shard["seconds"] for shard in commit["shards"]]
            crawling = max(parts["crawling"] for parts in inside)
            opening, telling = (max(parts.get(name, 0) for parts in inside) for name in ("opening", "telling"))
            print(
                f"turn {commit['turn']}: {commit['seconds']:.2f} s, crawling {crawling:.2f}, workers opening {opening:.2f} and telling {telling:.2f}, "
                f"overhead {commit['seconds'] - crawling:.2f} s; {sum(s['pages'] for s in commit['shards'])} pages"
            )
        print(f"memory: {memory}")
    finally:
        server.close()


def share(folder: pathlib.Path) -> None:
    """Which part of a turn of ten minutes is crawling; a driver's first, before anything is warm."""
    server, site = web(folder, 48, 40_000, 1.0, None)
    try:
        server.serve(site)
        job = Job(folder / "share", site, turn="10m", delay=1.0)
        with job.start("--turns", "1") as driver:
            driver.process.wait(900)
        for commit in commits(job):
            crawling = max(shard["seconds"]["crawling"] for shard in commit["shards"])
            print(f"{commit['seconds']:.2f} s, crawling {crawling:.2f}: {100 * crawling / commit['seconds']:.1f} %")
    finally:
        server.close()


def scaling(folder: pathlib.Path) -> None:
    """Pages a second where hosts' delays and latency bound a shard: 2,000 hosts, delay 1 s, 200 ms until an answer begins."""
    server, site = web(folder, 2000, 40_000, 1.0, LATENCY)
    first = site.pages[site.hosts[0].name, "/"]
    first.links = [page for page in _firsts(site)]
    try:
        for shards in (1, 2, 4):
            server.wait_until_quiet()
            server.serve(site)
            job = Job(folder / f"{shards}", site, shards=shards, turn="20s", delay=1.0)
            config = job.folder / "config.yaml"
            config.write_text(config.read_text().replace("concurrency: 64", "concurrency: 16"))
            with job.start("--turns", "3") as driver:
                driver.wait()
            # In the first turn the other shards do not know anything yet.
            last = commits(job)[1:]
            pages = sum(shard["pages"] for commit in last for shard in commit["shards"])
            crawling = sum(max(shard["seconds"]["crawling"] for shard in commit["shards"]) for commit in last)
            print(f"{shards} shards: {pages} pages in {crawling:.1f} s of crawling: {pages / crawling:.1f} a second")
    finally:
        server.close()


def _firsts(site: Site) -> list[Page]:
    return [site.of_host(host)[0] for host in site.hosts]


def warc(folder: pathlib.Path) -> None:
    """Records a second from archives on one and on two executors."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    pages = sorted(pathlib.Path(os.environ["PAGES"]).rglob("*.html"))
    for number in range(8):
        with (folder / f"{number}.warc.gz").open("wb") as stream:
            writer = WARCWriter(stream, gzip=True)
            for repetition in range(3):
                for page in pages:
                    head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], "HTTP/1.1")
                    url = f"https://h{number}.example/{repetition}/{page.name}"
                    writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(page.read_bytes()), http_headers=head))
    for executors in (1, 2):
        with session(f"local-cluster[{executors},1,1024]", executors) as spark:
            assert slots_for(spark, executors, print) is None
            _pin()
            archives.read(spark, os.environ["PIPPIN"], [str(folder / "[01].warc.gz")], str(folder / f"warm-{executors}"))
            began = time.monotonic()
            found, count = archives.read(spark, os.environ["PIPPIN"], [str(folder / "*.warc.gz")], str(folder / f"out-{executors}"))
            seconds = time.monotonic() - began
            read = sum(archive.pages for archive in found)
            print(f"{executors} executors: {read} pages, {count} records in {seconds:.1f} s: {read / seconds:.0f} pages and {count / seconds:.0f} records a second")
    began = time.monotonic()
    lines = 0
    for number in range(8):
        result = subprocess.run([os.environ["PIPPIN"], "extract", "--warc", "--no-facts", str(folder / f"{number}.warc.gz")], capture_output=True)
        lines += result.stdout.count(b"\n")
    print(f"pippin alone, all cores: {lines / (time.monotonic() - began):.0f} pages a second")


def _pin() -> None:
    """Gives each executor, with what it starts, a core of its own: as if they were machines."""
    executors = [pid for pid in descendants(os.getpid()) if b"CoarseGrainedExecutorBackend" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()]
    for core, executor in enumerate(executors):
        for task in os.listdir(f"/proc/{executor}/task"):
            os.sched_setaffinity(int(task), {core})


#: Of a URL key: as long as those of real pages.
_KEY: typing.Final = "concat('https://www.host-', {0} % {1}, '.example.com/category/', {0} % 97, '/a-page-with-words-in-its-name-', {0})"


def rank(folder: pathlib.Path) -> None:
    """Reading the links of made-up pages from workers' lines, and ranking them. LINKS (10,000,000), ten a page."""
    from pippin_spark import linkgraph
    from pippin_spark.draft import Draft
    from pippin_spark.files import Files
    from pippin_spark.pagerank import pagerank
    from pippin_spark.rank import PAGES_OF_PARTITION, partitions

    links = int(os.environ.get("LINKS", "10000000"))
    pages = links // 10
    with session("local[2,4]", 2, {"spark.driver.memory": "4g"}) as spark, partitions(spark, pages // PAGES_OF_PARTITION):
        files = Files(spark, str(folder))
        lines = Draft(spark, files, "lines")
        began = time.monotonic()
        lines.kept("links", lambda: _lines(spark, pages))
        print(f"{pages:,} lines made in {time.monotonic() - began:.0f} s: {_megabytes(folder / 'lines')}", flush=True)
        draft = Draft(spark, files, "rank/000001.draft")
        began = time.monotonic()
        linkgraph.write(draft, lines.table("links"), None, None)
        seconds = time.monotonic() - began
        print(f"{draft.rows('pages-nodes'):,} nodes, {draft.rows('pages-links'):,} links: graph {seconds:.0f} s, {_megabytes(folder / 'rank')}", flush=True)
        began = time.monotonic()
        ranks = pagerank(draft, "pages", None, lambda words: print(words, flush=True))
        assert ranks is not None
        print(f"{ranks.rounds} rounds in {time.monotonic() - began:.0f} s, {_megabytes(folder / 'rank')}", flush=True)


def rounds(folder: pathlib.Path) -> None:
    """Ranking a made-up graph of numbers, then one of which a hundredth of the links differ, from 1 and from the first one's ranks. LINKS, CLUSTER=1."""
    from pippin_spark.draft import Draft
    from pippin_spark.files import Files
    from pippin_spark.pagerank import pagerank
    from pippin_spark.rank import PAGES_OF_PARTITION, partitions

    links = int(os.environ.get("LINKS", "100000000"))
    nodes = links // 10
    memory = 0 if "CLUSTER" in os.environ else None
    with session("local[2,4]", 2, {"spark.driver.memory": "4g"}) as spark, partitions(spark, nodes // PAGES_OF_PARTITION):
        files = Files(spark, str(folder))
        first, second = Draft(spark, files, "first"), Draft(spark, files, "second")
        last = None
        for draft, start in ((first, False), (second, False), (second, True)):
            if not draft.has("pages-links"):
                changed = 0 if draft is first else 100
                began = time.monotonic()
                draft.kept("pages-links", lambda changed=changed: _numbers(spark, nodes, changed))  # type: ignore[misc]
                draft.kept("pages-nodes", lambda: spark.range(nodes).select(f_hash("id")))
                print(f"{draft.rows('pages-links'):,} links made in {time.monotonic() - began:.0f} s", flush=True)
            for name in draft.names():
                if name.startswith(("pages-round", "pages-ranks", "pages-start")):
                    draft.drop(name)
            said: list[str] = []
            began = time.monotonic()
            ranks = pagerank(draft, "pages", last.grown if last is not None and start else None, lambda words: said.append(words), memory)
            assert ranks is not None
            seconds = time.monotonic() - began
            print(f"{'from the last ranks' if start else 'from 1'}: {ranks.rounds} rounds, {seconds:.0f} s in all; {said}; {_megabytes(folder)}", flush=True)
            status = pathlib.Path("/proc/self/status").read_text()
            print("driver's Python at the most:", next(line for line in status.splitlines() if line.startswith("VmHWM")), flush=True)
            last = last or ranks


def f_hash(number: str) -> typing.Any:
    from pyspark.sql import functions as f

    return f.xxhash64(number).alias("id")


#: Of ten links of a page six go near it, as on its own site; the others go to all pages, to few of them most often (a power law, exponent 2.1).
_TARGET: typing.Final = (
    "if(link < 6, pmod(page + pmod(hash(page, link, {1}), 200) - 100, {0}), "
    "pmod(cast(pow(pmod(xxhash64(page, link, {1}), 1000000007) / 1000000007d, 11) * {0} as long), {0}))"
)


def _links(spark: typing.Any, pages: int, changed: int) -> typing.Any:
    """`page`, `link`, `target`. `changed`: of each so many pages, all links of one are others."""
    range_ = spark.range(pages).selectExpr("id as page", "explode(sequence(0, 9)) as link")
    seed = f"if({changed} > 0 and page % {max(1, changed)} = 0, 3, 2)"
    return range_.selectExpr("page", "link", _TARGET.format(pages, seed) + " as target")


def _numbers(spark: typing.Any, pages: int, changed: int) -> typing.Any:
    rows = _links(spark, pages, changed).where("page <> target").dropDuplicates(["page", "target"])
    return rows.selectExpr("xxhash64(page) as source", "xxhash64(target) as target", "cast(1 as float) as weight")


def _lines(spark: typing.Any, pages: int) -> typing.Any:
    """As workers tell them."""
    hosts_ = max(1, pages // 500)
    urls = _links(spark, pages, 0).selectExpr("page", _KEY.format("target", hosts_) + " as url")
    # Ten rows of a page lie together: no shuffle.
    return urls.groupBy("page").agg({"url": "collect_list"}).selectExpr(
        "cast(page % 16 as int) as shard",
        _KEY.format("page", hosts_) + " as key",
        "to_json(named_struct('record', " + _KEY.format("page", hosts_) + ", 'followed', `collect_list(url)`, 'simHash', hex(xxhash64(page)))) as json",
    )


def _megabytes(folder: pathlib.Path) -> str:
    return f"{sum(file.stat().st_size for file in folder.rglob('*') if file.is_file()) / 1e6:,.0f} MB on disk"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="pippin-bench-") as name:
        {"turns": turns, "share": share, "scaling": scaling, "warc": warc, "rank": rank, "rounds": rounds}[sys.argv[1]](pathlib.Path(name))
