"""Names of hosts, and the addresses behind them."""
import typing

from fault import add, fault, page
from web import Exchange

_ANY: typing.Final = {"scope.follow": "any", "scope.max_pages": 60, "fetch.timeout": "3s"}
_DOMAIN: typing.Final = {"scope.follow": "domain"}


def _links(name: str, what: str, links: typing.Callable[[Exchange], typing.Iterable[str]], **more: typing.Any) -> None:
    """A page that leads to other hosts; those on our addresses have a page each."""
    def answer(exchange: Exchange) -> None:
        exchange.answer(page(f"Page of {exchange.host}", links(exchange) if exchange.host == exchange.fault_address else []))
    more = {"settings": _ANY, "statuses": (0, 3, 4), "seconds": 60, **more}
    add(f"names-{name}", what, answer, "recorded", **more)


_links("one-address", "300 names on one address", lambda x: [f"http://h{i}.localhost:{x.web.port}/" for i in range(300)], extra=("127.0.0.1",), settings={**_ANY, "scope.max_pages": 30}, requests=140)
_links("missing", "300 names that do not exist", lambda x: [f"http://h{i}.invalid/" for i in range(300)], seconds=90)
_links("missing-domain", "300 names that do not exist, of one domain", lambda x: [f"http://h{i}.example.invalid/" for i in range(300)], seconds=90)
_links("port-closed", "200 names behind a closed port", lambda x: [f"http://h{i}.localhost:9/" for i in range(200)], seconds=120, settings={**_ANY})
_links("certificate", "60 names with another's certificate", lambda x: [f"https://h{i}.localhost:{x.web.port}/" for i in range(60)], extra=("127.0.0.1",), settings={**_ANY}, requests=150, seconds=120)
_links("mapped", "one address, spelled in many ways", lambda x: [f"http://{h}:{x.web.port}/m{i}" for i, h in enumerate((
    "127.1", "0177.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "localhost", "localhost.", "LOCALHOST"))], extra=("127.0.0.1",), requests=60)
_links("long", "names of 250 and 2,000 bytes", lambda x: [f"http://{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 58}.invalid/", "http://" + "a." * 1_000 + "invalid/", "http://" + "a" * 64 + ".invalid/"])
_links("odd", "names that are none", lambda x: [f"http://{h}/" for h in ("a b", "a%00b", "-a.invalid", "a..b", "[::1", "%5b", "a_b.invalid", "xn--a", "\u202e.invalid", "\u200b", "1.2.3.4.5", "256.256.256.256", ".", "..", "*.invalid", "a<b")])
_links("unicode", "names in all letters", lambda x: [f"http://{h}.invalid/" for h in ("münchen", "☃", "例え", "\u0130", "ﬀ", "ß", "а", "١٢٣", "e\u0301", "\U0001f4a9")])
_links("ports", "every port of a host", lambda x: [f"http://{x.host}:{port}/" for port in (1, 22, 25, 65535, 0, 65536, 99999, -1)])
_links("credentials", "passwords in links", lambda x: [f"http://me:hunter{i}@{x.host}:{x.web.port}/{i}" for i in range(20)], fast=True)


@fault("names-wildcard", "a site of endless names, each with a link to the next", "recorded", extra=("127.0.0.1",), statuses=(0, 3, 4), seconds=90,
       settings={**_ANY, "scope.max_pages": 30}, requests=140)
def _wildcard(exchange: Exchange) -> None:
    exchange.answer(page("On", [f"http://n{i}.{exchange.host[:40].lstrip('0123456789.')}localhost:{exchange.web.port}/" for i in range(5)]))


@fault("names-seed-missing", "a seed whose name does not exist", "recorded", seeds=("http://nowhere.invalid/", "http://h\u0131.invalid/"), statuses=(3,))
def _seed(exchange: Exchange) -> None:
    exchange.answer(page("Page"))
