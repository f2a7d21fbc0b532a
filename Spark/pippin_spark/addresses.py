"""Addresses that hosts of several shards share: who may ask them when.

The driver learns of an address when the turn in which it was first asked has ended. Until then, `slots` lets shards ask it as if it were
theirs alone, and `strict` gives each its place among all. One gap is left in `strict`: an address that one shard had alone is its own for
the turn in which another meets it first.
"""
import dataclasses
import json
import typing

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as f

from .exchange import read_lines
from .job import Job
from .protocol import MAXIMUM_INPUT_LINE_BYTES, Place
from .trouble import Trouble

#: Slots of one address. More would follow the weights of shards more closely, and make each wait longer for its next slot.
MAXIMUM_SLOTS: typing.Final = 16
#: What is left of `begin` for the list of addresses.
_BYTES: typing.Final = MAXIMUM_INPUT_LINE_BYTES - 4096


def places(spark: SparkSession, job: Job) -> dict[int, list[Place]]:
    """Each shard's slots, by what the committed turns told of hosts."""
    if job.settings.shared_addresses == "ignore" or job.shards == 1:
        return {}
    lines = read_lines(spark, job, "host", job.turns_of_shards())
    if lines is None:
        return {}
    told = lines.select(
        "shard",
        "key",
        "turn",
        "sequence",
        f.get_json_object("json", "$.address").alias("address"),
        f.get_json_object("json", "$.queued").cast("long").alias("queued"),
    ).where("address is not null")
    is_strict = job.settings.shared_addresses == "strict"
    if not is_strict:
        # Nearly all addresses are of one shard. The others, that of a host that has moved too, are looked at more closely.
        shared = told.groupBy("address").agg(f.min("shard").alias("first"), f.max("shard").alias("last"))
        shared = shared.where("first < last").select("address").localCheckpoint()
        if shared.isEmpty():
            return {}
        told = told.join(f.broadcast(shared), "address", "leftsemi")
    latest = Window.partitionBy("key").orderBy(f.col("turn").desc(), f.col("sequence").desc())
    hosts = told.withColumn("place", f.row_number().over(latest)).where("place = 1")
    weights = hosts.groupBy("address", "shard").agg(f.sum(f.coalesce("queued", f.lit(0))).alias("queued"))
    addresses = weights.groupBy("address").agg(f.collect_list(f.struct("shard", "queued")).alias("shards"), f.sum("queued").alias("queued"))
    if not is_strict:
        addresses = addresses.where(f.size("shards") > 1)
    # In strict jobs the addresses that wait most come first: the others only crawl more slowly for not being named.
    rows = addresses.orderBy((f.size("shards") > 1).desc(), f.col("queued").desc(), "address").limit(job.shards * 16_384).toLocalIterator()
    result: dict[int, list[Place]] = {shard: [] for shard in range(job.shards)}
    room = dict.fromkeys(result, _BYTES)
    for row in rows:
        shares = slots({int(part["shard"]): int(part["queued"]) for part in row["shards"]})
        count = sum(len(own) for own in shares.values())
        entries = {shard: [Place(row["address"], place, count) for place in own] for shard, own in shares.items()}
        sizes = {shard: sum(len(json.dumps(dataclasses.asdict(entry))) + 1 for entry in own) for shard, own in entries.items()}
        if any(sizes[shard] > room[shard] for shard in sizes):
            # All of its shards are told, or none.
            if count > 1 and not is_strict:
                raise Trouble("shards share more addresses than a turn can name: set `cluster.shared_addresses: strict`")
            continue
        for shard, own in entries.items():
            room[shard] -= sizes[shard]
            result[shard] += own
    return {shard: own for shard, own in result.items() if own}


def slots(weights: dict[int, int]) -> dict[int, list[int]]:
    """Numbers slots, each shard's own spread over the round, in about the proportion of URLs that wait."""
    shards = sorted(weights)
    if len(shards) == 1:
        return {shards[0]: [0]}
    total = sum(weights.values())
    count = max(len(shards), MAXIMUM_SLOTS)
    extra = count - len(shards)
    counts = {shard: 1 + (extra * weights[shard] // total if total else 0) for shard in shards}
    count = sum(counts.values())
    # The slot's middle within its shard's own decides the order, so that nobody's slots lie side by side.
    order = sorted(
        ((2 * index + 1) / (2 * counts[shard]), shard) for shard in shards for index in range(counts[shard])
    )
    result: dict[int, list[int]] = {shard: [] for shard in shards}
    for place, (_, shard) in enumerate(order):
        result[shard].append(place)
    return result
