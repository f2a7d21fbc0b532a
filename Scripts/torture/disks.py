"""The disk is full: of the storage, of the file of records, of the crawl log."""
import os
import pathlib
import subprocess
import typing

import proofs
from job import Job, Settings
from small import Stage, one_sentence, plain_hosts

DELAY: typing.Final = 0.005
#: Sizes of the disk one after the other; the last has room for everything. The first are too small even to begin.
SIZES: typing.Final = {
    "storage": (4, 16, 40, 80, 120, 200, 320, 500, 800, 1200, 2000, 64_000),
    "records": (4, 20, 60, 64_000),
    "log": (4, 20, 60, 64_000),
}
NAMES: typing.Final = {"storage": "the storage", "records": "the file of records", "log": "the crawl log"}


class SmallDisk:
    """A disk in memory, of so many kilobytes; mounting it takes root, or a user namespace in which we are root."""

    def __init__(self, folder: pathlib.Path, kilobytes: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self._mount(f"size={kilobytes}k")

    def _mount(self, options: str) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.folder], check=True, capture_output=True, text=True)

    def resize(self, kilobytes: int) -> None:
        self._mount(f"remount,size={kilobytes}k")

    def close(self) -> None:
        subprocess.run(["umount", self.folder], check=True)


def can_mount(folder: pathlib.Path) -> bool:
    try:
        SmallDisk(folder / "probe", 64).close()
    except (subprocess.CalledProcessError, OSError):
        return False
    return True


def in_user_namespace(arguments: list[str]) -> int | None:
    """Runs a command where it may mount; nil when this machine allows no such place."""
    if os.geteuid() == 0:
        return None
    try:
        probe = subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"], check=False, capture_output=True)
    except FileNotFoundError:
        return None
    if probe.returncode != 0:
        return None
    return subprocess.run(["unshare", "-rm", *arguments], check=False).returncode


def run(stage: Stage) -> None:
    for place in SIZES:
        _fill(stage, place)


def _fill(stage: Stage, place: str) -> None:
    site = stage.site(plain_hosts(4, DELAY), 200)
    sizes = SIZES[place]
    disk = SmallDisk(stage.folder / f"disk-{place}", sizes[0])
    try:
        settings = Settings(delay=DELAY)
        job = stage.job(f"full-{place}", site, settings, **{place: disk.folder})
        problems: list[str] = []
        for size in sizes[:-1]:
            problems += _run_out(stage, job, place, size)
            disk.resize(sizes[sizes.index(size) + 1])
        full = sum(run.broke_off for run in job.runs)
        stage.telling.check(
            not problems and full >= 3,
            f"the disk of {NAMES[place]} full {full} times, from {sizes[0]} KB on: status 6 and one sentence each time, nothing "
            "damaged and no half line left", problems)
        stage.telling.note(f"“{job.runs[full - 1].said()}”")
        status, problems = stage.finish(job, site)
        stage.telling.none(problems, f"with room again the next run ends with status {status} and all {len(site.recorded)} records, once")
        proofs.repetition(stage.telling, stage.evidence(site, job), settings.concurrency)
    finally:
        disk.close()


def _run_out(stage: Stage, job: Job, place: str, size: int) -> list[str]:
    run = job.start()
    status = run.wait()
    stage.server.wait_until_quiet()
    if status == 0:
        return []
    run.broke_off = True
    problems = one_sentence(run, "full", "No space left")
    if status != 6:
        problems.append(f"with {size} KB the status is {status}: {run.said()[:300]}")
    verdict = job.integrity()
    if verdict != "ok":
        problems.append(f"with {size} KB: {verdict}")
    for file in (job.records_file, job.log_file):
        if file.exists() and (content := file.read_bytes()) and not content.endswith(b"\n"):
            problems.append(f"with {size} KB {file.name} ends in the middle of a line")
    return problems
