"""One fault, beside good hosts, and what a crawl of both must come to."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import typing

from certificates import Certificates
from fault import Fault, page
from web import Exchange, Web

sys.path.append(str(pathlib.Path(__file__).parent.parent / "torture"))
from job import replay  # noqa: E402 - what a reader of the records has in the end, as in the torture

#: Of the good hosts, whose pages must all be recorded.
GOOD: typing.Final = 3
PAGES: typing.Final = 4
DELAY: typing.Final = 0.1
#: What may not reach a terminal: C0 but tab and line feed, C1, zero-width and bidirectional controls, separators, tags. Also as single
#: bytes, for who believes that standard error is Latin-1.
FOREIGN: typing.Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]")

#: With what the passwords of links begin; they may be in no message, log or summary.
SECRET: typing.Final = b"hunter"


def _peak(process: int) -> int:
    """The most memory that a process has had, in megabytes. That of its usage would begin with ours, which it was forked from."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) // 1024 if found else 0


def _computed(process: int) -> float:
    """Seconds of processor, of the program and of the system for it."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Verdict:
    """What came of it."""

    fault: Fault
    code: str = ""
    good: int = 0
    requests: int = 0
    memory: int = 0
    seconds: float = 0
    cpu: float = 0
    status: int = 0
    problems: list[str] = dataclasses.field(default_factory=list)


class Crawl:
    """Serves a fault and lets the crawler meet it."""

    def __init__(self, fault: Fault, network: str, folder: pathlib.Path, binary: pathlib.Path, certificates: Certificates) -> None:
        self._fault = fault
        self._folder = folder
        self._binary = binary
        self._certificates = certificates
        folder.mkdir()
        for part in fault.prepare:
            part()
        hostile = [11 + i for i in range(fault.hosts)]
        self._web = Web(
            network, [*range(1, GOOD + 1), *hostile], self._serve, fault.extra,
            self._greet if fault.greet else None, self._context)
        self._good = [self._web.address(i) for i in range(1, GOOD + 1)]
        self._hostile = [self._web.address(i) for i in hostile]

    def run(self) -> Verdict:
        verdict = Verdict(self._fault)
        try:
            self._crawl(verdict)
            self._judge(verdict)
        finally:
            self._web.close()
        return verdict

    # The web.

    def _greet(self, web: Web, address: str, link: typing.Any, over: typing.Any) -> bool:
        assert self._fault.greet is not None
        return address in self._good or self._fault.greet(web, address, link, over)

    def _context(self, address: str) -> typing.Any:
        if not self._fault.secure:
            return None
        if address in self._good:
            return self._certificates.context()
        if self._fault.context is not None:
            return self._fault.context(self._certificates)
        return self._certificates.context(self._fault.certificate, ("h2", "http/1.1") if self._fault.http2 else ("http/1.1",))

    def _serve(self, exchange: Exchange) -> None:
        if exchange.address not in self._good:
            self._fault.serve(exchange)
        elif exchange.path in self._good_paths:
            links = [exchange.url(exchange.host, path) for path in self._good_paths]
            exchange.answer(page(f"Good {exchange.host}{exchange.path}", links))
        else:
            exchange.answer("nothing here", status=404)

    @property
    def _good_paths(self) -> list[str]:
        return ["/", *(f"/good/{i}" for i in range(1, PAGES))]

    # The crawl.

    def _crawl(self, verdict: Verdict) -> None:
        scheme = "https" if self._fault.secure else "http"
        port = self._web.port
        self.url = f"{scheme}://{self._hostile[0]}:{port}{self._fault.of}"
        seeds = [f"{scheme}://{address}:{port}/" for address in [*self._hostile, *self._good]]
        seeds += [seed.replace("PORT", str(port)).replace("HOST", self._hostile[0]) for seed in self._fault.seeds]
        (self._folder / "seeds.txt").write_text("\n".join(seeds) + "\n")
        # YAML takes JSON.
        (self._folder / "crawl-config.yaml").write_text(json.dumps(self._settings(), indent=1))
        command = [self._binary, "crawl", "--config", "crawl-config.yaml"]
        start = time.monotonic()
        with (self._folder / "errors").open("wb") as errors, (self._folder / "output").open("wb") as output:
            process = subprocess.Popen(command, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        last = start + self._fault.seconds
        hangs = False
        while process.poll() is None:
            verdict.memory = max(verdict.memory, _peak(process.pid))
            verdict.cpu = max(verdict.cpu, _computed(process.pid))
            if time.monotonic() > last and not hangs:
                hangs = True
                process.kill()
            time.sleep(0.01)
        verdict.status = process.returncode
        verdict.seconds = time.monotonic() - start
        if hangs:
            verdict.problems.append(f"it has not ended after {self._fault.seconds} s")
        elif verdict.status not in self._fault.statuses:
            verdict.problems.append(f"exit status {verdict.status}, not {' or '.join(map(str, self._fault.statuses))}")

    def _settings(self) -> dict[str, typing.Any]:
        settings: dict[str, typing.Any] = {
            "seeds": "seeds.txt", "records": "all", "storage": "storage", "log_level": "info",
            "scope": {"follow": "host", "sitemaps": False},
            "politeness": {"delay": f"{DELAY * 1000:.0f}ms", "adaptive": False},
            "fetch": {
                "allow_private_networks": True, "connect_timeout": "2s", "timeout": "3s", "retries": 1, "retry_delay": "200ms",
                "max_wait": "3s", "max_body": "2M"},
            "output": {"ndjson": "records.ndjson", "log": "crawl.jsonl", "summary": "summary.json"},
        }
        if self._fault.secure:
            settings["fetch"]["ca_file"] = str(self._certificates.authority)
        for key, value in self._fault.settings.items():
            section, name = key.split(".")
            settings.setdefault(section, {})[name] = (
                [word.replace("PORT", str(self._web.port)).replace("HOST", self._hostile[0]) for word in value]
                if isinstance(value, list) else value)
        return settings

    # What came of it.

    def _judge(self, verdict: Verdict) -> None:
        problems = verdict.problems
        problems += [f"the hostile web itself: {trouble}" for trouble in self._web.trouble]
        records = self._folder / "records.ndjson"
        lines = records.read_text().splitlines() if records.exists() else []
        urls = {record["url"] for record in replay(json.loads(line) for line in lines).values()}
        scheme = "https" if self._fault.secure else "http"
        missing = [
            url for address in self._good for path in self._good_paths
            if (url := f"{scheme}://{address}:{self._web.port}{path}") not in urls]
        verdict.good = GOOD * PAGES - len(missing)
        problems += [f"{url} has no record" for url in missing[:3]]
        self._judge_code(verdict)
        self._judge_requests(verdict)
        if verdict.memory > self._fault.memory:
            problems.append(f"{verdict.memory} MB of memory, not {self._fault.memory}")
        if verdict.cpu > self._fault.cpu:
            problems.append(f"{verdict.cpu:.1f} s of computing, not {self._fault.cpu}")
        self._look_for_foreign_bytes(verdict)

    def _judge_code(self, verdict: Verdict) -> None:
        log = self._folder / "crawl.jsonl"
        codes = [
            entry["outcome"] for line in (log.read_text().splitlines() if log.exists() else [])
            if (entry := json.loads(line))["url"] == self.url and (self._fault.of != "/" or entry["kind"] == "page")]
        verdict.code = codes[-1] if codes else "–"
        if verdict.code not in self._fault.codes:
            verdict.problems.append(f"the outcome is {verdict.code}, not {' or '.join(sorted(self._fault.codes))}")

    def _judge_requests(self, verdict: Verdict) -> None:
        starts: dict[str, list[float]] = {}
        for ask in sorted(self._web.asks, key=lambda ask: ask.start):
            starts.setdefault(ask.address, []).append(ask.start)
        verdict.requests = sum(len(times) for address, times in starts.items() if address not in self._good)
        # A pause is from the end of an answer to the next request, so there are fewer; two for what is late.
        a_second = round(1 / DELAY) + 2
        for address, times in starts.items():
            most = max(sum(1 for time in times if start <= time < start + 1) for start in times)
            if most > a_second:
                verdict.problems.append(f"{address} had {most} requests in a second, at a delay of {DELAY} s")
            allowed = PAGES + 4 if address in self._good else self._fault.requests
            if len(times) > allowed:
                verdict.problems.append(f"{address} had {len(times)} requests, not {allowed} or fewer")

    def _look_for_foreign_bytes(self, verdict: Verdict) -> None:
        said = {"standard error": (self._folder / "errors").read_bytes(), "standard output": (self._folder / "output").read_bytes()}
        for command in (["why", self.url], ["status"]):
            done = subprocess.run(
                [self._binary, *command, "--config", "crawl-config.yaml"], cwd=self._folder, capture_output=True, check=False,
                timeout=60)
            said[f"pippin {command[0]}"] = done.stdout + done.stderr
            if command[0] == "why" and self._fault.of == "/" and verdict.code != "–":
                # A URL that is kept for the next run waits; the log's line was not the last word.
                if not done.stdout.startswith((*(code.encode() for code in self._fault.codes), b"queued")):
                    verdict.problems.append(f"`why` does not say {verdict.code}: {done.stdout[:80]!r}")
        for name in ("crawl.jsonl", "summary.json"):
            file = self._folder / name
            said[name] = file.read_bytes() if file.exists() else b""
        for where, octets in said.items():
            if SECRET in octets:
                verdict.problems.append(f"the password of a link in {where}")
            if found := FOREIGN.search(octets.decode(errors="replace")):
                verdict.problems.append(f"U+{ord(found[0]):04X} on {where}")
