"""HTTP/2, frame by frame."""
import itertools
import struct
import typing

from fault import add, fault, page
from http2 import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, block, frame, literal)
from web import Exchange

_PAGE: typing.Final = page("A page in frames").encode()
_HEAD: typing.Final = block(200, ("content-type", "text/html"))
_WRONG: typing.Final = "failed-protocol-error failed-connection-failed failed-truncated-body"
#: Ended for the work it makes without bytes, whatever that is called.
_FLOOD: typing.Final = f"{_WRONG} failed-too-costly failed-timed-out failed-cancelled failed-headers-too-large failed-body-too-large"

#: The default, so that it is not the time that ends a flood; two exchanges of a second each, and the crawl itself.
_LONG: typing.Final = {"fetch.timeout": "30s"}
_WORK: typing.Final = 5


def _frames(name: str, what: str, codes: str, *frames: tuple[int, int, bytes] | tuple[int, int, bytes, int], hangs: bool = False, **more: typing.Any) -> None:
    """- Parameter frames: kind, flags, payload and, for another stream than the request's, its number."""
    def answer(exchange: Exchange) -> None:
        if exchange.stream is None:
            # Who was told to come back with HTTP/1.1.
            return exchange.answer(_PAGE)
        exchange.wire.send(b"".join(
            frame(kind, flags, *(other or [exchange.stream.number]), payload) for kind, flags, payload, *other in frames))
        return exchange.hang() if hangs else None
    add(f"h2-{name}", what, answer, codes, secure=True, http2=True, **more)


_OPEN: typing.Final = (HEADERS, END_HEADERS, _HEAD)
_WHOLE: typing.Final = (DATA, END_STREAM, _PAGE)
_frames("page", "a page as it should be", "recorded", _OPEN, _WHOLE)
_frames("padding", "a padded page", "recorded", (HEADERS, END_HEADERS | PADDED, b"\x40" + _HEAD + b"\0" * 64), (DATA, END_STREAM | PADDED, b"\x80" + _PAGE + b"\0" * 128))
_frames("padding-long", "more padding than frame", _FLOOD, _OPEN, (DATA, END_STREAM | PADDED, b"\xff" + b"x"))
_frames("rst-no-error", "half a page, then RST with NO_ERROR", _WRONG, _OPEN, (DATA, 0, _PAGE), (RST_STREAM, 0, struct.pack(">I", 0)))
_frames("rst-cancel", "half a page, then RST with CANCEL", _WRONG, _OPEN, (DATA, 0, _PAGE), (RST_STREAM, 0, struct.pack(">I", 8)))
_frames("rst-refused", "RST with REFUSED_STREAM", _FLOOD, (RST_STREAM, 0, struct.pack(">I", 7)))
_frames("rst-http11", "RST that asks for HTTP/1.1", f"{_FLOOD} recorded", (RST_STREAM, 0, struct.pack(">I", 13)))
_frames("goaway", "GOAWAY in place of an answer", _FLOOD, (GOAWAY, 0, struct.pack(">II", 0, 0), 0))
_frames("goaway-escapes", "GOAWAY with words for a terminal", _FLOOD, (GOAWAY, 0, struct.pack(">II", 0, 11) + b"\x1b[2J\x1b]0;owned\x07", 0))
_frames("data-first", "a body before its head", _FLOOD, _WHOLE)
_frames("data-stream-0", "a body on stream 0", f"{_WRONG} failed-timed-out", _OPEN, (DATA, 0, _PAGE, 0))
_frames("data-other", "a body on another stream", f"{_WRONG} failed-timed-out", _OPEN, (DATA, END_STREAM, _PAGE, 99))
_frames("frame-broken", "a frame that is too long, and a whole page in HTTP/1.1", f"{_WRONG} recorded", _OPEN, (DATA, 0, b"x" * 100_000))
_frames("frame-unknown", "a frame of an unknown kind", "recorded", _OPEN, (0xEE, 0xFF, b"\x1b[31m" * 100), _WHOLE)
_frames("window-zero", "a window that grows by nothing", _FLOOD, (WINDOW_UPDATE, 0, struct.pack(">I", 0)))
_frames("window-overflow", "a window over 2^31", f"{_FLOOD} recorded", (WINDOW_UPDATE, 0, struct.pack(">I", 0x7FFFFFFF), 0), (WINDOW_UPDATE, 0, struct.pack(">I", 0x7FFFFFFF), 0), _OPEN, _WHOLE)
_frames("settings-bad", "settings out of range", _FLOOD, (SETTINGS, 0, struct.pack(">HI", 5, 1), 0), (SETTINGS, 0, struct.pack(">HI", 4, 0xFFFFFFFF), 0))
_frames("settings-length", "settings of five bytes", _FLOOD, (SETTINGS, 0, b"12345", 0))
_frames("ping-length", "a ping of nine bytes", _FLOOD, (PING, 0, b"123456789", 0))
_frames("push", "a promise that was forbidden", _FLOOD, (PUSH_PROMISE, END_HEADERS, struct.pack(">I", 2) + _HEAD), _OPEN, _WHOLE)
_frames("status-none", "no status", _FLOOD, (HEADERS, END_HEADERS, literal("content-type", "text/html")), _WHOLE)
_frames("status-two", "two statuses", _FLOOD, (HEADERS, END_HEADERS, literal(":status", "404") + _HEAD), _WHOLE)
_frames("status-words", "a status in words", _FLOOD, (HEADERS, END_HEADERS, literal(":status", "fine")), _WHOLE)
_frames("name-upper", "a field in capitals", f"{_FLOOD} recorded", (HEADERS, END_HEADERS, _HEAD + literal("X-Upper", "y")), _WHOLE)
_frames("field-newline", "a line end in a field", f"{_FLOOD} recorded", (HEADERS, END_HEADERS, _HEAD + literal("x-injected", "a\r\nX-Robots-Tag: noindex")), _WHOLE)
_frames("field-escapes", "escapes in fields", f"{_FLOOD} recorded", (HEADERS, END_HEADERS, _HEAD + literal("x-escapes", "\x1b[2J\u202e")), _WHOLE)
_frames("field-connection", "a field of HTTP/1.1", f"{_FLOOD} recorded", (HEADERS, END_HEADERS, _HEAD + literal("connection", "close") + literal("transfer-encoding", "chunked")), _WHOLE)
_frames("hpack-index", "an index of no entry", _FLOOD, (HEADERS, END_HEADERS, b"\xff\xff\xff\x7f"))
_frames("hpack-cut", "a field that is cut", _FLOOD, (HEADERS, END_HEADERS, b"\x00\x7f"))
_frames("hpack-table", "a table of 4 GB", _FLOOD, (HEADERS, END_HEADERS, b"\x3f\xff\xff\xff\xff\x0f" + _HEAD))
_frames("hpack-bomb", "a field of 4,000 bytes, 8,000 times by one byte", _FLOOD, (HEADERS, END_HEADERS, _HEAD + b"\x40\x01a\x7f\xa1\x1e" + b"v" * 4_000 + b"\xbe" * 8_000), fast=True)
_frames("length-long", "fewer bytes than announced", _WRONG, (HEADERS, END_HEADERS, _HEAD + literal("content-length", "99999")), _WHOLE)
_frames("length-short", "more bytes than announced", f"{_WRONG} recorded", (HEADERS, END_HEADERS, _HEAD + literal("content-length", "5")), _WHOLE)
_frames("trailers", "noindex in a trailer", "recorded noindex", _OPEN, (DATA, 0, _PAGE), (HEADERS, END_HEADERS | END_STREAM, literal("x-robots-tag", "noindex")))
_frames("continuation-missing", "a head that is not continued", _FLOOD, (HEADERS, 0, _HEAD), _WHOLE)
_frames("priority-self", "a stream that depends on itself", f"{_FLOOD} recorded", (PRIORITY, 0, struct.pack(">IB", 1, 1)), _OPEN, _WHOLE)
_frames("hang-head", "a head, and silence", "failed-timed-out", _OPEN, hangs=True)
_frames("hang", "silence", "failed-timed-out", hangs=True)
_frames("hang-body", "half a page, and silence", "failed-timed-out", _OPEN, (DATA, 0, _PAGE), hangs=True)


def _flood(name: str, what: str, kind: int, flags: int, payload: bytes, *, first: bool = True, stream: int | None = None, codes: str = _FLOOD, **more: typing.Any) -> None:
    """The same frame without end, behind a head."""
    def answer(exchange: Exchange) -> None:
        assert exchange.stream is not None
        if first:
            exchange.stream.send(HEADERS, END_HEADERS, _HEAD)
        while True:
            exchange.stream.send(kind, flags, payload, stream=stream, times=2_000)
            exchange.wire.read_if_there()
    add(f"h2-flood-{name}", what, answer, codes, secure=True, http2=True, settings=_LONG, cpu=_WORK, seconds=70, **more)


_flood("data", "empty DATA without end", DATA, 0, b"")
_flood("data-padded", "DATA of padding without end", DATA, PADDED, b"\xff" + b"\0" * 255)
_flood("ping", "PING without end", PING, 0, b"pingpong", stream=0)
_flood("settings", "SETTINGS without end", SETTINGS, 0, struct.pack(">HI", 4, 65_535), stream=0)
_flood("goaway", "GOAWAY without end", GOAWAY, 0, struct.pack(">II", 0x7FFFFFFF, 0), stream=0)
_flood("window", "WINDOW_UPDATE without end", WINDOW_UPDATE, 0, struct.pack(">I", 1), stream=0)
_flood("priority", "PRIORITY without end", PRIORITY, 0, struct.pack(">IB", 0, 1))
_flood("unknown", "unknown frames without end", 0xEE, 0, b"x" * 100)
_flood("continuation", "CONTINUATION without end", CONTINUATION, 0, b"", first=False)
_flood("early", "1xx without end", HEADERS, END_HEADERS, block(103, ("link", "</a>; rel=preload")), first=False)
_flood("trailers", "trailers without end", HEADERS, END_HEADERS, literal("x-trailer", "y"))


@fault("h2-continuation-endless", "a head in CONTINUATION frames without end", _FLOOD, secure=True, http2=True, fast=True)
def _continuation(exchange: Exchange) -> None:
    assert exchange.stream is not None
    exchange.stream.send(HEADERS, 0, _HEAD)
    for number in itertools.count():
        exchange.stream.send(CONTINUATION, 0, b"".join(literal(f"x-{number}-{i}", "y" * 20) for i in range(50)))


@fault("h2-data-tiny", "a body of one byte a frame, without end", _FLOOD, secure=True, http2=True, settings=_LONG, cpu=_WORK, seconds=70)
def _tiny(exchange: Exchange) -> None:
    assert exchange.stream is not None
    exchange.stream.send(HEADERS, END_HEADERS, _HEAD)
    while True:
        exchange.stream.send(DATA, 0, b"x", times=1_000)
        exchange.wire.read_if_there()


@fault("h2-preface-garbage", "text where frames belong", "robots-unreachable host-left " + _FLOOD, at="any", secure=True, http2=True)
def _garbage(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" * 10)


@fault("h2-endless", "a body without end", "failed-body-too-large", secure=True, http2=True, settings={"fetch.max_body": "50K"})
def _endless(exchange: Exchange) -> None:
    assert exchange.stream is not None
    exchange.stream.send(HEADERS, END_HEADERS, _HEAD)
    for _ in range(6):
        exchange.stream.send(DATA, 0, b"<p>and on" * 1_000)
    exchange.hang()
