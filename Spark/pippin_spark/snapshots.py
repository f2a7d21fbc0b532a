"""Snapshots of shards' storages in the job's folder, so that a shard can lose its disk, and go on on any machine.

    JOB/snapshots/03/000017-5f1c….json   the storage of shard 3 after its turn 17: its files, as blocks of packs
    JOB/snapshots/03/000017-5f1c….pack   the blocks that this turn has changed

A task makes one when its worker has ended, before it passes `done` on, so a commit that has the turn names it. Blocks that did not change stay
in earlier packs: a snapshot costs what a turn has changed. Where a storage's copy is of another turn, only blocks that differ are read.

A storage's state is called as its snapshot: the shard's turn, and something random. Each storage has a note (`shard.json`): after which committed
state its turn began, and which state it has come to. So nobody takes a copy that has stayed behind on a machine for the storage.
"""
import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import re
import time
import typing
import uuid

import pyarrow as pa

from .stores import MAXIMUM_BYTES, Store

#: Larger ones would be changed by more turns, smaller ones make the list longer.
BLOCK_BYTES: typing.Final = 256 * 1024
#: With more packs, or much more in them than the storage has, a snapshot holds all blocks anew.
_MOST_PACKS: typing.Final = 24
_MOST_WASTE: typing.Final = 3
_VERSION: typing.Final = 1
NOTE: typing.Final = "shard.json"
_LOCK: typing.Final = "lock"
#: Is there while a storage is made from a snapshot.
_HALF: typing.Final = ".half-restored"
#: None is part of a storage: the lock is this machine's, files of pages for rendering are only a cache, and an index is made of the storage.
_LEFT_OUT: typing.Final = {NOTE, f".{NOTE}", _LOCK, _HALF, "subresources", *("search.sqlite" + end for end in ("", "-wal", "-shm", "-journal"))}
#: Files that are about to become the storage's.
_DRAFT: typing.Final = ".restored-"
_HASH_BYTES: typing.Final = 16


class SnapshotTrouble(Exception):
    """A snapshot is gone or damaged; a sentence with its file."""


def new_state(turn: int) -> str:
    return f"{turn:06d}-{uuid.uuid4().hex[:12]}"


def turn_of(state: str) -> int:
    return int(state.partition("-")[0])


@dataclasses.dataclass(frozen=True)
class _Block:
    """A part of a file: in which pack, where, and what it must be."""

    pack: int
    offset: int
    length: int
    digest: str


@dataclasses.dataclass(frozen=True)
class _File:
    name: str
    size: int
    blocks: list[_Block]


@dataclasses.dataclass(frozen=True)
class _Pack:
    name: str
    size: int


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The list of a snapshot."""

    packs: list[_Pack]
    files: list[_File]

    @staticmethod
    def parse(text: bytes, name: str) -> "Snapshot":
        try:
            fields = json.loads(text)
            if fields["version"] != _VERSION:
                raise SnapshotTrouble(f"{name}: version {fields['version']} is of another pippin_spark")
            packs = [_Pack(*pack) for pack in fields["packs"]]
            files = [_File(file["name"], file["size"], [_Block(*block) for block in file["blocks"]]) for file in fields["files"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SnapshotTrouble(f"{name} cannot be read: {type(error).__name__}: {error}") from error
        for file in files:
            path = pathlib.PurePosixPath(file.name)
            if path.is_absolute() or ".." in path.parts or not path.parts or path.parts[0] in _LEFT_OUT:
                raise SnapshotTrouble(f"{name}: {file.name!r} is no file of a storage")
            if len(file.blocks) != -(-file.size // BLOCK_BYTES) or not all(0 <= block.pack < len(packs) for block in file.blocks):
                raise SnapshotTrouble(f"{name}: the blocks of {file.name!r} do not fit it")
        if strange := [pack.name for pack in packs if not re.fullmatch(r"\d{6,}-\w+\.pack", pack.name)]:
            raise SnapshotTrouble(f"{name}: {strange[0]!r} is no pack")
        return Snapshot(packs, files)

    def encoded(self) -> bytes:
        files = [{"name": f.name, "size": f.size, "blocks": [dataclasses.astuple(block) for block in f.blocks]} for f in self.files]
        packs = [dataclasses.astuple(pack) for pack in self.packs]
        return json.dumps({"version": _VERSION, "packs": packs, "files": files}, separators=(",", ":")).encode() + b"\n"

    @property
    def is_wasteful(self) -> bool:
        """Whether much of its packs is in use no more."""
        used = sum({(block.pack, block.offset): block.length for file in self.files for block in file.blocks}.values())
        return len(self.packs) > _MOST_PACKS or sum(pack.size for pack in self.packs) > _MOST_WASTE * used


class Snapshots:
    """The snapshots of one shard."""

    def __init__(self, store: Store, shard_name: str) -> None:
        self._store = store
        self._folder = f"snapshots/{shard_name}"

    def take(self, storage: pathlib.Path, name: str, base: str | None) -> None:
        """Makes a snapshot of a storage that nobody changes. `base`: one whose packs it may use."""
        old = self._base(base)
        known = {block.digest: block for file in old.files for block in file.blocks}
        files: list[_File] = []
        codec, offset = pa.Codec("zstd"), 0
        with self._store.writer(f"{self._folder}/{name}.pack") as pack:
            for path in _files(storage):
                blocks: list[_Block] = []
                size = 0
                with open(path, "rb") as file:
                    while data := file.read(BLOCK_BYTES):
                        size += len(data)
                        digest = _digest(data)
                        if (block := known.get(digest)) is None:
                            packed = codec.compress(data, asbytes=True)
                            pack.write(packed)
                            known[digest] = block = _Block(len(old.packs), offset, len(packed), digest)
                            offset += len(packed)
                        blocks.append(block)
                files.append(_File(path.relative_to(storage).as_posix(), size, blocks))
        # Packs of which nothing is in use any more are not named, and so deleted two turns later.
        packs = [*old.packs, _Pack(f"{name}.pack", offset)]
        used = sorted({block.pack for file in files for block in file.blocks})
        place = {pack: index for index, pack in enumerate(used)}
        snapshot = Snapshot(
            [packs[pack] for pack in used],
            [dataclasses.replace(f, blocks=[dataclasses.replace(b, pack=place[b.pack]) for b in f.blocks]) for f in files],
        )
        encoded = snapshot.encoded()
        if len(encoded) > MAXIMUM_BYTES:
            raise SnapshotTrouble(f"{storage} is too large for a snapshot, which has some 250 GB at the most: cut the job into more shards")
        self._store.write(f"{self._folder}/{name}.json", encoded)

    def restore(self, name: str, storage: pathlib.Path) -> int:
        """Makes a folder what the storage was. What is the same in it already is not read. Returns the bytes that were read.

        Raises `SnapshotTrouble` if the snapshot is not whole. Broken off, it leaves a storage that `has_storage` knows for none.
        """
        snapshot = self._list(name)
        (storage / _HALF).touch()
        Note.remove(storage)
        packs: dict[int, pa.NativeFile] = {}
        codec, count = pa.Codec("zstd"), 0
        drafts: dict[pathlib.Path, pathlib.Path] = {}
        with contextlib.ExitStack() as stack:
            for number, file in enumerate(snapshot.files):
                path, draft = storage / file.name, storage / f"{_DRAFT}{number}"
                drafts[draft] = path
                old = stack.enter_context(open(path, "rb")) if path.is_file() else None
                with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as out:
                    for place, block in enumerate(file.blocks):
                        length = min(BLOCK_BYTES, file.size - place * BLOCK_BYTES)
                        data = old.read(length) if old is not None else b""
                        if _digest(data) != block.digest:
                            if block.pack not in packs:
                                packs[block.pack] = stack.enter_context(self._pack(snapshot.packs[block.pack].name))
                            data = self._read(packs[block.pack], block, length, codec, snapshot)
                            count += block.length
                        out.write(data)
                    out.flush()
                    os.fsync(out.fileno())
        # Who reads the old files goes on reading them, and a database goes before its log, which would be taken for another's.
        for path in sorted(_files(storage), key=lambda path: path.name.endswith(("-wal", "-shm"))):
            if path not in drafts:
                path.unlink()
        for draft, path in drafts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.rename(path)
        (storage / _HALF).unlink()
        return count

    def clear(self, base: str) -> None:
        """Deletes what neither the committed snapshot nor a later one can need: what is older than it, and not in its list.

        Also a task that Spark has given up long ago may run this: what it knows is older then, and so is what it deletes.
        """
        try:
            kept = {f"{base}.json", *(pack.name for pack in self._list(base).packs)}
        except SnapshotTrouble:
            return  # Nobody knows what is needed. The next snapshot is a whole one, and the turn after it clears.
        for name in self._store.names(self._folder):
            if re.match(r"\d{6,}-", name) and turn_of(name) < turn_of(base) and name not in kept:
                self._store.delete(f"{self._folder}/{name}")

    def begin(self, begun_from: str | None, place: str) -> None:
        """Notes that a try of a turn begins, from which state, and where."""
        self._store.write(f"{self._folder}/begun.json", json.dumps({"from": begun_from, "place": place}).encode() + b"\n")

    def has_begun_elsewhere(self, begun_from: str | None, place: str) -> bool:
        """Whether a try of the turn after a state has begun in another place: it may have asked hosts this moment."""
        try:
            begun = json.loads(self._store.read(f"{self._folder}/begun.json"))
            return bool(begun["from"] == begun_from and begun["place"] != place)
        except FileNotFoundError:
            return False
        except (ValueError, KeyError, TypeError):
            return True  # Written by half: a try was about to begin.

    def _list(self, name: str) -> Snapshot:
        path = f"{self._folder}/{name}.json"
        try:
            return Snapshot.parse(self._store.read(path), path)
        except FileNotFoundError as error:
            raise SnapshotTrouble(f"{path} is gone") from error

    def _base(self, base: str | None) -> Snapshot:
        nothing = Snapshot([], [])
        if base is None:
            return nothing
        try:
            snapshot = self._list(base)
        except SnapshotTrouble:
            return nothing  # A new one with all blocks fixes it.
        return nothing if snapshot.is_wasteful else snapshot

    def _pack(self, name: str) -> pa.NativeFile:
        try:
            return self._store.reader(f"{self._folder}/{name}")
        except FileNotFoundError as error:
            raise SnapshotTrouble(f"{self._folder}/{name} is gone") from error

    def _read(self, pack: pa.NativeFile, block: _Block, length: int, codec: pa.Codec, snapshot: Snapshot) -> bytes:
        name = f"{self._folder}/{snapshot.packs[block.pack].name}"
        packed = pack.read_at(block.length, block.offset)
        try:
            data: bytes = codec.decompress(packed, decompressed_size=length, asbytes=True)
        except (OSError, ValueError) as error:
            raise SnapshotTrouble(f"{name} is damaged at byte {block.offset}: {error}") from error
        if _digest(data) != block.digest:
            raise SnapshotTrouble(f"{name} is damaged at byte {block.offset}")
        return data


@contextlib.contextmanager
def held(storage: pathlib.Path, seconds: float) -> typing.Iterator[bool]:
    """Holds a storage as a worker does, so that none changes it meanwhile. Gives whether it could be had in time."""
    storage.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(storage / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        last = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= last:
                    yield False
                    return
                time.sleep(0.05)
                continue
            yield True
            return
    finally:
        os.close(descriptor)


@dataclasses.dataclass(frozen=True)
class Note:
    """What a storage on this machine is."""

    #: The committed state after which its last turn began.
    begun_from: str | None
    #: What that turn has come to; None if it has not ended here.
    state: str | None
    #: Whether it was restored for that turn: its worker must know, also in another try.
    is_restored: bool = False

    @staticmethod
    def read(storage: pathlib.Path) -> "Note | None":
        """None if there is none: the storage is of before notes, or a backup."""
        try:
            fields = json.loads((storage / NOTE).read_bytes())
            return Note(fields["from"], fields["state"], bool(fields["restored"]))
        except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
            return None

    def write(self, storage: pathlib.Path) -> None:
        draft = storage / f".{NOTE}"
        with open(draft, "wb") as file:
            file.write(json.dumps({"from": self.begun_from, "state": self.state, "restored": self.is_restored}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(storage / NOTE)

    @staticmethod
    def remove(storage: pathlib.Path) -> None:
        (storage / NOTE).unlink(missing_ok=True)

    def fits(self, state: str | None) -> bool:
        """Whether the storage is where the turn after a committed state begins, or goes on after a try that broke off."""
        return state in (self.begun_from, self.state)


def has_storage(storage: pathlib.Path) -> bool:
    """Whether there is a storage, and not half of one."""
    return storage.is_dir() and not (storage / _HALF).exists() and bool(_files(storage))


def remove(storage: pathlib.Path) -> None:
    """Removes a storage of which only a half could be restored."""
    for path in _files(storage):
        path.unlink()
    (storage / _HALF).unlink(missing_ok=True)


def _files(storage: pathlib.Path) -> list[pathlib.Path]:
    found: list[pathlib.Path] = []
    for folder, folders, names in os.walk(storage):
        if pathlib.Path(folder) == storage:
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            names = [name for name in names if name not in _LEFT_OUT]
        found += [path for name in names if (path := pathlib.Path(folder, name)).is_file() and not path.is_symlink()]
    return sorted(found)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=_HASH_BYTES).hexdigest()
