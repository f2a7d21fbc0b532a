"""The hostile web's server: sockets on loopback, a thread a connection, and the log that everything is proved from."""
import contextlib
import dataclasses
import errno
import selectors
import socket
import ssl
import struct
import threading
import time
import typing

import http2

#: A client that says nothing for so long has forgotten us.
SILENCE: typing.Final = 60


@dataclasses.dataclass(frozen=True)
class Ask:
    """What an address was asked, by the monotonic clock. A connection that asks nothing has no path."""

    address: str
    host: str
    path: str | None
    start: float


class Gone(Exception):
    """The client is gone, or the run is over."""


class Wire:
    """One connection's bytes, bare or behind TLS."""

    def __init__(self, link: socket.socket, over: threading.Event) -> None:
        self.link = link
        self._over = over
        self._kept = b""
        self.sent = 0

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            if self._over.is_set():
                raise Gone
            try:
                self.link.sendall(piece)
            except (OSError, ssl.SSLError) as error:
                raise Gone from error
            self.sent += len(piece)

    def read_until(self, end: bytes, most: int = 1 << 20) -> bytes:
        while end not in self._kept:
            if len(self._kept) > most:
                raise Gone
            self._kept += self._receive()
        head, self._kept = self._kept.split(end, 1)
        return head

    def read(self, count: int) -> bytes:
        while len(self._kept) < count:
            self._kept += self._receive()
        taken, self._kept = self._kept[:count], self._kept[count:]
        return taken

    def read_if_there(self) -> bytes:
        """What came meanwhile: who only sends would let both sides stand still."""
        self.link.settimeout(0.0005)
        try:
            self._kept += self.link.recv(65536)
        except (OSError, ssl.SSLError):
            pass
        finally:
            with contextlib.suppress(OSError):
                self.link.settimeout(SILENCE)
        taken, self._kept = self._kept, b""
        return taken

    def wait(self, seconds: float) -> None:
        """Waits, but not for a client that goes away meanwhile."""
        last = time.monotonic() + seconds
        while (left := last - time.monotonic()) > 0:
            if self._over.is_set():
                raise Gone
            self.link.settimeout(min(left, 0.25))
            try:
                more = self.link.recv(65536)
                if not more:
                    raise Gone
                self._kept += more
            except (TimeoutError, ssl.SSLWantReadError):
                pass
            except (OSError, ssl.SSLError) as error:
                raise Gone from error
        with contextlib.suppress(OSError):
            self.link.settimeout(SILENCE)

    def reset(self) -> typing.NoReturn:
        """Ends the connection with RST."""
        with contextlib.suppress(OSError):
            self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone

    def _receive(self) -> bytes:
        try:
            more = self.link.recv(65536)
        except (OSError, ssl.SSLError) as error:
            raise Gone from error
        if not more or self._over.is_set():
            raise Gone
        return more


@dataclasses.dataclass
class Exchange:
    """One request, and the ways to answer it."""

    web: "Web"
    wire: Wire
    address: str
    host: str
    path: str
    secure: bool
    #: How often this path of this host was asked for before.
    number: int
    #: Set for HTTP/2 only.
    stream: "http2.Stream | None" = None
    ends: bool = False

    def raw(self, *pieces: bytes) -> None:
        """Bytes as they are; the connection ends behind them."""
        self.ends = True
        self.wire.send(*pieces)

    def answer(
        self, body: bytes | str = b"", status: int | str = 200, fields: typing.Iterable[tuple[str, str | bytes]] = (),
        kind: str | None = "text/html; charset=utf-8", reason: str = "Whatever",
    ) -> None:
        body = body.encode() if isinstance(body, str) else body
        if self.stream is not None:
            self.stream.answer(int(status), [("content-type", kind or ""), *((n.lower(), v) for n, v in fields)], body)
            return
        head = [f"HTTP/1.1 {status} {reason}".encode(), f"Content-Length: {len(body)}".encode()]
        head += [f"Content-Type: {kind}".encode()] if kind else []
        head += [name.encode("latin-1") + b": " + (value if isinstance(value, bytes) else value.encode()) for name, value in fields]
        self.wire.send(b"\r\n".join(head) + b"\r\n\r\n" + body)

    def head(self, *fields: str, status: str = "200 OK", kind: str = "text/html; charset=utf-8") -> bytes:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *fields]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def hang(self) -> None:
        self.ends = True
        self.wire.wait(600)

    def drip(self, pieces: typing.Iterable[bytes], pause: float = 0.1) -> None:
        self.ends = True
        for piece in pieces:
            self.wire.send(piece)
            self.wire.wait(pause)

    def url(self, host: str, path: str = "/") -> str:
        return f"{'https' if self.secure else 'http'}://{host}:{self.web.port}{path}"

    @property
    def fault_address(self) -> str:
        return self.web.address(11)


Handler = typing.Callable[[Exchange], None]


class Web:
    """The addresses of one fault, 127.x.y.1 and on, all on one port, from a good web's hosts to the hostile one's.

    `serve` answers a request; `greet`, where it is given, gets the bare connection before TLS or a request, and says whether to go on.
    """

    def __init__(
        self, network: str, numbers: typing.Iterable[int], serve: Handler, extra: typing.Iterable[str] = (),
        greet: typing.Callable[["Web", str, socket.socket, threading.Event], bool] | None = None,
        contexts: typing.Callable[[str], ssl.SSLContext | None] = lambda address: None,
    ) -> None:
        self.network = network
        self._serve = serve
        self._greet = greet
        self._contexts = contexts
        self._over = threading.Event()
        self._lock = threading.Lock()
        self.asks: list[Ask] = []
        self.trouble: list[str] = []
        self._counts: dict[tuple[str, str], int] = {}
        self._open: set[socket.socket] = set()
        addresses = [self.address(number) for number in numbers] + list(extra)
        self._listeners, self.port = _listen(addresses)
        threading.Thread(target=self._accept, daemon=True).start()

    def address(self, number: int) -> str:
        return f"{self.network}.{number}"

    def close(self) -> None:
        self._over.set()
        for listener in self._listeners:
            listener.close()
        with self._lock:
            links = list(self._open)
        for link in links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)

    def note(self, ask: Ask) -> int:
        """How often the same was asked before."""
        with self._lock:
            self.asks.append(ask)
            key = ask.host, ask.path or ""
            self._counts[key] = self._counts.get(key, 0) + 1
            return self._counts[key] - 1

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            for listener in self._listeners:
                selector.register(listener, selectors.EVENT_READ)
            while not self._over.is_set():
                for key, _ in selector.select(0.25):
                    with contextlib.suppress(OSError):
                        link, _ = typing.cast(socket.socket, key.fileobj).accept()
                        threading.Thread(target=self._keep, args=(link,), daemon=True).start()

    def _keep(self, link: socket.socket) -> None:
        start = time.monotonic()
        asked = False
        address = link.getsockname()[0]
        with self._lock:
            self._open.add(link)
        try:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.settimeout(SILENCE)
            if self._greet is not None and not self._greet(self, address, link, self._over):
                return
            context = self._contexts(address)
            if context is not None:
                link = context.wrap_socket(link, server_side=True)
                with self._lock:
                    self._open.add(link)
            wire = Wire(link, self._over)
            for exchange in self._exchanges(wire, address, context is not None):
                asked = True
                self._serve(exchange)
                if exchange.ends:
                    break
        except (Gone, OSError, ssl.SSLError):
            pass  # The client had enough, which is what this is about.
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not pass for a fault of the web
            self.trouble.append(f"{type(error).__name__}: {error}")
        finally:
            if not asked:
                self.note(Ask(address, address, None, start))
            with self._lock:
                self._open.discard(link)
            with contextlib.suppress(OSError):
                link.close()

    def _exchanges(self, wire: Wire, address: str, secure: bool) -> typing.Iterator[Exchange]:
        if isinstance(wire.link, ssl.SSLSocket) and wire.link.selected_alpn_protocol() == "h2":
            for stream in http2.streams(wire):
                host = stream.fields.get(":authority", address).rsplit(":", 1)[0]
                path = stream.fields.get(":path", "/")
                number = self.note(Ask(address, host, path, time.monotonic()))
                yield Exchange(self, wire, address, host, path, secure, number, stream)
            return
        while True:
            head = wire.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            fields = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
            host = fields.get("Host", address).rsplit(":", 1)[0]
            number = self.note(Ask(address, host, path, time.monotonic()))
            yield Exchange(self, wire, address, host, path, secure, number)


def _listen(addresses: list[str]) -> tuple[list[socket.socket], int]:
    """On one port of all of them that is free."""
    while True:
        listeners: list[socket.socket] = []
        port = 0
        try:
            for address in addresses:
                listeners.append(socket.create_server((address, port), backlog=512))
                port = port or int(listeners[0].getsockname()[1])
            return listeners, port
        except OSError as error:
            for listener in listeners:
                listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
