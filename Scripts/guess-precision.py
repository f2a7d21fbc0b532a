#!/usr/bin/env python3
"""How often guesses are right.   guess-precision.py PIPPIN LIST.json FOLDER [LIST.json FOLDER …] [-v FIELD]

LIST.json is a list of {"file": …, "url": …}; files lie in FOLDER. Of each page, the record with all of its markup is the truth for the
fields that markup states. Then the markup that states things is taken away (JSON-LD, microdata, RDFa, meta elements but charset and
robots), and what the record guesses from the text that is left is held against that truth. Printed for each field and source:
the pages with both, those on which both are the same, and what `confidence` of the records says of such a guess.

A guess may be right where the statement is wrong, so that the true share is a little higher."""
import collections, concurrent.futures, json, os, re, shlex, subprocess, sys, tempfile

GUESSES = {"visible-text", "page-url", "main-text", "time-element"}
TAGS = re.compile(rb"<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[a-z][^>]*>", re.S | re.I)
STATING = re.compile(rb"""\s(item(scope|type|prop|id|ref)|property|typeof|vocab|about|resource|datatype)(\s*=\s*("[^"]*"|'[^']*'|[^\s>]*))?""", re.I)

def without_statements(page):
    def tag(match):
        text = match.group(0)
        if re.match(rb"<script\b[^>]*ld\+json", text, re.I): return b""
        if text[:4].lower() in (b"<!--", b"<scr", b"<sty"): return text
        if re.match(rb"<meta\b", text, re.I):
            return text if re.search(rb"charset|http-equiv|robots|viewport", text, re.I) else b""
        return STATING.sub(b"", text)
    return TAGS.sub(tag, page)

def folded(text): return re.sub(r"\W+", " ", str(text)).strip().casefold()

def offer(record, key):
    offers = record.get("offers") or []
    return offers[0].get(key) if len(offers) == 1 else None

def price(record):
    value = offer(record, "price")
    return value and round(float(value), 2)

def path(record):
    """The names of the links on the way to the page; it may stand at the end itself. A path of one says nothing."""
    links = [b for b in record.get("breadcrumbs", []) if b.get("url") and b["url"] not in (record["url"], record["uniqueIdentifier"])]
    return [folded(b["name"]) for b in links] if len(links) > 1 else []

FIELDS = {  # field: (its value, the field whose source counts)
    "authors": (lambda r: sorted(folded(a["name"]) for a in r.get("authors", [])), "authors"),
    "publishedAt": (lambda r: r.get("publishedAt", "")[:10], "publishedAt"),
    "modifiedAt": (lambda r: r.get("modifiedAt", "")[:10], "modifiedAt"),
    "offers": (price, "offers"),
    "availability": (lambda r: offer(r, "availability"), "offers"),
    "brand": (lambda r: folded(r.get("brand", "")), "brand"),
    "identifiers": (lambda r: {folded(x) for v in r.get("identifiers", {}).values() for x in v}, "identifiers"),
    "breadcrumbs": (path, "breadcrumbs"),
    "containerTitle": (lambda r: folded(r.get("containerTitle", "")), "containerTitle"),
    "languages": (lambda r: r.get("languages", [""])[0].split("-")[0], "languages"),
}

def same(field, guess, truth):
    if field == "identifiers": return bool(guess & truth)
    return guess == truth

def main():
    arguments = sys.argv[1:]
    verbose = None
    if "-v" in arguments:
        at = arguments.index("-v")
        verbose = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) < 3 or len(arguments) % 2 == 0: sys.exit(__doc__)
    pippin = shlex.split(arguments[0])
    pages = []
    for list_file, folder in zip(arguments[1::2], arguments[2::2]):
        for page in json.load(open(list_file)):
            url = page["url"] if page["url"].startswith("http") else "https://" + page["url"].lstrip("/")
            pages.append((os.path.join(folder, page["file"]), url))

    def record(path, url):
        run = subprocess.run(pippin + ["extract", path, "--url", url], capture_output=True)
        try: return json.loads(run.stdout).get("record") or {}
        except ValueError: return {}

    def read(page):
        path, url = page
        whole = record(path, url)
        with tempfile.NamedTemporaryFile(suffix=".html") as stripped:
            stripped.write(without_statements(open(path, "rb").read()))
            stripped.flush()
            return path, whole, record(stripped.name, url)

    counts = collections.defaultdict(lambda: [0, 0])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, whole, stripped in pool.map(read, pages):
            for field, (value, source_field) in FIELDS.items():
                stated = whole.get("provenance", {}).get(source_field)
                source = stripped.get("provenance", {}).get(source_field)
                if stated in (None, *GUESSES) or source not in GUESSES: continue
                truth, guess = value(whole), value(stripped)
                if not truth or not guess: continue
                right = same(field, guess, truth)
                counts[field, source][0] += 1
                counts[field, source][1] += right
                if verbose == field and not right: print(f"{path}\n   stated {truth!r}\n   guessed {guess!r}")
    for (field, source), (pages_with_both, right) in sorted(counts.items()):
        # Laplace's rule of succession: seven of seven do not make a certainty.
        confidence = (right + 1) / (pages_with_both + 2)
        print(f"{field:15} {source:13} {pages_with_both:4} pages  same {right:4}  confidence {confidence:.2f}")

if __name__ == "__main__": main()
