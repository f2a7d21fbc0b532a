"""The power goes: what the system had not written to the disk yet is lost.

Of the database that is the end of its write-ahead log behind the last sync, of the file of records what stands behind the length that
the database knows. Both are cut off at random places after a kill, which is what a disk can look like after a crash of the machine.
"""
import json
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import typing

import proofs
from consumer import Taken
from job import Job, Settings, differences, is_popularity, timeless
from small import Stage, plain_hosts

DELAY: typing.Final = 0.05
PAGES: typing.Final = 600
LOSSES: typing.Final = 10


def run(stage: Stage, seed: int) -> None:
    chance = random.Random(seed)
    site = stage.site(plain_hosts(6, DELAY), PAGES)
    job = stage.job("power", site, Settings(delay=DELAY))
    store = stage.folder / "power-consumer.sqlite"
    log = job.database.with_name(f"{job.database.name}-wal")
    synced = lost = losses = 0
    problems: list[str] = []
    for _ in range(LOSSES):
        asked = len(stage.server.log)
        crawl = job.start()
        stage.wait_for_requests(crawl, asked + chance.randint(8, 30))
        if chance.random() < 0.6 and _consume(job, store):
            # What a consumer has is on the disk.
            synced = log.stat().st_size
        stage.wait_for_requests(crawl, len(stage.server.log) + chance.randint(1, 15))
        crawl.kill()
        stage.server.wait_until_quiet()
        if not crawl.broke_off:
            break  # On a busy machine it may be done by now.
        losses += 1
        written = log.stat().st_size
        kept = chance.randint(min(synced, written), written)
        lost += written - kept
        with log.open("r+b") as file:
            file.truncate(kept)
        log.with_name(log.name.replace("-wal", "-shm")).unlink(missing_ok=True)
        _cut_records(job, chance)
        if (verdict := job.integrity()) != "ok":
            problems.append(f"after run {crawl.number}: {verdict}")
        # No machine starts faster than this.
        time.sleep(2 * DELAY)
    status, more = stage.finish(job, site)
    _consume(job, store)
    taken = Taken(store)
    problems += more + taken.repeated
    problems += differences(job.records(), taken.records)
    stage.telling.none(
        problems,
        f"{losses} times the power gone and {lost // 1024} KB of the database's log with it: the last run ends with status {status}, all "
        f"{len(site.recorded)} records, none told again unchanged, a consumer has each of {taken.count} changes exactly once")
    proofs.politeness(stage.telling, stage.evidence(site, job))


def _consume(job: Job, store: pathlib.Path) -> bool:
    script = pathlib.Path(__file__).with_name("consumer.py")
    return subprocess.run([sys.executable, script, job.binary, job.configuration, store], check=False, capture_output=True).returncode == 0


def _cut_records(job: Job, chance: random.Random) -> None:
    """Cuts the file of records somewhere behind what the database has noted as synced.

    A line is written only after its change is on the disk. So the file has no line of a change that the database has lost.
    """
    with tempfile.TemporaryDirectory(dir=job.folder) as folder:
        for file in job.storage.glob("pippin.sqlite*"):
            shutil.copy(file, folder)
        connection = sqlite3.connect(pathlib.Path(folder) / job.database.name)
        try:
            row = connection.execute("SELECT bytes FROM consumer").fetchone()
            first = row[0] if row else 0
            content = job.records_file.read_bytes()
            last = first
            for line in content[first:].splitlines(keepends=True):
                if not line.endswith(b"\n") or not _has(connection, json.loads(line)):
                    break
                last += len(line)
        except sqlite3.OperationalError:
            first = last = 0  # All of it is lost.
        finally:
            connection.close()
    length = job.records_file.stat().st_size
    with job.records_file.open("r+b") as records:
        records.truncate(chance.randint(min(first, length), min(last, length)))


def _has(connection: sqlite3.Connection, line: dict[str, typing.Any]) -> bool:
    if is_popularity(line):
        value = connection.execute(
            "SELECT value FROM popularity JOIN record ON record.id = popularity.record WHERE identifier = ?", (line["uniqueIdentifier"],)
        ).fetchone()
        return value is not None and value[0] == round(line["popularity"] * 1000)
    row = connection.execute(
        "SELECT CASE state WHEN 0 THEN document ELSE deletion END FROM record WHERE identifier = ?", (line["uniqueIdentifier"],)
    ).fetchone()
    return row is not None and row[0] is not None and timeless(json.loads(row[0])) == timeless(line)
