"""Bodies, and what they claim to be."""
import typing

from fault import add, fault, page
from web import Exchange

_ESCAPES: typing.Final = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egpj.\u2066\u200b\U000e0041"


def _body(name: str, what: str, body: bytes, codes: str = "recorded", kind: str = "text/html", **more: typing.Any) -> None:
    add(f"body-{name}", what, lambda exchange: exchange.answer(body, kind=kind), codes, **more)


_body("empty", "no bytes", b"", "empty")
_body("nul", "a page of NULs", b"\0" * 500_000, "recorded empty")
_body("space", "a page of spaces", b" " * 1_000_000, "recorded empty")
_body("utf16", "UTF-16 without a mark", page("Zwei Bytes").encode("utf-16-le"))
_body("utf16-odd", "UTF-16 of an odd length", b"\xff\xfe" + page("Odd").encode("utf-16-le") + b"x")
_body("utf7", "UTF-7 with a script", b"<title>+ADw-script+AD4-</title><p>words")
_body("utf8-broken", "no byte of UTF-8", b"<title>" + bytes(range(128, 256)) * 4_000 + b"</title>")
_body("utf8-overlong", "overlong ESC and <", b"<title>\xc0\x9b[31m\xe0\x80\x9b\xf0\x80\x80\x9b\xc0\xbc</title><p>words")
_body("iso-2022", "escapes that change the charset", b"<meta charset=iso-2022-jp><title>\x1b$B\x1b(J\x1b[2J\x1b$@</title><p>" + b"\x1b$B\x1b(B" * 50_000)
_body("hz", "an encoding that is replaced", b"<meta charset=hz-gb-2312><title>~{</title>", "recorded empty not-a-page")
_body("gb18030", "half of a letter everywhere", b"<meta charset=gb18030><title>" + b"\x81\x30\x81" * 50_000)
_body("charsets", "10,000 charsets", b"<meta charset=utf-8>" * 10_000 + b"<title>many</title>")
_body("bom", "100,000 marks", b"\xef\xbb\xbf" * 100_000)
_body("binary", "random bytes as HTML", bytes((i * 7919 >> 3) & 255 for i in range(300_000)))
_body("pdf", "a PDF as HTML", b"%PDF-1.7\n" + b"\x00\x01\x02" * 1_000, "recorded not-a-page empty")
_body("gzip-as-html", "a gzip file as HTML", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\x55" * 5_000, "recorded not-a-page empty")
_body("html-as-pdf", "HTML as a PDF", page("No PDF").encode(), "not-a-page", kind="application/pdf")
_body("no-type", "no type, binary", b"\0\1\2\3" * 1_000, "not-a-page recorded", kind="")
_body("line", "a line of 1.5 MB", b"<p>" + b"word " * 300_000)
_body("title-escapes", "terminal escapes in title and text", page(_ESCAPES, head=f'<meta name=description content="{_ESCAPES}">', body=f"<p>{_ESCAPES}").encode(), fast=True)
_body("xml", "XHTML that is not well-formed", b"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'b'>]><html xmlns='http://www.w3.org/1999/xhtml'><title>&a;<p>", kind="application/xhtml+xml")
_body("xml-entities", "a billion laughs in XHTML", (
    "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12))
    + "]><html xmlns='http://www.w3.org/1999/xhtml'><title>t</title><p>&a11;</p></html>").encode(), kind="application/xhtml+xml")
_body("mime", "an archive of pages", b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n--x", "not-a-page recorded", kind="multipart/related; boundary=x")
_body("frames", "1,000 frames", b"<frameset>" + b"<frame src=/f>" * 1_000, "recorded", requests=10)
_body("large", "a body over the limit, announced", b"x" * 3_000_000, "failed-body-too-large")


@fault("body-endless", "a body without end", "failed-body-too-large", fast=True)
def _endless(exchange: Exchange) -> None:
    exchange.raw(exchange.head())
    while True:
        exchange.wire.send(b"<p>and on" * 5_000)


@fault("body-endless-slow", "a body without end, slowly", "failed-timed-out failed-body-too-large")
def _endless_slow(exchange: Exchange) -> None:
    exchange.raw(exchange.head())
    exchange.drip((b"<p>and on" * 100 for _ in range(1_000)), 0.05)


@fault("body-changing", "another body each time", "recorded")
def _changing(exchange: Exchange) -> None:
    exchange.answer(page(f"Time {exchange.number}", [f"/{exchange.number}/{i}" for i in range(3)]))
