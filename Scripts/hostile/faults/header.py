"""Header fields."""
import itertools
import typing

from fault import add, fault, page
from web import Exchange

_PAGE: typing.Final = page("A page behind strange fields").encode()


def _field(name: str, what: str, lines: bytes, codes: str = "recorded", **more: typing.Any) -> None:
    """- Parameter lines: between the status line and the empty one, each with its end."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(_PAGE)
    add(f"header-{name}", what, lambda exchange: exchange.raw(head + lines + b"\r\n" + _PAGE), codes, **more)


_field("huge", "a field of 2 MB", b"X-Huge: " + b"x" * 2_000_000 + b"\r\n", "failed-headers-too-large")
_field("90k", "a field of 90,000 bytes", b"X-Large: " + b"x" * 90_000 + b"\r\n", "recorded failed-headers-too-large")
_field("many", "100,000 fields", b"".join(b"X-%d: y\r\n" % i for i in range(100_000)), "failed-headers-too-large")
_field("no-colon", "a line without a colon", b"just words\r\n", "recorded failed-protocol-error")
_field("no-name", "a field without a name", b": value\r\n", "recorded failed-protocol-error")
_field("nul", "NUL in a field", b"X-Nul: a\0b\r\n", "recorded failed-protocol-error")
_field("escapes", "terminal escapes in fields", b"Server: \x1b[2J\x1b[31m\xc2\x9b\r\nX-\x1b[1m: y\r\n", "recorded failed-protocol-error")
_field("folded", "a folded line", b"X-Folded: one\r\n two\r\n\tthree\r\n", "recorded failed-protocol-error")
_field("folded-endless", "50,000 folded lines", b"X-Folded: one\r\n" + b" two\r\n" * 50_000, "failed-headers-too-large recorded")
_field("bare-cr", "a bare carriage return", b"X-Bare: one\rtwo: three\r\n", "recorded failed-protocol-error")
_field("space-colon", "a space before the colon", b"X-Spaced : y\r\n", "recorded failed-protocol-error")
_field("type-twice", "two types that differ", b"Content-Type: application/pdf\r\n", "recorded not-a-page")
_field("cookies", "3,000 cookies", b"".join(b"Set-Cookie: a%d=%s\r\n" % (i, b"x" * 20) for i in range(3_000)), "recorded failed-headers-too-large")
_field("robots-flood", "5,000 robots directives", b"".join(b"X-Robots-Tag: bot%d: noindex\r\n" % i for i in range(2_000)), "recorded noindex failed-headers-too-large")
_field("robots-noindex", "noindex among garbage", b"X-Robots-Tag: \xff\xfe, ;;, noindex, \x01\r\n", "noindex recorded failed-protocol-error")
_field("refresh-self", "Refresh to itself", b"Refresh: 0; url=/\r\n", "recorded")
_field("location", "a Location beside 200", b"Location: /elsewhere\r\n")
_field("date-absurd", "dates of no calendar", b"Date: Someday, 99 Foo 0000\r\nLast-Modified: \x80\r\nExpires: -1\r\n")
_field("etag-huge", "an ETag of 60,000 bytes", b'ETag: "' + b"e" * 60_000 + b'"\r\n', "recorded")
_field("language", "a language of 30,000 tags", b"Content-Language: " + b"en," * 10_000 + b"\r\n")
_field("alt-svc", "another service at another address", b'Alt-Svc: h2="127.0.0.1:22"; ma=9999999\r\n')
_field("hsts", "HTTPS alone, from now on", b"Strict-Transport-Security: max-age=31536000; includeSubDomains; preload\r\n")
_field("lf-only", "a line that ends in LF alone", b"X-Line: y\n", "recorded failed-protocol-error")
_field("links", "Link with 4,000 targets", b"Link: " + b", ".join(b"</l/%d>; rel=alternate" % i for i in range(2_500)) + b"\r\n", requests=40, settings={"scope.max_pages_per_host": 20}, statuses=(0, 4))


@fault("header-endless", "one header without end", "failed-headers-too-large failed-timed-out", fast=True)
def _endless(exchange: Exchange) -> None:
    exchange.ends = True
    exchange.wire.send(b"HTTP/1.1 200 OK\r\n")
    for number in itertools.count():
        exchange.wire.send(b"".join(b"X-%d-%d: yyyyyyyyyyyy\r\n" % (number, i) for i in range(500)))


@fault("header-line-endless", "a field line without end", "failed-headers-too-large failed-timed-out failed-protocol-error")
def _line_endless(exchange: Exchange) -> None:
    exchange.ends = True
    exchange.wire.send(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        exchange.wire.send(b"y" * 65536)


@fault("header-drip", "a header, a byte at a time", "failed-timed-out")
def _drip(exchange: Exchange) -> None:
    exchange.drip((bytes([octet]) for octet in exchange.head(*[f"X-{i}: y" for i in range(500)])), 0.05)


@fault("header-cut", "the connection ends within the header", "failed-connection-failed failed-protocol-error failed-truncated-body recorded empty not-a-page")
def _cut(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Ty")


for _name, _type in {
    "escapes": b"text/html; charset=\x1b[31m", "empty": b"", "slash": b"/", "words": b"a page of mine", "long": b"text/html; " + b"a=b; " * 8_000,
    "charset-unknown": b"text/html; charset=klingon", "charset-utf7": b"text/html; charset=utf-7",
    "charset-quoted": b'text/html; charset="utf-8', "upper": b"TEXT/HTML;CHARSET=UTF-8", "many": b"text/html, application/pdf",
    "bidi": "text/\u202elmth".encode(),
}.items():
    add(
        f"header-type-{_name}", "a Content-Type: " + _type[:40].decode("latin-1").replace("\x1b", "ESC ").replace("\xe2\x80\xae", "RLO "),
        lambda exchange, value=_type: exchange.raw(
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nContent-Type: %s\r\n\r\n" % (len(_PAGE), value) + _PAGE),
        "recorded not-a-page")
