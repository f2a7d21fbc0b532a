"""A made-up web: hosts, pages, and how each URL answers. What the crawler must have found in the end follows from it."""
import dataclasses
import enum
import random
import typing


class Behavior(enum.Enum):
    """How a URL answers."""

    PAGE = "page"
    REDIRECT = "redirect"
    COPY = "copy"  # names another URL as its canonical one
    MISSING = "missing"
    BROKEN = "broken"  # 500, always
    HIDDEN = "hidden"  # asks not to be indexed
    PRIVATE = "private"  # robots.txt forbids it
    TEXT = "text"


#: The code of the last visit's outcome, as in Docs/CrawlLog.md.
OUTCOMES: typing.Final = {
    Behavior.PAGE: "recorded",
    Behavior.REDIRECT: "redirected",
    Behavior.COPY: "duplicate",
    Behavior.MISSING: "gone",
    Behavior.BROKEN: "server-error",
    Behavior.HIDDEN: "noindex",
    Behavior.PRIVATE: "disallowed",
    Behavior.TEXT: "not-a-page",
}


class Mishap(enum.Enum):
    """What goes wrong the first time a page is asked for."""

    FAILS = "fails"  # 500
    BREAKS_OFF = "breaks off"  # the connection, in the middle of the body
    BLOCKS = "blocks"  # 503 with Retry-After
    HANGS = "hangs"  # no answer for as long as anybody waits


@dataclasses.dataclass(frozen=True)
class Host:
    """A host, and what it demands."""

    name: str
    address: str
    #: By the configuration, without its Crawl-delay; seconds.
    delay: float
    crawl_delay: float | None = None
    #: Seconds that its 503 asks for; None: it never blocks.
    retry_after: int | None = None
    #: Part of the pages, in relation to other hosts.
    weight: float = 1
    has_own_rules: bool = False
    #: Its pages name a web app manifest, and wait for it to be fetched.
    has_manifest: bool = False


@dataclasses.dataclass
class Page:
    """One URL."""

    host: Host
    path: str
    behavior: Behavior = Behavior.PAGE
    #: Another page: what a redirect leads to, or the canonical one.
    target: "Page | None" = None
    status: int = 200
    #: Seconds before the answer begins, and in the middle of the body.
    latency: float = 0
    pause: float = 0
    mishap: Mishap | None = None
    links: list["Page"] = dataclasses.field(default_factory=list)


class Site:
    """All hosts and pages; the first host's first page is the seed and leads to every other."""

    def __init__(self, hosts: list[Host], pages: int, port: int, seed: int, *, with_trouble: bool = True) -> None:
        self.hosts = hosts
        self.port = port
        self.pages: dict[tuple[str, str], Page] = {}
        self._random = random.Random(seed)
        self._by_host: dict[str, list[Page]] = {}
        self._make_pages(pages)
        self._link()
        if with_trouble:
            self._make_trouble()

    def url(self, page: Page) -> str:
        return f"http://{page.host.name}:{self.port}{page.path}"

    @property
    def seed_url(self) -> str:
        return self.url(self._by_host[self.hosts[0].name][0])

    def sitemap(self, host: str) -> list[Page]:
        """Every second page of a host."""
        return self._by_host[host][::2]

    def of_host(self, host: Host) -> list[Page]:
        """The pages that give a record."""
        return self._by_host[host.name]

    @property
    def recorded(self) -> set[str]:
        """URLs that must have a record in the end."""
        return {self.url(page) for page in self.pages.values() if page.behavior is Behavior.PAGE}

    @property
    def outcomes(self) -> dict[str, str]:
        """The last outcome of each URL but sitemaps."""
        return {self.url(page): OUTCOMES[page.behavior] for page in self.pages.values()}

    def _add(self, page: Page) -> Page:
        self.pages[page.host.name, page.path] = page
        return page

    def _make_pages(self, count: int) -> None:
        total = sum(host.weight for host in self.hosts)
        numbers = [max(2, int(count * host.weight / total)) for host in self.hosts]
        numbers[0] += count - sum(numbers)
        for host, number in zip(self.hosts, numbers):
            self._by_host[host.name] = [
                self._add(Page(host, f"/p/{i}" if i else "/", latency=self._random.uniform(0.001, 0.03)))
                for i in range(number)
            ]

    def _link(self) -> None:
        """A tree within each host, and links across hosts."""
        everything = [page for pages in self._by_host.values() for page in pages]
        for pages in self._by_host.values():
            for i, page in enumerate(pages):
                page.links += pages[2 * i + 1 : 2 * i + 3]
                page.links.append(self._random.choice(everything))
        first = self._by_host[self.hosts[0].name][0]
        first.links += [pages[0] for pages in self._by_host.values()]

    def _make_trouble(self) -> None:
        everything = [page for pages in self._by_host.values() for page in pages]
        for number, (host, pages) in enumerate(zip(self.hosts, self._by_host.values())):
            for i, page in enumerate(pages[1:], 1):
                luck = self._random.random()
                if host.retry_after is not None and i % 12 == 5:
                    page.mishap = Mishap.BLOCKS
                elif luck < 0.02:
                    page.mishap = Mishap.FAILS
                elif luck < 0.03:
                    page.mishap = Mishap.BREAKS_OFF
                elif luck < 0.06:
                    page.latency = self._random.uniform(0.2, 0.8)
                elif luck < 0.09:
                    page.pause = self._random.uniform(0.2, 0.8)
            extras = [
                Page(host, "/old/1", Behavior.REDIRECT, self._random.choice(pages), status=301),
                Page(host, "/old/2", Behavior.REDIRECT, self._random.choice(everything), status=302),
                Page(host, "/missing/1", Behavior.MISSING, status=404),
                Page(host, "/missing/2", Behavior.MISSING, status=410),
                Page(host, "/hidden/1", Behavior.HIDDEN),
                Page(host, "/private/1", Behavior.PRIVATE),
                Page(host, "/notes.txt", Behavior.TEXT),
            ]
            extras += [
                Page(host, f"{page.path}?copy=1", Behavior.COPY, page)
                for page in self._random.sample(pages, min(3, len(pages)))
            ]
            if number % 7 == 3:
                extras.append(Page(host, "/broken/1", Behavior.BROKEN, status=500))
            for extra in extras:
                self._random.choice(pages).links.append(self._add(extra))
