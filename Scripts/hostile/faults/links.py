"""Links, and sites that never end."""
import itertools
import typing

from fault import add, fault, page
from web import Exchange

_FEW: typing.Final = {"scope.max_pages_per_host": 15}


def _links(name: str, what: str, links: typing.Callable[[Exchange], typing.Iterable[str]], head: str = "", **more: typing.Any) -> None:
    """The same links on every page of the host."""
    def answer(exchange: Exchange) -> None:
        exchange.answer(page(f"Page {exchange.path[:60]}".replace("<", ""), links(exchange), head=head))
    more = {"settings": _FEW, "statuses": (0, 4), "requests": 20, "seconds": 40, **more}
    add(f"links-{name}", what, answer, "recorded", **more)


_links("many", "20,000 links a page", lambda x: (f"/l/{i}" for i in range(20_000)), cpu=60, seconds=90)
_links("farm", "10,000 links under a base of 1,900 bytes", lambda x: (f"{i}-{x.number}" for i in range(10_000)), head=f'<base href="/{"b" * 1_900}/">', cpu=100, seconds=180, memory=300)
_links("calendar", "a calendar", lambda x: [f"/calendar/{int(''.join(filter(str.isdigit, x.path)) or 2024) + i}" for i in (1, -1, 12, 365)])
_links("grows", "relative links that grow", lambda x: ["deeper/", "a/b/", "./x/"])
_links("repeated", "segments that repeat", lambda x: ["a/a/a/a/", "/b/b/b/b/b", "x/y/x/y/x/y/"])
_links("sessions", "a session in every link", lambda x: [f"/?PHPSESSID={hash((x.path, i)) & 0xFFFFFFFF:032x}" for i in range(20)] + [f"/;jsessionid={i}{x.number}" for i in range(20)])
_links("parameters", "parameters that multiply", lambda x: ["/?" + "&".join(f"p{i}={j}" for i in range(j)) for j in range(1, 60)])
_links("order", "parameters in all orders", lambda x: ["/?" + "&".join(p) for p in itertools.permutations(("a=1", "b=2", "c=3", "d=4", "e=5"))])
_links("case", "one page, spelled in many ways", lambda x: ["/%61", "/a", "/./a", "//a", "/b/../a", "/a?", "/a#x", "/%2561", "/A", "\\a", "/a%", "/a\t", " /a"])
_links("schemes", "schemes that are none of ours", lambda x: ["javascript:while(1);", "data:text/html,x", "file:///etc/passwd", "ftp://h/", "blob:x", "about:blank", "ws://x/", "vbscript:1", "jar:x", "mailto:a@b"] * 50)
_links("escapes", "escapes and bidi in links", lambda x: ["/\x1b[31m", "/\u202egpj", "/\x9b", "/%1b%5b31m", "/\u2028", "/\U000e0041", "/\u200b"])
_links("long", "links of 50,000 bytes", lambda x: ["/" + "x" * 50_000] * 10)
_links("data", "pictures within the page", lambda x: ["data:image/png;base64," + "A" * 1_000_000])
_links("base-foreign", "a base on another host", lambda x: (f"{i}" for i in range(100)), head='<base href="http://nowhere.invalid/">', requests=8)
_links("base-script", "a base that is no address", lambda x: ["x", "y"], head='<base href="javascript:1">')
_links("self", "itself, 5,000 times", lambda x: ["/", "", "#", "?", "."] * 1_000, requests=8)
_links("rewrite", "the same page under all addresses", lambda x: [f"/{x.number}/{i}" for i in range(10)])


@fault("links-endless", "each page leads to two new ones", "recorded", settings=_FEW, statuses=(0, 4), requests=20, seconds=40, fast=True)
def _endless(exchange: Exchange) -> None:
    number = int(exchange.path.strip("/") or "1")
    exchange.answer(page(f"Page {number}", [f"/{2 * number}", f"/{2 * number + 1}"]))


@fault("links-farm-pages", "a farm: every page has 3,000 new links of 1,000 bytes", "recorded", settings=_FEW, statuses=(0, 4), requests=20, seconds=120, cpu=60, memory=300)
def _farm(exchange: Exchange) -> None:
    start = len(exchange.path)
    exchange.answer(page("Farm", [f"/{exchange.number}/{start}/{i}/{'x' * 1_000}" for i in range(1_500)]))
