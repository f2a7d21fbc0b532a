"""Renders real front ends with Pippin and with plain Chromium, and compares what they show: words, links, title.

    make bench-render
    python3 Scripts/render-bench --pippin .build/release/pippin --only ray,mlflow

The front ends are wheels of PyPI in pinned versions (apps.py), which pip downloads once into .build/render-bench; they are never
installed. Their files and made-up answers of their APIs are served on loopback, in a network namespace of its own, so that nobody
else is asked. Exit status 1 if an app differs, 2 if something is missing on this machine.
"""
import argparse
import collections
import dataclasses
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile

from apps import APPS, App
from server import AppServer

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMESPACE = "PIPPIN_RENDER_BENCH"
#: The longest that either may take, in seconds.
TIMEOUT = 180


class Shown(html.parser.HTMLParser):
    """What a document shows: its title, words and links."""

    HIDDEN = {"script", "style", "noscript", "template", "svg"}

    def __init__(self, document: str, base: str) -> None:
        super().__init__()
        self.title = ""
        self.words: collections.Counter[str] = collections.Counter()
        self.links: set[str] = set()
        self._base, self._hidden, self._in_title = base, 0, False
        self.feed(document)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.HIDDEN:
            self._hidden += 1
        elif tag == "title":
            self._in_title = not self._hidden
        elif tag == "a" and not self._hidden and (target := dict(attributes).get("href")):
            self.links.add(urllib.parse.urljoin(self._base, target))

    def handle_endtag(self, tag: str) -> None:
        if tag in self.HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "title":
            self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data.strip()
        elif not self._hidden:
            # Both run at another time, so that moments and durations differ.
            self.words.update(word for word in data.split() if not any(sign.isdigit() for sign in word))


@dataclasses.dataclass
class Run:
    """One rendering of an app: what it shows, how long it took, what it asked its server for."""

    shown: Shown
    seconds: float
    asked: list[tuple[str, str, int]]
    #: How Pippin's rendering ended, and why requests failed.
    ending: str = ""
    refused: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    trouble: str = ""


def fetched(app: App, folder: pathlib.Path) -> pathlib.Path:
    """The folder with the front end's files, downloaded if they are not there."""
    place = folder / app.wheel.replace("==", "-")
    if place.exists():
        return place
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", temporary, app.wheel],
            check=True)
        wheel = next(pathlib.Path(temporary).glob("*.whl"))
        new = pathlib.Path(temporary) / "files"
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                # zipfile keeps names inside of the folder.
                if name.startswith((app.page_file, *app.files.values())) and not name.endswith((".py", ".map")):
                    archive.extract(name, new)
        new.rename(place)
    return place


def plain(app: App, url: str, browser: str, folder: pathlib.Path) -> Run:
    """The app in Chromium as it is: with its pictures and compilers, without our rules."""
    home = folder / "home"
    home.mkdir()
    command = [
        browser, "--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--window-size=1024,4000", "--virtual-time-budget=10000", f"--user-data-dir={home}",
        # Nothing but loopback exists here; without this, a request waits for a name server's answer.
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking", "--dump-dom", url]
    if os.geteuid() == 0:
        shutil.chown(home, "nobody")
        command = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--no-new-privs", *command]
    start = time.monotonic()
    run = subprocess.run(command, capture_output=True, timeout=TIMEOUT, env={"HOME": str(home), "PATH": os.environ["PATH"]})
    seconds = time.monotonic() - start
    trouble = "" if run.stdout.strip() else f"Chromium wrote nothing: {run.stderr.decode(errors='replace')[-300:]}"
    return Run(Shown(run.stdout.decode(errors="replace"), url), seconds, [], trouble=trouble)


def ours(app: App, url: str, pippin: pathlib.Path, browser: str, folder: pathlib.Path) -> Run:
    file = folder / "rendered.html"
    start = time.monotonic()
    run = subprocess.run(
        [pippin, "extract", url, "--allow-private-networks", "--render", "--browser", browser, "--rendered-out", file],
        capture_output=True, timeout=TIMEOUT)
    result = Run(Shown(file.read_text() if file.exists() else "", url), time.monotonic() - start, [])
    if run.returncode != 0 or not file.exists():
        result.trouble = f"pippin ended with {run.returncode}: {run.stderr.decode(errors='replace').strip()[-300:]}"
        return result
    rendering = json.loads(run.stdout)["rendering"]
    result.ending = rendering["ending"]
    for request in rendering["requests"]:
        if reason := request.get("refused") or request.get("failed"):
            result.refused[reason] += 1
    return result


def differences(app: App, theirs: Run, mine: Run) -> list[str]:
    """What one shows and the other does not, and what explains it."""
    found = [run.trouble for run in (theirs, mine) if run.trouble]
    if theirs.shown.title != mine.shown.title:
        found.append(f"title {mine.shown.title!r}, in Chromium {theirs.shown.title!r}")
    for what, a, b in (("words", theirs.shown.words, mine.shown.words), ("links", theirs.shown.links, mine.shown.links)):
        for sign, rest in (("lacks", a - b), ("adds", b - a)):
            if rest:
                number = sum(rest.values()) if isinstance(rest, collections.Counter) else len(rest)
                found.append(f"{sign} {number} {what}: {' '.join(sorted(rest))[:120]}")
    if found and mine.refused:
        found.append("refused: " + ", ".join(f"{number} {reason}" for reason, number in mine.refused.most_common()))
    if found and mine.ending not in ("", "settled"):
        found.append(f"ended as {mine.ending}")
    return found


def bench(apps: list[App], options: argparse.Namespace) -> int:
    folder = ROOT / ".build/render-bench"
    print(f"{'':2}{'front end':28}{'words':>6}{'links':>6}{'requests':>9}{'s':>6}{'Chromium s':>11}  title", flush=True)
    unexplained = []
    for number, app in enumerate(apps):
        server = AppServer(app, fetched(app, folder).resolve(), "127.0.0.1", 8400 + number)
        url = server.origin + app.path
        runs = []
        for render in (lambda place: plain(app, url, options.browser, place), lambda place: ours(app, url, options.pippin, options.browser, place)):
            place = pathlib.Path(tempfile.mkdtemp(prefix="pippin-render-"))
            place.chmod(0o755)
            try:
                run = render(place)
            finally:
                shutil.rmtree(place, ignore_errors=True)
            run.asked, server.asked = server.asked, []
            runs.append(run)
        server.stop()
        theirs, mine = runs
        found = differences(app, theirs, mine)
        mark = "✔" if not found else "·" if app.differs else "✘"
        print(
            f"{mark} {app.wheel:28}{sum(mine.shown.words.values()):6}{len(mine.shown.links):6}{len(mine.asked):9}{mine.seconds:6.1f}"
            f"{theirs.seconds:11.1f}  {mine.shown.title}", flush=True)
        for line in found:
            print(f"      {line}")
        if app.differs:
            print(f"      because {app.differs}" if found else f"      no longer differs: take the reason out of apps.py ({app.differs})")
        if found and not app.differs:
            unexplained.append(app.name)
    same = len(apps) - len(unexplained)
    print(f"\n{same} of {len(apps)} show what they show in Chromium, or the reason is above." + (f" Not: {', '.join(unexplained)}" if unexplained else ""))
    return 1 if unexplained else 0


def isolated() -> None:
    """Goes on in a network namespace of its own, with loopback only."""
    if os.environ.get(NAMESPACE):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-current-user", "--keep-caps", "--net"]
    os.environ[NAMESPACE] = "1"
    os.execvp("unshare", [*unshare, sys.executable, *sys.argv])


def main() -> int:
    parser = argparse.ArgumentParser(prog="render-bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pippin", type=pathlib.Path, default=pathlib.Path(".build/release/pippin"), help="the binary (%(default)s)")
    parser.add_argument("--browser", default="/usr/lib/chromium/chromium-headless-shell", help="Chromium's program (%(default)s)")
    parser.add_argument("--only", default="", help="front ends whose names begin with one of these, separated by commas")
    options = parser.parse_args()
    options.pippin = options.pippin.resolve()
    if not options.pippin.exists():
        parser.error(f"{options.pippin} does not exist; make build makes it")
    if missing := [name for name in ("unshare", "ip", "setpriv") if not shutil.which(name)]:
        parser.error(f"missing programs: {', '.join(missing)} (Debian: util-linux, iproute2)")
    if not pathlib.Path(options.browser).exists():
        parser.error(f"{options.browser} does not exist (Debian: chromium-headless-shell)")
    apps = [app for app in APPS if app.name.startswith(tuple(options.only.split(",")))]
    if not apps:
        parser.error(f"no front end begins with {options.only}: {', '.join(app.name for app in APPS)}")
    folder = ROOT / ".build/render-bench"
    folder.mkdir(parents=True, exist_ok=True)
    if not os.environ.get(NAMESPACE):
        for app in apps:
            fetched(app, folder)
    isolated()
    return bench(apps, options)


if __name__ == "__main__":
    sys.exit(main())
