"""Crawls a hostile web on loopback, one fault beside good hosts at a time, and proves that nothing hangs, floods or is hammered.

    python3 Scripts/hostile --pippin .build/release/pippin --only h2-

CONTRIBUTING.md says how to read it. Exit status 1 when a fault gets through.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

from certificates import Certificates
from crawl import GOOD, PAGES, Crawl, Verdict
from fault import Fault, load


def main() -> int:
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pippin", type=pathlib.Path, default=pathlib.Path(".build/release/pippin"), help="the binary (%(default)s)")
    parser.add_argument("--only", default="", help="faults whose names begin with one of these, separated by commas")
    parser.add_argument("--fast", action="store_true", help="the part that is in the tests")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 2), help="crawls side by side (%(default)s)")
    parser.add_argument("--seed", type=int, help="of the order; printed, to make a run again")
    parser.add_argument("--list", action="store_true", help="name the faults and run none")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    options = parser.parse_args()
    binary = options.pippin.resolve()
    if not options.list and not binary.exists():
        parser.error(f"{binary} does not exist; make build makes it")
    everything = load()
    networks = {name: f"127.{64 + i // 250}.{1 + i % 250}" for i, name in enumerate(everything)}
    starts = tuple(options.only.split(","))
    faults = [fault for fault in everything.values() if fault.name.startswith(starts) and (fault.fast or not options.fast)]
    if not faults:
        parser.error(f"no fault begins with {options.only}; --list names them")
    if options.list:
        for fault in faults:
            print(f"{fault.name:28} {fault.what}")
        print(f"{len(faults)} faults")
        return 0
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    random.Random(seed).shuffle(faults)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pippin-hostile-"))
    print(f"seed {seed}, {binary}" + (f", in {folder}" if options.keep else ""))
    try:
        return run(faults, networks, folder, binary, options.jobs)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


def run(faults: list[Fault], networks: dict[str, str], folder: pathlib.Path, binary: pathlib.Path, jobs: int) -> int:
    start = time.monotonic()
    secure = [fault for fault in faults if fault.secure]
    addresses = [f"{networks[fault.name]}.{number}" for fault in secure for number in (1, 2, 3, *range(11, 11 + fault.hosts))]
    certificates = Certificates.made(folder / "certificates", addresses)

    def crawl(fault: Fault) -> Verdict:
        return Crawl(fault, networks[fault.name], folder / fault.name, binary, certificates).run()

    print(f"{'':2}{'fault':30}{'outcome':34}{'good':>7}{'asked':>7}{'MB':>6}{'cpu s':>7}{'s':>7}", flush=True)
    verdicts: list[Verdict] = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(crawl, fault) for fault in faults]):
            verdicts.append(future.result())
            tell(verdicts[-1])
    failed = sorted(verdict.fault.name for verdict in verdicts if verdict.problems)
    seconds = time.monotonic() - start
    if failed:
        print(f"\n{len(failed)} of {len(verdicts)} faults got through, after {seconds:.0f} s: {', '.join(failed)}", flush=True)
        return 1
    print(
        f"\nAll {len(verdicts)} faults are held off: every good page recorded, {sum(verdict.requests for verdict in verdicts):,} requests "
        f"to hostile hosts, {max(verdict.memory for verdict in verdicts)} MB at most, after {seconds:.0f} s.")
    return 0


def tell(verdict: Verdict) -> None:
    print(
        f"{'✘' if verdict.problems else '✔'} {verdict.fault.name:30}{verdict.code:34}{f'{verdict.good}/{GOOD * PAGES}':>7}"
        f"{verdict.requests:>7}{verdict.memory:>6}{verdict.cpu:>7.1f}{verdict.seconds:>7.1f}", flush=True)
    for problem in verdict.problems[:6]:
        print(f"      {problem}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
