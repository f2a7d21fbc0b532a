"""HTTP/2 by hand (RFC 9113): frames that may be as wrong as wanted, and as much of HPACK (RFC 7541) as reading a request takes."""
import dataclasses
import struct
import typing

if typing.TYPE_CHECKING:
    from web import Wire

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
_PREFACE: typing.Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

#: RFC 7541 appendix A, the fields of a request; the others have empty names.
_STATIC: typing.Final = (
    [("", ""), (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
     (":scheme", "http"), (":scheme", "https")] + [("", "")] * 54)

#: Lengths of the Huffman codes of the 256 bytes, as far as ASCII goes (RFC 7541 appendix B). The code is canonical.
_LENGTHS: typing.Final = {
    5: "012aceiost", 6: " %-./3456789=A_bdfghlmnpru", 7: ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz", 8: "&*,;XZ", 10: "!\"()?",
    11: "'+|", 12: "#>", 13: "\0$@[]~", 14: "^}", 15: "<`{",
}


def _codes() -> dict[tuple[int, int], str]:
    codes: dict[tuple[int, int], str] = {}
    code = length = 0
    for wanted, symbols in _LENGTHS.items():
        code <<= wanted - length
        length = wanted
        for symbol in symbols:
            codes[length, code] = symbol
            code += 1
    return codes


_CODES: typing.Final = _codes()


def frame(kind: int, flags: int, stream: int, payload: bytes = b"", length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name: str | bytes, value: str | bytes) -> bytes:
    """A field, neither indexed nor packed."""
    def text(text: str | bytes) -> bytes:
        octets = text if isinstance(text, bytes) else text.encode()
        return _integer(len(octets), 7, 0) + octets
    return b"\0" + text(name) + text(value)


def block(status: int | str, *fields: tuple[str, str | bytes]) -> bytes:
    return literal(":status", str(status)) + b"".join(literal(name, value) for name, value in fields)


@dataclasses.dataclass
class Stream:
    """A request's stream."""

    wire: "Wire"
    number: int
    fields: dict[str, str]

    def answer(self, status: int, fields: typing.Iterable[tuple[str, str | bytes]], body: bytes) -> None:
        """A whole answer with its length, that fits the window every client opens with."""
        self.send(HEADERS, END_HEADERS, block(status, *fields, ("content-length", str(len(body)))))
        pieces = [body[i : i + 16_000] for i in range(0, len(body), 16_000)] or [b""]
        for i, piece in enumerate(pieces):
            self.send(DATA, END_STREAM if i == len(pieces) - 1 else 0, piece)

    def send(self, kind: int, flags: int, payload: bytes = b"", stream: int | None = None, times: int = 1) -> None:
        self.wire.send(frame(kind, flags, self.number if stream is None else stream, payload) * times)


def streams(wire: "Wire") -> typing.Iterator[Stream]:
    """The requests of a connection, as they come."""
    wire.read(len(_PREFACE))
    wire.send(frame(SETTINGS, 0, 0))
    table: list[tuple[str, str]] = []
    while True:
        head = wire.read(9)
        length, kind, flags, number = int.from_bytes(head[:3]), head[3], head[4], int.from_bytes(head[5:])
        payload = wire.read(length)
        if kind == SETTINGS and not flags & ACK:
            wire.send(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            wire.send(frame(PING, ACK, 0, payload))
        elif kind == HEADERS:
            if flags & PADDED:
                payload = payload[1 : len(payload) - payload[0]]
            yield Stream(wire, number, dict(_decoded(payload[5:] if flags & 0x20 else payload, table)))


def _integer(number: int, bits: int, first: int) -> bytes:
    most = (1 << bits) - 1
    if number < most:
        return bytes([first | number])
    octets = [first | most]
    number -= most
    while number >= 128:
        octets.append(number % 128 + 128)
        number //= 128
    return bytes([*octets, number])


def _decoded(payload: bytes, table: list[tuple[str, str]]) -> typing.Iterator[tuple[str, str]]:
    place = 0

    def integer(bits: int) -> int:
        nonlocal place
        most = (1 << bits) - 1
        number = payload[place] & most
        place += 1
        if number == most:
            shift = 0
            while True:
                octet = payload[place]
                place += 1
                number += (octet & 127) << shift
                shift += 7
                if octet < 128:
                    break
        return number

    def text() -> str:
        nonlocal place
        packed = payload[place] & 128
        length = integer(7)
        octets = payload[place : place + length]
        place += length
        return _unpacked(octets) if packed else octets.decode("latin-1")

    def entry(index: int) -> tuple[str, str]:
        return _STATIC[index] if index < 62 else table[index - 62]

    while place < len(payload):
        first = payload[place]
        if first & 128:
            yield entry(integer(7))
            continue
        if first & 0xE0 == 0x20:
            integer(5)
            continue
        index = integer(6 if first & 64 else 4)
        name = entry(index)[0] if index else text()
        field = name, text()
        if first & 64:
            table.insert(0, field)
        yield field


def _unpacked(octets: bytes) -> str:
    text: list[str] = []
    code = length = 0
    for octet in octets:
        for bit in range(7, -1, -1):
            code = code << 1 | octet >> bit & 1
            length += 1
            if (symbol := _CODES.get((length, code))) is not None:
                text.append(symbol)
                code = length = 0
            elif length > 15:
                return "".join(text) + "?"
    return "".join(text)
