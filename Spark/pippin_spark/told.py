"""What the committed turns told, as tables. See `compaction` for what need not be read turn by turn."""
import typing

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from .job import Job

_LINES: typing.Final = "shard int, sequence long, key string, json string"
TABLE: typing.Final = f"{_LINES}, turn int, firstTurn int, firstSequence long"


def read_lines(spark: SparkSession, job: Job, kind: str, turns: list[int]) -> DataFrame | None:
    """Lines of a kind that committed turns told, with their turn, all of them; None if there are none."""
    folders = job.folders(kind, turns)
    if not folders:
        return None
    turn = f.regexp_extract(f.col("_metadata.file_path"), r".*/turns/(\d+)[^/]*/kind=", 1).cast("int")
    return spark.read.schema(_LINES).parquet(*folders).withColumn("turn", turn)


def standing(spark: SparkSession, job: Job, kind: str, since: int = 1) -> DataFrame | None:
    """Of each key of a kind at least the line that counts, of those that were told since a turn; None if there are none.

    Beside the line, `turn`, and of the first line of its key `firstTurn` and `firstSequence`.
    """
    # What deletions took away is not in the table of records, and popularities are in its records.
    is_of_records = kind in ("deletion", "popularity")
    compacted = job.compacted("record" if is_of_records else kind)
    turns = [turn for turn in job.turns() if turn >= since and (compacted is None or turn > compacted.turn)]
    tail = read_lines(spark, job, kind, turns)
    if tail is not None:
        tail = tail.withColumn("firstTurn", f.col("turn")).withColumn("firstSequence", f.col("sequence"))
    if compacted is None or compacted.turn < since or compacted.folder is None or is_of_records:
        return tail
    table = spark.read.schema(TABLE).parquet(job.files.url(f"tables/{kind}/{compacted.folder}")).where(f.col("turn") >= since)
    return table if tail is None else table.unionByName(tail)


def latest(spark: SparkSession, job: Job, kinds: tuple[str, ...], since: int = 1) -> DataFrame | None:
    """The last line of each key among some kinds, with its turn, kind and shard. A record has its last popularity, if that is among the kinds."""
    found = newest({kind: lines for kind in kinds if (lines := standing(spark, job, kind, since)) is not None})
    return None if found is None else found.where("kind <> 'popularity'")


def newest(parts: dict[str, DataFrame]) -> DataFrame | None:
    """The last line of each key among the lines of one or more turns, by their kinds.

    A record with a popularity that was told later is that record with that popularity, and has its place. A popularity without record stays alone.
    """
    documents = [lines.withColumn("kind", f.lit(kind)) for kind, lines in parts.items() if kind != "popularity"]
    popularities = parts.get("popularity")
    if not documents:
        return None if popularities is None else _last(popularities).withColumn("kind", f.lit("popularity"))
    whole = documents[0]
    for part in documents[1:]:
        whole = whole.unionByName(part)
    whole = _last(whole)
    if popularities is None:
        return whole
    places = ["turn", "sequence", "shard"]
    ranked = _last(popularities).select("key", f.struct("json", *places).alias("ranked"))
    is_alone = f.col("kind").isNull()
    is_later = (f.col("kind") == "record") & (f.struct("ranked.turn", "ranked.sequence") > f.struct("turn", "sequence"))
    news: dict[str, Column] = {name: f.when(is_alone | is_later, f.col(f"ranked.{name}")).otherwise(f.col(name)) for name in places}
    news["kind"] = f.coalesce("kind", f.lit("popularity"))
    news["json"] = f.when(is_alone, f.col("ranked.json")).when(is_later, with_popularity(f.col("json"), f.col("ranked.json"))).otherwise(f.col("json"))
    return whole.join(ranked, "key", "full").select(*(news.get(name, f.col(name)).alias(name) for name in whole.columns))


def _last(lines: DataFrame) -> DataFrame:
    last = Window.partitionBy("key").orderBy(f.col("turn").desc(), f.col("sequence").desc())
    return lines.withColumn("place", f.row_number().over(last)).where("place = 1").drop("place")


#: The end of a record: its sources, its popularity, and what follows. The worker writes members in this order, and no object after it.
_END_OF_RECORD: typing.Final = r'(?:"provenance":\{([^{}]*)\},)?(?:"popularity":[^,{}\[\]"]*,)?("structuredDataScore":[^{}\[\]]*\})$'
_BY_LINKS: typing.Final = '"popularity":"link-graph"'


def with_popularity(record: Column, change: Column) -> Column:
    """A record's JSON with the popularity of a `popularity` line, letter by letter as one machine writes it (`DeepLinkRecord.document`)."""
    value = f.regexp_extract(change, r'"popularity":\s*([-+.0-9eE]+)\s*\}$', 1)
    sources = f.regexp_replace(f.regexp_extract(record, _END_OF_RECORD, 1), f",?{_BY_LINKS}$", "")
    sources = f.when(sources == "", sources).otherwise(f.concat(sources, f.lit(",")))
    end = f.regexp_extract(record, _END_OF_RECORD, 2)
    popularity = f.concat(f.lit('"provenance":{'), sources, f.lit(_BY_LINKS + '},"popularity":'), value)
    whole = f.concat(f.regexp_replace(record, _END_OF_RECORD, ""), popularity, f.lit(","), end)
    return f.when(end != "", whole).otherwise(f.concat(record.substr(f.lit(1), f.length(record) - 1), f.lit(","), popularity, f.lit("}")))


def nearest(lines: DataFrame, *apart: Column) -> DataFrame:
    """The nearest way to each URL, of lines of the kind `foreign`: `owner` is the shard that has the URL. `apart`: what is not compared."""
    order = f.struct(
        f.get_json_object("json", "$.depth").cast("int").alias("depth"), f.get_json_object("json", "$.seed.url").alias("seed"), "json"
    )
    owner = f.get_json_object("json", "$.shard").cast("int").alias("owner")
    rows = lines.select(owner, "key", order.alias("order"), *(name for name in lines.columns if name != "key"))
    best = Window.partitionBy("owner", "key", *apart).orderBy("order")
    return rows.withColumn("place", f.row_number().over(best)).where("place = 1").drop("place", "order")
