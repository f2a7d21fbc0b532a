"""Runs fuzz targets side by side, and keeps what they learn: `make fuzz SECONDS=60 TARGETS="FuzzJSON FuzzURL"`.

Scripts/fuzz.sh has built them. Each target starts from its seeds (Fuzz/Corpus/TARGET, committed) and what earlier runs found on this
machine; afterwards both are merged to the fewest inputs that reach as much, and the smallest of them become the seeds. A crash, a hang,
or a unit that is too slow for its size leaves its input in the findings, and the exit status is 1.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

#: Of a target's seeds: small enough for a repository, and more would reach hardly more.
MOST_FILES = 100
MOST_BYTES = 200_000
#: How much slower than a release build the instrumented code is: coverage of every branch, and address sanitizer, which doubles it again.
#: Estimates, not measured yet: a factor that is too large hides slow units.
FACTORS = {"": 2, "address": 4}
#: Targets that read pages start from these too.
PAGES = {"FuzzHTML", "FuzzPage", "FuzzMicrodata", "FuzzMicroformats", "FuzzRDFa", "FuzzJSONLD"}


@dataclasses.dataclass
class Outcome:
    """What came of a target."""

    target: str
    executions: int
    a_second: int
    new: int
    slowest: float
    seeds: int
    trouble: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the built targets")
    parser.add_argument("--sanitizer", default="", choices=list(FACTORS), help="what they were built with")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="targets side by side (%(default)s)")
    parser.add_argument("targets", nargs="*", help="all, where none is named")
    options = parser.parse_args()
    known = sorted(path.name for path in pathlib.Path("Fuzz/Sources").glob("Fuzz*"))
    if unknown := set(options.targets) - set(known):
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(known)}")

    print(f"{'':2}{'target':18}{'executions':>12}{'exec/s':>9}{'new':>7}{'seeds':>7}{'slowest unit':>16}", flush=True)
    outcomes: list[Outcome] = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = [pool.submit(run, target, options) for target in options.targets or known]
        for future in concurrent.futures.as_completed(futures):
            outcomes.append(outcome := future.result())
            slowest = f"{outcome.slowest:.2f} ms/KB"
            print(
                f"{'✘' if outcome.trouble else '✔'} {outcome.target:18}{outcome.executions:>12,}{outcome.a_second:>9,}{outcome.new:>7,}"
                f"{outcome.seeds:>7}{slowest:>16}", flush=True)
            if outcome.trouble:
                print(f"    {outcome.trouble}", flush=True)
    failed = sorted(outcome.target for outcome in outcomes if outcome.trouble)
    if failed:
        print(f"\n{len(failed)} of {len(outcomes)} targets failed: {', '.join(failed)}")
        return 1
    print(f"\nNo failure in {sum(outcome.executions for outcome in outcomes):,} executions of {len(outcomes)} targets.")
    return 0


def run(target: str, options: argparse.Namespace) -> Outcome:
    binary = (options.build / target).resolve()
    work = pathlib.Path("Fuzz/.build")
    found = work / "corpus" / target
    findings = work / "findings"
    seeds = pathlib.Path("Fuzz/Corpus") / target
    for folder in (found, findings, seeds):
        folder.mkdir(parents=True, exist_ok=True)
    log = findings / f"{target}.log"
    folders = [found, seeds, *(pages() if target in PAGES else [])]
    with log.open("wb") as errors:
        status = subprocess.run(
            [binary, *folders, f"-max_total_time={options.seconds}", "-max_len=16384", f"-timeout={patience(options)}", "-rss_limit_mb=4096",
             "-print_final_stats=1", f"-artifact_prefix={findings}/{target}-"],
            stdout=errors, stderr=errors, env=environment(options), check=False).returncode
    said = log.read_text(errors="replace")
    outcome = Outcome(
        target, figure("stat::number_of_executed_units", said), figure("stat::average_exec_per_sec", said),
        figure("stat::new_units_added", said), max(map(float, re.findall(r"slowest unit: ([\d.]+)", said)), default=0), 0)
    if status:
        kept = re.findall(r"Test unit written to (\S+)", said)
        reason = re.findall(r"Fatal error: .*|ERROR: .*", said)
        outcome.trouble = f"{reason[0] if reason else f'status {status}'}; its input: {kept[-1] if kept else 'none'}; all it said: {log}"
    else:
        merge(binary, found, seeds, options)
    outcome.seeds = len(list(seeds.iterdir()))
    return outcome


def merge(binary: pathlib.Path, found: pathlib.Path, seeds: pathlib.Path, options: argparse.Namespace) -> None:
    """Leaves the fewest inputs that reach as much as all, and of those the smallest as seeds."""
    with tempfile.TemporaryDirectory(dir=found.parent) as name:
        merged = pathlib.Path(name)
        done = subprocess.run(
            [binary, "-merge=1", f"-timeout={patience(options)}", "-rss_limit_mb=4096", merged, seeds, found],
            capture_output=True, env=environment(options), check=False)
        if done.returncode:
            return  # Both stay as they were.
        inputs = sorted((path.stat().st_size, path.name) for path in merged.iterdir())
        for folder in (found, seeds):
            for path in folder.iterdir():
                path.unlink()
        for _, name in inputs:
            shutil.copy(merged / name, found / name)
        total = 0
        for size, name in inputs[:MOST_FILES]:
            total += size
            if total > MOST_BYTES:
                break
            shutil.copy(merged / name, seeds / name)


def patience(options: argparse.Namespace) -> int:
    """Seconds by the clock, after which a unit counts as one that hangs; more of them where targets share a core."""
    return 10 * max(1, -(-options.jobs // (os.cpu_count() or 1)))


def environment(options: argparse.Namespace) -> dict[str, str]:
    # Swift would print its own backtrace in place of libFuzzer keeping the input.
    return {
        **os.environ, "SWIFT_BACKTRACE": "enable=no", "FUZZ_FACTOR": str(FACTORS[options.sanitizer]),
        "ASAN_OPTIONS": "detect_leaks=0:" + os.environ.get("ASAN_OPTIONS", ""),
    }


def pages() -> list[str]:
    """The golden pages and the demo site's."""
    folders = [path for path in pathlib.Path("Tests/PippinPageTests/Fixtures").iterdir() if path.is_dir()]
    return [str(path) for path in [*folders, *(path for path in pathlib.Path("Examples/demo-site").rglob("*") if path.is_dir())]]


def figure(name: str, text: str) -> int:
    found = re.search(rf"{name}:\s*(\d+)", text)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    sys.exit(main())
