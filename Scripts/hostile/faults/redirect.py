"""Redirects."""
import typing

from fault import ROBOTS, add, fault, page
from web import Exchange

_BROKEN: typing.Final = "redirect-broken"


def _to(name: str, what: str, location: str | bytes, codes: str, status: int = 302, **more: typing.Any) -> None:
    """- Parameter location: `PORT` and `HOST` in it stand for ours."""
    def answer(exchange: Exchange) -> None:
        if exchange.path != "/" and name not in ("self", "path-grows"):
            return exchange.answer(page("Behind a redirect"))
        octets = location.encode() if isinstance(location, str) else location
        octets = octets.replace(b"PORT", str(exchange.web.port).encode()).replace(b"HOST", exchange.host.encode())
        exchange.answer("elsewhere", status=status, fields=[("Location", octets)])
    add(f"redirect-{name}", what, answer, codes, **more)


_to("self", "to itself", "/", "redirect-loop")
_to("fragment", "to itself with a fragment", "/#there", "redirect-loop")
_to("key", "to itself, spelled otherwise", "/?utm_source=x", "redirect-loop redirected recorded")
_to("file", "to a file", "file:///etc/passwd", "redirect-broken redirect-refused-not-http")
_to("gopher", "to gopher, which speaks anything", "gopher://127.0.0.1:25/_HELO%0d%0a", "redirected-to-app redirect-refused-not-http")
_to("script", "to a script", "javascript:alert(1)", "redirect-broken redirect-refused-not-http")
_to("data", "to a page within the address", "data:text/html,<title>x</title>", "redirect-broken redirect-refused-not-http")
_to("app", "into an app", "intent://x/#Intent;scheme=x;end", "redirected-to-app redirect-refused-not-http")
_to("app-escapes", "into an app, with escapes", b"app\x1b[31m://\xe2\x80\xae\xc2\x9b", "redirected-to-app redirect-broken redirect-refused-not-http redirected gone recorded")
_to("credentials", "to an address with a password", "http://me:hunter2@HOST:PORT/x", "redirect-refused-credentials-in-url")
_to("other-host", "out of scope", "http://127.0.0.1:PORT/", "redirected redirect-refused-other-host")
_to("scheme-relative", "to //", "//", "redirect-broken redirect-refused-other-host redirected")
_to("port-0", "to port 0", "http://HOST:0/", "redirected redirect-refused-other-host redirect-broken")
_to("port-99999", "to a port that is none", "http://HOST:99999/", _BROKEN)
_to("empty", "to nowhere", "", "redirect-broken redirect-loop")
_to("spaces", "to spaces", "   ", "redirect-broken redirect-loop")
_to("escapes", "terminal escapes in Location", b"/\x1b[2J\x1b]0;owned\x07\xc2\x9b31m\xe2\x80\xaegpj", "redirected", fast=True)
_to("long", "to 60,000 bytes", "/" + "x" * 60_000, "redirect-refused-url-too-long redirect-broken failed-headers-too-large")
_to("deep", "to 500 folders", "/" + "x/" * 500, "redirected redirect-refused-path-too-deep redirect-refused-repeated-segments")
_to("name-bad", "to a name that is none", "http://exa mple<>/", _BROKEN)
_to("name-none", "to a name that does not exist", "http://nowhere.invalid/", "redirected redirect-refused-other-host")
_to("decimal", "to our address as a number", "http://2130706433:PORT/", "redirected redirect-refused-other-host")
_to("inside", "to a machine inside", "http://127.0.0.1:9/latest/meta-data/", "redirected redirect-refused-other-host")
_to("mapped", "to a mapped address, in scope", "http://[::ffff:127.0.0.1]:9/", "redirected redirect-refused-contact-missing", settings={"scope.follow": "any"})
_to("disallowed", "to what robots.txt forbids", "/private", "redirected", at="/", of="/")
_to("300", "a choice", "/other", "redirected refused", status=300)
_to("305", "use a proxy", "http://127.0.0.1:PORT/", "refused redirect-refused-other-host", status=305)
_to("308", "for good", "/other", "redirected", status=308)
_to("399", "an unknown redirect", "/other", "refused redirected", status=399)


@fault("redirect-endless", "to another page, always", "too-many-redirects redirected", requests=16, fast=True)
def _endless(exchange: Exchange) -> None:
    number = int(exchange.path.strip("/") or "0") + 1
    exchange.answer("on", status=302, fields=[("Location", f"/{number}")])


@fault("redirect-grows", "to a path that grows", "redirected too-many-redirects redirect-refused-repeated-segments", requests=16)
def _grows(exchange: Exchange) -> None:
    exchange.answer("on", status=302, fields=[("Location", f"{exchange.path.rstrip('/')}/a{exchange.number}/")])


@fault("redirect-two", "two pages that lead to each other", "redirected redirect-loop")
def _two(exchange: Exchange) -> None:
    exchange.answer("on", status=301, fields=[("Location", "/" if exchange.path == "/two" else "/two")])


@fault("redirect-hosts", "two hosts that lead to each other", "redirected redirect-loop", hosts=2)
def _hosts(exchange: Exchange) -> None:
    other = exchange.web.address(12 if exchange.host.endswith(".11") else 11)
    exchange.answer("on", status=302, fields=[("Location", exchange.url(other))])


@fault("redirect-twice", "two Locations", "redirected redirect-broken redirect-loop")
def _twice(exchange: Exchange) -> None:
    exchange.answer(page("x") if exchange.path != "/" else "on", status=200 if exchange.path != "/" else 302, fields=[("Location", "/one"), ("Location", "/two")])


@fault("redirect-none", "a redirect without Location", _BROKEN)
def _none(exchange: Exchange) -> None:
    exchange.answer("on", status=302)


@fault("redirect-body-endless", "a redirect with a body without end", "redirected failed-body-too-large")
def _body(exchange: Exchange) -> None:
    if exchange.path != "/":
        return exchange.answer(page("There"))
    exchange.raw(exchange.head("Location: /other", status="302 Found"))
    while True:
        exchange.wire.send(b"on and on" * 5_000)


def _refresh(name: str, what: str, content: str, codes: str, **more: typing.Any) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.answer(page("Refreshes", ["/linked"] if exchange.path == "/" else [], head=f'<meta http-equiv=refresh content="{content}">' if exchange.path == "/" else ""))
    add(f"redirect-refresh-{name}", what, answer, codes, **more)


_refresh("self", "a refresh to itself", "0;url=/", "recorded")
_refresh("self-empty", "a refresh without an address", "0", "recorded")
_refresh("page", "a refresh to another page", "0; url=/other", "redirected recorded")
_refresh("file", "a refresh to a file", "0;url=file:///etc/passwd", "redirect-broken redirect-refused-not-http recorded")
_refresh("long", "a refresh of 100,000 digits", "0" * 100_000 + ";url=/other", "redirected recorded")
_refresh("escapes", "a refresh with escapes", "0;url=/&#27;[31m&#x202e;", "redirected recorded")


@fault("redirect-refresh-endless", "a refresh to another page, always", "redirected too-many-redirects recorded", requests=20)
def _refresh_endless(exchange: Exchange) -> None:
    number = int(exchange.path.strip("/") or "0") + 1
    exchange.answer(page("On", head=f'<meta http-equiv=refresh content="0;url=/{number}">'))
