"""What shards found for each other becomes the input of turns.

A job of its own, because it shuffles: were it part of the fetching job, Spark would run healthy partitions again after a failure, and two
workers would meet at a host. It leaves one file for each shard, so that the fetching job reads one shard with each task.

    inbox/5f1c…/shard=3/*.parquet    the lines of shard 3
    inbox/5f1c…/shard=-1/*.parquet   places of other shards at its addresses (`places`)
    inbox/5f1c…-0.json               a turn: which shards it has, and what of the folder it hands over; written last

**A turn is in flight from the moment its input is written until a commit has its shards**, whatever becomes of its driver: the next one
begins it again as it was. So nobody is given an address meanwhile that a worker of a dead driver may still be asking.
"""
import dataclasses
import json
import typing
import uuid

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from . import addresses, places
from .claim import Claim
from .job import COMPACTED, MAXIMUM_SHARDS, Job, number
from .rank import few_shuffles
from .told import latest, nearest, read_lines, standing
from .worker import INPUT

#: Larger than any file: none is split, and no two share a task.
_WHOLE_FILES: typing.Final = str(1 << 40)
#: A second's work.
_LINES_OF_PARTITION: typing.Final = 20_000


@dataclasses.dataclass(frozen=True)
class Inbox:
    """The input of a turn."""

    #: Beside the other inputs. The turn is called so until it has a number.
    name: str
    #: None: there is nothing for anybody.
    folder: str | None
    #: Its shards, and which turn of each this is (`Job.next_turns`).
    turns: dict[int, int]
    #: Shards that get everything that was ever found and told for them.
    rebuilt: tuple[int, ...]
    #: The turn after which the popularity was ranked that each of its shards has with this turn.
    ranking: int | None
    #: The turn up to which its shards have what others found for them, and how many lines waited for each.
    mail: int
    waited: dict[int, int]

    @property
    def shards(self) -> list[int]:
        return sorted(self.turns)

    @staticmethod
    def parse(name: str, text: bytes) -> "Inbox | None":
        """None for what a driver that died has left half-written, and for inputs of earlier versions."""
        try:
            fields = json.loads(text)
            return Inbox(
                name,
                fields["folder"],
                {int(shard): int(turn) for shard, turn in fields["turns"].items()},
                tuple(fields["rebuilt"]),
                fields["ranking"],
                int(fields["mail"]),
                {int(shard): int(count) for shard, count in fields["waited"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


def in_flight(job: Job) -> list[Inbox]:
    """The turns that a driver has left in flight. One that must hand over more by now is none: a shard in it was lost since."""
    next_turns, rebuilt = job.next_turns(), job.rebuilt()
    found: list[Inbox] = []
    # No shard is in two, whatever drivers have left.
    taken: set[int] = set()
    for name in job.files.names("inbox"):
        if name.startswith(".") or not name.endswith(".json"):
            continue
        inbox = Inbox.parse(name.removesuffix(".json"), job.files.read(f"inbox/{name}"))
        if inbox is None or any(next_turns.get(shard) != turn for shard, turn in inbox.turns.items()):
            continue
        if set(inbox.rebuilt) == rebuilt.intersection(inbox.turns) and taken.isdisjoint(inbox.turns):
            taken.update(inbox.turns)
            found.append(inbox)
    return found


def clear(job: Job, flying: list[Inbox]) -> None:
    """Deletes what is not the input of a turn in flight: of turns that are committed, and of drivers that died."""
    kept = {f"{inbox.name}.json" for inbox in flying} | {inbox.folder for inbox in flying}
    # A turn's own file first: without its folder it would be in flight and have no input.
    for name in sorted(job.files.names("inbox"), key=lambda name: not name.endswith(".json")):
        if name not in kept:
            job.files.delete(f"inbox/{name}")


def prepare(spark: SparkSession, job: Job, claim: Claim, groups: list[list[int]], flying: list[Inbox]) -> list[Inbox]:
    """Writes the input of a turn for each group of shards. `flying`: the turns that are in flight."""
    shards = sorted(shard for group in groups for shard in group)
    rebuilt = sorted(job.rebuilt().intersection(shards))
    commit, since = job.last_commit(), job.first_turn_of_shards()
    ranking = job.undelivered_ranking()
    waited = {shard: count for shard, count in commit.waiting.items() if shard in shards} if commit else {}
    mail = {shard: commit.mail.get(shard, since - 1) if commit else 0 for shard in shards}
    base = uuid.uuid4().hex[:12]
    parts: list[DataFrame] = []
    if waited:
        parts += _mail(spark, job, {shard: mail[shard] for shard in waited}, since)
    if rebuilt:
        parts += _everything(spark, job, rebuilt, since)
    # A storage that is made anew has lost what it was handed.
    handed = ranking if ranking is not None or not rebuilt else job.last_ranking()
    lacking = (job.shards_without(ranking) if ranking is not None else set()).union(rebuilt).intersection(shards)
    if handed is not None and lacking and job.files.exists(f"rank/{number(handed)}/popularity"):
        values = spark.read.parquet(job.files.url(f"rank/{number(handed)}/popularity")).where(f.col("shard").isin(list(lacking)))
        line = f.to_json(f.struct(f.lit("popularity").alias("type"), "key", f.col("value")))
        parts.append(values.select(f.col("shard").cast("int"), line.alias("line")))
    named = addresses.lines(spark, job)
    if named is not None:
        held = [(job.files.url(f"inbox/{inbox.folder}"), inbox.shards) for inbox in flying if inbox.folder is not None]
        parts.append(places.of_turns(spark, named, shards, held, is_whole=len(shards) == job.shards))
    folder: str | None = None
    if parts:
        # Each stage has so many tasks, and what begins a turn holds up its shards. A shard that is made anew gets all that was ever told.
        with few_shuffles(spark, MAXIMUM_SHARDS if rebuilt or ranking else (_hosts(job) + sum(waited.values())) // _LINES_OF_PARTITION):
            folder = _write(spark, job, base, shards, parts)
    inboxes: list[Inbox] = []
    next_turns = job.next_turns()
    # What was written took time. A turn of a driver that has lost the job meanwhile would be in flight beside those of the next.
    claim.check()
    for index, group in enumerate(groups):
        inbox = Inbox(
            name=f"{base}-{index}",
            folder=folder,
            turns={shard: next_turns[shard] for shard in group},
            rebuilt=tuple(shard for shard in rebuilt if shard in group),
            ranking=ranking,
            mail=commit.turn if commit else 0,
            waited={shard: count for shard, count in waited.items() if shard in group},
        )
        job.files.publish(f"inbox/{inbox.name}.json", json.dumps(dataclasses.asdict(inbox)).encode() + b"\n")
        inboxes.append(inbox)
    return inboxes


def _write(spark: SparkSession, job: Job, folder: str, shards: list[int], parts: list[DataFrame]) -> str:
    # Each shard has a row and so a file and a task, even if there is nothing for it.
    found = spark.range(0, len(shards), 1, 1).select(_at(shards, "id").alias("shard"), f.lit(None).cast("string").alias("line"))
    for part in parts:
        found = found.unionByName(part)
    partition = {shard: index for index, shard in enumerate(shards)}
    last = len(shards)
    index = f.when(f.col("shard") == places.OF_OTHERS, last).otherwise(_at([partition.get(shard, last) for shard in range(max(shards) + 1)], "shard"))
    found.repartitionById(last + 1, index.cast("int")).write.partitionBy("shard").parquet(job.files.url(f"inbox/{folder}"))
    return folder


def _hosts(job: Job) -> int:
    """Lines of hosts, from which addresses are divided."""
    compacted = job.compacted("host")
    return (compacted.rows if compacted else 0) + sum(
        job.told(turn).get("host", 0) for turn in job.turns() if compacted is None or turn > compacted.turn
    )


def _at(values: list[int], place: str) -> Column:
    """The value at a place, null beyond the last: a list in the query, so that thousands of shards are no thousand cases."""
    return f.expr(f"get(array({', '.join(map(str, values))}), cast({place} as int))")


def _mail(spark: SparkSession, job: Job, handed: dict[int, int], since: int) -> list[DataFrame]:
    """What others found for some shards, since the turn up to which each was handed it."""
    first = max(min(handed.values()) + 1, since)
    found = read_lines(spark, job, "foreign", [turn for turn in job.turns() if turn >= first])
    if found is None:
        return []
    requests = nearest(found.withColumn("owner", f.get_json_object("json", "$.shard").cast("int")).where(_is_new(job, handed)).drop("owner"))
    return [_requests(requests)]


def _is_new(job: Job, handed: dict[int, int]) -> Column:
    never = max(job.turns(), default=0)
    return f.col("turn") > _at([handed.get(shard, never) for shard in range(job.shards)], "owner")


def _everything(spark: SparkSession, job: Job, rebuilt: list[int], since: int) -> list[DataFrame]:
    """All that was ever found and told for some shards."""
    parts: list[DataFrame] = []
    earlier = standing(spark, job, "foreign", since)
    if earlier is not None:
        parts.append(_requests(nearest(earlier)).where(f.col("shard").isin(rebuilt)))
    told = latest(spark, job, COMPACTED["record"], since)
    if told is not None:
        start = f.to_json(f.struct(f.lit("record").alias("type"), "key"))
        line = f.concat(start.substr(f.lit(1), f.length(start) - 1), f.lit(',"record":'), "json", f.lit("}"))
        own = told.where(f.col("shard").isin(rebuilt) & (f.col("kind") == "record"))
        parts.append(own.select("shard", line.alias("line")))
    return parts


def _requests(ways: DataFrame) -> DataFrame:
    """The nearest way to each URL, as a line for its shard."""
    line = f.concat(f.lit('{"type":"request",'), f.col("json").substr(f.lit(2), f.length("json")))
    return ways.select(f.col("owner").alias("shard"), line.alias("line"))


def session_of_turns(spark: SparkSession) -> SparkSession:
    """A session whose reads give each shard a task. Settings of the driver's own must not change while turns begin beside it."""
    session = spark.newSession()
    for name in ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes"):
        session.conf.set(name, _WHOLE_FILES)
    return session


def opened(spark: SparkSession, job: Job, inbox: Inbox) -> DataFrame:
    """The input of a turn, in as many partitions as it has shards, each with the lines of one."""
    shards = inbox.shards
    if inbox.folder is None:
        rows = spark.range(0, len(shards), 1, len(shards))
        return rows.select(_at(shards, "id").alias("shard"), f.lit(None).cast("string").alias("line"))
    rows = spark.read.schema(INPUT).parquet(job.files.url(f"inbox/{inbox.folder}"))
    return rows.where(f.col("shard").isin(shards)).select("shard", "line")
