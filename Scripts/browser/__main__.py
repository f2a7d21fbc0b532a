"""Drives a browser through every page of pippin serve, and proves that they work, fit, can be read and ask nobody else.

    .build/browser/bin/python3 Scripts/browser --pippin .build/release/pippin

CONTRIBUTING.md says what is proved; each line of the output is a proof. Exit status 1 when one fails. Scripts/setup.sh test
installs the browser and makes the environment. Screenshots of every page are in .build/screenshots.
"""
import argparse
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "torture"))

import journeys
import looks
import pictures
from browser import Browser
from demo import Demo
from telling import Telling

PARTS = ("looks", "journeys", "pictures")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="browser", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pippin", type=pathlib.Path, default=pathlib.Path(".build/release/pippin"), help="the binary (%(default)s)")
    parser.add_argument("--parts", default="looks,journeys", help=f"of {', '.join(PARTS)}, separated by commas (%(default)s)")
    parser.add_argument("--screenshots", type=pathlib.Path, default=ROOT / ".build/screenshots", help="folder for a picture of every page")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "Docs", help="folder for the pictures of the README")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the demo")
    options = parser.parse_args()
    parts = options.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    binary = options.pippin.resolve()
    if not binary.exists():
        parser.error(f"{binary} does not exist; make build makes it")
    telling = Telling()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pippin-browser-"))
    print(f"{binary}" + (f", in {folder}" if options.keep else ""))
    try:
        with Demo(binary, folder, ROOT / "Examples/demo-site") as demo, Browser(demo.origin) as browser:
            if "journeys" in parts:
                journeys.run(browser, demo, telling)
            if "looks" in parts:
                options.screenshots.mkdir(parents=True, exist_ok=True)
                looks.run(browser, demo, telling, options.screenshots)
            if "pictures" in parts:
                pictures.run(browser, demo, telling, options.docs)
        return telling.end()
    finally:
        if not options.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
