"""What a worker reads and writes, as Docs/Cluster.md has it. The driver passes JSON on unread but for `host` and `done`."""
import dataclasses
import json
import typing

VERSION: typing.Final = 3
#: The rule by which URLs belong to shards.
SHARD_RULE: typing.Final = "site-1"
#: Kinds of lines, in the order in which a turn's folders are named.
KINDS: typing.Final = ("record", "deletion", "popularity", "links", "foreign", "host", "done")
#: A line that a worker writes or reads: a record is bounded by its fields, links by 10,000 addresses of a megabyte; escaped twice as much.
MAXIMUM_LINE_BYTES: typing.Final = 16 * 1024 * 1024


class ProtocolError(Exception):
    """A worker wrote what it must not."""


@dataclasses.dataclass(frozen=True)
class Begin:
    """The first line."""

    turn: int
    shard: int
    shards: int
    duration: str
    cursor: str | None
    #: When the run began (RFC 3339): what falls due later waits for the next one.
    run: str | None = None
    rate: float | None = None
    pages: int | None = None
    #: Whether the storage was made from a snapshot.
    is_restored: bool = False

    def line(self) -> str:
        fields: dict[str, object] = {
            "v": VERSION,
            "type": "begin",
            "turn": self.turn,
            "shard": self.shard,
            "shards": self.shards,
            "by": SHARD_RULE,
            "for": self.duration,
        }
        if self.cursor is not None:
            fields["cursor"] = self.cursor
        if self.run is not None:
            fields["run"] = self.run
        if self.rate is not None:
            fields["rate"] = self.rate
        if self.pages is not None:
            fields["pages"] = self.pages
        if self.is_restored:
            fields["restored"] = True
        return json.dumps(fields, separators=(",", ":"))


END: typing.Final = '{"type":"end"}'


def lease_line(end: float) -> str:
    """Until when the worker may go on, in seconds of CLOCK_BOOTTIME, unless another such line says more."""
    return json.dumps({"type": "lease", "until": round(end, 3)}, separators=(",", ":"))


def address_line(address: str, place: int, count: int, every: float | None = None) -> str:
    """The shard may ask an address in one slot of `count`. `every`: seconds between two requests of all shards, if not the address's delay."""
    fields: dict[str, object] = {"type": "address", "address": address, "place": place, "of": count}
    if every is not None:
        fields["every"] = every
    return json.dumps(fields, separators=(",", ":"))


@dataclasses.dataclass(frozen=True)
class Line:
    """A line that a worker wrote."""

    kind: str
    sequence: int
    key: str
    json: str


def parse(line: bytes) -> Line:
    if not line.endswith(b"\n"):
        raise ProtocolError(f"a line breaks off: {line[:100]!r}")
    try:
        columns = line[:-1].decode().split("\t")
    except UnicodeDecodeError as error:
        raise ProtocolError(f"a line is not UTF-8: {line[:100]!r}") from error
    if len(columns) != 4:
        raise ProtocolError(f"a line has {len(columns)} columns, not 4: {line[:100]!r}")
    kind, sequence, key, text = columns
    if kind not in KINDS:
        raise ProtocolError(f"a line has the unknown kind {kind[:40]!r}")
    if not (sequence.isascii() and sequence.isdecimal()) or len(sequence) > 18:
        raise ProtocolError(f"a line has the sequence {sequence[:40]!r}")
    if not text.startswith("{") or not text.endswith("}"):
        raise ProtocolError(f"a line has no object: {line[:100]!r}")
    return Line(kind, int(sequence), key, text)


class Telling:
    """Checks the lines of one turn as they come: greater and greater within a kind, the right counts, `done` last and once."""

    def __init__(self, turn: int, shard: int) -> None:
        self._turn = turn
        self._shard = shard
        self._last: dict[str, int] = {}
        self._told: dict[str, int] = dict.fromkeys(KINDS, 0)
        self.done: "Done | None" = None

    def take(self, line: Line) -> None:
        if self.done is not None:
            raise ProtocolError(f"a {line.kind} line follows done")
        if line.kind == "done":
            self.done = Done.parse(line.json)
            if (self.done.turn, self.done.shard) != (self._turn, self._shard):
                raise ProtocolError(f"done names turn {self.done.turn} and shard {self.done.shard}")
            for kind, count in self.done.told.items():
                if kind in self._told and kind != "done" and self._told[kind] != count:
                    raise ProtocolError(f"done counts {count} lines of {kind}, but {self._told[kind]} came")
            return
        if line.sequence < self._last.get(line.kind, 0):
            raise ProtocolError(f"{line.kind} lines are out of order: {line.sequence} after {self._last[line.kind]}")
        self._last[line.kind] = line.sequence
        self._told[line.kind] += 1


@dataclasses.dataclass(frozen=True)
class Done:
    """The JSON of a worker's last line."""

    turn: int
    shard: int
    cursor: str
    ending: str
    told: dict[str, int]
    received: dict[str, int]
    known: int
    queued: int
    hosts: int
    next_due: str | None
    visits: int
    pages: int
    requests: int
    seconds: dict[str, float]
    #: The try's end report. No commit keeps it.
    summary: dict[str, typing.Any] | None = None
    #: What the storage has come to, as its snapshot is called. The task says so, not the worker.
    state: str | None = None

    @staticmethod
    def parse(text: str) -> "Done":
        try:
            fields = json.loads(text)
            return Done(
                turn=int(fields["turn"]),
                shard=int(fields["shard"]),
                cursor=str(fields["cursor"]),
                ending=str(fields["ending"]),
                told={str(kind): int(count) for kind, count in fields["told"].items()},
                received={str(kind): int(count) for kind, count in fields.get("received", {}).items()},
                known=int(fields["known"]),
                queued=int(fields["queued"]),
                hosts=int(fields.get("hosts", 0)),
                next_due=fields.get("nextDue"),
                visits=int(fields.get("visits", 0)),
                pages=int(fields.get("pages", 0)),
                requests=int(fields.get("requests", 0)),
                seconds={str(part): float(time) for part, time in fields.get("seconds", {}).items()},
                summary=fields.get("summary"),
                state=fields.get("state"),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ProtocolError(f"done cannot be read: {type(error).__name__}: {error}") from error
