#!/usr/bin/env python3
"""How well the rule of check T15, by which `render: auto` chooses pages, tells app shells from pages: a confusion table.

    render-need.py PIPPIN --shells FOLDER… [--pages FOLDER…] [--known FILE…]

Shells are the `index.html` files below the folders of --shells, such as .build/render-bench, which make bench-render fills. Each is
judged as it is, and as sites have it: between navigation, footer and a text about cookies, with names that say so and without;
with skeletons, with a spinner, and with an element of its own in the place of its mount. Short pages with analytics are written
here. Pages are HTML files that can be read as they are, but for those of --known, which are shells. Prints the table and every page
that is judged wrong. Exit status 1 if a short page with analytics is named, or a shell with names is missed.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SENTENCE = "We make mugs of clay that we dig by the river, and fire them for two days in a kiln of our own. "
COOKIES = "This site uses cookies to count visitors and to show you mugs that you may like. You may refuse all but the necessary ones. "
LINKS = "".join(f'<a href="/{word}">{word} of our shop</a> ' for word in "mugs handles bowls plates glaze kilns clay news about jobs".split())
NAMED = (
    f'<header><a href="/">Mugs</a><nav>{LINKS}</nav></header>',
    f'<footer><p>{SENTENCE * 5}</p>{LINKS}</footer><div class="cookie-consent" role="dialog"><p>{COOKIES * 4}</p><button>Accept</button></div>',
)
UNNAMED = (
    f"<div><ul>{''.join(f'<li>{link}</li>' for link in LINKS.split(' <a')[:4])}</ul></div>",
    f"<div><p>{COOKIES * 3}</p></div><div><p>© 2026 Mugs and Sons. {SENTENCE}</p></div>",
)
MOUNT = re.compile(rb'(<div[^>]*\bid="?(?:app|root|__next|react-entry-point|dashboard)"?[^>]*>)\s*(?=</div>)')
ANALYTICS = {
    "gtag": """<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script><script>window.dataLayer = window.dataLayer || [];
function gtag(){dataLayer.push(arguments);} gtag('js', new Date()); gtag('config', 'G-1');</script>""",
    "plausible": '<script defer data-domain="mugs.example" src="https://plausible.io/js/script.js"></script>',
    "matomo": """<script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']); (function() { var u="//stats.example.org/";
_paq.push(['setTrackerUrl', u+'matomo.php']); var d=document, g=d.createElement('script'), s=d.getElementsByTagName('script')[0];
g.async=true; g.src=u+'matomo.js'; s.parentNode.insertBefore(g,s); })();</script>""",
    "own": '<script src="/js/count.js" defer></script>',
}
SHORT = {
    "contact": '<h1>Contact</h1><p>Mug Street 1, Mugtown. <a href="mailto:mugs@mugs.example">Write to us</a></p>',
    "form": '<h1>Write to us</h1><form action="/send"><input name="mail"><textarea name="text"></textarea></form>',
    "missing": '<h1>404</h1><p>Page not found. <a href="/">Home</a></p>',
    "picture": '<img src="/mug.jpg" alt="A mug">',
    "closed": "<p>We are closed until Monday.</p>",
}


def variants(page):
    """A shell as it is, and as sites have it, by the name of the variant."""
    yield "as it is", page
    body = re.search(rb"<body[^>]*>", page)
    if not body:
        return

    def framed(page, frame):
        end = page.rfind(b"</body>")
        end = len(page) if end < 0 else end
        return page[: body.end()] + frame[0].encode() + page[body.end() : end] + frame[1].encode() + page[end:]

    yield "with a frame", framed(page, NAMED)
    yield "with a frame without names", framed(page, UNNAMED)
    if MOUNT.search(page):
        skeletons = b'<div class="skeleton-card"></div><div class="skeleton-card">Title</div>'
        yield "skeletons", framed(MOUNT.sub(lambda found: found[1] + skeletons, page), NAMED)
        yield "a spinner", framed(MOUNT.sub(lambda found: found[1] + b'<div class="spinner"></div>Loading...', page), NAMED)
        yield "skeletons without a mount", framed(MOUNT.sub(lambda found: b'<div class="grid">' + skeletons, page), NAMED)
        yield "own element", framed(MOUNT.sub(lambda found: b"<mug-shop></mug-shop><div>", page), NAMED)


def needs(pippin, folder):
    """The messages of check T15 on the pages of a folder, by their path in it; nil for a page that needs no rendering."""
    run = subprocess.run([pippin, "validate", folder, "--only", "T15", "--format", "json"], capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(f"{pippin} validate {folder} ended with {run.returncode}: {run.stderr.decode(errors='replace')}")
    return {
        str(pathlib.Path(card["input"]).relative_to(folder)): next(
            (finding["message"] for finding in card["findings"] if finding["check"] == "T15" and finding["outcome"] == "warning"), None)
        for card in json.loads(run.stdout)["pages"] if card.get("pageRead")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pippin")
    parser.add_argument("--shells", nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--pages", nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--known", nargs="+", default=[], metavar="FILE", help="files of --pages that are shells")
    options = parser.parse_args()
    table = collections.defaultdict(lambda: [0, 0])
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        made = pathlib.Path(temporary).resolve()
        kinds = {}

        def write(kind, name, page):
            file = made / f"{len(kinds)}.html"
            file.write_bytes(page)
            kinds[file.name] = kind, name

        for folder in options.shells:
            for file in sorted(pathlib.Path(folder).rglob("index.html")):
                for kind, page in variants(file.read_bytes()):
                    write(("shell", kind), str(file), page)
        for name, body in SHORT.items():
            for counter, script in ANALYTICS.items():
                for frame in (("", ""), NAMED):
                    page = f"<!doctype html><html><head><title>Mugs</title>{script}</head><body>{frame[0]}{body}{frame[1]}</body></html>"
                    write(("page", "short, with analytics"), f"{name}, {counter}{', framed' if frame[0] else ''}", page.encode())
        judged = [(kinds[file], message) for file, message in needs(options.pippin, made).items()]
    known = {pathlib.Path(file).resolve() for file in options.known}
    for folder in options.pages:
        place = pathlib.Path(folder).resolve()
        for file, message in needs(options.pippin, place).items():
            kind = ("shell", "real shells") if place / file in known else ("page", "real pages")
            judged.append(((kind, str(pathlib.Path(folder) / file)), message))
    for (kind, name), message in sorted(judged, key=lambda entry: entry[0]):
        isNamed = message is not None
        table[kind][isNamed] += 1
        if isNamed != (kind[0] == "shell"):
            wrong.append((kind, name, message))
    print(f"{'':32}{'named':>8}{'not':>8}")
    for kind, (missed, named) in sorted(table.items(), reverse=True):
        print(f"{kind[0]:6}{kind[1]:26}{named:8}{missed:8}")
    for kind, name, message in wrong:
        print(f"✘ {kind[1]}: {name}: {message or 'not named'}")
    fails = {("page", "short, with analytics"), ("shell", "as it is"), ("shell", "with a frame")}
    return 1 if any(kind in fails for kind, _, _ in wrong) else 0


sys.exit(main())
