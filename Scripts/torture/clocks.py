"""The machine's calendar is set, forwards and backwards, between runs and during one."""
import datetime
import json
import pathlib
import shutil
import signal
import struct
import subprocess
import time
import typing

import proofs
from job import Job, Run, Settings
from madeupweb import Mishap, Site
from small import Stage, plain_hosts

DELAY: typing.Final = 0.3
HOUR: typing.Final = 3600
#: What the host that is left asks for, more than a run waits.
LONG_REST: typing.Final = 5
SOURCE: typing.Final = pathlib.Path(__file__).with_name("calendar.c")


def compiler() -> str | None:
    """Any C compiler; the Swift toolchain has one."""
    return next((path for name in ("cc", "clang", "gcc") if (path := shutil.which(name))), None)


class Calendar:
    """The calendar that a run sees; it can be set while the run goes on."""

    def __init__(self, folder: pathlib.Path, compiler: str) -> None:
        self._file = folder / "calendar"
        self._file.write_bytes(bytes(8))
        library = folder / "calendar.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, SOURCE], check=True)
        self._environment = {"LD_PRELOAD": str(library), "TORTURE_CALENDAR": str(self._file)}

    def start(self, job: Job) -> Run:
        return job.start(self._environment)

    def set(self, offset: int) -> None:
        """In one write, which no reader sees half of."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(struct.pack("@q", offset))


def run(stage: Stage, compiler: str) -> None:
    calendar = Calendar(stage.folder, compiler)
    _between(stage, calendar)
    _during(stage, calendar)
    _suspension(stage, calendar)


def _finish(stage: Stage, job: Job, site: Site, calendar: Calendar, what: str) -> None:
    run = calendar.start(job)
    status = run.wait()
    stage.server.wait_until_quiet()
    problems = [] if status == 0 else [f"status {status}: {run.said()}"]
    problems += [f"{url} has no record" for url in sorted(site.recorded - set(job.records()))]
    stage.telling.none(problems, f"{what}: never stuck, all {len(site.recorded)} records after {run.end - job.runs[0].start:.0f} s")
    proofs.politeness(stage.telling, stage.evidence(site, job))


def _between(stage: Stage, calendar: Calendar) -> None:
    site = stage.site(plain_hosts(3, DELAY, retry_after=2), 60)
    for host in site.hosts:
        site.of_host(host)[3].mishap = Mishap.BLOCKS
    job = stage.job("steps-between", site, Settings(delay=DELAY))
    for number, offset in enumerate((0, HOUR, 0, -HOUR, HOUR, -HOUR)):
        calendar.set(offset)
        run = calendar.start(job)
        asked = len(stage.server.log)
        stage.wait_for_requests(run, asked + 6)
        if number % 2:
            run.signal(signal.SIGINT)
            run.wait()
        else:
            run.kill()
        stage.server.wait_until_quiet()
    calendar.set(0)
    _finish(stage, job, site, calendar, "the calendar set an hour forwards and backwards between runs, six times")
    _prove_it_was_set(stage, job)


def _prove_it_was_set(stage: Stage, job: Job) -> None:
    """From the crawl log, which is in the calendar's time."""
    now = datetime.datetime.now(datetime.timezone.utc)
    texts = [json.loads(line)["time"].replace("Z", "+00:00") for line in job.log_file.read_text().splitlines()]
    times = [datetime.datetime.fromisoformat(text) for text in texts]
    hours = {round((moment - now).total_seconds() / HOUR) for moment in times}
    stage.telling.check(hours == {-1, 0, 1}, "the crawler saw the calendar that was set", [f"hours: {hours}"])


def _during(stage: Stage, calendar: Calendar) -> None:
    site = stage.site(plain_hosts(3, DELAY, retry_after=1), 45)
    for host in site.hosts:
        site.of_host(host)[3].mishap = Mishap.BLOCKS
    job = stage.job("steps-during", site, Settings(delay=DELAY))
    calendar.set(0)
    run = calendar.start(job)
    for requests, offset in ((6, HOUR), (12, -HOUR), (20, 0), (26, -HOUR)):
        stage.wait_for_requests(run, requests)
        calendar.set(offset)
    status = run.wait()
    stage.server.wait_until_quiet()
    problems = [] if status == 0 else [f"status {status}: {run.said()}"]
    problems += [f"{url} has no record" for url in sorted(site.recorded - set(job.records()))]
    stage.telling.none(
        problems, f"set four times during a run: never stuck, all {len(site.recorded)} records after {run.end - run.start:.0f} s")
    proofs.politeness(stage.telling, stage.evidence(site, job))
    proofs.blocks(stage.telling, stage.evidence(site, job), 16)
    _prove_it_was_set(stage, job)


def _suspension(stage: Stage, calendar: Calendar) -> None:
    """A host that was left for a later run must not be left an hour longer because the calendar was set back."""
    site = stage.site(plain_hosts(2, DELAY, retry_after=LONG_REST), 20)
    resting = site.hosts[1]
    site.of_host(resting)[1].mishap = Mishap.BLOCKS
    job = stage.job("suspended", site, Settings(delay=DELAY, maximum_wait=1))
    calendar.set(0)
    first = calendar.start(job)
    first.wait()
    left = len(site.recorded) - len(job.records())
    asked_at = next(request.end or first.end for request in stage.server.log if request.retry_after)
    calendar.set(-HOUR)
    # A job that comes again and again, as a timer starts it, until some time after the rest.
    while time.monotonic() < asked_at + 3 * LONG_REST and len(job.records()) < len(site.recorded):
        calendar.start(job).wait()
        time.sleep(0.5)
    stage.telling.check(
        left > 0 and set(job.records()) == site.recorded,
        f"a host left alone for {LONG_REST} s, by wish, while the calendar is set an hour back: its {left} pages are visited after "
        f"{job.runs[-1].end - asked_at:.0f} s, in run {len(job.runs)}",
        [f"{len(site.recorded - set(job.records()))} pages have no record", job.runs[-1].said()])
    proofs.politeness(stage.telling, stage.evidence(site, job))
    proofs.blocks(stage.telling, stage.evidence(site, job), 0)
