"""A consumer of a job's change feed: takes in what changed since its cursor, and stores both in one transaction.

    consumer.py PIPPIN CRAWL-CONFIG STORE

Every change that it ever took in stays in its table `applied`, so that one that came twice shows.
"""
import collections
import json
import pathlib
import sqlite3
import subprocess
import sys
import typing

from job import applied, is_deletion, replay


def consume(binary: str, configuration: str, store: str) -> int:
    connection = sqlite3.connect(store, isolation_level=None)
    connection.execute("CREATE TABLE IF NOT EXISTS applied(id INTEGER PRIMARY KEY, document TEXT NOT NULL)")
    connection.execute("CREATE TABLE IF NOT EXISTS cursor(id INTEGER PRIMARY KEY CHECK (id = 1), text TEXT NOT NULL)")
    row = connection.execute("SELECT text FROM cursor").fetchone()
    since = ["--since", row[0]] if row else []
    export = subprocess.run(
        [binary, "export", "--config", configuration, *since], capture_output=True, text=True, check=False)
    if export.returncode != 0:
        print(export.stderr.strip(), file=sys.stderr)
        return export.returncode
    *changes, last = export.stdout.splitlines()
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO applied(document) VALUES (?)", [(change,) for change in changes])
    connection.execute("INSERT OR REPLACE INTO cursor VALUES (1, ?)", (json.loads(last)["cursor"],))
    connection.execute("COMMIT")
    return 0


class Taken:
    """What a consumer has taken in so far."""

    def __init__(self, store: pathlib.Path) -> None:
        connection = sqlite3.connect(store)
        documents = [row[0] for row in connection.execute("SELECT document FROM applied ORDER BY id")]
        connection.close()
        lines: list[dict[str, typing.Any]] = [json.loads(document) for document in documents]
        self.count = len(lines)
        self.records = replay(lines)
        self.repeated = needless(lines)


def needless(lines: list[dict[str, typing.Any]]) -> list[str]:
    """Changes that tell again what the change of the same record before them told."""
    last: dict[str, typing.Any] = {}
    problems = []
    counts: collections.Counter[str] = collections.Counter()
    for line in lines:
        identifier = line["uniqueIdentifier"]
        counts[identifier] += 1
        before = last.get(identifier)
        told = "deleted" if is_deletion(line) else applied(before if isinstance(before, dict) else None, line)
        if before == told:
            problems.append(f"{identifier} is told again, unchanged (line {counts[identifier]} of it)")
        last[identifier] = told
    return problems


if __name__ == "__main__":
    sys.exit(consume(*sys.argv[1:4]))
