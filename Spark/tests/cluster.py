"""A job on a made-up web, run by a driver in a process of its own, and what the web's server saw of it.

The web and its server are those of `make torture`.
"""
import collections
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import typing

sys.path.append(str(pathlib.Path(__file__).parents[2] / "Scripts/torture"))

from madeupweb import Behavior, Host, Site  # noqa: E402
from server import ROBOTS, Request, Server  # noqa: E402

__all__ = ["Behavior", "Driver", "Host", "Job", "Seen", "Server", "Site", "hosts", "plain", "delivered", "pippin"]

MASTER: typing.Final = "local-cluster[2,2,1024]"
#: Without executors of its own: for what does not depend on them.
LOCAL: typing.Final = "local[4,4]"
SHARED: typing.Final = "127.0.0.1"
#: A run that takes longer hangs.
HANGS_AFTER: typing.Final = 400
#: An executor that stands still is given up after seconds, not a minute.
QUICK_TO_GIVE_UP: typing.Final = [
    "--conf", "spark.executor.heartbeatInterval=1s", "--conf", "spark.executor.heartbeat.maxFailures=5",
    "--conf", "spark.network.timeout=8s", "--conf", "spark.network.timeoutInterval=2s",
]  # fmt: skip


def pippin() -> str:
    """The program under test; `make spark-test` names it."""
    return os.environ["PIPPIN"]


def hosts(count: int, delay: float, shared: int = 0, crawl_delays: int = 0) -> list[Host]:
    """Hosts with an address for each, and some at one address, which belong to different shards."""
    alone = count - shared
    return [
        *(
            Host(f"127.0.{3 + i // 200}.{1 + i % 200}", f"127.0.{3 + i // 200}.{1 + i % 200}", delay, crawl_delay=4 * delay if i < crawl_delays else None)
            for i in range(alone)
        ),
        *(Host(f"shop-{i}.localhost", SHARED, delay) for i in range(shared)),
    ]


@dataclasses.dataclass
class Seen:
    """The server's log of a job."""

    site: Site
    log: list[Request]

    def pages(self) -> collections.Counter[str]:
        """How often each URL but site files was answered; what the site itself let fail does not count."""
        return collections.Counter(
            f"http://{request.host}:{self.site.port}{request.path}"
            for request in self.log
            if request.path not in (ROBOTS, "/sitemap.xml") and request.is_answered and not request.has_failed
        )

    def asked(self) -> collections.Counter[tuple[str, str]]:
        return collections.Counter((request.host, request.path) for request in self.log if not request.has_failed)

    def rules(self) -> collections.Counter[str]:
        return collections.Counter(request.host for request in self.log if request.path == ROBOTS)

    def impolite(self) -> list[str]:
        """Requests to a host before its delay had passed since the one before."""
        of_host: dict[str, list[Request]] = collections.defaultdict(list)
        for request in sorted(self.log, key=lambda request: request.start):
            of_host[request.host].append(request)
        problems = []
        for host in self.site.hosts:
            rule = max(host.delay, host.crawl_delay or 0)
            for before, after in itertools.pairwise(of_host[host.name]):
                # A worker that is killed before it has read its robots.txt does not know a Crawl-delay.
                wanted = host.delay if before.path == ROBOTS else rule
                gap = after.start - (before.end or after.start)
                if gap < wanted:
                    problems.append(f"{host.name}: {before.path}, then {after.path} after {gap * 1000:.1f} ms, not {wanted * 1000:.0f} ms")
        return problems

    def least_pause(self) -> float:
        gaps = []
        for host in self.site.hosts:
            own = sorted((request for request in self.log if request.host == host.name), key=lambda request: request.start)
            gaps += [after.start - (before.end or after.start) for before, after in itertools.pairwise(own)]
        return min(gaps, default=float("inf"))

    def at_address(self, address: str) -> list[float]:
        """Seconds between the starts of requests to an address, each of four in a row.

        The way from a worker's decision to the server's clock is not the same for any two requests, least on a loaded machine;
        shards that knew nothing of each other would take half of the time.
        """
        starts = sorted(request.start for request in self.log if request.address == address)
        return [(fifth - first) / 4 for first, fifth in zip(starts, starts[4:])]


class Job:
    """A job's folder, and one that one machine crawls by the same configuration."""

    def __init__(self, folder: pathlib.Path, site: Site, *, shards: int = 4, turn: str = "5s", cluster: str = "", delay: float = 0.1) -> None:
        self.folder = folder
        self.site = site
        self._turn, self._cluster, self._delay = turn, cluster, delay
        folder.mkdir(parents=True)
        # Every host is a seed: all shards have work from the first turn on, and the driver knows all addresses after it.
        seeds = [site.url(site.of_host(host)[0]) for host in site.hosts]
        (folder / "seeds.txt").write_text("\n".join(seeds) + "\n")
        self.configure(shards)

    def configure(self, shards: int) -> None:
        (self.folder / "config.yaml").write_text(
            "seeds: seeds.txt\n"
            "scope: { follow: any, max_depth: 100 }\n"
            f"politeness: {{ delay: {round(self._delay * 1000)}ms, delay_per_address: {round(self._delay * 1000)}ms, max_crawl_delay: 1s, adaptive: false }}\n"
            "fetch: { concurrency: 64, retry_delay: 1s, allow_private_networks: true }\n"
            "records: all\n"
            f"storage: {self.folder}/storage\n"
            f"output: {{ ndjson: {self.folder}/records.ndjson }}\n"
            f"cluster: {{ shards: {shards}, turn: {self._turn}, links: true{self._cluster} }}\n"
        )

    def crawl(self) -> dict[str, str]:
        """As one machine."""
        subprocess.run([pippin(), "crawl", "--config", self.folder / "config.yaml", "--quiet"], check=True, timeout=HANGS_AFTER)
        return delivered((self.folder / "records.ndjson").read_text())

    def start(self, *arguments: str, command: str = "run", master: str = MASTER) -> "Driver":
        return Driver(self, [command, str(self.folder), "--master", master, *arguments])

    def run(self, *arguments: str, command: str = "run", master: str = MASTER) -> str:
        """Runs a driver to its end, and returns what it said."""
        with self.start(*arguments, command=command, master=master) as driver:
            return driver.succeed()


class Driver:
    """A driver in a process of its own."""

    def __init__(self, job: Job, arguments: list[str]) -> None:
        self._log = job.folder / f"driver-{time.monotonic_ns()}.txt"
        if arguments[0] in ("run", "turn", "reshard"):
            arguments += ["--pippin", pippin()]
        with self._log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pippin_spark", *arguments],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=pathlib.Path(__file__).parents[1], start_new_session=True,
            )  # fmt: skip

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self.family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        return self._log.read_text(errors="replace")

    def wait(self) -> int:
        try:
            return self.process.wait(HANGS_AFTER)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the driver hangs: {self.said()[-4000:]}") from None

    def succeed(self) -> str:
        status = self.wait()
        assert status == 0, f"status {status}: {self.said()[-6000:]}"
        return self.said()

    def kill(self) -> None:
        """kill -9 of the driver and its JVM; executors are left to find out."""
        jvms = [pid for pid in self.family() if b"org.apache.spark.deploy.SparkSubmit" in command_line(pid)]
        for pid in [self.process.pid, *jvms]:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def executors(self) -> list[int]:
        return [pid for pid in self.family() if b"CoarseGrainedExecutorBackend" in command_line(pid)]

    def workers(self, executor: int) -> list[int]:
        """The `pippin worker` processes below an executor."""
        return [pid for pid in descendants(executor) if b"\0worker\0" in command_line(pid)]

    def family(self) -> list[int]:
        return [self.process.pid, *descendants(self.process.pid)] if self.process.poll() is None else []


def descendants(root: int) -> list[int]:
    parents: dict[int, list[int]] = collections.defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                stat = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                parents[int(stat[1])].append(int(entry))
    found, open_ones = [], [root]
    while open_ones:
        children = parents[open_ones.pop()]
        found += children
        open_ones += children
    return found


def command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def delivered(text: str) -> dict[str, str]:
    """What a consumer has of a file of records: the last line of each, with the popularity that came later."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        fields = json.loads(line)
        before = lines.pop(fields["uniqueIdentifier"], None)
        if fields.keys() == {"uniqueIdentifier", "popularity"}:
            assert before is not None, f"no record of {line}"
            line = re.sub(_POPULARITY, "", before).replace("{", f'{{"popularity":{fields["popularity"]},', 1)
        if "deleted" not in fields:
            lines[fields["uniqueIdentifier"]] = line
    return lines


_POPULARITY: typing.Final = r'"popularity":[0-9.]+,?|,?"popularity":"link-graph"'


def plain(line: str) -> str:
    """A record without the moments of visits and without popularity."""
    line = re.sub(r'"fetchedAt":"[^"]*"', '"fetchedAt":""', line)
    line = re.sub(r'"since":"[^"]*"', '"since":""', line)
    return re.sub(_POPULARITY, "", line)


def popularity(line: str) -> float | None:
    value = json.loads(line).get("popularity")
    return None if value is None else float(value)
