"""Status lines."""
import itertools
import typing

from fault import add, fault, page
from web import Exchange


def _line(name: str, what: str, line: bytes, codes: str, **more: typing.Any) -> None:
    body = page("A page behind a strange status").encode()
    head = b"\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    add(f"status-{name}", what, lambda exchange: exchange.raw(line + head + body), codes, **more)


_line("000", "a status of 000", b"HTTP/1.1 000 Nothing", "failed-protocol-error")
_line("two-digits", "a status of two digits", b"HTTP/1.1 20 OK", "failed-protocol-error")
_line("four-digits", "a status of four digits", b"HTTP/1.1 2000 OK", "failed-protocol-error")
_line("negative", "a negative status", b"HTTP/1.1 -200 OK", "failed-protocol-error")
_line("299", "an unknown success", b"HTTP/1.1 299 Fine", "recorded refused")
_line("599", "an unknown server error", b"HTTP/1.1 599 Odd", "server-error")
_line("999", "a status of 999", b"HTTP/1.1 999 Denied", "refused server-error")
_line("407", "a proxy that is none wants a password", b"HTTP/1.1 407 Proxy", "refused")
_line("418", "a teapot", b"HTTP/1.1 418 Teapot", "refused")
_line("206", "a part that was not asked for", b"HTTP/1.1 206 Partial", "recorded refused")
_line("205", "Reset Content, with content", b"HTTP/1.1 205 Reset", "empty failed-protocol-error")
_line("reason-escapes", "terminal escapes in the reason", b"HTTP/1.1 404 \x1b[2J\x1b]0;owned\x07\xc2\x9b31m", "gone", fast=True)
_line("reason-long", "a reason of 90,000 bytes", b"HTTP/1.1 404 " + b"x" * 90_000, "gone failed-headers-too-large")
_line("version-9", "HTTP/9.9", b"HTTP/9.9 200 OK", "failed-protocol-error")
_line("version-0", "HTTP/0.9 by name", b"HTTP/0.9 200 OK", "failed-protocol-error recorded")
_line("lower-case", "http/1.1 in lower case", b"http/1.1 200 ok", "failed-protocol-error recorded")
_line("icy", "a radio's status line", b"ICY 200 OK", "failed-protocol-error")


@fault("status-none", "a body without a head (HTTP/0.9)", "failed-protocol-error")
def _none(exchange: Exchange) -> None:
    exchange.raw(page("No head at all").encode())


@fault("status-304-unasked", "304 to a request without a condition", "not-modified empty refused gone failed-protocol-error")
def _not_modified(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")


@fault("status-204-body", "204 with a body behind it", "empty")
def _no_content(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n<p>words")


@fault("status-100-endless", "100 Continue without end", "failed-headers-too-large failed-protocol-error failed-timed-out")
def _continue(exchange: Exchange) -> None:
    exchange.ends = True
    while True:
        exchange.wire.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


@fault("status-103-endless", "Early Hints without end", "failed-headers-too-large failed-protocol-error failed-timed-out")
def _hints(exchange: Exchange) -> None:
    exchange.ends = True
    for number in itertools.count():
        exchange.wire.send(f"HTTP/1.1 103 Early Hints\r\nLink: </{number}.css>; rel=preload\r\n\r\n".encode() * 20)


@fault("status-101", "Switching Protocols", "failed-protocol-error refused failed-timed-out")
def _switching(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello")
    exchange.hang()


@fault("status-401-huge", "a challenge of 60,000 bytes", "refused failed-headers-too-large")
def _challenge(exchange: Exchange) -> None:
    exchange.answer("no", status=401, fields=[("WWW-Authenticate", "Basic realm=\"" + "x" * 60_000 + '"')])


@fault("status-503-always", "never available", "throttled host-left")
def _unavailable(exchange: Exchange) -> None:
    exchange.answer("later", status=503)


@fault("status-500-always", "always an error", "server-error")
def _error(exchange: Exchange) -> None:
    exchange.answer("oh", status=500)


for _name, _value in {
    "huge": "99999999999999999999", "negative": "-5", "date-far": "Fri, 31 Dec 9999 23:59:59 GMT", "date-past": "Thu, 01 Jan 1970 00:00:00 GMT",
    "fraction": "0.0001", "words": "soon \x1b[31m", "zero": "0", "two": "1, 999999",
}.items():
    add(
        f"status-retry-{_name}", f"429 with Retry-After: {_value.split(chr(27))[0]}",
        lambda exchange, value=_value: exchange.answer("slow", status=429, fields=[("Retry-After", value)]),
        "throttled host-left")
