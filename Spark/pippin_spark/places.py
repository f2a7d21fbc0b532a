"""Places at addresses while turns are in flight.

`addresses` divides each address among all shards that have hosts there, by what the committed turns told. Divisions of two moments do
not fit together: two shards that have their places by different ones might ask at a time. So, while a turn in flight holds a place at an
address,

- the division by which it holds it stays: whoever begins a turn has the place that this division gives it;
- if a shard has hosts there that the division does not know, or the address may be asked twice as often as by it, or less often, nobody who
  begins a turn gets a place, so that turns in flight soon hold none, and it is divided anew.

An address at which no turn in flight holds a place is divided anew at once. The last request by an earlier division is a delay ago when it is
asked, because a worker asks no address before its delay has passed once.
"""
import json
import typing

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from .worker import INPUT

#: In place of the shard: what another shard has at an address of this input.
OF_OTHERS: typing.Final = -1
_LINES: typing.Final = "array<struct<shard: int, line: string>>"


class Row(typing.NamedTuple):
    """A line of an address."""

    shard: int
    line: str
    #: Whether its shard has it in a turn in flight.
    is_held: bool
    #: The input in which it lies, by number; below 0 if it is of today's division.
    input: int


def of_turns(spark: SparkSession, named: DataFrame, shards: list[int], held: list[tuple[str, list[int]]], is_whole: bool) -> DataFrame:
    """`shard`, `line`: the places of the shards that begin a turn, and what the next ones must know of the others' (`OF_OTHERS`).

    - named: the division of today (`addresses.lines`).
    - held: the inputs of turns in flight, by their folders, and the shards of each.
    - is_whole: whether these are all shards.
    """
    if is_whole and not held:
        return named
    # A turn of two of one folder may be committed already: its shards hold nothing then.
    holders: dict[str, set[int]] = {}
    for folder, of_turn in held:
        holders.setdefault(folder, set()).update(of_turn)
    rows = named.select("shard", "line", f.lit(False).alias("isHeld"), f.lit(-1).alias("input"))
    for number, (folder, of_turns) in enumerate(holders.items()):
        # The first condition spares most lines the second.
        is_address = f.col("line").contains('"address"') & (f.get_json_object("line", "$.type") == "address")
        lines = spark.read.schema(INPUT).parquet(folder).where(is_address)
        is_other = f.col("shard") == OF_OTHERS
        whose = f.when(is_other, f.get_json_object("line", "$.shard").cast("int")).otherwise(f.col("shard"))
        what = f.when(is_other, f.get_json_object("line", "$.line")).otherwise(f.col("line"))
        is_held = f.col("shard").isin(list(of_turns))
        rows = rows.unionByName(lines.select(whose.alias("shard"), what.alias("line"), is_held.alias("isHeld"), f.lit(number).alias("input")))
    begin = frozenset(shards)
    divide = f.udf(lambda rows: _lines([Row(*row) for row in rows], begin), _LINES)
    address = f.get_json_object("line", "$.address").alias("address")
    divided = rows.groupBy(address).agg(f.collect_set(f.struct("shard", "line", "isHeld", "input")).alias("rows"))
    return divided.select(f.explode(divide("rows")).alias("of")).select("of.shard", "of.line")


def _lines(rows: list[Row], begin: frozenset[int]) -> list[tuple[int, str]]:
    """In executors, of one address: the lines of shards that begin, and of the others if there are any."""
    whole = division(rows)
    own = [(shard, line) for shard, line in whole if shard in begin]
    others = [(shard, line) for shard, line in whole if shard not in begin and own]
    return own + [(OF_OTHERS, json.dumps({"type": "address", "shard": shard, "line": line}, separators=(",", ":"))) for shard, line in others]


def division(rows: list[Row]) -> list[tuple[int, str]]:
    """The division of one address that holds for who begins a turn; empty if nobody gets a place."""
    new = sorted({(row.shard, row.line) for row in rows if row.input < 0})
    # All inputs by which places are held have the same division. Others may have an earlier one.
    holding = {row.input for row in rows if row.is_held}
    if not holding:
        return new
    old = sorted({(row.shard, row.line) for row in rows if row.input in holding})
    if {shard for shard, _ in new} - {shard for shard, _ in old}:
        return []
    return old if _is_near(_every(old), _every(new)) else []


def _every(lines: list[tuple[int, str]]) -> float | None:
    """The seconds between two requests of all shards, by a division; None: the address's delay."""
    return next((json.loads(line).get("every") for _, line in lines), None)


def _is_near(old: float | None, new: float | None) -> bool:
    """Whether a division stays. If each little growth counted, shards would wait for one another at the address again and again."""
    if old is None or new is None:
        return old == new
    # One that wants more time counts, however little more.
    return old / 2 < new <= old
