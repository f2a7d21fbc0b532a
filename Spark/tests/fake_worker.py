#!/usr/bin/env python3
"""Plays `pippin worker` on a web that exists only as numbers, and misbehaves on request. For what a driver must stand.

Beside the job's configuration, `fake.json` has the web: `hosts`, `pages` of each host, `visits` of a turn at most; `times`, the
answer to `--times`; `lasts` and `slow`, seconds of shards. A file `fault-SHARD` beside it names what goes wrong, once. Every visit is a line in
`visits.log`, every try one in `tries.log`.
"""
import argparse
import fcntl
import hashlib
import json
import os
import pathlib
import sys
import time
import typing


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    for name in ("--config", "--storage", "--seeds", "--wait-for-storage", "--log", "--for"):
        parser.add_argument(name)
    for name in ("--links", "--times"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args()
    job = pathlib.Path(options.config).parent
    web = json.loads((job / "fake.json").read_text())
    if options.times:
        print(json.dumps(web["times"]))
        return 0
    begin = json.loads(sys.stdin.readline())
    shard = begin["shard"]
    fault = take_fault(job, shard)
    if begin.get("restored"):
        with open(job / "restored.log", "a") as log:
            log.write(f"{shard}\n")
    storage = pathlib.Path(options.storage)
    storage.mkdir(parents=True, exist_ok=True)
    lock = open(storage / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    state = Storage(storage)
    if begin.get("cursor") and begin["cursor"].split("-")[0] != state.name:
        print("the cursor is of another storage", file=sys.stderr)
        return 2
    if fault == "usage":
        print("pippin: config.yaml:3: unknown key", file=sys.stderr)
        return 2
    if begin["v"] != 3:
        print("another version of the protocol", file=sys.stderr)
        return 2
    named: dict[str, set[tuple[int, int]]] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "end":
            break
        if message["type"] == "request":
            assert message["shard"] == shard, message
            state.queue(message["key"], message["depth"])
        elif message["type"] == "record":
            assert owner(message["key"], begin["shards"]) == shard, message
            state.take(message["key"], message["record"])
        elif message["type"] == "address":
            named.setdefault(message["address"], set()).add((message["place"], message["of"]))
        elif message["type"] == "popularity":
            state.rank(message["key"], message["value"])
    else:
        return 5
    if begin["turn"] == 1:
        for seed in pathlib.Path(options.seeds).read_text().split():
            if owner(seed, begin["shards"]) == shard:
                state.queue(seed, 0)
    began = time.time()
    visits = 0
    limit = min(web["visits"], begin.get("pages", web["visits"]))
    # A shard of several asks only addresses that the driver has named.
    may_ask = set(named) if begin["shards"] > 1 else None
    if web.get("wandering"):
        may_ask = set()
    if shard in web.get("resting", []):
        limit = 0
    while visits < limit and (url := state.next(may_ask)):
        with open(job / "visits.log", "a") as log:
            log.write(f"{url}\n")
        visits += 1
        state.visit(url, web, begin["shards"], shard)
        if fault == "crash" and visits == 2:
            os.abort()
    state.save()
    # A slow shard has `lasts` seconds to do, or its turn's time if that is less, and then waits `slow` seconds for answers in flight.
    lasts, slow = (web.get(name, {}).get(str(shard), 0) if visits else 0 for name in ("lasts", "slow"))
    if lasts or slow:
        time.sleep(min(lasts, float(begin["for"].removesuffix("s"))) + slow)
    crawling = 0.1 + time.time() - began
    with open(job / "tries.log", "a") as log:
        places = {address: sorted(slots) for address, slots in named.items()}
        log.write(json.dumps([begin["turn"], shard, places, began, time.time()]) + "\n")
    if fault == "hang":
        time.sleep(3600)
    cursor = int(begin["cursor"].split("-")[1]) if begin.get("cursor") else 0
    lines = [line for line in state.lines if line[1] > cursor]
    told = {kind: sum(line[0] == kind for line in lines) for kind in {line[0] for line in lines}}
    done = {
        "turn": begin["turn"], "shard": shard, "cursor": f"{state.name}-{state.sequence}", "told": told, "known": len(state.known),
        "ending": "finished" if not state.waiting else "pages" if visits >= limit else "addresses", "queued": len(state.waiting), "visits": visits,
        "pages": visits, "requests": visits, "seconds": {"crawling": crawling}, "received": {}, "hosts": len({host_of(url) for url in state.known}),
    }  # fmt: skip
    if shard in web.get("resting", []) and state.waiting:
        done["ending"] = "hosts-rest"
    output = [f"{kind}\t{sequence}\t{key}\t{json.dumps(value, separators=(',', ':'))}\n" for kind, sequence, key, value in lines]
    if fault == "count":
        done["told"] = {"record": 10_000}
    output.append(f"done\t{state.sequence}\t{begin['turn']}\t{json.dumps(done)}\n")
    if fault == "no done":
        output.pop()
    if fault == "half line":
        output[-1] = output[-1][:20]
    if fault == "garbage":
        output.insert(0, "Segmentation fault\n")
    if fault == "after done":
        output.append(output[0])
    if fault == "other shard":
        done["shard"] = shard + 1
        output[-1] = f"done\t{state.sequence}\t{begin['turn']}\t{json.dumps(done)}\n"
    sys.stdout.write("".join(output))
    sys.stdout.flush()
    if fault == "status":
        return 6
    if fault in ("no done", "half line"):
        return 0
    sys.stdin.read()
    return 0


def take_fault(job: pathlib.Path, shard: int) -> str | None:
    file = job / f"fault-{shard}"
    try:
        fault = file.read_text().strip()
    except FileNotFoundError:
        return None
    if not fault.endswith("always"):
        file.unlink()
    return fault.removesuffix("always").strip()


def owner(url: str, shards: int) -> int:
    host = url.split("/")[2]
    return int.from_bytes(hashlib.sha256(host.encode()).digest()[:8], "big") % shards


def host_of(url: str) -> str:
    return url.split("/")[2]


def address_of(host: str) -> str:
    return f"10.0.0.{int(host[1:].split('.')[0]) % 2}"


class Storage:
    def __init__(self, folder: pathlib.Path) -> None:
        self.file = folder / "state.json"
        if self.file.exists():
            for name, value in json.loads(self.file.read_text()).items():
                setattr(self, name, value)
        else:
            self.name, self.sequence = os.urandom(4).hex(), 0
            self.known: dict[str, int] = {}
            self.waiting: list[str] = []
            self.lines: list[list[object]] = []
            self.handed: list[str] = []
            self.popularity: dict[str, float] = {}

    def save(self) -> None:
        draft = self.file.with_suffix(".draft")
        draft.write_text(json.dumps({name: value for name, value in vars(self).items() if name != "file"}))
        draft.rename(self.file)

    def tell(self, kind: str, key: str, value: object) -> None:
        self.sequence += 1
        self.lines = [line for line in self.lines if (line[0], line[2]) != (kind, key)]
        self.lines.append([kind, self.sequence, key, value])

    def queue(self, url: str, depth: int) -> None:
        if url not in self.known:
            if host_of(url) not in {host_of(known) for known in self.known}:
                # Looked up, and not asked yet.
                self.tell("host", host_of(url), {"host": host_of(url), "urls": 1, "queued": 1, "address": address_of(host_of(url))})
            self.known[url] = depth
            self.waiting.append(url)
            self.save()

    def take(self, url: str, record: dict[str, typing.Any]) -> None:
        """A record that a lost storage of this shard has told: not told again, and its page is asked again."""
        if not any((kind, key) == ("record", url) for kind, _, key, _ in self.lines):
            self.lines.append(["record", 0, url, record])
            if record.get("popularity") is not None:
                self.popularity[url] = record["popularity"]
        self.queue(url, 0)

    def rank(self, url: str, value: float) -> None:
        if self.popularity.get(url, 0) != value and any((kind, key) == ("record", url) for kind, _, key, _ in self.lines):
            self.popularity[url] = value
            self.tell("popularity", url, {"uniqueIdentifier": url, "popularity": value})

    def record(self, url: str) -> dict[str, object]:
        record: dict[str, object] = {"uniqueIdentifier": url, "title": f"Page {url}"}
        if url in self.popularity:
            record |= {"provenance": {"popularity": "link-graph"}, "popularity": self.popularity[url]}
        return record | {"structuredDataScore": 0.5}

    def next(self, named: set[str] | None) -> str | None:
        return next((url for url in self.waiting if named is None or address_of(host_of(url)) in named), None)

    def visit(self, url: str, web: dict[str, typing.Any], shards: int, shard: int) -> None:
        host, page = host_of(url), int(url.split("/")[3] or 0)
        number = int(host[1:].split(".")[0])
        links = [f"http://{host}/{page + 1}"] if page + 1 < web["pages"] else []
        links.append(f"http://h{(number + 1) % web['hosts']}.test/{page}")
        for link in links:
            target = owner(link, shards)
            if target == shard:
                self.queue(link, self.known[url] + 1)
            elif link not in self.handed:
                self.handed.append(link)
                request = {"key": link, "depth": self.known[url] + 1, "seed": {"url": "http://h0.test/0"}, "shard": target}
                self.tell("foreign", link, request)
        if url in web.get("gone", []):
            if any((kind, key) == ("record", url) for kind, _, key, _ in self.lines):
                self.lines = [line for line in self.lines if (line[0], line[2]) != ("record", url)]
                self.tell("deletion", url, {"uniqueIdentifier": url, "deleted": True})
            links = []
        else:
            self.tell("record", url, self.record(url))
        self.tell("links", url, {"page": url, "host": host, "followed": links, "record": url})
        self.tell("host", host, {"host": host, "urls": len(self.known), "queued": 0, "address": address_of(host)})
        self.waiting.remove(url)
        self.save()


if __name__ == "__main__":
    sys.exit(main())
