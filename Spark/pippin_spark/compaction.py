"""What many turns told becomes one table for each kind, so that nobody reads a year of turns.

    tables/host/000512/*.parquet   of each host what was told last, up to turn 512
    tables/host/000528.json        which of these counts up to turn 528, and its rows; written last

A table is made anew when as much has come since as it has, so that a line is written again a few times in all, or when turns wait for it.
Turns that all tables hold are deleted after a while, with their commits: only consumers of changes read them.
"""
import dataclasses
import json
import typing

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from .claim import Claim
from .job import COMPACTED, Compacted, Job, number
from .told import TABLE, latest, nearest, standing

#: Fewer turns are read as they are.
LEAST_TURNS: typing.Final = 16
#: Files of hosts, which each turn reads: one for each shard and turn.
MOST_HOST_FILES: typing.Final = 4096
#: A table is kept for those who read it while the next one is made.
_KEPT: typing.Final = 2
#: A week of turns of ten minutes.
TURNS_KEPT: typing.Final = 1008


def compact(spark: SparkSession, job: Job, claim: Claim, turns_kept: int = TURNS_KEPT) -> None:
    """Makes the tables that are due, and deletes turns that nobody needs."""
    turns = job.turns()
    for kind in COMPACTED:
        _compact(spark, job, claim, kind, turns, turns_kept)
    # The last commit says where the job stands. What others found for a shard is handed over from the turns.
    last = min(job.covered_turn(), turns[-1] - max(1, turns_kept))
    commit = job.commit(turns[-1])
    last = min([last, *(commit.mail.get(shard, 0) for shard in commit.waiting)])
    for turn in sorted({*job.told_turns(), *turns}):
        if turn > last:
            break
        claim.check()
        job.delete(turn)


def _compact(spark: SparkSession, job: Job, claim: Claim, kind: str, turns: list[int], turns_kept: int) -> None:
    before = job.compacted(kind)
    since = [turn for turn in turns if before is None or turn > before.turn]
    if len(since) < LEAST_TURNS:
        return
    told = sum(job.told(turn).get(part, 0) for turn in since for part in COMPACTED[kind])
    is_overdue = len(since) >= max(LEAST_TURNS, turns_kept) or kind == "host" and sum(job.ran(turn) for turn in since) >= MOST_HOST_FILES
    if told == 0:
        # The table stays what it is; nobody looks through these turns again.
        table = Compacted(turns[-1], before.rows if before else 0, before.folder if before else None)
    elif told >= (before.rows if before else 0) or is_overdue:
        table = _made(spark, job, kind, turns[-1])
    else:
        return
    claim.check()
    job.files.publish(f"tables/{kind}/{number(turns[-1])}.json", json.dumps(dataclasses.asdict(table)).encode() + b"\n")
    kept = job.compactions(kind)[-_KEPT:]
    names = {f"{number(turn)}.json" for turn in kept} | {str(job.compaction(kind, turn).folder) for turn in kept}
    for name in job.files.names(f"tables/{kind}"):
        if name not in names:
            job.files.delete(f"tables/{kind}/{name}")


def _made(spark: SparkSession, job: Job, kind: str, turn: int) -> Compacted:
    rows = _rows(spark, job, kind)
    if rows is None:
        return Compacted(turn, 0, None)
    folder = f"tables/{kind}/{number(turn)}"
    # A driver that died may have left a part of it.
    job.files.delete(folder)
    rows.select([column.strip().split()[0] for column in TABLE.split(",")]).write.parquet(job.files.url(folder))
    return Compacted(turn, spark.read.schema(TABLE).parquet(job.files.url(folder)).count(), number(turn))


def _rows(spark: SparkSession, job: Job, kind: str) -> DataFrame | None:
    """The lines that count."""
    if kind == "foreign":
        lines = standing(spark, job, kind)
        # Shards of before `reshard` are others, though they have the same numbers.
        return None if lines is None else nearest(lines, f.col("turn") >= job.first_turn_of_shards())
    rows = latest(spark, job, COMPACTED[kind])
    if rows is None:
        return None
    if kind != "record":
        return rows
    lines = standing(spark, job, kind)
    if lines is None:
        return None
    # Near duplicates name the record that was found first.
    order = Window.partitionBy("key").orderBy("firstTurn", "firstSequence")
    firsts = lines.withColumn("place", f.row_number().over(order)).where("place = 1").select("key", "firstTurn", "firstSequence")
    return rows.where("kind = 'record'").drop("firstTurn", "firstSequence").join(firsts, "key")
