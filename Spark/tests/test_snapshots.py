"""Snapshots of shards: what was in a storage is in it again, and a shard loses nothing with its disk or its machine."""
import collections
import itertools
import json
import pathlib
import random
import shutil
import threading
import time

import pytest
from conftest import FAKE
from pyspark.sql import SparkSession
from test_driver import EVERYTHING, Driver

from pippin_spark import snapshots
from pippin_spark.snapshots import BLOCK_BYTES, Note, Snapshots, SnapshotTrouble, has_storage, held, new_state
from pippin_spark.stores import Store
from pippin_spark.trouble import DISK, HELD, Trouble
from pippin_spark.turn import Means

MEANS = Means(str(FAKE))


@pytest.fixture
def kept(tmp_path: pathlib.Path) -> Snapshots:
    return Snapshots(Store(str(tmp_path / "job")), "03")


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def change(storage: pathlib.Path, chance: random.Random) -> None:
    """A turn: pages of a database in place, at its end, a log that comes and goes."""
    database = storage / "crawl.sqlite"
    data = bytearray(database.read_bytes() if database.exists() else b"")
    data += chance.randbytes(chance.randrange(0, 2 * BLOCK_BYTES))
    for _ in range(chance.randrange(3)):
        if data:
            place = chance.randrange(len(data))
            data[place : place + 4096] = chance.randbytes(len(data[place : place + 4096]))
    if chance.random() < 0.2:
        del data[chance.randrange(len(data) + 1) :]
    database.write_bytes(data)
    log = storage / "crawl.sqlite-wal"
    if chance.random() < 0.3:
        log.write_bytes(chance.randbytes(1000))
    else:
        log.unlink(missing_ok=True)


@pytest.mark.parametrize("seed", range(12))
def test_each_snapshot_gives_back_its_storage_whatever_lay_there(tmp_path: pathlib.Path, kept: Snapshots, seed: int) -> None:
    chance = random.Random(seed)
    storage, elsewhere = tmp_path / "03", tmp_path / "elsewhere"
    storage.mkdir()
    elsewhere.mkdir()
    name: str | None = None
    for turn in range(1, 40):
        change(storage, chance)
        base, name = name, new_state(turn)
        if base is not None:
            kept.clear(base)
        kept.take(storage, name, base)
        if chance.random() < 0.5:
            kept.restore(name, elsewhere)
            assert contents(elsewhere) == contents(storage), f"turn {turn}"
            change(elsewhere, chance)  # A try that broke off.
    folder = tmp_path / "job/snapshots/03"
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert size < 5 * sum(map(len, contents(storage).values())) + 2_000_000, "old packs are never deleted"


def test_a_turn_costs_what_it_has_changed(tmp_path: pathlib.Path, kept: Snapshots) -> None:
    storage, other = tmp_path / "03", tmp_path / "other"
    storage.mkdir()
    data = bytearray(random.Random(1).randbytes(40 * BLOCK_BYTES))
    (storage / "crawl.sqlite").write_bytes(data)
    kept.take(storage, "000001-a", None)
    shutil.copytree(storage, other)
    data[7 * BLOCK_BYTES] ^= 1
    (storage / "crawl.sqlite").write_bytes(data)
    kept.take(storage, "000002-b", "000001-a")
    assert (tmp_path / "job/snapshots/03/000002-b.pack").stat().st_size < 1.1 * BLOCK_BYTES
    assert kept.restore("000002-b", other) < 1.1 * BLOCK_BYTES
    assert contents(other) == contents(storage)


@pytest.mark.parametrize("damage", ["half", "other", "gone", "list gone", "list half"])
def test_a_damaged_snapshot_is_told_and_leaves_no_storage(tmp_path: pathlib.Path, kept: Snapshots, damage: str) -> None:
    storage, other = tmp_path / "03", tmp_path / "other"
    for folder in (storage, other):
        folder.mkdir()
    (storage / "crawl.sqlite").write_bytes(random.Random(2).randbytes(3 * BLOCK_BYTES))
    kept.take(storage, "000001-a", None)
    file = tmp_path / "job/snapshots/03" / ("000001-a.json" if damage.startswith("list") else "000001-a.pack")
    if damage.endswith("gone"):
        file.unlink()
    elif damage.endswith("half"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    else:
        data = bytearray(file.read_bytes())
        data[-100] ^= 1
        file.write_bytes(data)
    (other / "crawl.sqlite").write_bytes(b"an older copy")
    Note("000000-x", "000001-x").write(other)
    with pytest.raises(SnapshotTrouble, match=rf"snapshots/03/{file.name}"):
        kept.restore("000001-a", other)
    if not damage.startswith("list"):
        assert not has_storage(other) and Note.read(other) is None


def test_a_list_cannot_name_files_outside_of_the_storage(tmp_path: pathlib.Path, kept: Snapshots) -> None:
    def refuses(packs: list[list[object]], file: dict[str, object], words: str) -> None:
        listed = {"version": 1, "packs": packs, "files": [file]}
        Store(str(tmp_path / "job")).write("snapshots/03/000001-a.json", json.dumps(listed).encode())
        with pytest.raises(SnapshotTrouble, match=words):
            kept.restore("000001-a", tmp_path)

    for name in ("../02/crawl.sqlite", "/etc/passwd", "a/../../b", "", ".", "lock", "shard.json"):
        refuses([], {"name": name, "size": 0, "blocks": []}, "is no file of a storage")
    for size, blocks in ((1, []), (0, [[0, 0, 1, "d"]]), (1, [[1, 0, 1, "d"]]), (1, [[-1, 0, 1, "d"]])):
        refuses([["000001-a.pack", 1]], {"name": "f", "size": size, "blocks": blocks}, "do not fit it")
    for pack in ("../../config.yaml", "/etc/passwd", "000001-a/../b.pack"):
        refuses([[pack, 1]], {"name": "f", "size": 1, "blocks": [[0, 0, 1, "d"]]}, "is no pack")


def test_what_a_task_of_long_ago_clears_nobody_needs(tmp_path: pathlib.Path, kept: Snapshots) -> None:
    """It stood still while later turns ran elsewhere, and does not know of them."""
    chance, storage = random.Random(3), tmp_path / "03"
    storage.mkdir()
    names: list[str] = []
    for turn in range(1, 12):
        change(storage, chance)
        names.append(new_state(turn))
        kept.take(storage, names[-1], names[-2] if turn > 1 else None)
        for name in names[:-1]:
            with_base = Snapshots(Store(str(tmp_path / "job")), "03")
            if (tmp_path / f"job/snapshots/03/{name}.json").exists():
                with_base.clear(name)
    other = tmp_path / "other"
    other.mkdir()
    kept.restore(names[-1], other)
    assert contents(other) == contents(storage)


def test_a_storage_that_is_held_is_left_alone(tmp_path: pathlib.Path) -> None:
    with held(tmp_path, 0) as first, held(tmp_path, 0.1) as second:
        assert first and not second
    with held(tmp_path, 0) as third:
        assert third


# The driver


@pytest.fixture
def driver(spark: SparkSession, fake_job: pathlib.Path) -> Driver:
    return Driver(spark, fake_job)


def settings(driver: Driver, cluster: str) -> None:
    (driver.folder / "config.yaml").write_text(f"cluster: {{ shards: 4, turn: 10s, links: true, {cluster} }}\n")


def test_disks_that_are_lost_cost_nothing(driver: Driver) -> None:
    for lost in ((0, 2), (0, 1, 2, 3), (3,)):
        assert driver.run(turns=2) == 0
        assert lost != (0, 2) or not (driver.folder / "restored.log").exists()
        for shard in lost:
            shutil.rmtree(driver.folder / f"shards/{shard:02d}", ignore_errors=True)
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}, "a change was told twice"
    # Their workers know, so that no follower of the lost storages takes their numbers for these ones'.
    assert set((driver.folder / "restored.log").read_text().split()) == {"0", "1", "2", "3"}


def test_an_older_copy_of_a_storage_is_not_taken_for_it(driver: Driver) -> None:
    driver.run(turns=2)
    shutil.copytree(driver.folder / "shards", driver.folder / "older")
    driver.run(turns=2)
    shutil.rmtree(driver.folder / "shards")
    (driver.folder / "older").rename(driver.folder / "shards")
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING


def test_shards_wander_from_machine_to_machine(driver: Driver) -> None:
    """Each turn finds the storages that its machine had last, or none."""
    shards = driver.folder / "shards"
    for turn in range(5):
        machine = driver.folder / f"machine-{turn % 2}"
        machine.mkdir(exist_ok=True)
        shards.symlink_to(machine)
        assert driver.run(turns=1) == 0
        shards.unlink()
    (driver.folder / "machine-1").rename(shards)
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    assert set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}, "a change was told twice"


def test_a_damaged_snapshot_of_a_lost_storage_ends_the_run_in_a_sentence(driver: Driver) -> None:
    driver.run(turns=3)
    shutil.rmtree(driver.folder / "shards/03")
    for pack in (driver.folder / "snapshots/03").glob("*.pack"):
        pack.write_bytes(b"")
    with pytest.raises(Trouble, match=r"shard 3: its storage .* is gone, and its snapshot cannot be used: snapshots/03/.*pack.* `--rebuild 3`") as caught:
        driver.run()
    assert caught.value.code == DISK
    shutil.rmtree(driver.folder / "snapshots/03")
    assert driver.run(means=Means(str(FAKE), rebuild=(3,))) == 0
    assert set(driver.records()) == EVERYTHING


def test_an_upgraded_job_takes_its_storages_as_they_are(driver: Driver) -> None:
    """Those of before have no note, and no commit knows of one."""
    settings(driver, "snapshots: false")
    driver.run(turns=3)
    assert not list(driver.folder.glob(f"shards/*/{snapshots.NOTE}")) and not (driver.folder / "snapshots").exists()
    for file in (driver.folder / "commits").glob("0*.json"):
        commit = json.loads(file.read_text())
        assert commit.pop("states") == {} and commit.pop("folder") and "turns" in commit
        del commit["turns"]
        turn = f"turns/{file.stem}"
        next(driver.folder.glob(f"{turn}-*")).rename(driver.folder / turn)
        file.write_text(json.dumps(commit))
        file.with_name(f".{file.name}.crc").unlink()
    settings(driver, "snapshots: true")
    assert driver.run() == 0
    assert driver.visits() == dict.fromkeys(EVERYTHING, 1)
    shutil.rmtree(driver.folder / "shards")
    assert driver.run() == 0
    assert set(driver.records()) == EVERYTHING and driver.visits() == dict.fromkeys(EVERYTHING, 1)



# Who has a shard


def test_a_try_that_began_elsewhere_costs_a_pause(driver: Driver) -> None:
    """Its hosts may have been asked this moment, whatever lies on the disk of the next one. Also in the first turn."""
    web = json.loads((driver.folder / "fake.json").read_text())
    times = web["times"] | {"longestDelay": 3}
    (driver.folder / "fake.json").write_text(json.dumps(web | {"times": times}))
    for turn in range(2):
        state = driver.job.commit(driver.job.turns()[-1]).states[2] if turn else None
        Snapshots(Store(str(driver.folder)), "02").begin(state, "elsewhere")
        began = time.time()
        assert driver.run(turns=1) == 0
        [attempt] = [attempt for attempt in driver.tries() if attempt.shard == 2 and attempt.began > began]
        assert attempt.began > began + 3
    began = time.time()
    driver.run(turns=1)
    [attempt] = [attempt for attempt in driver.tries() if attempt.shard == 2 and attempt.began > began]
    assert attempt.began - min(other.began for other in driver.tries() if other.began > began) < 2, "a turn like any other"


def foreign_claim(driver: Driver, beat: int = 0) -> None:
    """Of a process that cannot be looked at from here."""
    process = {"host": "elsewhere", "boot": "b", "namespace": "n", "pid": 7, "started": "1"}
    Store(str(driver.folder)).write("claims/02/other.json", json.dumps(process | {"beat": beat, "hasJob": True, "since": "noon"}).encode())


def test_a_shard_whose_task_died_elsewhere_is_taken_over_after_a_lease(driver: Driver) -> None:
    driver.run(turns=1)
    foreign_claim(driver)
    began = time.monotonic()
    assert driver.run(means=Means(str(FAKE), lease=2)) == 0
    assert time.monotonic() - began >= 2 and not list((driver.folder / "claims/02").iterdir())
    assert set(driver.records()) == EVERYTHING


def test_a_shard_that_another_machine_works_on_is_left_to_it(driver: Driver) -> None:
    driver.run(turns=1)
    before, has_ended = driver.visits(), threading.Event()

    def work() -> None:
        for beat in itertools.count():
            foreign_claim(driver, beat)
            if has_ended.wait(0.2):
                return

    other = threading.Thread(target=work)
    other.start()
    try:
        with pytest.raises(Trouble, match="shard 2: process 7 on elsewhere has it since noon") as caught:
            driver.run(means=Means(str(FAKE), lease=1))
    finally:
        has_ended.set()
        other.join()
    assert caught.value.code == HELD
    own = {key for key, shard, _ in driver.lines("record") if shard == 2}
    assert all(driver.visits()[url] == before[url] for url in own)


def test_a_worker_whose_claim_is_lost_is_ended(driver: Driver) -> None:
    """Someone took the claim for dead: here its file is deleted."""
    driver.run(turns=1)
    (driver.folder / "fault-2").write_text("hang")
    has_ended, deleted = threading.Event(), []

    def delete() -> None:
        while not has_ended.wait(0.5):
            if not (driver.folder / "fault-2").exists() and not deleted:
                for claim in (driver.folder / "claims/02").glob("*.json"):
                    claim.unlink()
                    deleted.append(claim)

    thief = threading.Thread(target=delete)
    thief.start()
    try:
        assert driver.run(means=Means(str(FAKE), lease=2)) == 0
    finally:
        has_ended.set()
        thief.join()
    assert deleted and set(driver.records()) == EVERYTHING
    assert set(collections.Counter(driver.lines("record")).values()) == {1}, "a change was told twice"
