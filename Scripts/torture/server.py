"""Serves a made-up web on loopback, and keeps the log that everything is proved from."""
import asyncio
import contextlib
import dataclasses
import errno
import http
import threading
import time
import typing

from madeupweb import Behavior, Host, Mishap, Page, Site

#: Longer than any run here; the client goes first.
HANGS_FOR: typing.Final = 3600
ROBOTS: typing.Final = "/robots.txt"
SITEMAP: typing.Final = "/sitemap.xml"
MANIFEST: typing.Final = "/app.webmanifest"


@dataclasses.dataclass
class Request:
    """A line of the log. Times are those of the machine's monotonic clock, in seconds.

    The end is taken before the last bytes are handed to the system, the start after the request was read: the crawler has
    waited at least as long as the log says.
    """

    host: str
    path: str
    address: str
    start: float
    end: float | None = None
    status: int = 0
    retry_after: int | None = None
    #: Whether all of the answer was sent; the client went away before otherwise, or the site broke it off.
    is_answered: bool = False
    is_broken_off: bool = False

    @property
    def has_failed(self) -> bool:
        """By the site's fault: trying again is right."""
        return self.is_broken_off or self.is_answered and self.status >= 500


class Server:
    """One site at a time, on every address of its hosts, in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._servers: list[asyncio.Server] = []
        self._happened: set[tuple[str, str]] = set()
        self._connections = 0
        self._changed = threading.Condition()
        self.site: Site | None = None
        self.port = 0
        self.log: list[Request] = []

    def listen(self, addresses: list[str]) -> int:
        """Listens on one free port of all the addresses."""
        future = asyncio.run_coroutine_threadsafe(self._listen(addresses), self._loop)
        self.port = int(future.result())
        return self.port

    def serve(self, site: Site) -> None:
        """Begins anew: an empty log, and every mishap is still to come."""
        with self._changed:
            self.site = site
            self.log = []
            self._happened = set()

    def close(self) -> None:
        for server in self._servers:
            self._loop.call_soon_threadsafe(server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def wait_until(self, condition: typing.Callable[[], bool], what: str, timeout: float = 120) -> None:
        """Waits for something to be true; it is looked at whenever the log changes, and now and then."""
        last = time.monotonic() + timeout
        with self._changed:
            while not condition():
                if time.monotonic() > last:
                    raise RuntimeError(f"in {timeout} s never {what}")
                self._changed.wait(0.1)

    def wait_until_quiet(self) -> None:
        """Waits until a client that is gone has nothing open any more."""
        self.wait_until(lambda: self._connections == 0, "closed what a crawler left open that has ended")

    def in_flight(self) -> list[Request]:
        return [request for request in self.log if request.end is None]

    async def _listen(self, addresses: list[str]) -> int:
        while True:
            first = await asyncio.start_server(self._serve, addresses[0], 0)
            port = int(first.sockets[0].getsockname()[1])
            try:
                others = [await asyncio.start_server(self._serve, address, port) for address in addresses[1:]]
            except OSError as error:
                first.close()
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            self._servers = [first, *others]
            return port

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._note(lambda: self._count(1))
        try:
            while await self._answer(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # The client is gone, which is what this is about.
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
            self._note(lambda: self._count(-1))

    def _count(self, change: int) -> None:
        self._connections += change

    def _note(self, change: typing.Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        start = time.monotonic()
        path = head[0].split(" ")[1]
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        host = fields["host"].rsplit(":", 1)[0]
        request = Request(host, path, writer.get_extra_info("sockname")[0], start)
        self._note(lambda: self.log.append(request))
        assert self.site is not None
        page = self.site.pages.get((host, path))
        mishap = None
        if page is not None and page.mishap is not None and (host, path) not in self._happened:
            self._happened.add((host, path))
            mishap = page.mishap
        try:
            answer = _Answer(self.site, host, path, page, mishap)
            request.status = answer.status
            request.retry_after = answer.retry_after
            await _still_there(reader, HANGS_FOR if mishap is Mishap.HANGS else page.latency if page else 0)
            middle = len(answer.bytes) - len(answer.body) // 2
            writer.write(answer.bytes[:middle])
            await writer.drain()
            if mishap is Mishap.BREAKS_OFF:
                request.is_broken_off = True
                return False
            await _still_there(reader, page.pause if page else 0)
            request.end = time.monotonic()
            request.is_answered = True
            writer.write(answer.bytes[middle:])
            await writer.drain()
            return True
        finally:
            end = request.end or time.monotonic()
            self._note(lambda: setattr(request, "end", end))


async def _still_there(reader: asyncio.StreamReader, seconds: float) -> None:
    """Waits, but not for a client that goes away meanwhile: it never sends anything else."""
    if seconds <= 0:
        return
    with contextlib.suppress(TimeoutError, asyncio.TimeoutError):
        await asyncio.wait_for(reader.read(1), seconds)
        raise ConnectionResetError


class _Answer:
    """An answer's bytes."""

    def __init__(self, site: Site, host: str, path: str, page: Page | None, mishap: Mishap | None) -> None:
        self.status = 200
        self.retry_after: int | None = None
        self._fields: dict[str, str] = {"Content-Type": "text/html; charset=utf-8"}
        self.body = self._body(site, host, path, page, mishap).encode()
        lines = [f"HTTP/1.1 {self.status} {http.HTTPStatus(self.status).phrase}"]
        self._fields["Content-Length"] = str(len(self.body))
        lines += [f"{name}: {value}" for name, value in self._fields.items()]
        self.bytes = ("\r\n".join(lines) + "\r\n\r\n").encode() + self.body

    def _body(self, site: Site, host: str, path: str, page: Page | None, mishap: Mishap | None) -> str:
        if path == ROBOTS:
            self._fields["Content-Type"] = "text/plain"
            return robots(next(known for known in site.hosts if known.name == host), site.port)
        if path == SITEMAP:
            self._fields["Content-Type"] = "application/xml"
            entries = "".join(f"<url><loc>{site.url(page)}</loc></url>" for page in site.sitemap(host))
            return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        if path == MANIFEST:
            self._fields["Content-Type"] = "application/manifest+json"
            return '{"name": "Torture", "related_applications": [{"platform": "play", "id": "org.example.torture"}]}'
        if page is None:
            self.status = 404
            return "nothing here"
        if mishap is Mishap.FAILS:
            self.status = 500
            return "not now"
        if mishap is Mishap.BLOCKS:
            self.status = 503
            self.retry_after = page.host.retry_after
            self._fields["Retry-After"] = str(self.retry_after)
            return "too much"
        self.status = page.status
        match page.behavior:
            case Behavior.REDIRECT:
                assert page.target is not None
                self._fields["Location"] = site.url(page.target)
                return "elsewhere"
            case Behavior.TEXT:
                self._fields["Content-Type"] = "text/plain"
                return "a note"
            case Behavior.MISSING | Behavior.BROKEN:
                return "no"
            case _:
                return markup(site, page)


def robots(host: Host, port: int) -> str:
    lines = ["User-agent: *", "Disallow: /private/"]
    if host.crawl_delay is not None:
        lines.append(f"Crawl-delay: {host.crawl_delay}")
    return "\n".join(lines) + f"\n\nSitemap: http://{host.name}:{port}{SITEMAP}\n"


def markup(site: Site, page: Page) -> str:
    """A page that leads into an app, so that it gives a record."""
    shown = page.target if page.behavior is Behavior.COPY and page.target else page
    name = f"{shown.host.name}{shown.path}"
    head = [
        "<meta charset=utf-8>",
        f"<title>Page {name}</title>",
        f'<meta name="description" content="What {name} is about, in a sentence of its own">',
        f'<meta name="apple-itunes-app" content="app-id=361309726, app-argument=torture://{name}">',
    ]
    if page.host.has_manifest:
        head.append(f'<link rel="manifest" href="{MANIFEST}">')
    if page.behavior is Behavior.COPY:
        head.append(f'<link rel="canonical" href="{site.url(shown)}">')
    if page.behavior is Behavior.HIDDEN:
        head.append('<meta name="robots" content="noindex">')
    links = "".join(f'<li><a href="{site.url(link)}">{link.path}</a>' for link in page.links)
    return f"<!doctype html><html lang=en><head>{''.join(head)}</head><body><h1>{name}</h1><ul>{links}</ul></body></html>"
