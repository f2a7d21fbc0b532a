"""Association files and web app manifests: files that a page waits for."""
import json
import typing

from fault import ASSOCIATION, MANIFEST, add, fault
from web import Exchange

_RECORDED: typing.Final = "recorded"


def _file(name: str, what: str, body: str | bytes, status: int = 200, kind: str = "application/json", fields: tuple[tuple[str, str], ...] = (), **more: typing.Any) -> None:
    add(f"association-{name}", what, lambda exchange: exchange.answer(body, status=status, kind=kind, fields=fields), _RECORDED, at=ASSOCIATION, secure=True, **more)


def _apple(paths: list[str], count: int = 1) -> str:
    return json.dumps({"applinks": {"apps": [], "details": [{"appID": f"ABCDE12345.org.example.a{i}", "paths": paths} for i in range(count)]}})


_file("deep", "JSON of 100,000 levels", "[" * 100_000)
_file("patterns", "5,000 patterns of stars", _apple(["/" + "*a?" * 30] * 3_000))
_file("apps", "2,000 apps", _apple(["*"], 2_000))
_file("variables", "variables of variables", json.dumps({"applinks": {"substitutionVariables": {f"v{i}": [f"$(v{i + 1})"] * 50 for i in range(200)}, "details": [{"appIDs": ["ABCDE12345.a"], "components": [{"/": "/$(v0)" * 50}]}]}}))
_file("strings", "a string of 5 MB", '{"applinks": "' + "x" * 5_000_000 + '"}')
_file("escapes", "escapes everywhere", json.dumps({"\x1b[2J": "\u202e", "applinks": {"details": [{"appID": "\x1b]0;x\x07", "paths": ["\x9b"]}]}}, ensure_ascii=False))
_file("signed", "a signed file that is none", b"\x30\x84\xff\xff\xff\xff" + b"\x30\x80" * 50_000, kind="application/pkcs7-mime")
_file("html", "a page", "<!doctype html><title>x</title>", kind="text/html")
_file("500", "an error", "no", status=500)
_file("429", "too much, for a year", "no", status=429, fields=(("Retry-After", "31536000"),))
_file("redirect-self", "to itself", "", status=302, fields=(("Location", "/.well-known/apple-app-site-association"),))
_file("redirect-inside", "to a machine inside", "", status=302, fields=(("Location", "https://127.0.0.1:9/x"),))
_file("includes", "statements that include 200 files", json.dumps([{"include": f"https://h{i}.invalid/x.json"} for i in range(200)]))
_file("statements", "20,000 statements", json.dumps([{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": f"a.b{i}", "sha256_cert_fingerprints": ["AA"]}} for i in range(20_000)]))


@fault("association-hang", "a file that never comes", _RECORDED, at=ASSOCIATION, secure=True)
def _hang(exchange: Exchange) -> None:
    exchange.hang()


@fault("association-endless", "a file without end", _RECORDED, at=ASSOCIATION, secure=True, fast=True)
def _endless(exchange: Exchange) -> None:
    exchange.raw(exchange.head(kind="application/json"), b"[")
    while True:
        exchange.wire.send(b'{"a": 1}, ' * 6_000)


@fault("association-redirect-excluded", "to a host that is excluded", _RECORDED, at=ASSOCIATION, secure=True)
def _excluded(exchange: Exchange) -> None:
    exchange.answer("", status=302, fields=[("Location", exchange.url(exchange.web.address(1), "/not-for-you"))])


def _manifest(name: str, what: str, body: str | bytes, **more: typing.Any) -> None:
    add(f"manifest-{name}", what, lambda exchange: exchange.answer(body, kind="application/manifest+json"), "recorded", at=MANIFEST, **more)


_manifest("deep", "JSON of 100,000 levels", '{"a":' * 100_000)
_manifest("apps", "50,000 related applications", json.dumps({"related_applications": [{"platform": "play", "id": f"a.b{i}", "url": "javascript:1"} for i in range(50_000)]}))
_manifest("keys", "100,000 keys", json.dumps({f"k{i}": i for i in range(100_000)}))
_manifest("numbers", "numbers of 100,000 digits", '{"a": ' + "9" * 100_000 + ', "b": 1e999999999}')
_manifest("escapes", "escapes in names", json.dumps({"name": "\x1b[2J\u202e", "related_applications": [{"platform": "\x9b", "id": "\x1b"}]}, ensure_ascii=False))
_manifest("repair", "JSON that is broken everywhere", "{,]" * 200_000, seconds=60)


@fault("manifest-hang", "a manifest that never comes", "recorded", at=MANIFEST)
def _manifest_hang(exchange: Exchange) -> None:
    exchange.hang()


@fault("manifest-slow-many", "24 hosts whose manifests never come", "recorded", at=MANIFEST, hosts=24, seconds=60)
def _manifest_slow(exchange: Exchange) -> None:
    exchange.hang()


@fault("manifest-endless", "a manifest without end", "recorded", at=MANIFEST)
def _manifest_endless(exchange: Exchange) -> None:
    exchange.raw(exchange.head(kind="application/json"), b"[")
    while True:
        exchange.wire.send(b'{"a": 1}, ' * 6_000)
