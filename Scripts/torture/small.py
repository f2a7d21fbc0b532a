"""What the parts after the first have in common: a small site of their own, and what must be true of it in the end."""
import contextlib
import pathlib
import typing

import proofs
from consumer import needless
from job import Job, Run, Settings
from madeupweb import Host, Site
from server import Server
from telling import Telling


class Stage:
    """A server, a site, a job, and the telling of what becomes of them."""

    def __init__(self, folder: pathlib.Path, binary: pathlib.Path, telling: Telling) -> None:
        self.folder = folder
        self.binary = binary
        self.telling = telling
        self.server = Server()

    @classmethod
    @contextlib.contextmanager
    def lit(cls, folder: pathlib.Path, binary: pathlib.Path, telling: Telling) -> typing.Iterator["Stage"]:
        stage = cls(folder, binary, telling)
        try:
            yield stage
        finally:
            stage.server.close()

    def site(self, hosts: list[Host], pages: int, *, latency: float = 0.002) -> Site:
        """A site on which nothing goes wrong of itself."""
        port = self.server.port or self.server.listen([f"127.0.2.{i}" for i in range(1, 9)])
        site = Site(hosts, pages, port, seed=1, with_trouble=False)
        for page in site.pages.values():
            page.latency = latency
        self.server.serve(site)
        return site

    def job(self, name: str, site: Site, settings: Settings, **places: pathlib.Path) -> Job:
        return Job(self.folder / name, self.binary, site, settings, places)

    def wait_for_requests(self, run: Run, count: int) -> bool:
        """Whether the run was still going on when the server had so many."""
        self.server.wait_until(
            lambda: len(self.server.log) >= count or run.process.poll() is not None, f"{count} requests")
        return run.process.poll() is None

    def finish(self, job: Job, site: Site) -> tuple[int, list[str]]:
        """A last run, and what is wrong after it."""
        run = job.start()
        status = run.wait()
        self.server.wait_until_quiet()
        problems = [] if status == 0 else [f"status {status}: {run.said()}"]
        if status in (0, 4):
            records = job.records()
            problems += [f"{url} has no record" for url in sorted(site.recorded - set(records))]
            problems += needless(job.record_lines()[0])
            if (verdict := job.integrity()) != "ok":
                problems.append(verdict)
        return status, problems

    def evidence(self, site: Site, job: Job) -> proofs.Evidence:
        return proofs.Evidence(site, self.server.log, job.runs)

    def fetched_more_than_once(self) -> list[str]:
        counts: dict[str, int] = {}
        for request in self.server.log:
            if request.path != "/robots.txt":
                url = f"http://{request.host}{request.path}"
                counts[url] = counts.get(url, 0) + 1
        return [f"{url} was fetched {count} times" for url, count in counts.items() if count > 1]


def plain_hosts(count: int, delay: float, retry_after: int | None = None) -> list[Host]:
    return [Host(f"127.0.2.{i}", f"127.0.2.{i}", delay, retry_after=retry_after) for i in range(1, count + 1)]


def one_sentence(run: Run, *words: str) -> list[str]:
    """What is wrong with a message that should be one line for a person, with one of the words in it."""
    said = run.said()
    lines = said.splitlines()
    problems = []
    if len(lines) != 1 or not said.startswith("pippin: "):
        problems.append(f"run {run.number} says {len(lines)} lines: {said[:300]}")
    if not any(word in said for word in words):
        problems.append(f"run {run.number} says none of {words}: {said[:300]}")
    return problems
