"""Addresses that hosts of several shards share: who may ask them when.

A shard asks only addresses that the driver has named for it. The driver learns of an address when a turn has ended in which a shard has
looked up a host there, so a new address waits for the next turn, and no two shards ever take one for theirs alone.

How often an address with many sites may be asked is what the shards found fit when they asked it last. Of several that judge it, the one that
wants the longest time counts: a fall of one counts at once, growth when all agree.
"""
import ipaddress
import json
import typing

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from .job import Job
from .protocol import address_line
from .told import read_lines, standing

#: Slots of one address. More would follow the weights of shards more closely, and make each wait longer for its next slot.
MAXIMUM_SLOTS: typing.Final = 16
#: What an address could bear longer ago says little about now.
_JUDGED_WITHIN: typing.Final = "INTERVAL 15 MINUTES"
#: Turns whose words are read.
_LAST_TURNS: typing.Final = 256
_JUDGED: typing.Final = "array<struct<address: string, every: double>>"


def lines(spark: SparkSession, job: Job) -> DataFrame | None:
    """`shard`, `line`: the slots of each shard, by what the committed turns told of hosts. None if nothing is to be named."""
    if job.settings.shared_addresses == "ignore" or job.shards == 1:
        return None
    told = standing(spark, job, "host", job.first_turn_of_shards())
    if told is None:
        return None
    known = told.select(
        "shard",
        "key",
        "turn",
        "sequence",
        f.get_json_object("json", "$.address").alias("address"),
        f.get_json_object("json", "$.queued").cast("long").alias("queued"),
    ).where("address is not null")
    # Workers of earlier versions told IPv6 addresses whole.
    machine = f.udf(lambda address: _machine(address), "string")
    is_v6 = f.col("address").contains(":")
    known = known.where(~is_v6).unionByName(known.where(is_v6).withColumn("address", machine("address")))
    latest = Window.partitionBy("key").orderBy(f.col("turn").desc(), f.col("sequence").desc())
    hosts = known.withColumn("place", f.row_number().over(latest)).where("place = 1")
    weights = hosts.groupBy("address", "shard").agg(f.sum(f.coalesce("queued", f.lit(0))).alias("queued"))
    addresses = weights.groupBy("address").agg(f.collect_list(f.struct("shard", "queued")).alias("shards"))
    judged = _judged(spark, job)
    every = f.lit(None).cast("double").alias("every")
    addresses = addresses.join(judged, "address", "left") if judged is not None else addresses.select("*", every)
    # A function without types: Spark would take types for those of columns.
    told_to = f.udf(lambda address, shards, every: _lines(address, shards, every), "array<struct<shard: int, line: string>>")
    return addresses.select(f.explode(told_to("address", "shards", "every")).alias("of")).select("of.shard", "of.line")


def _judged(spark: SparkSession, job: Job) -> DataFrame | None:
    """`address`, `every`: the time between two requests that the shards found fit when they asked last. None if nobody asked."""
    since, told = job.first_turn_of_shards(), set(job.told_turns())
    done = read_lines(spark, job, "done", [turn for turn in job.turns()[-_LAST_TURNS:] if turn >= since and turn in told])
    if done is None:
        return None
    ended = f.try_to_timestamp(f.get_json_object("json", "$.summary.endedAt"))
    found = done.where(ended > f.current_timestamp() - f.expr(_JUDGED_WITHIN)).select(
        "shard", "turn", f.explode(f.from_json(f.get_json_object("json", "$.addresses"), _JUDGED)).alias("of")
    )
    found = found.select("shard", "turn", "of.*").where("address is not null and every between 0.001 and 3600")
    # A turn that did not ask the address says nothing, so a shard's word before it counts on.
    last = Window.partitionBy("shard", "address").orderBy(f.col("turn").desc())
    judged = found.withColumn("place", f.row_number().over(last)).where("place = 1")
    return judged.groupBy("address").agg(f.max("every").alias("every"))


def _machine(address: str) -> str:
    """In executors: an IPv6 address as the workers pace it (`NetworkAddress.machine`), so that two of one machine are named once."""
    try:
        number = int(ipaddress.IPv6Address(address))
    except ValueError:
        return address
    high, low = number >> 64, number & (1 << 64) - 1
    if high == 0 and low >> 32 == 0xFFFF or high == 0x0064_FF9B_0000_0000 and low >> 32 == 0:
        return str(ipaddress.IPv4Address(low & 0xFFFF_FFFF))
    if high >> 48 == 0x2002:
        return str(ipaddress.IPv4Address(high >> 16 & 0xFFFF_FFFF))
    return address if high == 0 else str(ipaddress.IPv6Address(high << 64))


def _lines(address: str, shards: list[typing.Any], every: float | None) -> list[tuple[int, str]]:
    """In executors."""
    shares = slots({int(part["shard"]): int(part["queued"]) for part in shards})
    count = sum(len(own) for own in shares.values())
    return [(shard, address_line(address, place, count, every)) for shard, own in shares.items() for place in own]


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
