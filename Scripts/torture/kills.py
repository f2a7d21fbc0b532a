"""The first part: a crawl that is killed again and again, held against one that is left in peace."""
import pathlib
import random
import subprocess
import sys
import time
import typing

import proofs
from consumer import Taken, needless
from job import Job, Run, Settings, differences
from madeupweb import Host, Site
from server import Server
from telling import Telling

DELAY: typing.Final = 0.25
SHARED: typing.Final = "127.0.0.1"
#: How a file of records looks in which a machine's crash left half a line.
TORN: typing.Final = b'{"schemaVersion":1,"uniqueIdentifier":"http://torn'


def hosts(count: int) -> list[Host]:
    """Plain hosts, and some with demands of their own."""
    special = [
        Host("127.0.1.101", "127.0.1.101", DELAY, crawl_delay=0.7, weight=0.35),
        Host("127.0.1.102", "127.0.1.102", 0.55, weight=0.4, has_own_rules=True),
        Host("127.0.1.103", "127.0.1.103", DELAY, retry_after=3, weight=0.5),
        Host("127.0.1.104", "127.0.1.104", DELAY, retry_after=2, weight=0.5),
        *(Host(f"shop-{letter}.localhost", SHARED, DELAY, weight=0.3) for letter in "abc"),
    ]
    plain = [Host(f"127.0.1.{i + 1}", f"127.0.1.{i + 1}", DELAY, has_manifest=i % 4 == 1) for i in range(max(1, count - len(special)))]
    return plain + special


class KillsPart:
    """Runs it, and gathers what is looked at after each kill."""

    def __init__(self, folder: pathlib.Path, binary: pathlib.Path, telling: Telling, pages: int, kills: int, seed: int) -> None:
        self.folder = folder
        self.binary = binary
        self.telling = telling
        self.kills = kills
        self.random = random.Random(seed)
        self.server = Server()
        all_hosts = hosts(20)
        port = self.server.listen(sorted({host.address for host in all_hosts}))
        self.site = Site(all_hosts, pages, port, seed)
        self.settings = Settings(delay=DELAY, delay_per_address=DELAY)
        self.half_lines = self.torn_lines = self.checks = self.consumed = self.consumers_killed = 0
        self.trouble: list[str] = []
        self.damage: list[str] = []

    def run(self) -> None:
        self.telling.section(
            f"Kill -9: {len(self.site.recorded):,} pages on {len(self.site.hosts)} hosts, {self.kills} kills at random moments")
        try:
            calm, seconds = self._undisturbed()
            self._disturbed(calm, seconds)
        finally:
            self.server.close()

    def _undisturbed(self) -> tuple[Job, float]:
        self.server.serve(self.site)
        job = Job(self.folder / "undisturbed", self.binary, self.site, self.settings)
        run = job.start()
        status = run.wait()
        seconds = run.end - run.start
        self.telling.check(
            status == 0 and set(job.records()) == self.site.recorded,
            f"left in peace, it ends after {seconds:.0f} s with {len(job.records()):,} records from {len(self.server.log):,} requests",
            [run.said(), *sorted(self.site.recorded ^ set(job.records()))])
        return job, seconds

    def _disturbed(self, calm: Job, seconds: float) -> None:
        self.server.serve(self.site)
        job = Job(self.folder / "killed", self.binary, self.site, self.settings)
        # The last run is to have some of the work left.
        left = 0.85 * seconds
        for number in range(self.kills):
            run = job.start()
            # A fifth of the kills come while it is starting.
            longest = 0.15 if self.random.random() < 0.2 else 0.5 + 2 * max(0, left) / (self.kills - number)
            moment = self.random.uniform(0, longest)
            self._consume(job, during=moment)
            time.sleep(max(0, run.start + moment - time.monotonic()))
            run.kill()
            # Starting, and waiting for every host's delay, is no progress.
            left -= max(0, run.end - run.start - 0.5)
            self.server.wait_until_quiet()
            if not run.broke_off:
                break
            self._look(job, run)
        last = job.start()
        status = last.wait()
        self.server.wait_until_quiet()
        self._consume(job)
        self._prove(job, calm, status)

    # After each kill.

    def _look(self, job: Job, run: Run) -> None:
        self.checks += 1
        verdict = job.integrity()
        if verdict != "ok":
            self.damage.append(f"after run {run.number}: {verdict}")
        try:
            _, rest = job.record_lines()
        except ValueError as error:
            self.trouble.append(f"after run {run.number} a line of the file of records is none: {error}")
            return
        if rest == TORN:
            # The run was killed before it opened the file.
            return
        self.half_lines += rest != b""
        if not rest and self.random.random() < 0.3 and job.records_file.exists():
            with job.records_file.open("ab") as file:
                file.write(TORN)
            self.torn_lines += 1

    def _consume(self, job: Job, during: float | None = None) -> None:
        """Lets the consumer take in what is new; while a run goes on it is killed now and then."""
        if during is not None and (during < 0.3 or self.random.random() < 0.4):
            return
        if during is not None:
            time.sleep(self.random.uniform(0, during / 2))
        if not job.database.exists():
            return
        script = pathlib.Path(__file__).with_name("consumer.py")
        process = subprocess.Popen(
            [sys.executable, script, self.binary, job.configuration, self.folder / "consumer.sqlite"], stderr=subprocess.PIPE)
        try:
            process.communicate(timeout=self.random.uniform(0, 0.2) if during is not None and self.random.random() < 0.4 else None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.consumers_killed += 1
        else:
            self.consumed += process.returncode == 0

    # In the end.

    def _prove(self, job: Job, calm: Job, status: int) -> None:
        telling, site = self.telling, self.site
        evidence = proofs.Evidence(site, self.server.log, job.runs)
        killed = [run for run in job.runs if run.broke_off]
        worked = sum(any(evidence.run(request) is run for request in evidence.log) for run in killed)
        telling.check(
            # It may come to its end before the last kills when the machine was busy with other things the first time.
            status == 0 and 2 * len(killed) > self.kills,
            f"killed {len(killed)} times, of them with requests made: {worked}; the last run ends with status 0",
            [f"the last run: {status} {job.runs[-1].said()}"])
        telling.none(self.damage, f"SQLite's integrity_check is ok after each of {self.checks} kills")

        lines, rest = job.record_lines()
        problems = [f"http://{url} has no record" for url in sorted(site.recorded - set(job.records()))]
        problems += [f"{url} has a record" for url in sorted(set(job.records()) - site.recorded)]
        problems += needless(lines)
        telling.none(
            problems, f"all {len(site.recorded):,} pages recorded once: {len(lines):,} lines in the file, none told again unchanged")
        telling.check(
            not self.trouble and not rest,
            f"the file of records was complete lines after each kill, but for {self.half_lines} half lines found and {self.torn_lines} "
            "made at its end; the next run fixed each", self.trouble + [f"rest: {rest!r}"])

        proofs.repetition(telling, evidence, self.settings.concurrency)
        proofs.politeness(telling, evidence)
        proofs.addresses(telling, evidence, DELAY)
        proofs.blocks(telling, evidence, self.settings.concurrency)
        proofs.robots_rules(telling, evidence)

        ours, theirs = job.records(), calm.records()
        telling.none(differences(ours, theirs), f"the same {len(ours):,} records as when left in peace")
        self._same_urls(job, calm)
        taken = Taken(self.folder / "consumer.sqlite")
        telling.none(
            taken.repeated + differences(taken.records, ours),
            f"a consumer with a cursor (changes: {taken.count:,}, exports: {self.consumed}, killed: {self.consumers_killed}) has the "
            "same records: each exactly once")

    def _same_urls(self, job: Job, calm: Job) -> None:
        ours, theirs = job.outcomes(), calm.outcomes()
        problems = differences(ours, theirs)
        problems += differences({url: ours.get(url) for url in self.site.outcomes}, self.site.outcomes, "by the site's plan ")
        status = job.ask("status", "--json")
        if '"queued": 0' not in status.stdout:
            problems.append(f"pippin status: {status.stdout} {status.stderr}")
        self.telling.none(problems, f"the same {len(ours):,} URLs with the same last outcomes as when left in peace, none queued")
