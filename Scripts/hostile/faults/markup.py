"""Markup and structured data."""
import json
import typing

from fault import add, page
from web import Exchange


def _page(name: str, what: str, markup: str, codes: str = "recorded", **more: typing.Any) -> None:
    """- Parameter markup: of a body, or a whole document."""
    octets = (markup if markup.startswith("<!doctype") or markup.startswith("<html") else page("Markup", body=markup)).encode()
    more = {"requests": 14, "seconds": 60, "cpu": 25, "settings": {"scope.max_pages_per_host": 6}, "statuses": (0, 4), **more}
    add(f"markup-{name}", what, lambda exchange: exchange.answer(octets), codes, **more)


def _data(name: str, what: str, text: str, **more: typing.Any) -> None:
    _page(f"jsonld-{name}", what, f'<script type="application/ld+json">{text}</script>', **more)


_page("deep", "100,000 elements within each other", "<div>" * 100_000, fast=True)
_page("deep-inline", "50,000 formatting elements", "<b><i><font>" * 17_000)
_page("anchors", "20,000 anchors, none closed", "<a href=/x>" * 20_000)
_page("tables", "2,000 tables within each other", "<table><tr><td>" * 2_000)
_page("fostered", "200,000 words in a table", "<table>" + "word<tr>" * 60_000)
_page("attributes", "an element of 100,000 attributes", "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">words")
_page("attribute-long", "an attribute of 1.5 MB", f'<p title="{"x" * 1_500_000}">words')
_page("names", "100,000 names of elements", "".join(f"<n{i}>" for i in range(100_000)))
_page("name-long", "a name of 1 MB", "<" + "x" * 1_000_000 + ">words")
_page("end-tags", "200,000 stray end tags", "</p></x>" * 100_000)
_page("comment-open", "a comment that never ends", "<!-- " + "- " * 500_000)
_page("comment-short", "noindex behind <!-->", "<!doctype html><head><!--><meta name=robots content=noindex><!-- --><title>x</title>", "noindex")
_page("comment-shorter", "noindex behind <!--->", "<!doctype html><head><!---><meta name=robots content=noindex><!-- --><title>x</title>", "noindex")
_page("script-open", "a script that never ends", "<script>" + "x<!--<script>" * 50_000)
_page("plaintext", "plaintext", "<plaintext>" + "<p>" * 100_000)
_page("entities", "300,000 character references", "&CounterClockwiseContourIntegral;&#x10FFFF;&#0;&notit;" * 30_000)
_page("reference-long", "a reference of a million digits", "&#" + "9" * 1_000_000 + ";")
_page("nul", "NULs everywhere", "<p\0 a\0=\0b>\0</p>" * 50_000)
_page("svg", "SVG and MathML within each other", "<svg><foreignObject><math><mi>" * 10_000)
_page("template", "50,000 templates", "<template>" * 50_000)
_page("select", "20,000 selects", "<select><option>" * 20_000)
_page("forms", "100,000 forms", "<form>" * 100_000)
_page("title-long", "a title of 1 MB", f"<!doctype html><title>{'word ' * 200_000}</title>")
_page("metas", "20,000 meta tags", "<!doctype html>" + "".join(f"<meta name=m{i} content=x>" for i in range(20_000)) + "<title>x</title>")
_page("open-graph", "20,000 pictures", "<!doctype html>" + "<meta property=og:image content=/x.png><meta property=og:image:width content=9>" * 10_000 + "<title>x</title>")
_page("alternates", "20,000 alternates", "<!doctype html>" + "".join(f"<link rel=alternate hreflang=l{i} href=/{i}>" for i in range(20_000)) + "<title>x</title>", seconds=150)
_page("robots-many", "20,000 robots tags, one of them noindex", "<!doctype html>" + "<meta name=robots content=all>" * 20_000 + "<meta name=robots content=noindex><title>x</title>", "noindex recorded")
_page("robots-list", "a list of 200,000 directives", f"<!doctype html><meta name=robots content='{'x,' * 200_000}noindex'><title>x</title>", "noindex recorded")
_page("itemref", "items that refer to each other", "".join(f'<div itemscope id=i{i} itemref="{" ".join(f"i{j}" for j in range(100))}" itemprop=p>x</div>' for i in range(100)))
_page("rdfa", "20,000 prefixes", f'<div prefix="{" ".join(f"p{i}: http://x/{i}#" for i in range(20_000))}" property="p1:x">y</div>')
_page("rdfa-lists", "lists within lists", '<div vocab="http://schema.org/" typeof=Thing><p property=a inlist rel=b>' * 5_000)
_page("wide-text", "a word of 1.5 MB", "<p>" + "x" * 1_500_000)
_page("combining", "a letter with 500,000 accents", "<p>e" + "\u0301" * 500_000)
_page("bidi", "directions within directions", "<p>" + "\u202e\u2066" * 100_000)
_page("escapes", "escapes in everything", '<!doctype html><title>\x1b[2J&#27;]0;x&#7;\u202e</title><meta name=description content="\x9b31m"><meta property=og:title content="&#x1b;[31m"><link rel=canonical href="/&#27;[31m"><meta name=apple-itunes-app content="app-id=1, app-argument=&#27;[2J">', "recorded duplicate", fast=True, requests=12)
_data("deep", "JSON-LD of 100,000 levels", '{"a":' * 100_000)
_data("wide", "100,000 nodes", json.dumps([{"@type": "Thing", "name": str(i)} for i in range(40_000)]))
_data("contexts", "contexts within contexts", json.dumps({"@context": [{f"t{i}": {"@id": f"http://x/{i}", "@context": {f"u{i}": "http://x/"}} for i in range(5_000)}], "t1": {"u1": 1}}))
_data("foreign-context", "a context elsewhere", json.dumps({"@context": "http://127.0.0.1:9/context.jsonld", "a": 1}))
_data("cycle", "terms that mean each other", json.dumps({"@context": {f"t{i}": f"t{(i + 1) % 3000}:x" for i in range(3_000)}, "t1": 1}))
_data("broken", "commas in place of values", "{,,,}" * 100_000)
_data("numbers", "numbers of 100,000 digits", '{"@type": "Thing", "price": ' + "9" * 100_000 + "}")
_data("keys", "one key, 100,000 times", "{" + '"a": 1,' * 100_000 + '"a": 2}')
_data("escapes", "escapes in JSON-LD", '{"@context": "https://schema.org", "@type": "Product", "name": "\\u001b[2J\\u202e", "\\u009b": 1}')
_page("scripts-many", "20,000 scripts of JSON-LD", '<script type="application/ld+json">{"@type": "Thing"}</script>' * 20_000)
_page("canonical-foreign", "another site as the canonical one", '<!doctype html><link rel=canonical href="http://nowhere.invalid/"><title>x</title>')
_page("canonical-credentials", "a canonical address with a password", '<!doctype html><link rel=canonical href="http://me:hunter2@127.0.0.1/"><title>x</title>')


def _canonical(exchange: Exchange) -> None:
    number = int(exchange.path.strip("/") or "0") + 1
    exchange.answer(page("Chain", head=f'<link rel=canonical href="/{number}">'))


add("markup-canonical-chain", "canonical addresses without end", _canonical, "duplicate recorded", requests=20, settings={"scope.max_pages_per_host": 15}, statuses=(0, 4))
