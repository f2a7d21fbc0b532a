"""A job on a cluster gives what one machine gives, however its parts die. Real workers, real HTTP, two executors."""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import typing

import pytest
from cluster import HANGS_AFTER, LOCAL, MASTER, QUICK_TO_GIVE_UP, SHARED, Behavior, Job, Seen, Server, Site, delivered, hosts, pippin, plain, popularity
from pyspark.sql import SparkSession

from pippin_spark import records
from pippin_spark.files import Files
from pippin_spark.job import Job as SparkJob
from pippin_spark.told import read_lines

pytestmark = pytest.mark.skipif("PIPPIN" not in os.environ, reason="PIPPIN names no program: use make spark-test")

DELAY = 0.1
#: Visits in flight of one worker, as the jobs here configure it.
CONCURRENCY = 64


class World:
    """A web and its server, and jobs on it."""

    def __init__(self, folder: pathlib.Path, count: int, pages: int, shared: int = 0, crawl_delays: int = 0) -> None:
        self.folder = folder
        self.server = Server()
        everybody = hosts(count, DELAY, shared, crawl_delays)
        port = self.server.listen(sorted({host.address for host in everybody}))
        self.site = Site(everybody, pages, port, seed=7)
        # A page that always fails would make its host rest for half a minute, on one machine as in a cluster.
        for page in self.site.pages.values():
            if page.behavior is Behavior.BROKEN:
                page.behavior, page.status = Behavior.MISSING, 404
        self._calm: dict[str, str] | None = None

    def begin(self) -> None:
        """An empty log."""
        self.server.wait_until_quiet()
        self.server.serve(self.site)

    @property
    def seen(self) -> Seen:
        return Seen(self.site, list(self.server.log))

    def calm(self) -> dict[str, str]:
        """The records of one machine."""
        if self._calm is None:
            self.begin()
            self._calm = Job(self.folder / "one machine", self.site).crawl()
        return self._calm


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> typing.Iterator[World]:
    """Two hundred hosts, six of them at one address."""
    world = World(tmp_path_factory.mktemp("large"), 200, 1000, shared=6, crawl_delays=8)
    yield world
    world.server.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> typing.Iterator[World]:
    """Thirty hosts with pages for some ten seconds."""
    world = World(tmp_path_factory.mktemp("small"), 30, 900)
    yield world
    world.server.close()


def job_records(spark: SparkSession, folder: pathlib.Path) -> dict[str, str]:
    rows = records.records(spark, SparkJob(Files(spark, str(folder))))
    found = rows.collect()
    assert len({row["key"] for row in found}) == len(found), "an identifier twice"
    return {row["key"]: row["json"] for row in found}


def same_as_one_machine(spark: SparkSession, world: World, job: Job) -> None:
    calm, found = world.calm(), job_records(spark, job.folder)
    assert found.keys() == calm.keys()
    different = [key for key in calm if plain(calm[key]) != plain(found[key])]
    assert not different, f"{len(different)} differ: {calm[different[0]]} {found[different[0]]}"


def told_once(spark: SparkSession, job: Job) -> None:
    """Nobody is told the same change twice."""
    spark_job = SparkJob(Files(spark, str(job.folder)))
    lines = read_lines(spark, spark_job, "record", spark_job.turns())
    assert lines is not None
    assert lines.count() == lines.dropDuplicates(["shard", "sequence"]).count()


def refetched(seen: Seen) -> list[str]:
    return [url for url, count in seen.pages().items() if count > 1]


def unharmed(spark: SparkSession, world: World, job: Job, again: int) -> None:
    """Each change was told once, and all that `unharmed_at_servers` says."""
    told_once(spark, job)
    unharmed_at_servers(spark, world, job, again)


def unharmed_at_servers(spark: SparkSession, world: World, job: Job, again: int) -> None:
    """The job's records are those of one machine, no pause was too short, and at most `again` pages were fetched twice."""
    same_as_one_machine(spark, world, job)
    seen = world.seen
    pages = refetched(seen)
    print(f"{job.folder.name}: {len(seen.pages())} pages, {len(pages)} of them fetched again (at most {again}), shortest pause {seen.least_pause() * 1000:.1f} ms")
    assert len(pages) <= again, pages
    assert not seen.impolite()


def test_two_hundred_hosts_in_four_shards_give_what_one_machine_gives(spark: SparkSession, large: World) -> None:
    calm = large.calm()
    large.begin()
    job = Job(large.folder / "cluster", large.site)
    said = job.run()
    same_as_one_machine(spark, large, job)
    told_once(spark, job)
    seen = large.seen
    assert not refetched(seen)
    assert not seen.impolite()
    assert set(seen.rules().values()) == {1}, "robots.txt is not asked for once a host"
    assert not [page for page in large.site.pages.values() if page.behavior is Behavior.PRIVATE and (page.host.name, page.path) in seen.asked()]
    gaps = seen.at_address(SHARED)
    assert len(gaps) > 50 and min(gaps) >= DELAY, f"five requests to a shared address {min(gaps) * 1000:.0f} ms apart"
    # Popularity is that of the whole graph, in every shard.
    found = job_records(spark, job.folder)
    different = [key for key in calm if abs((popularity(calm[key]) or 0) - (popularity(found[key]) or 0)) > 1e-6]
    assert not different, f"{len(different)} popularities differ: {calm[different[0]]} {found[different[0]]}"
    assert "Done after" in said and "no request came before its host's delay had passed" in said


def test_a_killed_executor_costs_nothing(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "killed executor", small.site, turn="8s")
    with job.start("--no-rank") as driver:
        small.server.wait_until(lambda: len(small.server.log) > 200, "asked for 200 pages", HANGS_AFTER)
        in_flight = len(small.server.in_flight())
        kill(driver.executors()[0])
        driver.succeed()
    assert in_flight <= CONCURRENCY
    unharmed(spark, small, job, again=CONCURRENCY)


def test_a_frozen_executor_costs_nothing(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "frozen executor", small.site, turn="8s")
    frozen = None
    with job.start("--no-rank", *QUICK_TO_GIVE_UP) as driver:
        try:
            small.server.wait_until(lambda: len(small.server.log) > 200, "asked for 200 pages", HANGS_AFTER)
            frozen = driver.executors()[0]
            os.kill(frozen, signal.SIGSTOP)
            wait_for(lambda: "turn 1:" in driver.said() or driver.process.poll() is not None, 120)
        finally:
            if frozen is not None:
                kill(frozen)
        driver.succeed()
    unharmed(spark, small, job, again=CONCURRENCY)


def test_a_killed_driver_is_followed_by_one_that_ends_the_turn(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "killed driver", small.site, turn="8s")
    with job.start("--no-rank") as driver:
        small.server.wait_until(lambda: len(small.server.log) > 200, "asked for 200 pages", HANGS_AFTER)
        driver.kill()
    job.run("--no-rank")
    unharmed(spark, small, job, again=CONCURRENCY)


def test_machines_without_a_common_disk_share_a_job(spark: SparkSession, small: World) -> None:
    """Each executor has storages of its own, in the folder in which Spark has started it. One dies, and its disk with it."""
    small.calm()
    small.begin()
    job = Job(small.folder / "own disks", small.site, turn="3s")
    with job.start("--no-rank", "--storages", "storages") as driver:
        small.server.wait_until(lambda: len(small.server.log) > 400, "asked for 400 pages", HANGS_AFTER)
        kill(driver.executors()[0])
        driver.succeed()
    # What a try of two shards had read is gone with its disk.
    unharmed(spark, small, job, again=len(small.site.pages) // 2)
    assert not (job.folder / "shards").exists()


def test_a_machine_that_stood_still_asks_nobody_when_it_goes_on(spark: SparkSession, small: World) -> None:
    """All its processes, also the workers: only their own clock tells them that the shards are another machine's by now."""
    small.calm()
    small.begin()
    job = Job(small.folder / "frozen machine", small.site, turn="8s")
    with job.start("--no-rank", "--storages", "storages", *QUICK_TO_GIVE_UP) as driver:
        small.server.wait_until(lambda: len(small.server.log) > 200, "asked for 200 pages", HANGS_AFTER)
        frozen = processes_of(driver.executors()[0])
        try:
            for process in frozen:
                os.kill(process, signal.SIGSTOP)
            wait_for(lambda: "turn 1:" in driver.said() or driver.process.poll() is not None, 200)
        finally:
            for process in frozen:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)
        driver.succeed()
    assert len(frozen) >= 4, "an executor, the Pythons of its tasks, its workers"
    unharmed(spark, small, job, again=len(small.site.pages) // 2)


def test_a_lost_disk_costs_nothing(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "lost disk with a snapshot", small.site, turn="3s")
    job.run("--turns", "3", "--no-rank", master=LOCAL)
    shutil.rmtree(job.folder / "shards/02")
    job.run("--no-rank", master=LOCAL)
    unharmed(spark, small, job, again=0)


def test_a_lost_disk_costs_the_pages_of_its_shard_without_snapshots(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "lost disk", small.site, turn="3s", cluster=", snapshots: false")
    job.run("--turns", "3", "--no-rank", master=LOCAL)
    before = set(small.seen.pages())
    lost = set(shard_keys(spark, job, 2))
    shutil.rmtree(job.folder / "shards/02")
    with job.start("--no-rank", master=LOCAL) as driver:
        assert driver.wait() == 6
        assert "shard 2: its storage" in driver.said() and "`--rebuild 2`" in driver.said()
    said = job.run("--no-rank", "--rebuild", "2", master=LOCAL)
    assert "shard 2: made anew" in said
    # What was told of the lost shard is told again: nobody remembers how far it was.
    same_as_one_machine(spark, small, job)
    print(f"lost disk: {len(before)} pages before, {len(refetched(small.seen))} fetched again")
    hosts_of_lost = {url.split("/")[2] for url in lost}
    others = [url for url in refetched(small.seen) if url.split("/")[2] not in hosts_of_lost]
    # Their workers were ended with the one that had no storage.
    assert len(others) <= 3 * CONCURRENCY, "another shard's pages were fetched again"
    assert 0 < len(refetched(small.seen)) <= len(before) + len(others)
    assert not small.seen.impolite()


def test_a_turn_that_was_written_by_half_is_told_again(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "half a turn", small.site, turn="3s")
    # The first turn finds addresses; in the second, pages may wait at its end for files of their sites, and are fetched again.
    job.run("--turns", "3", "--no-rank", master=LOCAL)
    last = max((job.folder / "commits").glob("*.json"))
    last.unlink()
    [turn] = (job.folder / "turns").glob(f"{last.stem}-*")
    for file in turn.rglob("*.parquet"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    turn.rename(turn.with_name(f".{last.stem}.draft"))
    job.run("--no-rank", master=LOCAL)
    unharmed(spark, small, job, again=0)


def test_of_two_drivers_at_once_the_second_is_refused(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "two drivers", small.site, turn="8s")
    with job.start("--no-rank") as first:
        small.server.wait_until(lambda: len(small.server.log) > 50, "crawled 50 pages", HANGS_AFTER)
        with job.start("--no-rank", master=LOCAL) as second:
            assert second.wait() == 7, second.said()
            assert f"another driver has this job: process {first.process.pid}" in second.said()
        first.succeed()
    unharmed(spark, small, job, again=0)


def test_a_job_moves_from_four_shards_to_three(spark: SparkSession, small: World) -> None:
    small.calm()
    small.begin()
    job = Job(small.folder / "reshard", small.site, turn="3s")
    job.run("--turns", "3", "--no-rank", master=LOCAL)
    job.configure(shards=3)
    assert "3 shards now" in job.run(command="reshard", master="local[3,4]")
    job.run("--no-rank", master="local[3,4]")
    assert sorted(path.name for path in (job.folder / "shards").iterdir()) == ["00", "01", "02"]
    # New storages have new numbers of changes, and tell everything once more.
    # A page that led to URLs which another shard has now is read again if a nearer way to it is found.
    unharmed_at_servers(spark, small, job, again=20)
    assert set(small.seen.rules().values()) == {1}


def test_a_job_that_has_lost_all_disks_moves_to_another_number_of_shards(spark: SparkSession, small: World) -> None:
    """Its old storages are made from snapshots, and its new ones again."""
    small.calm()
    small.begin()
    job = Job(small.folder / "reshard without disks", small.site, turn="3s")
    job.run("--turns", "3", "--no-rank", master=LOCAL)
    shutil.rmtree(job.folder / "shards")
    job.configure(shards=3)
    assert "3 shards now" in job.run(command="reshard", master="local[3,4]")
    shutil.rmtree(job.folder / "shards")
    job.run("--no-rank", master="local[3,4]")
    unharmed_at_servers(spark, small, job, again=20)
    assert sorted(path.name for path in (job.folder / "snapshots").iterdir()) == ["00", "01", "02"]


def shard_keys(spark: SparkSession, job: Job, shard: int) -> list[str]:
    spark_job = SparkJob(Files(spark, str(job.folder)))
    lines = read_lines(spark, spark_job, "links", spark_job.turns())
    assert lines is not None
    return [row["key"] for row in lines.where(f"shard = {shard}").collect()]


def processes_of(pid: int) -> list[int]:
    """A process and all below it."""
    below: dict[int, list[int]] = collections.defaultdict(list)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name, _, fields = stat.read_text().rpartition(")")
            below[int(fields.split()[1])].append(int(name.split()[0]))
    found = [pid]
    for process in found:
        found += below[process]
    return found


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def wait_for(condition: typing.Callable[[], bool], seconds: float) -> None:
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last, "it did not happen in time"
        time.sleep(0.1)


def test_the_demo_job_gives_what_one_machine_gives(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    """https, a certificate of its own, association files, redirects, canonical pages, a host whose robots.txt cannot be fetched."""
    folder = tmp_path / "demo"
    with subprocess.Popen(
        [pippin(), "demo", "--port", "0", "--http-port", "0", "--folder", folder], cwd=pathlib.Path(__file__).parents[2], stdout=subprocess.PIPE
    ) as demo:
        try:
            assert demo.stdout is not None and demo.stdout.readline(), "the demo does not begin"
            text = (folder / "crawl-config.yaml").read_text()
            lines = [line for line in text.splitlines() if not line.startswith(("recrawl:", "storage:", "output:"))]
            (folder / "config.yaml").write_text("\n".join([*lines, "cluster: { shards: 4, turn: 6s, links: true }", ""]))
            (folder / "alone.yaml").write_text("\n".join([*lines, "storage: alone", "output: { ndjson: alone.ndjson }", ""]))
            alone = subprocess.run([pippin(), "crawl", "--config", folder / "alone.yaml", "--quiet"], timeout=120)
            arguments = ["run", str(folder), "--master", MASTER, "--pippin", pippin()]
            cluster = subprocess.run([sys.executable, "-m", "pippin_spark", *arguments], cwd=pathlib.Path(__file__).parents[1], capture_output=True, text=True)
            # One of its seeds fails on purpose.
            assert (alone.returncode, cluster.returncode) == (3, 3), cluster.stderr
        finally:
            demo.terminate()
    calm = delivered((folder / "alone.ndjson").read_text())
    found = job_records(spark, folder)
    assert len(calm) == 64 and found.keys() == calm.keys()
    different = [key for key in calm if plain(calm[key]) != plain(found[key])]
    assert not different, f"{len(different)} differ: {calm[different[0]]} {found[different[0]]}"
    assert all(abs((popularity(calm[key]) or 0) - (popularity(found[key]) or 0)) <= 1e-6 for key in calm)
