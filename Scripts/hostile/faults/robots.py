"""robots.txt."""
import typing

from fault import ROBOTS, add, fault, page
from web import Exchange

_ALLOWED: typing.Final = "recorded"
_UNREACHABLE: typing.Final = "robots-unreachable host-left"


def _file(name: str, what: str, body: bytes | str, codes: str = _ALLOWED, kind: str = "text/plain", status: int = 200, **more: typing.Any) -> None:
    add(f"robots-{name}", what, lambda exchange: exchange.answer(body, status=status, kind=kind), codes, at=ROBOTS, **more)


_file("empty", "no bytes", b"")
_file("html", "a page", page("Not found"), kind="text/html")
_file("binary", "bytes that mean nothing", bytes(range(256)) * 2_000)
_file("nul", "NULs between rules", b"User-agent: *\0\nDisallow: \0/x\n" * 5_000)
_file("utf16", "UTF-16", "User-agent: *\nDisallow: /\n".encode("utf-16"), "recorded disallowed")
_file("bom", "a mark, then everything forbidden", b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n", "disallowed", fast=True)
_file("cr", "lines that end in CR alone", "User-agent: *\rDisallow: /\r", "disallowed")
_file("line", "a line of 2 MB", b"User-agent: " + b"x" * 2_000_000)
_file("groups", "40,000 groups", "".join(f"User-agent: bot{i}\nDisallow: /{i}\n\n" for i in range(40_000)))
_file("agents", "50,000 names of one group", "".join(f"User-agent: bot{i}\n" for i in range(50_000)) + "Disallow: /\n")
_file("rules", "30,000 rules for us", "User-agent: *\n" + "".join(f"Disallow: /no/{i}\n" for i in range(30_000)))
_file("wildcards", "rules of stars", "User-agent: *\n" + "".join(f"Disallow: /{'*a' * 100}{i}$\n" for i in range(2_000)), seconds=40)
_file("600k", "600 kB", "User-agent: *\n" + "".join(f"Disallow: /a/{i:06}/b\n" for i in range(27_000)))
_file("5m", "5 MB, the rules first", "User-agent: *\nDisallow: /private\n" + "# filling\n" * 500_000, "recorded")
_file("5m-closed", "5 MB, everything forbidden at the top", "User-agent: *\nDisallow: /\n" + "# filling\n" * 500_000, "disallowed")
_file("sitemaps", "20,000 sitemaps", "User-agent: *\nAllow: /\n" + "".join(f"Sitemap: http://sitemap{i}.invalid/{i}.xml\n" for i in range(20_000)), settings={"scope.sitemaps": True}, requests=110, statuses=(0, 3, 4), seconds=60)
_file("escapes", "escapes in the rule that decides", "User-agent: *\nDisallow: /\x1b[2J\nDisallow: /*\x1b]0;owned\x07\x9b\u202e\nDisallow: /\n", "disallowed")
_file("delay-huge", "a delay of a million years", "User-agent: *\nCrawl-delay: 31536000000000\n", "recorded host-left", seconds=50, settings={"politeness.max_crawl_delay": "1s"})
_file("delay-negative", "a negative delay", "User-agent: *\nCrawl-delay: -5\n")
_file("delay-nan", "a delay that is no number", "User-agent: *\nCrawl-delay: nan\nCrawl-delay: inf\nCrawl-delay: 1e999\n")
_file("delay-zero", "no delay at all", "User-agent: *\nCrawl-delay: 0\n")
_file("401", "401", "no", status=401)
_file("403", "403", "no", status=403)
_file("404", "404", "no", status=404)
_file("429", "429", "no", _UNREACHABLE, status=429)
_file("500", "500", "no", _UNREACHABLE, status=500)
_file("204", "204", "", "recorded robots-unreachable", status=204)
_file("206", "a part", "User-agent: *\nDisallow: /\n", "recorded robots-unreachable disallowed", status=206)
_file("304", "304, unasked", "", "recorded robots-unreachable", status=304)


def _redirected(name: str, what: str, location: str, codes: str, **more: typing.Any) -> None:
    def answer(exchange: Exchange) -> None:
        to = location.replace("PORT", str(exchange.web.port)).replace("HOST", exchange.host)
        exchange.answer("elsewhere", status=302, fields=[("Location", to)])
    add(f"robots-redirect-{name}", what, answer, codes, at=ROBOTS, **more)


_redirected("self", "to itself", ROBOTS, "recorded robots-unreachable")
_redirected("file", "to a file", "file:///etc/passwd", "recorded robots-unreachable")
_redirected("credentials", "to an address with a password", "http://me:hunter2@HOST:PORT/robots.txt", "recorded robots-unreachable")
_redirected("inside", "to a machine inside", "http://127.0.0.1:9/robots.txt", "recorded robots-unreachable host-left")
_redirected("escapes", "to escapes", "/\x1b[31m\u202e.txt", "recorded robots-unreachable")
_redirected("none", "to nowhere", "", "recorded robots-unreachable")


@fault("robots-redirect-endless", "to another file, always", "recorded robots-unreachable", at="any", requests=30)
def _endless(exchange: Exchange) -> None:
    if exchange.path == "/":
        return exchange.answer(page("Page"))
    exchange.answer("on", status=302, fields=[("Location", f"/robots-{exchange.path.count('x')}{'x' * (exchange.path.count('x') + 1)}.txt")])


@fault("robots-redirect-excluded", "to a host that is excluded", "recorded robots-unreachable disallowed", at=ROBOTS, hosts=1,
       settings={"scope.exclude": ["*.1.200:*", "*://127.*.200:*"]})
def _excluded(exchange: Exchange) -> None:
    exchange.answer("on", status=302, fields=[("Location", exchange.url(exchange.web.address(200), ROBOTS))])


@fault("robots-drip", "a byte each 50 ms", _UNREACHABLE, at=ROBOTS)
def _drip(exchange: Exchange) -> None:
    exchange.raw(exchange.head(kind="text/plain"))
    exchange.drip((b"#" for _ in range(10_000)), 0.05)


@fault("robots-endless", "a file without end", "recorded robots-unreachable disallowed", at=ROBOTS)
def _endless_file(exchange: Exchange) -> None:
    exchange.raw(exchange.head(kind="text/plain"))
    while True:
        exchange.wire.send(b"Disallow: /private\n" * 3_000)


@fault("robots-cut", "a file that is cut", _UNREACHABLE, at=ROBOTS)
def _cut(exchange: Exchange) -> None:
    exchange.raw(exchange.head("Content-Length: 5000", kind="text/plain"), b"User-agent: *\n")


@fault("robots-changing", "other rules each time", "recorded", at=ROBOTS)
def _changing(exchange: Exchange) -> None:
    exchange.answer(f"User-agent: *\nDisallow: /{exchange.number}\n", kind="text/plain")


@fault("robots-thrash", "40 hosts with 600 kB each", "recorded", at=ROBOTS, hosts=40, memory=400, seconds=120, cpu=60)
def _thrash(exchange: Exchange) -> None:
    """Each is asked once, though together they are more than is kept in memory."""
    exchange.answer(_THRASH, kind="text/plain")


_THRASH: typing.Final = b"User-agent: *\n" + b"".join(b"Disallow: /a%d\n" % i for i in range(40_000))
