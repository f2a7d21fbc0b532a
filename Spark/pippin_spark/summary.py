"""One end report for a job, from those of its shards and turns, in the form of `output.summary` (Docs/CrawlLog.md) and of the text that
`pippin crawl` prints."""
import collections
import typing

Report = dict[str, typing.Any]

_EXAMPLES: typing.Final = 3
_HOSTS_SHOWN: typing.Final = 10
_REASONS_SHOWN: typing.Final = 8
#: Hosts that a report names, at the most; those with trouble and those with the most pages stay.
_MAXIMUM_HOSTS: typing.Final = 10_000
_SUMS: typing.Final = (
    "pages", "records", "deepLinks", "deletions", "requests", "retries", "wireBytes", "bytes", "hostsBeyondLimit",
)  # fmt: skip
_PACES: typing.Final = {
    "politeness": "politeness: more hosts would make it faster, more connections would not",
    "capacity": "capacity: as many visits were in flight as fetch.concurrency allows",
    "work": "the work at hand: nothing else was known to be visited",
    "pages-held": "pages that waited for files of their sites",
    "memory": "memory",
    "ending": "its own end: what was in flight had to be awaited",
}
#: A line that breaks out of a terminal is a defect; servers choose some of the words.
_CONTROLS: typing.Final = {code: "�" for code in [*range(0x20), *range(0x7F, 0xA0)]}


class Sum:
    """Adds up the reports of workers."""

    def __init__(self) -> None:
        self._sums: collections.Counter[str] = collections.Counter()
        self._seconds = 0.0
        self._outcomes: dict[str, Report] = {}
        self._dropped: dict[str, Report] = {}
        self._missing: dict[str, Report] = {}
        self._site_files: dict[str, collections.Counter[str]] = {}
        self._renderings: collections.Counter[str] = collections.Counter()
        self._look_ups: collections.Counter[str] = collections.Counter()
        self._shares: collections.Counter[str] = collections.Counter()
        self._hosts: dict[str, Report] = {}
        self._seeds: dict[str, Report] = {}
        self._too_early = 0

    def add(self, report: Report) -> None:
        for key in _SUMS:
            self._sums[key] += report.get(key, 0)
        seconds = float(report.get("seconds", 0))
        self._seconds += seconds
        for name, share in report.get("pace", {}).get("shares", {}).items():
            self._shares[name] += share * seconds
        _merge(self._outcomes, report.get("outcomes", []), "code")
        _merge(self._dropped, report.get("droppedLinks", []), "reason")
        _merge(self._missing, report.get("notCovered", []), "code")
        for kind, counts in report.get("siteFiles", {}).items():
            if isinstance(counts, dict):
                self._site_files.setdefault(kind, collections.Counter()).update(counts)
        self._renderings.update(report.get("renderings", {}))
        self._look_ups.update(report.get("lookUps", {}))
        self._too_early += report.get("politeness", {}).get("requestsTooEarly", 0)
        for host in report.get("hosts", []):
            self._add_host(host)
        if len(self._hosts) > 2 * _MAXIMUM_HOSTS:
            self._hosts = {host["host"]: host for host in self._worst(_MAXIMUM_HOSTS)}
        for seed in report.get("seeds", []):
            known = self._seeds.get(seed["url"])
            # Each shard reports the seeds that it owns. The latest visit counts, or why there was none.
            if known is None or seed.get("outcome") != "not-visited" or seed.get("reason"):
                self._seeds[seed["url"]] = seed

    def _add_host(self, host: Report) -> None:
        known = self._hosts.setdefault(host["host"], {"host": host["host"], "pages": 0, "records": 0, "failures": 0})
        for key in ("pages", "records", "failures", "requests", "wireBytes", "requestsTooEarly"):
            known[key] = known.get(key, 0) + host.get(key, 0)
        pause = host.get("smallestPause")
        if pause is not None and pause - host.get("delay", 0) < known.get("smallestPause", 1e9) - known.get("delay", 0):
            known["smallestPause"], known["delay"] = pause, host.get("delay", 0)
        if "trouble" in host:
            known["trouble"] = host["trouble"]

    def _worst(self, count: int) -> list[Report]:
        """Hosts with requests that came too early, with trouble, with the most pages."""
        order = sorted(
            self._hosts.values(),
            key=lambda host: (-host.get("requestsTooEarly", 0), "trouble" not in host, -host["pages"], host["host"]),
        )
        return order[:count]

    def short(self, hosts: int) -> Report:
        """What a commit keeps: bounded, however many hosts a turn asked."""
        return {
            **{key: self._sums[key] for key in _SUMS},
            "requestsTooEarly": self._too_early,
            "outcomes": {code: entry["count"] for code, entry in sorted(self._outcomes.items())},
            "hosts": self._worst(hosts),
        }

    def report(self, ending: str, started_at: str, ended_at: str, seconds: float, known: int, unvisited: int, hosts: int) -> Report:
        """The report of the whole run; the fields of one machine's, as far as they can be added up.

        `hosts`: how many the job knows. Of the most and the worst of them the report has a line each.
        """
        per_second = {key: round(self._sums[key] / seconds, 3) if seconds > 0 else 0 for key in ("pages", "records", "requests", "wireBytes")}
        report: Report = {"ending": ending, "startedAt": started_at, "endedAt": ended_at, "seconds": round(seconds, 3)}
        report |= {key: self._sums[key] for key in _SUMS}
        report |= {
            "perSecond": per_second,
            "lookUps": dict(self._look_ups),
            "hostsMet": hosts,
            "unvisited": unvisited,
            "known": known,
            "politeness": {"requestsTooEarly": self._too_early},
            "pace": {"shares": {name: round(value / self._seconds, 2) for name, value in self._shares.items()} if self._seconds else {}},
            "outcomes": sorted(self._outcomes.values(), key=lambda entry: (-entry["count"], entry["code"])),
            "droppedLinks": sorted(self._dropped.values(), key=lambda entry: (-entry["count"], entry["reason"])),
            # A host whose address was named in a later turn has limited nothing.
            "notCovered": [entry for entry in self._missing.values() if entry["code"] != "address-not-named" or ending == "addresses"],
            "siteFiles": {kind: dict(counts) for kind, counts in self._site_files.items()},
            "seeds": list(self._seeds.values()),
            "hosts": sorted(self._worst(_MAXIMUM_HOSTS), key=lambda host: (-host["pages"], host["host"])),
        }
        if self._renderings:
            report["renderings"] = dict(self._renderings)
        paced = [host for host in self._hosts.values() if "smallestPause" in host]
        if paced:
            least = min(paced, key=lambda host: (host["smallestPause"] - host["delay"], host["host"]))
            report["politeness"]["smallestPause"] = {
                "host": least["host"], "seconds": least["smallestPause"], "delay": least["delay"],
            }  # fmt: skip
        shares = report["pace"]["shares"]
        if shares:
            report["pace"]["limit"] = max(shares, key=lambda name: (shares[name], name))
        return report


def _merge(known: dict[str, Report], entries: list[Report], key: str) -> None:
    for entry in entries:
        old = known.setdefault(entry[key], entry | {"count": 0, "examples": []})
        old["count"] += entry.get("count", 0)
        old["examples"] = [*dict.fromkeys([*old["examples"], *entry.get("examples", [])])][:_EXAMPLES]


def text(report: Report) -> str:
    """For a person, in the words of one machine."""
    endings = {
        "finished": "Done", "page-limit": "Page limit reached", "turns": "The wanted turns are over", "hosts-rest": "Only resting hosts are left: ended",
        "addresses": "Only hosts are left that are at another address at each look-up: ended",
    }  # fmt: skip
    was_idle = not report["outcomes"] and report["requests"] == 0
    lines = [f"{endings.get(report['ending'], report['ending'])} after {report['seconds']:.1f} s: "]
    lines[0] += "nothing was due." if was_idle else f"{_counts(report)}."
    if report["outcomes"]:
        lines.append("Visits by outcome:")
        lines += [_row(entry["count"], entry["code"] + _example(entry)) for entry in report["outcomes"]]
    if not was_idle:
        lines += _hosts(report)
        shares = [(name, round(share * 100)) for name, share in report["pace"]["shares"].items()]
        if limit := report["pace"].get("limit"):
            told = ", ".join(f"{name} {percent} %" for name, percent in shares if percent > 0)
            lines.append(f"The pace was set by {_PACES.get(limit, limit)} ({told}).")
    if report["droppedLinks"]:
        lines.append("Links left out:")
        lines += [_row(entry["count"], entry["reason"] + _example(entry)) for entry in report["droppedLinks"][:_REASONS_SHOWN]]
        if (more := len(report["droppedLinks"]) - _REASONS_SHOWN) > 0:
            lines.append(f"         and {_count(more, 'more reason')}")
    if report["notCovered"]:
        lines.append("What limited coverage:")
        lines += [f"  {entry['count']} × [{entry['code']}]" for entry in report["notCovered"]]
    failed = failed_seeds(report)
    if failed:
        lines.append("Seeds that failed:")
        for seed in failed:
            lines += [f"  {seed['url']}: {seed.get('outcome')}", f"    {seed['reason']}"]
    lines.append(f"{_count(report['known'], 'URL is', 'URLs are')} known.")
    return "\n".join(line.translate(_CONTROLS) for line in lines)


def failed_seeds(report: Report) -> list[Report]:
    """Those with a reason: what one machine calls failed."""
    return [seed for seed in report["seeds"] if seed.get("reason")]


def _counts(report: Report) -> str:
    parts = [_count(report["pages"], "page"), _count(report["records"], "record")]
    unchanged = sum(entry["count"] for entry in report["outcomes"] if entry["code"] == "not-modified")
    if unchanged:
        parts.append(f"{unchanged} not modified")
    if report["deletions"]:
        parts.append(_count(report["deletions"], "deletion"))
    return ", ".join([*parts, f"{report['deepLinks']} deep links", f"{report['requests']} requests", _bytes(report["wireBytes"])])


def _hosts(report: Report) -> list[str]:
    lines = ["Hosts:"]
    visited = [host for host in report["hosts"] if host["pages"] > 0]
    for host in visited[:_HOSTS_SHOWN]:
        words = f"{host['host']}: {_count(host['records'], 'record')}"
        if host["failures"]:
            words += f", {_count(host['failures'], 'failure')}"
        if "smallestPause" in host:
            words += f", shortest pause {_precise(host['smallestPause'])} (delay {_precise(host['delay'])})"
        lines.append(_row(host["pages"], words))
    if (more := len(visited) - _HOSTS_SHOWN) > 0:
        lines.append(f"         and {_count(more, 'more host')}")
    if least := report["politeness"].get("smallestPause"):
        early = report["politeness"]["requestsTooEarly"]
        verdict = (
            f"{_count(early, 'request')} CAME TOO EARLY, which is a defect: please report it."
            if early
            else "no request came before its host's delay had passed."
        )
        lines.append(
            "Politeness: the shortest pause between two requests to one host was "
            f"{_precise(least['seconds'])} (delay {_precise(least['delay'])}, {least['host']}); {verdict}"
        )
    return lines


def _row(count: int, words: str) -> str:
    return f"{count:>7}  {words}"


def _example(entry: Report) -> str:
    examples = entry.get("examples")
    return f", like {examples[0][:100]}" + ("…" if len(examples[0]) > 100 else "") if examples else ""


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _bytes(count: int) -> str:
    for limit, unit, divisor in ((10_000, "bytes", 1), (10_000_000, "KB", 1000), (10_000_000_000, "MB", 1_000_000)):
        if count < limit:
            return f"{count // divisor} {unit}"
    return f"{count // 1_000_000_000} GB"


def _precise(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.3f} s"
