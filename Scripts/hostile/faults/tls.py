"""TLS: certificates, handshakes, and how a connection ends."""
import socket
import ssl
import struct
import threading
import typing

from certificates import Certificates
from fault import add, fault, page
from web import Exchange, Web

#: Without robots.txt nothing is asked.
_NONE: typing.Final = "robots-unreachable host-left"


def _certificate(name: str, what: str, kind: str, **more: typing.Any) -> None:
    add(f"tls-{name}", what, lambda exchange: exchange.answer(page("Behind a bad certificate")), _NONE, secure=True, certificate=kind, **more)


_certificate("expired", "a certificate that has expired", "expired", fast=True)
_certificate("early", "a certificate of tomorrow", "early")
_certificate("elsewhere", "a certificate of another name", "elsewhere")
_certificate("self-signed", "a certificate signed by nobody else", "selfsigned")
_certificate("untrusted", "an authority that nobody knows", "untrusted")
_certificate("escapes", "escapes in a certificate's name", "escapes", fast=True)
_certificate("wide", "a certificate for 800 names", "wide")


def _settled(name: str, what: str, change: typing.Callable[[ssl.SSLContext], object], codes: str = _NONE, **more: typing.Any) -> None:
    def context(certificates: Certificates) -> ssl.SSLContext:
        made = certificates.context()
        change(made)
        return made
    add(f"tls-{name}", what, lambda exchange: exchange.answer(page("Behind odd settings")), codes, secure=True, context=context, **more)


def _old(context: ssl.SSLContext) -> None:
    context.minimum_version = ssl.TLSVersion.TLSv1_1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")


def _asks(context: ssl.SSLContext) -> None:
    context.verify_mode = ssl.CERT_REQUIRED


def _weak(context: ssl.SSLContext) -> None:
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE-ECDSA-NULL-SHA:@SECLEVEL=0")


def _strange_protocol(context: ssl.SSLContext) -> None:
    context.set_alpn_protocols(["spdy/1"])


_settled("1-1", "TLS 1.1 alone", _old)
_settled("asks", "a certificate of ours is wanted", _asks, f"{_NONE} failed-tls failed-connection-failed")
_settled("no-cipher", "no encryption", _weak)
_settled("alpn", "no protocol in common", _strange_protocol, f"recorded {_NONE}")


def _bare(name: str, what: str, octets: bytes, *, stays: bool = False, reads: bool = True, **more: typing.Any) -> None:
    """Something else in place of a handshake."""
    def greet(web: Web, address: str, link: socket.socket, over: threading.Event) -> bool:
        if reads:
            link.recv(65536)
        link.sendall(octets)
        if stays:
            over.wait(20)
        return False
    add(f"tls-{name}", what, lambda exchange: None, _NONE, secure=True, greet=greet, **more)


def _record(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BHH", kind, 0x0303, len(payload)) + payload


_bare("plain", "HTTP where TLS belongs", b"HTTP/1.1 400 \x1b[31mBad\r\nContent-Length: 0\r\n\r\n")
_bare("garbage", "bytes that mean nothing", bytes(range(256)) * 100)
_bare("alert", "a fatal alert", _record(21, b"\2\x28"))
_bare("alerts", "200 warnings", _record(21, b"\1\x5a") * 200, stays=True)
_bare("hello-empty", "a ServerHello of nothing", _record(22, b"\2\0\0\0"))
_bare("hello-long", "a ServerHello of 16 MB, announced", _record(22, b"\2\xff\xff\xff" + b"\0" * 16_000) * 40, stays=True)
_bare("records-empty", "100,000 empty records", _record(22, b"") * 100_000)
_bare("hang-up", "the end at once", b"", reads=False)
_bare("mute", "silence", b"", stays=True)


@fault("tls-cut", "an end without close_notify", "failed-truncated-body failed-connection-failed failed-tls recorded", secure=True)
def _cut(exchange: Exchange) -> None:
    exchange.raw(exchange.head(), page("Cut").encode())
    exchange.wire.link.shutdown(socket.SHUT_RDWR)


@fault("tls-hang", "an answer that never comes, behind TLS", "failed-timed-out", secure=True)
def _hang(exchange: Exchange) -> None:
    exchange.hang()


@fault("tls-garbage-behind", "plain bytes within TLS", "failed-tls failed-connection-failed failed-protocol-error failed-truncated-body", secure=True)
def _garbage(exchange: Exchange) -> None:
    exchange.raw(exchange.head("Content-Length: 9000"))
    link = socket.socket(fileno=exchange.wire.link.detach())
    link.sendall(b"garbage" * 1_000)
    link.close()
