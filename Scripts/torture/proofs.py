"""What the server's log proves of a crawl in many runs."""
import bisect
import collections
import dataclasses
import itertools

from job import Run
from madeupweb import Behavior, Host, Site
from server import MANIFEST, ROBOTS, Request
from telling import Telling

#: Visits of one URL that fail in one run, at most: fetch.retries and one.
ATTEMPTS = 3


@dataclasses.dataclass
class Evidence:
    """The server's log beside the crawler's runs."""

    site: Site
    log: list[Request]
    runs: list[Run]

    def __post_init__(self) -> None:
        self.log = sorted(self.log, key=lambda request: request.start)
        self._starts = [run.start for run in self.runs]
        self.by_host: dict[str, list[Request]] = collections.defaultdict(list)
        self.by_url: dict[tuple[str, str], list[Request]] = collections.defaultdict(list)
        for request in self.log:
            self.by_host[request.host].append(request)
            self.by_url[request.host, request.path].append(request)
        self.last_of_host: dict[tuple[str, int], Request] = {
            (request.host, self.run(request).number): request for request in self.log if request.path != MANIFEST
        }

    def run(self, request: Request) -> Run:
        return self.runs[bisect.bisect(self._starts, request.start) - 1]

    def end(self, request: Request) -> float:
        """When it ended for the crawler: with the run at the latest, whatever the server was still sending."""
        run = self.run(request)
        return min(request.end or run.end, run.end)


def politeness(telling: Telling, evidence: Evidence) -> None:
    """No request before its host's delay has passed since the one before, in whatever run that was."""
    problems: list[str] = []
    shortest: dict[str, tuple[float, str]] = {}
    across = 0
    for host in evidence.site.hosts:
        kind = "hosts with a Crawl-delay" if host.crawl_delay else "hosts with a delay of their own" if host.has_own_rules else "hosts"
        for before, after in itertools.pairwise(evidence.by_host[host.name]):
            gap = after.start - evidence.end(before)
            rule = _rule(host, before, after, evidence)
            across += evidence.run(before) is not evidence.run(after)
            if gap < shortest.get(kind, (float("inf"), ""))[0] and rule == max(host.delay, host.crawl_delay or 0):
                shortest[kind] = (gap, f"{kind}: {gap * 1000:.0f} ms (rule {rule * 1000:.0f} ms)")
            if gap < rule:
                problems.append(
                    f"{host.name}: {before.path} (run {evidence.run(before).number}), then {after.path} "
                    f"(run {evidence.run(after).number}) after {gap * 1000:.1f} ms, not {rule * 1000:.0f} ms")
    telling.none(
        problems,
        f"no pause below the delay in {len(evidence.log):,} requests to {len(evidence.by_host)} hosts, "
        f"{across:,} of the pauses across a restart; the shortest: {'; '.join(text for _, text in shortest.values())}")


def _rule(host: Host, before: Request, after: Request, evidence: Evidence) -> float:
    run = evidence.run(before)
    # Who is killed between the answer and reading it does not know what it asks for.
    if before.path == ROBOTS and run.broke_off and run is not evidence.run(after):
        return host.delay
    return max(host.delay, host.crawl_delay or 0)


def addresses(telling: Telling, evidence: Evidence, delay: float) -> None:
    """Requests to an address that several hosts share start a delay apart, once the crawler knows whose it is.

    The way from the crawler's decision to the server's clock is not the same for any two requests, so what is held against the rule
    is the time that any five in a row take; hosts that knew nothing of each other would take half of it.
    """
    hosts = collections.Counter(host.address for host in evidence.site.hosts)
    problems: list[str] = []
    shortest = float("inf")
    count = 0
    for address in (address for address, number in hosts.items() if number > 1):
        asked: collections.Counter[str] = collections.Counter()
        known: list[Request] = []
        for request in (request for request in evidence.log if request.address == address):
            # From the second request on, the answer to the first has been read.
            if asked[request.host] > 1:
                known.append(request)
            asked[request.host] += 1
        count += len(known)
        for first, fifth in zip(known, known[4:]):
            apart = (fifth.start - first.start) / 4
            shortest = min(shortest, apart)
            if apart < 0.75 * delay:
                problems.append(f"{address}: five requests from {first.path} on were {apart * 1000:.1f} ms apart")
    telling.none(
        problems,
        f"{count:,} requests to an address of several hosts, any five of them {shortest * 1000:.0f} ms apart or more (rule "
        f"{delay * 1000:.0f} ms)")


def blocks(telling: Telling, evidence: Evidence, concurrency: int, allowance: float = 0.01) -> None:
    """After a 503 its host is left alone for as long as it asked for.

    The allowance is for the calendar, by which a rest is kept across runs, and which is set a little all the time.
    """
    problems: list[str] = []
    lengths: list[float] = []
    across = unread = 0
    for requests in evidence.by_host.values():
        for before, after in itertools.pairwise(requests):
            if before.retry_after is None or not before.is_answered:
                continue
            gap = after.start - evidence.end(before)
            run = evidence.run(before)
            if run is not evidence.run(after):
                # An answer is heard of before more visits begin than may be in flight.
                later = sum(
                    1 for request in evidence.log
                    if request.start > evidence.end(before) and evidence.run(request) is run)
                if later <= concurrency:
                    unread += 1
                    continue
                across += 1
            lengths.append(gap)
            if gap < before.retry_after - allowance:
                problems.append(
                    f"{before.host} asked for {before.retry_after} s in run {run.number}, and was asked after "
                    f"{gap:.3f} s in run {evidence.run(after).number}")
    telling.none(
        problems,
        f"{len(lengths)} times 503 with Retry-After, each obeyed, {across} of them across a kill; {unread} more may not have been "
        "read before the kill")


def repetition(telling: Telling, evidence: Evidence, concurrency: int) -> None:
    """What was fetched once is fetched again only when a kill came before it was filed."""
    problems: list[str] = []
    repeated: collections.Counter[int] = collections.Counter()
    cut = retries = 0
    ages: list[float] = []
    for (host, path), requests in evidence.by_url.items():
        if path in (ROBOTS, MANIFEST):
            continue
        failures: collections.Counter[int] = collections.Counter()
        for request in requests:
            failures[evidence.run(request).number] += request.has_failed
        if max(failures.values()) > ATTEMPTS:
            problems.append(f"http://{host}{path} was tried {max(failures.values())} times in one run")
        for before, after in itertools.pairwise(requests):
            run = evidence.run(before)
            if before.has_failed:
                retries += 1
            elif run is evidence.run(after):
                problems.append(f"{host}{path} was asked for twice in run {run.number}")
            elif not run.broke_off:
                problems.append(f"{host}{path} was asked for again after run {run.number}, which was not killed")
            elif evidence.last_of_host[host, run.number] is not before:
                # One request a host at a time, and the next only when the visit before it is on disk; but for the manifest,
                # which a page waits for.
                problems.append(f"{host}{path} of run {run.number} was filed when the kill came, and is asked for again")
            else:
                repeated[run.number] += 1
                cut += not before.is_answered
                ages.append(max(0, run.end - (before.end or run.end)))
    problems += [
        f"{count} pages of run {number} are repeated, more than can have been in flight"
        for number, count in repeated.items() if count > concurrency
    ]
    kills = sum(run.broke_off for run in evidence.runs)
    total = sum(repeated.values())
    telling.none(
        problems,
        f"{total} fetches repeated after {kills} runs that broke off, {max(repeated.values(), default=0)} after one at most "
        f"(fetch.concurrency is {concurrency}): {cut} cut off in flight, {total - cut} answered and not filed yet "
        f"(the oldest for {max(ages, default=0) * 1000:.0f} ms); {retries} tries again of what the site let fail")


def robots_rules(telling: Telling, evidence: Evidence) -> None:
    """robots.txt first, and in all runs once, as it is kept for a day; the manifest once a run; what robots.txt forbids is not
    asked for."""
    problems = [
        f"{page.host.name}{page.path} is forbidden"
        for page in evidence.site.pages.values()
        if page.behavior is Behavior.PRIVATE and (page.host.name, page.path) in evidence.by_url
    ]
    count = again = 0
    for host, requests in evidence.by_host.items():
        if requests[0].path != ROBOTS:
            problems.append(f"{host} was asked for {requests[0].path} before its robots.txt")
        rules = [request for request in requests if request.path == ROBOTS]
        for before, after in itertools.pairwise(rules):
            run = evidence.run(before)
            # A kill may have come before the rules were kept.
            if before.has_failed or run.broke_off and evidence.last_of_host[host, run.number] is before:
                again += 1
            else:
                problems.append(
                    f"{host} was asked for robots.txt in run {run.number} and again in run {evidence.run(after).number}")
        for number, of_run in itertools.groupby(requests, key=lambda request: evidence.run(request).number):
            manifests = sum(request.path == MANIFEST for request in of_run)
            count += 1
            if manifests > 1:
                problems.append(f"{host} was asked for its manifest {manifests} times in run {number}")
    telling.none(
        problems,
        f"robots.txt first of all and kept for the {count} times that a run turned to a host; {again} fetched again, as they failed "
        "or a kill cut them off")