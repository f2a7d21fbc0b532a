"""How long a body is, and where an answer ends."""
import itertools
import socket
import threading
import typing

from fault import add, fault, page
from web import Exchange, Web

_PAGE: typing.Final = page("A page in a strange frame").encode()
_CUT: typing.Final = "failed-truncated-body failed-connection-failed failed-protocol-error"


def _framed(name: str, what: str, fields: bytes, body: bytes, codes: str, **more: typing.Any) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + fields + b"\r\n"
    add(f"framing-{name}", what, lambda exchange: exchange.raw(head + body), codes, **more)


def _chunks(*pieces: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


_LENGTH: typing.Final = len(_PAGE)
_framed("length-short", "more bytes than announced", b"Content-Length: 100\r\n", _PAGE, "recorded failed-protocol-error")
_framed("length-long", "fewer bytes than announced", b"Content-Length: 999999\r\n", _PAGE, _CUT)
_framed("length-negative", "a negative length", b"Content-Length: -5\r\n", _PAGE, "recorded failed-protocol-error")
_framed("length-words", "a length in words", b"Content-Length: some\r\n", _PAGE, "recorded failed-protocol-error")
_framed("length-overflow", "a length over 64 bits", b"Content-Length: 99999999999999999999999\r\n", _PAGE, f"recorded failed-body-too-large {_CUT}")
_framed("length-huge", "a length of 8 EB", b"Content-Length: 9223372036854775807\r\n", _PAGE, f"failed-body-too-large {_CUT}")
_framed("length-two", "two lengths that differ", b"Content-Length: %d\r\nContent-Length: 5\r\n" % _LENGTH, _PAGE, f"recorded {_CUT}")
_framed("length-list", "a list of lengths", b"Content-Length: %d, 5\r\n" % _LENGTH, _PAGE, f"recorded {_CUT}")
_framed("length-plus", "a length with a sign", b"Content-Length: +%d\r\n" % _LENGTH, _PAGE, f"recorded {_CUT}")
_framed("length-chunked", "length and chunks", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", _chunks(_PAGE, b""), f"recorded {_CUT}")
_framed("chunk-overflow", "a chunk over 64 bits", b"Transfer-Encoding: chunked\r\n", b"fffffffffffffffffff\r\n" + _PAGE, _CUT)
_framed("chunk-huge", "a chunk of 8 EB", b"Transfer-Encoding: chunked\r\n", b"7fffffffffffffff\r\n" + _PAGE, f"failed-body-too-large {_CUT}")
_framed("chunk-garbage", "a chunk size that is none", b"Transfer-Encoding: chunked\r\n", b"zz\r\n" + _PAGE, _CUT)
_framed("chunk-negative", "a negative chunk", b"Transfer-Encoding: chunked\r\n", b"-5\r\n" + _PAGE, _CUT)
_framed("chunk-unended", "chunks without a last one", b"Transfer-Encoding: chunked\r\n", _chunks(_PAGE), _CUT)
_framed("chunk-no-crlf", "no line end behind a chunk", b"Transfer-Encoding: chunked\r\n", b"%x\r\n" % _LENGTH + _PAGE + b"0\r\n\r\n", _CUT)
_framed("chunk-lf", "chunk lines that end in LF alone", b"Transfer-Encoding: chunked\r\n", b"%x\n" % _LENGTH + _PAGE + b"\n0\n\n", f"recorded {_CUT}")
_framed("chunk-tiny", "200,000 chunks of one byte", b"Transfer-Encoding: chunked\r\n", _chunks(*(bytes([octet]) for octet in _PAGE), *[b" "] * 200_000, b""), "recorded", seconds=40)
_framed("chunk-extension", "an extension of 500,000 bytes", b"Transfer-Encoding: chunked\r\n", b"%x;" % _LENGTH + b"x" * 500_000 + b"\r\n" + _PAGE + b"\r\n0\r\n\r\n", f"recorded {_CUT} failed-headers-too-large")
_framed("trailers-many", "50,000 trailer fields", b"Transfer-Encoding: chunked\r\n", _chunks(_PAGE) + b"0\r\n" + b"X-Trailer: y\r\n" * 50_000 + b"\r\n", f"recorded failed-headers-too-large {_CUT}")
_framed("trailer-robots", "noindex in a trailer", b"Transfer-Encoding: chunked\r\n", _chunks(_PAGE) + b"0\r\nX-Robots-Tag: noindex\r\nContent-Length: 3\r\n\r\n", "recorded noindex")
_framed("transfer-unknown", "an unknown transfer coding", b"Transfer-Encoding: sausage\r\n", _PAGE, f"recorded failed-bad-content-encoding {_CUT}")
_framed("transfer-gzip", "gzip as a transfer coding", b"Transfer-Encoding: gzip, chunked\r\n", _chunks(_PAGE, b""), f"recorded failed-bad-content-encoding {_CUT}")
_framed("transfer-twice", "chunked twice", b"Transfer-Encoding: chunked, chunked\r\n", _chunks(_chunks(_PAGE, b""), b""), f"recorded failed-bad-content-encoding {_CUT}")
_framed("junk-behind", "another answer behind the first", b"Content-Length: %d\r\n" % _LENGTH, _PAGE + b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", "recorded")
_framed("no-length", "an end by the connection's", b"", _PAGE, "recorded")


@fault("framing-extensions-endless", "chunk extensions without end", f"failed-too-costly failed-timed-out failed-headers-too-large {_CUT}", settings={"fetch.timeout": "30s"}, cpu=5, seconds=70)
def _extensions(exchange: Exchange) -> None:
    exchange.ends = True
    exchange.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" + _chunks(_PAGE) + b"1;")
    while True:
        exchange.wire.send(b"x" * 65536)


@fault("framing-chunks-extended", "a byte a chunk, 16 kB of extension each, without end", f"failed-too-costly failed-timed-out failed-headers-too-large failed-body-too-large {_CUT}", settings={"fetch.timeout": "30s"}, cpu=5, seconds=70)
def _extended(exchange: Exchange) -> None:
    exchange.ends = True
    exchange.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" + _chunks(_PAGE))
    chunk = b"1;" + b"x" * 16_000 + b"\r\n \r\n"
    while True:
        exchange.wire.send(chunk)


@fault("framing-trailers-endless", "trailers without end", f"failed-too-costly failed-timed-out failed-headers-too-large {_CUT}", settings={"fetch.timeout": "30s"}, cpu=5, seconds=70)
def _trailers(exchange: Exchange) -> None:
    exchange.ends = True
    exchange.wire.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" + _chunks(_PAGE) + b"0\r\n")
    while True:
        exchange.wire.send(b"X-Trailer: yyyyyyyyyyyyyyyy\r\n" * 2_000)


@fault("framing-no-end", "a length-less body that never ends", "failed-timed-out failed-body-too-large")
def _no_end(exchange: Exchange) -> None:
    exchange.raw(exchange.head(), _PAGE)
    exchange.hang()


@fault("framing-silent", "no answer at all", "failed-timed-out", fast=True)
def _silent(exchange: Exchange) -> None:
    exchange.hang()


@fault("framing-silent-robots", "no answer to robots.txt", "robots-unreachable host-left", at="/robots.txt")
def _silent_robots(exchange: Exchange) -> None:
    exchange.hang()


@fault("framing-drip", "a body, a byte each 50 ms", "failed-timed-out")
def _drip(exchange: Exchange) -> None:
    exchange.wire.send(exchange.head(f"Content-Length: {_LENGTH}"))
    exchange.drip((bytes([octet]) for octet in itertools.cycle(_PAGE)), 0.05)


@fault("framing-reset-body", "RST in the middle of a body", _CUT, fast=True)
def _reset(exchange: Exchange) -> None:
    exchange.wire.send(exchange.head("Content-Length: 5000"), _PAGE)
    exchange.wire.wait(0.1)
    exchange.wire.reset()


@fault("framing-close-request", "the connection ends behind the request", _CUT)
def _close(exchange: Exchange) -> None:
    exchange.ends = True


@fault("framing-half-close", "our side is closed, and nothing follows", f"failed-timed-out {_CUT}")
def _half(exchange: Exchange) -> None:
    exchange.wire.send(exchange.head("Content-Length: 5000"), _PAGE)
    exchange.wire.link.shutdown(socket.SHUT_WR)
    exchange.hang()


def _greeting(name: str, what: str, octets: bytes, codes: str, *, stays: bool = False, **more: typing.Any) -> None:
    def greet(web: Web, address: str, link: socket.socket, over: threading.Event) -> bool:
        link.sendall(octets)
        if stays:
            over.wait(20)
        return False
    add(f"framing-{name}", what, lambda exchange: None, codes, greet=greet, **more)


_NONE: typing.Final = "robots-unreachable host-left"
_greeting("ssh", "an SSH server", b"SSH-2.0-OpenSSH_9.2\r\n", _NONE)
_greeting("binary", "bytes that mean nothing", bytes(range(256)) * 40, _NONE)
_greeting("early", "an answer before the question", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", f"recorded {_NONE}", stays=True)
_greeting("smtp-escapes", "a mail server with escapes", b"220 \x1b]0;owned\x07 ESMTP\r\n", _NONE, fast=True)
_greeting("hang-up", "a connection that ends at once", b"", _NONE)
_greeting("mute", "a connection that is silent", b"", _NONE, stays=True)


def _reset_at_once(web: Web, address: str, link: socket.socket, over: threading.Event) -> bool:
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    return False


add("framing-reset", "RST at once", lambda exchange: None, _NONE, greet=_reset_at_once)
