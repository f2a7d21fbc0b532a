#!/usr/bin/env python3
"""How often each check of the report card finds something, over folders of pages.

    check-frequency.py PIPPIN FOLDER… [--messages]

Judges every page with `pippin validate`, as a new user would: without network and without settings. Prints how many findings
above advice (errors and warnings) the cards have, and a table of the checks: the share of pages with a finding above advice,
the pages by their gravest finding of the check, and the number of findings above advice. A star marks a check that has a
finding above advice on more than 20 % of the pages. With --messages, the most frequent messages of each check follow it,
without the values in them.
"""
import collections
import json
import re
import statistics
import subprocess
import sys

GRADES = ["error", "warning", "info"]
# The share of pages above which a check is justified in CONTRIBUTING.md.
OFTEN = 0.2


def cards(pippin, folder):
    """The cards of all pages of a folder that were read."""
    run = subprocess.run([pippin, "validate", folder, "--format", "json"], capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{pippin} validate {folder} ended with {run.returncode}: {run.stderr.decode(errors='replace')}")
    return [card for card in json.loads(run.stdout)["pages"] if card.get("pageRead")]


def shape(message):
    """A message without its values, so that equal ones count together."""
    message = re.sub("“[^”]*”", "“…”", message)
    return re.sub(r"\d[\d.,]*", "0", message)[:110]


def main():
    arguments = sys.argv[1:]
    shows_messages = "--messages" in arguments
    arguments = [argument for argument in arguments if argument != "--messages"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    pippin, *folders = arguments
    pages = [card for folder in folders for card in cards(pippin, folder)]
    if not pages:
        sys.exit("No pages were read.")
    by_grade = collections.defaultdict(collections.Counter)
    above = collections.Counter()
    problems = {}
    messages = collections.defaultdict(collections.Counter)
    loads = []
    for card in pages:
        gravest = {}
        load = 0
        for finding in card["findings"]:
            check, grade = finding["check"], finding["outcome"]
            if grade not in GRADES:
                continue
            problems[check] = finding["problem"]
            gravest[check] = min(gravest.get(check, 9), GRADES.index(grade))
            messages[check][f"{grade:7} {shape(finding['message'])}"] += 1
            unlisted = finding.get("unlisted", {})
            further = unlisted.get("error", 0) + unlisted.get("warning", 0)
            above[check] += further
            load += further
            if grade != "info":
                above[check] += 1
                load += 1
        loads.append(load)
        for check, index in gravest.items():
            by_grade[check][GRADES[index]] += 1
    loads.sort()
    count = len(pages)
    print(f"{count} pages of {' '.join(folders)}")
    print(
        f"findings above advice per card: median {statistics.median(loads):g}, mean {statistics.mean(loads):.1f}, "
        f"nine of ten cards have at most {loads[max(0, -(-count * 9 // 10) - 1)]}, most {loads[-1]}"
    )
    print(f"cards without any: {loads.count(0)} ({loads.count(0) / count:.0%})\n")
    print("check   above advice   error  warning   advice   findings  problem")

    def share(check):
        return by_grade[check]["error"] + by_grade[check]["warning"]

    for check in sorted(by_grade, key=lambda check: (-share(check), -by_grade[check]["info"], check)):
        often = "*" if share(check) > OFTEN * count else " "
        grades = by_grade[check]
        print(
            f"{check}{often}   {share(check):5} {share(check) / count:6.1%}   {grades['error']:5} {grades['warning']:8} "
            f"{grades['info']:8} {above[check]:10}  {problems[check]}"
        )
        if shows_messages:
            for message, number in messages[check].most_common(8):
                print(f"         {number:5} {message}")


main()
