"""Sitemaps and feeds."""
import functools
import gzip
import typing

from fault import SITEMAP, add, fault, page
from web import Exchange

_SETTINGS: typing.Final = {"scope.sitemaps": True, "scope.max_pages_per_host": 20, "fetch.max_body": "10M"}
_SPACE: typing.Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_READ: typing.Final = "sitemap"


def _set(entries: str, head: str = "") -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>{head}<urlset {_SPACE}>{entries}</urlset>'


def _map(
    name: str, what: str, body: str | bytes | typing.Callable[[], str | bytes], codes: str = _READ, kind: str = "application/xml",
    requests: int = 60, **more: typing.Any,
) -> None:
    """- Parameter body: `BASE` in it stands for the host's root."""
    @functools.cache
    def made() -> bytes:
        made = body() if callable(body) else body
        return made.encode() if isinstance(made, str) else made

    def answer(exchange: Exchange) -> None:
        octets = made()
        exchange.answer(octets.replace(b"BASE", exchange.url(exchange.host, "").encode()) if len(octets) < 20_000_000 else octets, kind=kind)

    more = {"statuses": (0, 3, 4), "at": SITEMAP, "of": SITEMAP, "settings": _SETTINGS, "prepare": (made,), **more}
    add(f"sitemap-{name}", what, answer, codes, requests=requests, **more)


def _entity(kilobytes: int, count: int) -> bytes:
    """An entity of so many kilobytes, referred to so often."""
    entity = "x" * 1_000 * kilobytes
    return gzip.compress(_set("<url><loc>BASE/1</loc></url><!-- -->" + "<url><loc>" + "&a;" * count + "</loc></url>", f'<!DOCTYPE urlset [<!ENTITY a "{entity}">]>').encode(), 9)


_map("entity", "an entity of 100 kB, 20,000 times", lambda: _entity(100, 20_000), "sitemap not-a-page failed-body-too-large", kind="application/gzip", seconds=40, cpu=8)
_map("entity-9m", "an entity of 9 MB, nine million times", lambda: _entity(9_000, 9_000_000), "sitemap reading-timed-out not-a-page failed-body-too-large", kind="application/gzip", seconds=60, cpu=15, memory=400)
_map("laughs", "a billion laughs", _set("<url><loc>BASE/&a11;</loc></url>", "<!DOCTYPE urlset [<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12)) + "]>"), "sitemap not-a-page", fast=True)
_map("quadratic", "one entity of 50 kB, 2,000 times", _set(f"<url><loc>BASE/{'&a;' * 2_000}</loc></url>", f'<!DOCTYPE urlset [<!ENTITY a "{"x" * 50_000}">]>'), "sitemap not-a-page")
_map("xxe", "a file of ours as entity", _set("<url><loc>BASE/&a;</loc></url>", '<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]>'), "sitemap not-a-page")
_map("dtd", "a DTD elsewhere", _set("<url><loc>BASE/1</loc></url>", '<!DOCTYPE urlset SYSTEM "http://127.0.0.1:9/x.dtd">'), "sitemap not-a-page")
_map("parameter", "parameter entities that make more", _set("<url><loc>BASE/1</loc></url>", "<!DOCTYPE urlset [<!ENTITY % a 'x'><!ENTITY % b '%a;%a;'> %b; %b;]>"), "sitemap not-a-page")
_map("names", "200,000 names of elements", lambda: gzip.compress(_set("".join(f"<n{i}/>" for i in range(200_000))).encode(), 1), kind="application/gzip", seconds=60, cpu=15)
_map("attributes", "100,000 names of attributes", lambda: gzip.compress(_set("".join(f'<url a{i}="x"/>' for i in range(100_000))).encode(), 1), kind="application/gzip", seconds=60, cpu=15)
_map("attributes-one", "an element of 50,000 attributes", _set("<url " + " ".join(f'a{i}="x"' for i in range(50_000)) + "/>"), "sitemap not-a-page", seconds=60, cpu=15)
_map("namespaces", "20,000 namespaces", _set("".join(f'<a xmlns:n{i}="urn:{i}">' for i in range(20_000))), "sitemap not-a-page", seconds=60, cpu=15)
_map("deep", "200,000 elements within each other", _set("<a>" * 200_000), "sitemap not-a-page")
_map("comment", "a comment of 5 MB", _set("<!--" + "-x" * 2_500_000), "sitemap not-a-page")
_map("text-long", "an address of 8 MB", _set("<url><loc>BASE/" + "x" * 8_000_000 + "</loc></url>"), memory=300)
_map("entries", "50,000 entries", lambda: _set("".join(f"<url><loc>BASE/e/{i}</loc></url>" for i in range(50_000))), seconds=60, cpu=25)
_map("entries-foreign", "50,000 entries of other hosts", lambda: _set("".join(f"<url><loc>http://h{i}.invalid/{i}</loc></url>" for i in range(50_000))), seconds=60, cpu=25)
_map("entries-same", "100,000 times one entry", lambda: _set("<url><loc>BASE/1</loc></url>" * 100_000), seconds=60, cpu=25)
_map("addresses-long", "addresses of 2,000 bytes", lambda: _set("".join(f"<url><loc>BASE/{'x' * 1_900}{i}</loc></url>" for i in range(5_000))), seconds=60)
_map("escapes", "escapes and bidi in addresses", _set("<url><loc>BASE/&#x9b;31m&#x202e;gpj</loc><lastmod>\u202e</lastmod></url>"), "sitemap not-a-page", fast=True)
_map("credentials", "addresses with a password", _set("<url><loc>http://me:hunter2@127.0.0.1/</loc></url>"))
_map("schemes", "addresses that are none", _set("".join(f"<url><loc>{x}</loc></url>" for x in ("file:///etc/passwd", "javascript:1", "data:,x", "", " ", "//", "http://", "%"))))
_map("dates", "dates of no calendar", _set("<url><loc>BASE/1</loc><lastmod>99999999999-99-99</lastmod><priority>1e308</priority></url>" * 1_000))
_map("self", "an index that lists itself", f"<sitemapindex {_SPACE}><sitemap><loc>BASE/sitemap.xml</loc></sitemap></sitemapindex>")
_map("index-wide", "an index of 5,000 sitemaps", f"<sitemapindex {_SPACE}>" + "".join(f"<sitemap><loc>BASE/sitemap-{i}.xml</loc></sitemap>" for i in range(5_000)) + "</sitemapindex>", requests=110, seconds=60)
_map("index-foreign", "an index of other hosts' sitemaps", f"<sitemapindex {_SPACE}>" + "".join(f"<sitemap><loc>http://h{i}.invalid/s.xml</loc></sitemap>" for i in range(2_000)) + "</sitemapindex>")
_map("html", "a page", page("Not a map"), "not-a-page sitemap recorded", kind="text/html")
_map("binary", "bytes that mean nothing", bytes(range(256)) * 3_000, "not-a-page sitemap")
_map("empty", "no bytes", b"", "empty not-a-page sitemap")
_map("space", "5 MB of spaces", b" " * 5_000_000, "empty not-a-page sitemap")
_map("utf16", "UTF-16", _set("<url><loc>BASE/1</loc></url>").encode("utf-16"), "sitemap not-a-page")
_map("encoding", "an encoding that nobody knows", b'<?xml version="1.0" encoding="klingon"?><urlset></urlset>', "sitemap not-a-page")
_map("cut", "a file that is cut", _set("<url><loc>BASE/1</loc></url>" * 1_000)[:15_000])
_map("gzip-cut", "a gzip file that is cut", lambda: gzip.compress(_set("<url><loc>BASE/1</loc></url>" * 1_000).encode())[:200], "sitemap not-a-page", kind="application/gzip")
_map("gzip-layers", "gzip in gzip in gzip", lambda: gzip.compress(gzip.compress(gzip.compress(_set("").encode()))), "sitemap not-a-page", kind="application/gzip")
_map("text", "a list of 100,000 lines", lambda: "BASE/1\n" * 100_000, "sitemap not-a-page", kind="text/plain", seconds=60, cpu=25)
_map("text-escapes", "a list with escapes", "BASE/\x1b[31m\nBASE/\u202e\n\x9b\n", "sitemap not-a-page", kind="text/plain")
_map("feed", "a feed of 20,000 items", lambda: '<rss version="2.0"><channel>' + "".join(f"<item><link>BASE/i/{i}</link></item>" for i in range(20_000)) + "</channel></rss>", "sitemap", kind="application/rss+xml", seconds=60, cpu=25)


@fault("sitemap-chain", "indexes that lead to another, always", _READ, at=SITEMAP, of=SITEMAP, settings=_SETTINGS, requests=110, statuses=(0, 3, 4))
def _chain(exchange: Exchange) -> None:
    number = exchange.path.strip("/sitemap-.xml") or "0"
    exchange.answer(f"<sitemapindex {_SPACE}><sitemap><loc>{exchange.url(exchange.host, f'/sitemap-{int(number) + 1}.xml')}</loc></sitemap></sitemapindex>", kind="application/xml")


@fault("sitemap-endless", "a sitemap without end", "failed-body-too-large sitemap failed-timed-out", at=SITEMAP, of=SITEMAP, settings=_SETTINGS, seconds=60, requests=30, statuses=(0, 3, 4), memory=400, cpu=25)
def _endless(exchange: Exchange) -> None:
    exchange.raw(exchange.head(kind="application/xml"), f"<urlset {_SPACE}>".encode())
    while True:
        exchange.wire.send(b"<url><loc>http://a.invalid/</loc></url>" * 1_000)


@fault("sitemap-hang", "a sitemap that never comes", "failed-timed-out", at=SITEMAP, of=SITEMAP, settings=_SETTINGS)
def _hang(exchange: Exchange) -> None:
    exchange.hang()


@fault("sitemap-many-wide", "64 hosts with 20 MB of sitemap in a coding", "sitemap failed-body-too-large", at=SITEMAP, of=SITEMAP, hosts=64, requests=30, memory=768, seconds=300, cpu=200, statuses=(0, 3, 4), settings=_SETTINGS, prepare=(lambda: _wide(),))
def _many(exchange: Exchange) -> None:
    exchange.answer(_wide(), kind="application/xml", fields=[("Content-Encoding", "gzip")])


@functools.cache
def _wide() -> bytes:
    return gzip.compress((f"<urlset {_SPACE}>" + f"<url><loc>http://a.invalid/{'x' * 1_900}</loc></url>" * 10_000 + "</urlset>").encode(), 9)
