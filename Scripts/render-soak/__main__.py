"""Renders hostile pages, alone and beside good ones, and thousands of good ones, and looks at what the browser costs and leaves.

    make render-soak PAGES=10000

1. Each hostile page alone: seconds, and the most memory that the browser's processes had together (PSS).
2. All of them beside as many good pages: each of these must have its record.
3. PAGES good pages, some hostile ones among them: memory as it grows, processor time a page, and what is left at the end.

Exit status 1 if something is exceeded, lost or left. Everything is served on loopback.
"""
import argparse
import dataclasses
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import pages

#: What a hostile page may cost, with the browser that shows it. On a busy machine it takes longer.
SECONDS = 15
MEGABYTES = 600
#: Of one good host; more would make the soak wait for the pauses of hosts.
PAGES_OF_HOST = 250
DELAY = "20ms"


class Site(http.server.BaseHTTPRequestHandler):
    """What all hosts answer: 127.1.x.y are good, 127.2.0.y hostile."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        address = self.connection.getsockname()[0]
        split = urllib.parse.urlsplit(self.path)
        status, kind, body = 200, "text/html; charset=utf-8", ""
        if split.path == "/robots.txt":
            kind, body = "text/plain", "User-agent: *\nAllow: /\n"
        elif split.path == "/data.json":
            kind, body = "application/json", json.dumps({"words": [f"word {i} {split.query}" for i in range(40)]})
        elif split.path == "/slow":
            # Longer than the rest of the page's time, which is what the page wants.
            time.sleep(20)
        elif address.startswith("127.1."):
            if split.path == "/app.js":
                kind, body = "text/javascript", pages.APP
            else:
                body = pages.good(address, int(split.path.removeprefix("/p")))
        elif (name := split.path.removeprefix("/")) in pages.HOSTILE:
            body = pages.hostile(pages.HOSTILE[name])
        else:
            status, kind, body = 404, "text/plain", "nothing here"
        octets = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(octets)))
        self.end_headers()
        self.wfile.write(octets)

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """A page that is over leaves its connections."""


class Web:
    """One server for each address, all at the same port."""

    def __init__(self, good: int) -> None:
        self.hostile = [f"127.2.0.{number}" for number in range(1, len(pages.HOSTILE) + 1)]
        self.good = [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(good)]
        self.port = 0
        for address in (*self.hostile, *self.good):
            server = Server((address, self.port), Site)
            self.port = server.server_port
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def hostile_url(self, name: str) -> str:
        return f"http://{self.hostile[list(pages.HOSTILE).index(name)]}:{self.port}/{name}"

    def good_url(self, address: str, page: int) -> str:
        return f"http://{address}:{self.port}/p{page}"


def descendants(process: int) -> list[int]:
    found = [process]
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [each for child in task.read_text().split() for each in descendants(int(child))]
        except OSError:
            pass
    return found


def is_browser(process: int) -> bool:
    try:
        return "chromium" in os.readlink(f"/proc/{process}/exe")
    except OSError:
        return False


def memory(processes: list[int]) -> float:
    """The megabytes that they have together; what they share counts once."""
    kilobytes = 0
    for process in processes:
        try:
            rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        kilobytes += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
    return kilobytes / 1024


def machine() -> float:
    """Seconds of processor of the whole machine but for this server: a browser in its sandbox is nobody's child."""
    fields = [int(each) for each in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    own = os.times()
    return (sum(fields[:3]) + sum(fields[5:8])) / os.sysconf("SC_CLK_TCK") - own.user - own.system


@dataclasses.dataclass
class Watched:
    """A command that has ended, and what its browser cost."""

    status: int
    seconds: float
    #: Seconds of the whole machine, so nothing else should run beside it.
    processor: float
    #: Of the browser's processes, each second or more often.
    megabytes: list[float]
    #: Processes that were still there a second after the command's end.
    left: list[int]


def watch(command: list[str | pathlib.Path], folder: pathlib.Path, interval: float, limit: float) -> Watched:
    start, used = time.monotonic(), machine()
    megabytes: list[float] = []
    seen: set[int] = set()
    with (folder / "output").open("ab") as output, (folder / "errors").open("ab") as errors:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        while process.poll() is None:
            if time.monotonic() - start > limit:
                process.terminate()
                process.wait()
                break
            browsers = [each for each in descendants(process.pid) if is_browser(each)]
            seen |= set(browsers)
            megabytes.append(memory(browsers))
            time.sleep(interval)
    seconds, processor = time.monotonic() - start, machine() - used
    time.sleep(1)
    left = [each for each in seen if is_browser(each)]
    return Watched(process.returncode, seconds, processor, megabytes, left)


class Soak:
    """What is asked of the browser, and what is wrong with its answers."""

    def __init__(self, pippin: pathlib.Path, folder: pathlib.Path, web: Web) -> None:
        self.pippin, self.folder, self.web = pippin, folder, web
        self.problems: list[str] = []

    def alone(self, names: list[str]) -> None:
        print(f"{'alone':24}{'ended':>14}{'s':>7}{'MB':>7}", flush=True)
        for name in names:
            folder = self.folder / name
            folder.mkdir()
            watched = watch(
                [self.pippin, "extract", self.web.hostile_url(name), "--render", "--allow-private-networks"], folder, 0.02, 120)
            ended = self.ending(folder, name)
            most = max(watched.megabytes, default=0)
            print(f"  {name:22}{ended:>14}{watched.seconds:>7.1f}{most:>7.0f}", flush=True)
            if watched.status != 0:
                self.problems.append(f"{name}: exit status {watched.status}")
            if watched.seconds > SECONDS:
                self.problems.append(f"{name}: {watched.seconds:.1f} s")
            if most > MEGABYTES:
                self.problems.append(f"{name}: {most:.0f} MB")
            self.look_for_leftovers(name, watched)

    def ending(self, folder: pathlib.Path, name: str) -> str:
        try:
            extract = json.loads((folder / "output").read_text())
        except ValueError:
            return "no output"
        if pages.KEPT not in json.dumps(extract):
            self.problems.append(f"{name}: what it said before its script is lost")
        # Without a rendering the page is read as it was fetched.
        return extract["rendering"]["ending"] if "rendering" in extract else "as fetched"

    def beside(self, hosts: int, pages_of_host: int, concurrency: int, hostile: list[str], name: str) -> None:
        """Crawls good pages and hostile ones in one job."""
        folder = self.folder / name
        folder.mkdir()
        good = {
            self.web.good_url(address, page): pages.title(address, page)
            for address in self.web.good[:hosts] for page in range(pages_of_host)}
        seeds = [*good, *map(self.web.hostile_url, hostile)]
        (folder / "seeds.txt").write_text("\n".join(seeds) + "\n")
        (folder / "crawl-config.yaml").write_text(json.dumps({
            "seeds": "seeds.txt", "records": "all", "storage": "storage", "scope": {"follow": "page", "sitemaps": False},
            "politeness": {"delay": DELAY, "adaptive": False}, "fetch": {"allow_private_networks": True},
            "render": {"mode": "always", "concurrency": concurrency},
            "output": {"ndjson": "records.ndjson", "log": "crawl.jsonl", "summary": "summary.json"}}))
        watched = watch(
            [self.pippin, "crawl", "--config", "crawl-config.yaml"], folder, 0.25, 600 + len(seeds))
        records = {
            record["url"]: record.get("title")
            for line in (folder / "records.ndjson").read_text().splitlines()
            # A line may have a record's popularity alone.
            if "url" in (record := json.loads(line))}
        lost = [url for url, title in good.items() if records.get(url) != title]
        renderings = json.loads((folder / "summary.json").read_text()).get("renderings")
        print(
            f"{name}: {len(good)} good pages, {len(hostile)} hostile ones, {concurrency} at once: {watched.seconds:.0f} s, "
            f"{1000 * watched.processor / len(seeds):.0f} ms of processor time a page\n  renderings: {json.dumps(renderings)}\n"
            f"  megabytes, in tenths of the time: {' '.join(f'{most:.0f}' for most in tenths(watched.megabytes))}", flush=True)
        if watched.status != 0:
            self.problems.append(f"{name}: exit status {watched.status}")
        if lost:
            self.problems.append(f"{name}: {len(lost)} good pages without their record, as {lost[0]}: {records.get(lost[0])}")
        self.look_for_leftovers(name, watched)

    def look_for_leftovers(self, name: str, watched: Watched) -> None:
        if watched.left:
            self.problems.append(f"{name}: {len(watched.left)} processes of the browser are left")
        if left := [each.name for each in (self.folder / "tmp").iterdir()]:
            self.problems.append(f"{name}: left in the folder for temporary files: {left[:5]}")


def tenths(values: list[float]) -> list[float]:
    """The most of each tenth."""
    size = max(1, -(-len(values) // 10))
    return [max(values[start:start + size]) for start in range(0, len(values), size)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="render-soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pippin", type=pathlib.Path, default=pathlib.Path(".build/release/pippin"), help="the binary (%(default)s)")
    parser.add_argument("--pages", type=int, default=1000, help="good pages of the last part (%(default)s)")
    parser.add_argument("--only", default="", help="hostile pages, separated by commas, each alone, and nothing else")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    options = parser.parse_args()
    binary = options.pippin.resolve()
    if not binary.exists():
        parser.error(f"{binary} does not exist; make build makes it")
    names = options.only.split(",") if options.only else list(pages.HOSTILE)
    if unknown := set(names) - set(pages.HOSTILE):
        parser.error(f"no hostile page is called {', '.join(unknown)}; there are {', '.join(pages.HOSTILE)}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pippin-render-soak-"))
    (folder / "tmp").mkdir()
    os.environ["TMPDIR"] = str(folder / "tmp")
    hosts = max(len(names), -(-options.pages // PAGES_OF_HOST))
    soak = Soak(binary, folder, Web(hosts))
    try:
        soak.alone(names)
        if not options.only:
            soak.beside(len(names), 1, 4, names, "beside")
            soak.beside(hosts, -(-options.pages // hosts), 2, names[::8], "soak")
    finally:
        if not options.keep:
            shutil.rmtree(folder)
    for problem in soak.problems:
        print(f"  {problem}")
    print(f"{len(soak.problems)} problems" + (f", in {folder}" if options.keep else ""))
    return 1 if soak.problems else 0


if __name__ == "__main__":
    sys.exit(main())
