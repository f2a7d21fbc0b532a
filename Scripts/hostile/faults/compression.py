"""Content codings."""
import functools
import gzip
import struct
import typing
import zlib

from fault import ROBOTS, SITEMAP, add, fault, page
from web import Exchange

_PAGE: typing.Final = page("A packed page").encode()
_BAD: typing.Final = "failed-bad-content-encoding"


@functools.cache
def bomb(megabytes: int, layers: int = 1, text: bytes = b" ") -> bytes:
    """So much white space, packed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    octets = b"".join(packer.compress(text * (1 << 20)) for _ in range(megabytes)) + packer.flush()
    for _ in range(layers - 1):
        octets = gzip.compress(octets, 9)
    return octets


def raw_deflate(octets: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(octets) + packer.flush()


def _coded(name: str, what: str, coding: str, body: bytes | typing.Callable[[], bytes], codes: str, **more: typing.Any) -> None:
    make = functools.cache(lambda: body if isinstance(body, bytes) else body())

    def answer(exchange: Exchange) -> None:
        exchange.answer(make(), fields=[("Content-Encoding", coding)])
    add(f"coding-{name}", what, answer, codes, prepare=(make,), **more)


_PACKED: typing.Final = gzip.compress(_PAGE)
_coded("bomb", "200 MB in 200 kB", "gzip", lambda: bomb(200), "failed-body-too-large", fast=True)
_coded("bomb-double", "1 GB in 5 kB, packed twice", "gzip, gzip", lambda: bomb(1_000, 2), f"failed-body-too-large {_BAD}", seconds=60)
_coded("bomb-deflate", "200 MB of deflate", "deflate", lambda: zlib.compress(b" " * 200_000_000, 9), "failed-body-too-large")
_coded("bomb-members", "300 members of 1 MB", "gzip", lambda: bomb(1) * 300, f"failed-body-too-large {_BAD} recorded")
_coded("cut", "a file that ends too early", "gzip", _PACKED[: len(_PACKED) // 2], f"{_BAD} failed-truncated-body recorded")
_coded("checksum", "a wrong checksum", "gzip", _PACKED[:-8] + b"\0" * 8, f"{_BAD} recorded")
_coded("garbage-behind", "garbage behind the end", "gzip", _PACKED + b"garbage" * 1_000, f"{_BAD} recorded")
_coded("plain", "plain text that is called gzip", "gzip", _PAGE, f"{_BAD} recorded")
_coded("raw-deflate", "deflate without a head", "deflate", raw_deflate(_PAGE), f"recorded {_BAD}")
_coded("brotli-garbage", "garbage as brotli", "br", b"\xff" * 5_000, _BAD)
_coded("zstd-garbage", "garbage as zstd", "zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 5_000, f"{_BAD} not-a-page")
_coded("unknown", "an unknown coding", "sausage \x1b[31m", _PAGE, f"{_BAD} recorded not-a-page")
_coded("fifty", "fifty codings", ", ".join(["gzip"] * 50), _PACKED, _BAD)
_coded("thousand", "a thousand codings", ",".join(["identity"] * 1_000), _PAGE, f"{_BAD} recorded")
_coded("empty", "no bytes at all", "gzip", b"", f"empty {_BAD} recorded")
_coded("of-nothing", "a packed nothing", "gzip", gzip.compress(b""), "empty")
_coded("name-endless", "a file name of 1.5 MB in the head", "gzip", b"\x1f\x8b\x08\x08\0\0\0\0\0\3" + b"n" * 1_500_000, f"{_BAD} failed-truncated-body failed-body-too-large empty")
_coded("blocks-empty", "300,000 blocks of no bytes", "gzip", b"\x1f\x8b\x08\0\0\0\0\0\0\3" + b"\0\0\0\xff\xff" * 300_000 + b"\1\0\0\xff\xff" + struct.pack("<II", 0, 0), f"empty {_BAD} failed-body-too-large")
_coded("members-empty", "50,000 members of no bytes", "gzip", gzip.compress(b"") * 50_000, f"empty {_BAD}")
_coded("x-gzip", "gzip by its old name", "x-gzip", _PACKED, f"recorded {_BAD}")
_coded("dictionary", "zlib with a dictionary", "deflate", b"\x78\xbb\0\0\0\1" + b"\0" * 100, _BAD)


@fault("coding-blocks-endless", "blocks of no bytes, without end", f"{_BAD} failed-timed-out failed-body-too-large failed-cancelled failed-protocol-error",
    settings={"fetch.timeout": "30s"}, cpu=5, seconds=70)
def _blocks_endless(exchange: Exchange) -> None:
    exchange.raw(exchange.head("Content-Encoding: gzip"), b"\x1f\x8b\x08\0\0\0\0\0\0\3")
    while True:
        exchange.wire.send(b"\0\0\0\xff\xff" * 13_000)


@fault("coding-bomb-robots", "a bomb as robots.txt", "recorded robots-unreachable disallowed", at=ROBOTS, prepare=(lambda: bomb(200, text=b"\n"),))
def _bomb_robots(exchange: Exchange) -> None:
    exchange.answer(bomb(200, text=b"\n"), kind="text/plain", fields=[("Content-Encoding", "gzip")])


@fault("coding-bomb-sitemap", "a bomb as sitemap", "failed-body-too-large sitemap", at=SITEMAP, of=SITEMAP, settings={"scope.sitemaps": True}, prepare=(lambda: bomb(200),))
def _bomb_sitemap(exchange: Exchange) -> None:
    exchange.answer(bomb(200), kind="application/xml", fields=[("Content-Encoding", "gzip")])


@fault("coding-bomb-sitemap-file", "a bomb as sitemap.xml.gz", "failed-body-too-large sitemap", at=SITEMAP, of=SITEMAP, settings={"scope.sitemaps": True}, prepare=(lambda: bomb(200),))
def _bomb_sitemap_file(exchange: Exchange) -> None:
    exchange.answer(bomb(200), kind="application/gzip")
