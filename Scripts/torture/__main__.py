"""Kills, interrupts and starves a crawl of a made-up site on loopback, and proves that nothing is lost, repeated or rude.

    python3 Scripts/torture --pippin .build/release/pippin

Docs/Operations.md says what is promised; each line of the output is a proof of it. Exit status 1 when one fails.
"""
import argparse
import pathlib
import random
import shutil
import sys
import tempfile

import clocks
import disks
import interrupts
import power
from kills import KillsPart
from small import Stage
from telling import Telling

PARTS = ("kills", "power", "signals", "lock", "disks", "clocks")


def main() -> int:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pippin", type=pathlib.Path, default=pathlib.Path(".build/release/pippin"), help="the binary (%(default)s)")
    parser.add_argument("--pages", type=int, default=2000, help="pages of the site that is crawled under kills (%(default)s)")
    parser.add_argument("--kills", type=int, default=30, help="how often it is killed (%(default)s)")
    parser.add_argument("--seed", type=int, help="of everything that is random; printed, to make a run again")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to do, separated by commas (%(default)s)")
    parser.add_argument("--skip-disk-full", action="store_true", help="do without full disks, where none can be mounted")
    parser.add_argument("--skip-clocks", action="store_true", help="do without setting the calendar, where there is no C compiler")
    parser.add_argument("--keep", action="store_true", help="keep the folder with all files")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    binary = options.pippin.resolve()
    if not binary.exists():
        parser.error(f"{binary} does not exist; make build makes it")

    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1_000_000)
    telling = Telling()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pippin-torture-"))
    print(f"seed {seed}, {binary}" + (f", in {folder}" if options.keep else ""))
    try:
        if "kills" in parts:
            KillsPart(folder, binary, telling, options.pages, options.kills, seed).run()
        with Stage.lit(folder, binary, telling) as stage:
            if "power" in parts:
                telling.section("Loss of power")
                power.run(stage, seed)
            if "signals" in parts:
                telling.section("Signals: SIGTERM, the first Ctrl-C, the second")
                interrupts.run(stage)
            if "lock" in parts:
                telling.section("Two runs of one job")
                interrupts.run_beside(stage)
            if "disks" in parts:
                telling.section("Full disks")
                full_disks(stage, options)
            if "clocks" in parts:
                telling.section("A calendar that is set")
                set_calendars(stage, options)
        return telling.end()
    finally:
        if not options.keep:
            shutil.rmtree(folder)


def full_disks(stage: Stage, options: argparse.Namespace) -> None:
    if options.skip_disk_full:
        stage.telling.note("LEFT OUT, as --skip-disk-full asks")
    elif disks.can_mount(stage.folder):
        disks.run(stage)
    else:
        command = [sys.executable, __file__, "--pippin", str(stage.binary), "--parts", "disks"]
        status = disks.in_user_namespace(command)
        stage.telling.check(
            status == 0,
            "NOT POSSIBLE HERE: neither may we mount a small disk nor make a user namespace for it; --skip-disk-full leaves it out"
            if status is None else "full disks, in a user namespace of their own")


def set_calendars(stage: Stage, options: argparse.Namespace) -> None:
    compiler = clocks.compiler()
    if options.skip_clocks:
        stage.telling.note("LEFT OUT, as --skip-clocks asks")
    elif compiler:
        clocks.run(stage, compiler)
    else:
        stage.telling.check(False, "NOT POSSIBLE HERE: there is no C compiler; --skip-clocks leaves it out")


if __name__ == "__main__":
    sys.exit(main())
