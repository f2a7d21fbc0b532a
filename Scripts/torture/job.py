"""A crawl job in a folder of its own: its configuration, its runs, and what it leaves behind."""
import collections.abc
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import typing

from madeupweb import Site

#: A run that takes longer hangs. No proof: nothing here takes a tenth of it.
HANGS_AFTER: typing.Final = 600


@dataclasses.dataclass
class Run:
    """A run of the crawler, by the monotonic clock."""

    number: int
    start: float
    process: subprocess.Popen[bytes]
    messages: pathlib.Path
    end: float = 0
    #: It was killed, or ended with trouble of its own.
    broke_off: bool = False

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.broke_off = self.wait() == -signal.SIGKILL

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_until_said(self, text: str) -> bool:
        """Whether it says so before it ends."""
        while text not in self.said():
            if self.process.poll() is not None:
                return text in self.said()
            time.sleep(0.01)
        return True

    def wait(self) -> int:
        """The exit status."""
        try:
            status = self.process.wait(HANGS_AFTER)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise RuntimeError(f"run {self.number} hangs: {self.said()}") from None
        self.end = self.end or time.monotonic()
        return status

    def said(self) -> str:
        """What it has written to standard error."""
        return self.messages.read_text(errors="replace").strip()


@dataclasses.dataclass
class Settings:
    """What a part wants otherwise."""

    delay: float = 0.25
    delay_per_address: float | None = None
    concurrency: int = 16
    retry_delay: float = 1
    maximum_wait: float = 600
    is_adaptive: bool = True


class Job:
    """A job's folder. Storage, records and log may lie elsewhere, to have a disk of their own."""

    def __init__(
        self, folder: pathlib.Path, binary: pathlib.Path, site: Site, settings: Settings,
        places: collections.abc.Mapping[str, pathlib.Path] = {},
    ) -> None:
        self.folder = folder
        self.binary = binary
        self.runs: list[Run] = []
        folder.mkdir(parents=True)
        self.storage = places.get("storage", folder) / "storage"
        self.records_file = places.get("records", folder) / "records.ndjson"
        self.log_file = places.get("log", folder) / "crawl.jsonl"
        (folder / "seeds.txt").write_text(site.seed_url + "\n")
        own_rules = "".join(f'  "{h.name}": {{ delay: {_ms(h.delay)} }}\n' for h in site.hosts if h.has_own_rules)
        self.configuration = folder / "crawl-config.yaml"
        self.configuration.write_text(
            "seeds: seeds.txt\n"
            "scope: { follow: any, max_depth: 100 }\n"
            "politeness:\n"
            f"  delay: {_ms(settings.delay)}\n"
            f"  adaptive: {'true' if settings.is_adaptive else 'false'}\n"
            f"  delay_per_address: {_ms(settings.delay_per_address) if settings.delay_per_address else 'null'}\n"
            + (f"hosts:\n{own_rules}" if own_rules else "")
            + "fetch:\n"
            f"  concurrency: {settings.concurrency}\n"
            "  timeout: 10m\n"
            f"  retry_delay: {_ms(settings.retry_delay)}\n"
            f"  max_wait: {_ms(settings.maximum_wait)}\n"
            "  allow_private_networks: true\n"
            f"storage: {self.storage}\n"
            f"output: {{ ndjson: {self.records_file}, log: {self.log_file} }}\n"
        )

    def start(self, environment: collections.abc.Mapping[str, str] = {}, quiet: bool = True) -> Run:
        messages = self.folder / f"run-{len(self.runs)}.txt"
        command: list[str | pathlib.Path] = [self.binary, "crawl", "--config", self.configuration, *(["--quiet"] if quiet else [])]
        with messages.open("wb") as errors:
            start = time.monotonic()
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, cwd=self.folder,
                env={**os.environ, **environment})
        run = Run(len(self.runs), start, process, messages)
        self.runs.append(run)
        return run

    def ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command about the job."""
        return subprocess.run(
            [self.binary, *arguments, "--config", self.configuration], cwd=self.folder, capture_output=True,
            text=True, check=False, timeout=HANGS_AFTER)

    # What it leaves behind.

    @property
    def database(self) -> pathlib.Path:
        return self.storage / "pippin.sqlite"

    def integrity(self) -> str:
        """SQLite's verdict over a copy of the database and its log, as a kill left them: looking changes nothing."""
        if not self.database.exists():
            return "ok"
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            for name in (self.database.name, f"{self.database.name}-wal"):
                if (self.storage / name).exists():
                    shutil.copy(self.storage / name, folder)
            connection = sqlite3.connect(pathlib.Path(folder) / self.database.name)
            try:
                return "; ".join(row[0] for row in connection.execute("PRAGMA integrity_check"))
            finally:
                connection.close()

    def outcomes(self) -> dict[str, str]:
        """The last outcome of every URL that it knows, by URL; `queued` for those not visited."""
        connection = sqlite3.connect(self.database)
        try:
            codes = dict(connection.execute("SELECT id, code FROM outcome"))
            rows = connection.execute(
                "SELECT host.name, url.address, url.rank >= 1 << 40, url.history FROM url JOIN host ON host.id = url.id >> 35")
            return {
                _url(host, address): "queued" if queued else codes[int.from_bytes(history[-6:-4], "little")]
                for host, address, queued, history in rows
            }
        finally:
            connection.close()

    def record_lines(self) -> tuple[list[dict[str, typing.Any]], bytes]:
        """The whole lines of the file of records, and what stands behind the last of them."""
        if not self.records_file.exists():
            return [], b""
        content = self.records_file.read_bytes()
        end = content.rfind(b"\n") + 1
        return [json.loads(line) for line in content[:end].splitlines()], content[end:]

    def records(self) -> dict[str, dict[str, typing.Any]]:
        """What a reader of the whole file has in the end."""
        return replay(self.record_lines()[0])


def is_deletion(line: dict[str, typing.Any]) -> bool:
    return "deleted" in line


def replay(lines: collections.abc.Iterable[dict[str, typing.Any]]) -> dict[str, dict[str, typing.Any]]:
    """Records by identifier, without the moments of visits."""
    records: dict[str, dict[str, typing.Any]] = {}
    for line in lines:
        if is_deletion(line):
            records.pop(line["uniqueIdentifier"], None)
        else:
            records[line["uniqueIdentifier"]] = applied(records.get(line["uniqueIdentifier"]), line)
    return records


def applied(before: dict[str, typing.Any] | None, line: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """A record after a line, which may have its popularity alone."""
    if not is_popularity(line):
        return timeless(line)
    assert before is not None, f"the popularity of a record that was never told: {line}"
    return timeless({**before, "popularity": line["popularity"], "provenance": {**before.get("provenance", {}), "popularity": "link-graph"}})


def is_popularity(line: dict[str, typing.Any]) -> bool:
    return line.keys() == {"uniqueIdentifier", "popularity"}


def timeless(record: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """A record without the moments of visits: when it was read, and since when its deep links stand as they do."""
    rest = {key: value for key, value in record.items() if key != "fetchedAt"}
    provenance = rest.get("provenance", {})
    if provenance.get("popularity") == "link-graph" and rest.get("popularity") == 0:
        # It is not told alone if there was none before: whoever has no popularity has this one.
        del rest["popularity"]
        rest["provenance"] = {key: value for key, value in provenance.items() if key != "popularity"}
    if "deepLinks" in rest:
        rest["deepLinks"] = [
            {**link, "verification": {key: value for key, value in link["verification"].items() if key != "since"}} for link in rest["deepLinks"]
        ]
    return rest


def differences(
    ours: collections.abc.Mapping[str, object], theirs: collections.abc.Mapping[str, object], what: str = ""
) -> list[str]:
    """By URL, what two accounts of a crawl do not agree on."""
    return [
        f"{what}{url}: {ours.get(url)} instead of {theirs.get(url)}" for url in sorted({*ours, *theirs}) if ours.get(url) != theirs.get(url)
    ]


def _ms(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


def _url(host: str, address: str) -> str:
    scheme = "https" if address[0] in "sS" else "http"
    return f"{scheme}://{host}{address[1:]}"
