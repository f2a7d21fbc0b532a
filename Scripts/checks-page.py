#!/usr/bin/env python3
"""Writes Docs/Checks.md from what the program says of its checks.

    Scripts/checks-page.py PROGRAM > Docs/Checks.md
"""
import json
import subprocess
import sys
import textwrap

GROUPS = {"discoverability": "Discoverability", "deep-links": "Deep links", "structured-data": "Structured data and presentation",
          "technical": "Technical"}
HEAD = """\
# Checks

What each check of a [report card](ReportCard.md) is about: what is wrong if it fails, why it matters, how to fix it, and where the rule is
written. A finding says the same with the page's own values. `Scripts/checks-page.py` makes this page from the program.

If you publish this page, name its URL in pippin.yaml as `docs_url`: reports then link to its sections.
"""
TAIL = """
## Checks of your own

Other names are checks that the site's pippin.yaml adds ([validate.checks](ReportCard.md#checks-of-your-own)). What they want, and how to
satisfy them, is in the finding.
"""


def text(words):
    """Text of the program as running text: nothing in it is markup."""
    return "".join("\\" + character if character in "\\`*_{}[]<>#|" else character for character in words)


def main():
    rules = json.loads(subprocess.run([sys.argv[1], "validate", "--checks", "--format", "json"], check=True, capture_output=True).stdout)
    print(HEAD, end="")
    group = None
    for check in rules["checks"]:
        if check["group"] != group:
            group = check["group"]
            print(f"\n## {GROUPS[group]}")
        print(f"\n### {check['check']}\n")
        sources = ", ".join(f"[{text(source['title'])}]({source['url']})" for source in check["sources"])
        for line in [f"**{text(check['problem'])}** ({check['severity']}). {text(check['why'])}", f"To pass: {text(check['title'])}. {text(check['fix'])}"]:
            print(textwrap.fill(line, 140, break_long_words=False, break_on_hyphens=False) + "\n")
        print(f"Rule: {sources}")
    print(TAIL, end="")


main()
