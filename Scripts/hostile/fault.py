"""What a fault is: how a host misbehaves, and what the crawler must make of it."""
import dataclasses
import html
import importlib
import pathlib
import typing

from web import Exchange, Handler

if typing.TYPE_CHECKING:
    import socket
    import ssl
    import threading

    from certificates import Certificates
    from web import Web

#: Which requests get the fault; the others get what a good host would say.
PAGE, ROBOTS, SITEMAP, ASSOCIATION, MANIFEST, ANY = "page", "/robots.txt", "/sitemap.xml", "association", "/app.webmanifest", "any"
_ASSOCIATIONS: typing.Final = (
    "/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/assetlinks.json")


@dataclasses.dataclass
class Fault:
    """A named fault, and what is asserted of a crawl that meets it."""

    name: str
    what: str
    answer: Handler
    #: Codes that the crawl log may have in the end for the hostile host's first page, or the file that `of` names.
    codes: frozenset[str]
    at: str = PAGE
    of: str = "/"
    secure: bool = False
    certificate: str = "good"
    http2: bool = False
    #: Hostile hosts, each with an address of its own, from .11 on.
    hosts: int = 1
    #: More seeds; `PORT` and `HOST` stand for the port and the first hostile host.
    seeds: tuple[str, ...] = ()
    #: The configuration's keys in place of the usual.
    settings: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    #: Requests to the hostile addresses: each, at most. Connections that ask nothing count.
    requests: int = 8
    #: Megabytes, seconds by the clock, and seconds of computing.
    memory: int = 256
    seconds: float = 30
    cpu: float = 10
    statuses: tuple[int, ...] = (0, 3)
    fast: bool = False
    #: More addresses to listen on.
    extra: tuple[str, ...] = ()
    #: What takes long to make, and is kept: made before the crawl begins.
    prepare: "tuple[typing.Callable[[], object], ...]" = ()
    greet: "typing.Callable[[Web, str, socket.socket, threading.Event], bool] | None" = None
    context: "typing.Callable[[Certificates], ssl.SSLContext] | None" = None

    @property
    def group(self) -> str:
        return self.name.split("-")[0]

    def serve(self, exchange: Exchange) -> None:
        """A hostile host's answer."""
        path = exchange.path.split("?")[0]
        if self._is_hit(path):
            self.answer(exchange)
        elif path == ROBOTS:
            exchange.answer("User-agent: *\nAllow: /\n" + (
                f"Sitemap: {exchange.url(exchange.host, SITEMAP)}\n" if self.at == SITEMAP else ""), kind="text/plain")
        elif path == SITEMAP or path in _ASSOCIATIONS or path == MANIFEST:
            exchange.answer("no", status=404)
        else:
            exchange.answer(page(f"Page {path}", head=APP_HEAD if self.at in (ASSOCIATION, MANIFEST) else ""))

    def _is_hit(self, path: str) -> bool:
        match self.at:
            case "any":
                return True
            case "page":
                return path not in (ROBOTS, SITEMAP, MANIFEST, *_ASSOCIATIONS)
            case "association":
                return path in _ASSOCIATIONS
            case _:
                return path == self.at or self.at == SITEMAP and "sitemap" in path


#: Of a page that leads into an app.
APP_HEAD: typing.Final = (
    '<link rel="manifest" href="/app.webmanifest">'
    '<meta name="apple-itunes-app" content="app-id=361309726, app-argument=hostile://page">')

ALL: dict[str, Fault] = {}


def add(name: str, what: str, answer: Handler, codes: str, **more: typing.Any) -> Fault:
    """- Parameter codes: separated by spaces."""
    if name in ALL:
        raise ValueError(f"two faults are called {name}")
    ALL[name] = Fault(name, what, answer, frozenset(codes.split()), **more)
    return ALL[name]


def fault(name: str, what: str, codes: str, **more: typing.Any) -> typing.Callable[[Handler], Handler]:
    def added(answer: Handler) -> Handler:
        add(name, what, answer, codes, **more)
        return answer
    return added


def load() -> dict[str, Fault]:
    for file in sorted((pathlib.Path(__file__).parent / "faults").glob("*.py")):
        importlib.import_module(f"faults.{file.stem}")
    return ALL


def page(title: str, links: typing.Iterable[str] = (), head: str = "", body: str = "") -> str:
    anchors = "".join(f'<li><a href="{html.escape(link)}">{html.escape(link[:40])}</a>' for link in links)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><h1>{title}</h1><p>Some words about {title}, so that there is something to read.</p>{body}<ul>{anchors}</ul></body></html>")
