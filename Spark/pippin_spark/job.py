"""A job's folder: its configuration, its shards, its commits.

    JOB/config.yaml seeds.txt           as on one machine
    JOB/shards.json                     {"version":1,"shards":16,"by":"site-1"}; written once
    JOB/shards/03/                      the storage of shard 3, on a disk that stays
    JOB/inbox/5f1c….json                what a turn in flight gets, and the folder in which it lies
    JOB/turns/000007-5f1c…/kind=…       what the shards of turn 7 told; its commit names the folder
    JOB/commits/000007.json             turn 7, and where all shards stand after it; written last, by rename
    JOB/tables/host/000512…             of each host what was told last, up to turn 512
    JOB/snapshots/03/000007-5f1c….json  the storage of shard 3 after its turn 7 (`snapshots`)
    JOB/rebuilt/000007/3                shard 3 makes its turn 7 anew from what was told
    JOB/rank/000007/…  JOB/claims/…     popularity after turn 7; which driver has the job

Files that no commit lists are ignored.
"""
import dataclasses
import hashlib
import json
import re
import typing

import yaml

from .files import Files
from .protocol import SHARD_RULE, Done
from .trouble import USAGE, Trouble

#: Kinds of which tables are made, each with the kinds whose lines decide what counts.
COMPACTED: typing.Final[dict[str, tuple[str, ...]]] = {
    "record": ("record", "deletion", "popularity"), "links": ("links",), "foreign": ("foreign",), "host": ("host",),
}  # fmt: skip
#: Of commits. Those of version 1 cover all shards.
_VERSION: typing.Final = 2
_Value = typing.TypeVar("_Value")
#: Commits in memory. One of a thousand shards has some hundred kilobytes.
_COMMITS_HELD: typing.Final = 8
#: More tasks than anybody has slots for; a folder's name has as many digits as it needs.
MAXIMUM_SHARDS: typing.Final = 4096


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the driver needs of a configuration. The workers read and check all of it; they say its durations (`worker.Times`)."""

    shards: int
    turn: str
    links: bool
    shared_addresses: str
    maximum_pages: int
    rate: float | None
    seeds: str
    #: Whether a snapshot of a shard is made after each of its turns.
    snapshots: bool = True

    @staticmethod
    def parse(text: bytes, name: str) -> "Settings":
        try:
            whole = yaml.safe_load(text) or {}
        except yaml.YAMLError as error:
            raise Trouble(f"{name}: {error}") from error
        if not isinstance(whole, dict):
            raise Trouble(f"{name}: it has no keys")

        def part(key: str) -> dict[str, typing.Any]:
            value = whole.get(key) or {}
            if not isinstance(value, dict):
                raise Trouble(f"{name}: {key} has no keys of its own")
            return value

        def number(value: object, key: str) -> float:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise Trouble(f"{name}: {key} is no number")
            return float(value)

        cluster, politeness, scope = part("cluster"), part("politeness"), part("scope")
        if "shards" not in cluster:
            raise Trouble(f"{name}: add `cluster: {{ shards: 16 }}`: how many shards the job has cannot be changed without `reshard`")
        shards = number(cluster["shards"], "cluster.shards")
        if shards != int(shards) or not 1 <= shards <= MAXIMUM_SHARDS:
            raise Trouble(f"{name}: cluster.shards is from 1 to {MAXIMUM_SHARDS}")
        shared = str(cluster.get("shared_addresses", "slots"))
        if shared not in ("slots", "ignore"):
            raise Trouble(f"{name}: cluster.shared_addresses is slots or ignore")
        links = cluster.get("links", False)
        if not isinstance(links, bool):
            raise Trouble(f"{name}: cluster.links is true or false")
        snapshots = cluster.get("snapshots", True)
        if not isinstance(snapshots, bool):
            raise Trouble(f"{name}: cluster.snapshots is true or false")
        rate = politeness.get("max_requests_per_second")
        return Settings(
            shards=int(shards),
            turn=str(cluster.get("turn", "10m")),
            links=links,
            shared_addresses=shared,
            maximum_pages=int(number(scope.get("max_pages", 100_000), "scope.max_pages")),
            rate=None if rate is None else number(rate, "politeness.max_requests_per_second"),
            seeds=str(whole.get("seeds", "seeds.txt")),
            snapshots=snapshots,
        )


@dataclasses.dataclass(frozen=True)
class Compacted:
    """A table of what counts of a kind, up to a turn (`compaction`)."""

    turn: int
    rows: int
    #: Its folder beside its file; None if it has no rows.
    folder: str | None


@dataclasses.dataclass(frozen=True)
class Turn:
    """What must be known of each turn whose lines are kept, without reading its commit."""

    folder: str
    #: How many shards were in it.
    ran: int
    #: Lines of each kind; none of others.
    told: dict[str, int]


@dataclasses.dataclass(frozen=True)
class Commit:
    """What a turn has come to, and where all shards stand after it. Only what a commit names exists.

    A turn gets its number when it is committed: turns that end in another order than they began leave no gap.
    """

    turn: int
    #: Of all shards, also of those that were not in this turn; so is what they said last.
    cursors: dict[int, str]
    dones: dict[int, Done]
    #: Lines of each kind in the turn's folder.
    told: dict[str, int]
    started_at: str
    ended_at: str
    seconds: float
    #: The name of the turn's folder. None: it is the turn's number, as earlier versions have it.
    folder: str | None = None
    #: The shards of this turn.
    ran: tuple[int, ...] = ()
    #: The turn up to which each shard was handed what the others found for it; missing: none since the job has its shards.
    mail: dict[int, int] = dataclasses.field(default_factory=dict)
    #: How many lines wait for each shard that has any.
    waiting: dict[int, int] = dataclasses.field(default_factory=dict)
    #: Shards that were made anew from what was told, because their storage was lost.
    rebuilt: tuple[int, ...] = ()
    #: How many shards the job has from here on, if this is no turn but their move into others.
    resharded: int | None = None
    #: The first turn of the shards of this one.
    shards_since: int | None = None
    #: The last turn that told of links, up to this one; 0 if none did.
    linked: int | None = None
    #: What the storage of each shard has come to, as its snapshot is called (`snapshots`); missing: it has none.
    states: dict[int, str] = dataclasses.field(default_factory=dict)
    #: The turns of which the commits were there, up to this one: so who reads the last one need not read a thousand.
    turns: dict[int, Turn] = dataclasses.field(default_factory=dict)
    #: The last ranking that each shard was handed, by its turn. None: commits before this one know.
    delivered: dict[int, int] | None = None
    #: The turn's end report, with few hosts.
    report: dict[str, typing.Any] | None = None

    def encoded(self) -> bytes:
        fields = {
            "version": _VERSION,
            "turn": self.turn,
            "folder": self.folder,
            "ran": list(self.ran),
            "cursors": _encoded(self.cursors),
            "mail": _encoded(self.mail),
            "waiting": _encoded(self.waiting),
            "told": self.told,
            "startedAt": self.started_at,
            "endedAt": self.ended_at,
            "seconds": round(self.seconds, 3),
            "rebuilt": list(self.rebuilt),
            "resharded": self.resharded,
            "shardsSince": self.shards_since,
            "linked": self.linked,
            "states": _encoded(self.states),
            "turns": _encoded({turn: [of.folder, of.ran, {kind: count for kind, count in of.told.items() if count}] for turn, of in self.turns.items()}),
            "delivered": None if self.delivered is None else _encoded(self.delivered),
            "report": self.report,
            "shards": [dataclasses.asdict(done) | {"summary": None, "state": None} for _, done in sorted(self.dones.items())],
        }
        return json.dumps(fields, ensure_ascii=False, indent=1).encode() + b"\n"

    @staticmethod
    def parse(text: bytes, name: str) -> "Commit":
        try:
            fields = json.loads(text)
            if fields["version"] not in (1, _VERSION):
                raise Trouble(f"{name}: version {fields['version']} is of another pippin_spark")
            # Commits of earlier versions have no `hosts`.
            dones = {done["shard"]: Done(**({"hosts": 0} | done)) for done in fields["shards"]}
            if fields["version"] == 1:
                fields |= _of_all_shards(fields, sorted(dones))
            return Commit(
                turn=fields["turn"],
                cursors=_decoded(fields["cursors"]),
                dones=dones,
                told=fields["told"],
                started_at=fields["startedAt"],
                ended_at=fields["endedAt"],
                seconds=fields["seconds"],
                folder=fields.get("folder"),
                ran=tuple(fields["ran"]),
                mail=_decoded(fields["mail"]),
                waiting=_decoded(fields["waiting"]),
                rebuilt=tuple(fields["rebuilt"]),
                resharded=fields["resharded"],
                shards_since=fields.get("shardsSince"),
                linked=fields.get("linked"),
                states=_decoded(fields.get("states", {})),
                turns={turn: Turn(*of) for turn, of in _decoded(fields.get("turns", {})).items()},
                delivered=None if fields.get("delivered") is None else _decoded(fields["delivered"]),
                report=fields.get("report"),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Trouble(f"{name} cannot be read: {type(error).__name__}: {error}") from error

    @property
    def own(self) -> Turn:
        return Turn(self.folder or number(self.turn), len(self.ran), self.told)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to do now, in any shard or between two."""
        return not self.waiting and all(done.ending == "finished" and done.queued == 0 for done in self.dones.values())


def _of_all_shards(fields: dict[str, typing.Any], shards: list[int]) -> dict[str, typing.Any]:
    """What a commit of an earlier version means: all shards were in the turn, and got what the one before had told for them."""
    told, delivered = fields["told"].get("foreign", 0), fields.get("delivered")
    return {
        "ran": shards,
        "mail": dict.fromkeys(shards, fields["turn"] - 1),
        # For whom they are is not known.
        "waiting": dict.fromkeys(shards, told) if told > 0 else {},
        "delivered": None if delivered is None else dict.fromkeys(shards, delivered),
    }


def _encoded(of_shards: dict[int, _Value]) -> dict[str, _Value]:
    return {str(shard): value for shard, value in sorted(of_shards.items())}


def _decoded(of_shards: dict[str, _Value]) -> dict[int, _Value]:
    return {int(shard): value for shard, value in of_shards.items()}


class Job:
    """A job's folder, read."""

    def __init__(self, files: Files, storages: str | None = None) -> None:
        self.files = files
        if not files.exists("config.yaml"):
            raise Trouble(f"{files.root}: there is no config.yaml in this folder")
        self.settings = Settings.parse(files.read("config.yaml"), files.url("config.yaml"))
        self._storages = storages
        self._commits: dict[int, Commit] = {}
        self._tables: dict[tuple[str, int], Compacted] = {}
        #: Each name costs a call of Java, and there are a thousand.
        self._turns: list[int] | None = None
        self._known: dict[int, Turn] = {}

    @property
    def shards(self) -> int:
        return self.settings.shards

    @property
    def storages(self) -> str:
        """The folder of the storages, as the executors see it."""
        local = self.files.local_root
        if self._storages is None and local is None:
            raise Trouble("storages are files on disks: name a folder that every executor sees under this path with --storages")
        return self._storages or f"{local}/shards"

    def check_shards(self) -> None:
        """Writes `shards.json` of a new job. That of an old one must say what the configuration says."""
        wanted = {"version": 1, "shards": self.shards, "by": SHARD_RULE}
        if not self.files.exists("shards.json"):
            if self.files.names("commits"):
                raise Trouble(f"{self.files.url('shards.json')} is gone, but there are commits. Put it back: {json.dumps(wanted)}")
            self.files.publish("shards.json", json.dumps(wanted, separators=(",", ":")).encode() + b"\n")
            return
        try:
            known = json.loads(self.files.read("shards.json"))
        except ValueError as error:
            raise Trouble(f"{self.files.url('shards.json')} is no JSON: {error}") from error
        if known != wanted:
            raise Trouble(
                f"{self.files.url('shards.json')} says {json.dumps(known)}, the configuration {json.dumps(wanted)}. "
                "Set cluster.shards back, or move the job with `pippin_spark reshard`.",
                USAGE,
            )

    def known_shards(self) -> int:
        """How many shards `shards.json` says."""
        try:
            return int(json.loads(self.files.read("shards.json"))["shards"])
        except (ValueError, KeyError, TypeError) as error:
            raise Trouble(f"{self.files.url('shards.json')} cannot be read: {error}") from error

    def write_shards(self, shards: int) -> None:
        text = json.dumps({"version": 1, "shards": shards, "by": SHARD_RULE}, separators=(",", ":")) + "\n"
        self.files.write("shards.json", text.encode())

    def turns(self) -> list[int]:
        """The committed turns, ascending."""
        if self._turns is None:
            self._turns = sorted(int(name[:-5]) for name in self.files.names("commits") if re.fullmatch(r"\d{6,}\.json", name))
        return list(self._turns)

    def publish(self, commit: Commit) -> None:
        self.files.publish(f"commits/{number(commit.turn)}.json", commit.encoded())
        self._turns = None

    def delete(self, turn: int) -> None:
        """Deletes a turn, its commit first: one whose lines are gone would be an error, lines that no commit names do not exist."""
        self.files.delete(f"commits/{number(turn)}.json")
        self._turns = None
        # Also what a driver has left that lost the job before it could commit this turn.
        for name in self.files.names("turns"):
            if turn_of(name) == turn:
                self.files.delete(f"turns/{name}")

    def commit(self, turn: int) -> Commit:
        # A commit is never changed.
        if turn not in self._commits:
            if len(self._commits) >= _COMMITS_HELD:
                self._commits.clear()
            name = f"commits/{number(turn)}.json"
            self._commits[turn] = Commit.parse(self.files.read(name), self.files.url(name))
        return self._commits[turn]

    def fingerprint(self, turn: int) -> str:
        """16 hexadecimal digits that no other job, and no other past of this one, has for the turn's commit."""
        return hashlib.sha256(self.files.read(f"commits/{number(turn)}.json")).hexdigest()[:16]

    def told(self, turn: int) -> dict[str, int]:
        """Lines of each kind that a committed turn told."""
        return self._turn(turn).told

    def ran(self, turn: int) -> int:
        """How many shards were in a committed turn."""
        return self._turn(turn).ran

    def folder(self, turn: int) -> str:
        """Where the lines of a committed turn lie."""
        return f"turns/{self._turn(turn).folder}"

    def all_turns(self) -> dict[int, Turn]:
        """What is known of each committed turn, for the next commit."""
        return {turn: self._turn(turn) for turn in self.turns()}

    def _turn(self, turn: int) -> Turn:
        if turn not in self._known:
            turns = self.turns()
            if turns:
                self._known |= self.commit(turns[-1]).turns
        if turn not in self._known:
            # The last commit, or one of an earlier version.
            self._known[turn] = self.commit(turn).own
        return self._known[turn]

    def last_commit(self) -> Commit | None:
        turns = self.turns()
        is_whole = not turns or turns == list(range(turns[0], turns[-1] + 1))
        if turns and (not is_whole or turns[0] > 1 and turns[0] > self.covered_turn() + 1):
            raise Trouble(f"{self.files.url('commits')}: a commit is missing among turns 1 to {turns[-1]}")
        return self.commit(turns[-1]) if turns else None

    def first_turn_of_shards(self) -> int:
        """The first turn since the job has its shards: numbers of shards in earlier ones mean others."""
        for turn in reversed(self.turns()):
            commit = self.commit(turn)
            if commit.resharded is not None:
                return turn + 1
            if commit.shards_since is not None:
                return commit.shards_since
        return 1

    def compactions(self, kind: str) -> list[int]:
        """The turns up to which there is a table of a kind, ascending."""
        return sorted(int(name[:-5]) for name in self.files.names(f"tables/{kind}") if re.fullmatch(r"\d{6,}\.json", name))

    def compacted(self, kind: str) -> Compacted | None:
        """The last table of a kind."""
        turns = self.compactions(kind)
        return self.compaction(kind, turns[-1]) if turns else None

    def compaction(self, kind: str, turn: int) -> Compacted:
        """The table of a kind up to a turn."""
        name = f"tables/{kind}/{number(turn)}.json"
        try:
            # Like a commit, it is never changed.
            if (kind, turn) not in self._tables:
                self._tables[kind, turn] = Compacted(**json.loads(self.files.read(name)))
            return self._tables[kind, turn]
        except (ValueError, TypeError) as error:
            raise Trouble(f"{self.files.url(name)} cannot be read: {error}. Delete it: the table before it counts then.") from error

    def covered_turn(self) -> int:
        """The last turn up to which tables have all that counts; 0 if there is none."""
        tables = [self.compacted(kind) for kind in COMPACTED]
        return min(table.turn if table else 0 for table in tables)

    def told_turns(self) -> list[int]:
        """The turns of which the lines are there, ascending."""
        return sorted({turn for name in self.files.names("turns") if (turn := turn_of(name)) is not None})

    def next_turns(self) -> dict[int, int]:
        """The number that each shard's next turn has for its worker: each shard counts its own turns, from 1, or from the move to today's
        shards. A turn that is not committed is begun again under the same number."""
        commit, first = self.last_commit(), self.first_turn_of_shards()
        dones = commit.dones if commit else {}
        return {shard: dones[shard].turn + 1 if shard in dones else first for shard in range(self.shards)}

    def rebuilt(self) -> set[int]:
        """Shards whose next turn makes them anew."""
        next_turns = self.next_turns()
        named = {turn: self.files.names(f"rebuilt/{number(turn)}") for turn in set(next_turns.values())}
        return {shard for shard, turn in next_turns.items() if str(shard) in named[turn]}

    def rebuild(self, turn: int, shard: int) -> None:
        """Notes that a shard's turn makes it anew: a driver that goes on must know that the shard's cursor does not count."""
        self.files.make_folder(f"rebuilt/{number(turn)}")
        self.files.write(f"rebuilt/{number(turn)}/{shard}", b"")

    def rankings(self) -> list[int]:
        """The turns after which a ranking was made, ascending."""
        return sorted(int(name[:-5]) for name in self.files.names("rank") if re.fullmatch(r"\d{6,}\.json", name))

    def last_ranking(self) -> int | None:
        """The turn after which the popularity was last ranked. A ranking by other shards than those of today does not count."""
        since = self.first_turn_of_shards()
        return max((turn for turn in self.rankings() if turn >= since), default=None)

    def undelivered_ranking(self) -> int | None:
        """The last ranking, unless committed turns have handed it to all shards."""
        ranking = self.last_ranking()
        if ranking is None or not self.files.exists(f"rank/{number(ranking)}/popularity"):
            return None
        return ranking if self.shards_without(ranking) else None

    def shards_without(self, ranking: int) -> set[int]:
        """The shards that no committed turn has handed a ranking."""
        delivered = self.delivered()
        return {shard for shard in range(self.shards) if delivered.get(shard, 0) < ranking}

    def has_unranked_links(self) -> bool:
        """Whether a turn after the last ranking has told of links: else the ranks are what they were."""
        return self.last_linked() > (self.last_ranking() or 0)

    def last_linked(self) -> int:
        """The last turn that told of links; 0 if none did."""
        for turn in reversed(self.turns()):
            if (linked := self.commit(turn).linked) is not None:
                return linked
            if self.told(turn).get("links", 0) > 0:
                return turn
        return 0

    def delivered(self) -> dict[int, int]:
        """The last ranking that each shard was handed, by its turn."""
        return next((delivered for turn in reversed(self.turns()) if (delivered := self.commit(turn).delivered) is not None), {})

    def folders(self, kind: str, turns: list[int]) -> list[str]:
        """Where lines of a kind lie, of turns that told any. Each has told `done`, which is not counted."""
        return [
            self.files.url(f"{self.folder(turn)}/kind={kind}")
            for turn in turns
            if kind == "done" or self.told(turn).get(kind, 0) > 0
        ]


def number(turn: int) -> str:
    """A turn as it stands in names, in the order of turns."""
    return f"{turn:06d}"


def turn_of(folder: str) -> int | None:
    """The turn whose lines a folder in `turns` has, by its name; None for drafts."""
    match = re.fullmatch(r"(\d{6,})(-[0-9a-f]+)?", folder)
    return int(match[1]) if match else None


def shard_name(shard: int) -> str:
    return f"{shard:02d}"
