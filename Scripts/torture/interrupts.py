"""Signals, and a second run beside the first."""
import signal
import typing

import proofs
from job import Settings
from madeupweb import Mishap, Site
from small import Stage, one_sentence, plain_hosts

DELAY: typing.Final = 0.1
LATENCY: typing.Final = 0.3
PAGES: typing.Final = 15


def run(stage: Stage) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        _first(stage, number)
    _second(stage)


def run_beside(stage: Stage) -> None:
    """Another run of the same job is turned away."""
    site = stage.site(plain_hosts(3, DELAY), PAGES, latency=LATENCY)
    job = stage.job("locked", site, Settings(delay=DELAY))
    first = job.start()
    stage.wait_for_requests(first, 4)
    second = job.start()
    status = second.wait()
    third = job.start()
    third.kill()
    stage.telling.check(
        status == 7 and not one_sentence(second, str(first.process.pid)),
        f"a second run of the job ends with status {status}: “{second.said()}”", [second.said()])
    status = first.wait()
    problems = [f"status {status}: {first.said()}"] if status else []
    problems += [f"{url} has no record" for url in sorted(site.recorded - set(job.records()))]
    problems += stage.fetched_more_than_once()
    stage.telling.none(problems, f"the first is not disturbed: status {status}, all {len(site.recorded)} records, nothing fetched twice")


def _first(stage: Stage, number: signal.Signals) -> None:
    name = "SIGTERM" if number == signal.SIGTERM else "The first Ctrl-C"
    site = stage.site(plain_hosts(3, DELAY), PAGES, latency=LATENCY)
    job = stage.job(number.name, site, Settings(delay=DELAY))
    run = job.start()
    stage.server.wait_until(lambda: len(stage.server.log) > 8 and len(stage.server.in_flight()) > 1, "two requests in flight")
    before = list(stage.server.in_flight())
    run.signal(number)
    status = run.wait()
    stage.server.wait_until_quiet()
    cut = [request.path for request in stage.server.log if not request.is_answered]
    stage.telling.check(
        status == 5 and not cut and bool(before),
        f"{name}: status {status}, and the {len(before)} requests in flight were finished", [f"cut off: {cut}", run.said()])
    asked = len(stage.server.log)
    status, problems = stage.finish(job, site)
    problems += stage.fetched_more_than_once()
    stage.telling.none(
        problems,
        f"the next run goes on after {asked} requests and ends with status {status}: all {len(site.recorded)} records, nothing fetched "
        "twice")
    proofs.politeness(stage.telling, stage.evidence(site, job))


def _second(stage: Stage) -> None:
    delay = 0.6
    site = stage.site(plain_hosts(3, delay), PAGES // 2)
    hanging = _let_hang(site)
    job = stage.job("second", site, Settings(delay=delay))
    run = job.start(quiet=False)
    stage.server.wait_until(lambda: _in_flight(stage) == set(hanging), f"{hanging} alone in flight")
    run.signal(signal.SIGINT)
    heard = run.wait_until_said("once more to stop at once")
    run.signal(signal.SIGINT)
    status = run.wait()
    stage.server.wait_until_quiet()
    cut = [f"{request.host}{request.path}" for request in stage.server.log if not request.is_answered]
    stage.telling.check(
        heard and status == 5 and sorted(cut) == sorted(hanging),
        f"the second Ctrl-C: status {status} at once, {len(cut)} answers that would never have come are given up",
        [f"cut: {cut}", run.said()])
    # At once, so that a pause that was forgotten shows.
    status, problems = stage.finish(job, site)
    again = {line.split("://")[1].split(" ")[0] for line in stage.fetched_more_than_once()}
    problems += [f"{url} was fetched again" for url in again - set(hanging)]
    stage.telling.none(
        problems, f"the next run ends with status {status} and all {len(site.recorded)} records; only what was given up is fetched again")
    proofs.politeness(stage.telling, stage.evidence(site, job))


def _let_hang(site: Site) -> list[str]:
    pages = [site.of_host(host)[1] for host in site.hosts]
    for page in pages:
        page.mishap = Mishap.HANGS
    return [f"{page.host.name}{page.path}" for page in pages]


def _in_flight(stage: Stage) -> set[str]:
    return {f"{request.host}{request.path}" for request in stage.server.in_flight()}
