"""The records of a job as a Delta table that follows it: what changed is merged into it by `uniqueIdentifier`.

The table's cursor is in the same commit as what was merged, as two application transactions (Delta's protocol, `txn`): so an upsert that was
killed has happened or has not, and the next one goes on from there. `deltalake` (delta-rs) writes the table, in the driver; Spark needs no jar.
Records come from the executors batch by batch: the driver never has all of them.
"""
import dataclasses
import typing

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from .job import Job
from .records import Changes, Cursor, changes, small_parts, typed_changes, typed_records
from .trouble import DISK, USAGE, Trouble

if typing.TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable

#: The application transactions that hold the cursor: the turn, and the fingerprint of its commit as a signed number.
_TURN: typing.Final = "pippin/turn"
_FINGERPRINT: typing.Final = "pippin/fingerprint"
#: The columns of `typed_changes` that are not the record's.
_OF_CHANGES: typing.Final = ("kind", "deleted", "reason", "at")
#: Rows of a batch: some megabytes.
_ROWS_OF_BATCH: typing.Final = 500


@dataclasses.dataclass(frozen=True)
class Upsert:
    """What an upsert has done."""

    cursor: str
    #: All records were written, into a new table or in place of what it had.
    is_all: bool
    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def text(self) -> str:
        if self.is_all:
            return f"{self.inserted:,} records"
        return f"{self.inserted:,} records inserted, {self.updated:,} updated, {self.deleted:,} deleted"


def upsert(spark: SparkSession, job: Job, path: str, anew: bool = False) -> Upsert:
    """Brings a table up to the last committed turn; makes it, if there is none. `anew`: in place of all that it has, in one commit."""
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError
    except ModuleNotFoundError as error:
        raise Trouble("--table needs the package deltalake: pip install 'pippin-spark[delta]'", USAGE) from error
    try:
        table = DeltaTable(path) if DeltaTable.is_deltatable(path) else None
        since = None if table is None or anew else _cursor(table, path)
        found = changes(spark, job, since)
        if found.cursor == since:
            return Upsert(found.cursor, is_all=False)
        with small_parts(spark, job, since):
            return _replace(found, table, path) if since is None or found.is_all else _merge(found, typing.cast("DeltaTable", table))
    except (DeltaError, OSError) as error:
        raise Trouble(f"{path}: {str(error).strip() or type(error).__name__}. The table is as it was", DISK) from error


def _cursor(table: "DeltaTable", path: str) -> str:
    turn, fingerprint = table.transaction_version(_TURN), table.transaction_version(_FINGERPRINT)
    if turn is None or fingerprint is None:
        raise Trouble(f"{path} is a table of something else: it has no cursor of a job. Name another folder; --anew replaces all that is in it", USAGE)
    return Cursor(f"{fingerprint & (1 << 64) - 1:016x}", turn).text


def _commit(cursor: str) -> "CommitProperties":
    from deltalake import CommitProperties, Transaction

    parsed = Cursor.parse(cursor)
    number = int(parsed.fingerprint, 16)
    signed = number - (1 << 64) if number >= 1 << 63 else number
    return CommitProperties(
        app_transactions=[Transaction(_TURN, parsed.turn), Transaction(_FINGERPRINT, signed)],
        # For people: DESCRIBE HISTORY shows it.
        custom_metadata={"pippin.cursor": cursor},
    )


def _replace(found: Changes, table: "DeltaTable | None", path: str) -> Upsert:
    from deltalake import write_deltalake

    count = _Count()
    reader = _reader(typed_records(found.rows), count)
    if table is None:
        write_deltalake(path, reader, mode="error", commit_properties=_commit(found.cursor))
    else:
        write_deltalake(table, reader, mode="overwrite", schema_mode="overwrite", commit_properties=_commit(found.cursor))
    return Upsert(found.cursor, is_all=True, inserted=count.rows)


def _merge(found: Changes, table: "DeltaTable") -> Upsert:
    rows = typed_changes(found.rows)
    # Names of fields are case-sensitive.
    values = {f"`{name}`": f"told.`{name}`" for name in rows.columns if name not in _OF_CHANGES}
    result = (
        table.merge(
            _reader(rows, _Count()),
            "kept.`uniqueIdentifier` = told.`uniqueIdentifier`",
            source_alias="told",
            target_alias="kept",
            # A later version of Pippin has more fields.
            merge_schema=True,
            commit_properties=_commit(found.cursor),
        )
        .when_matched_delete("told.deleted")
        .when_matched_update(_popularity(table), "told.kind = 'popularity'")
        .when_matched_update(values, "NOT told.deleted")
        .when_not_matched_insert(values, "told.kind = 'record'")
        .execute()
    )
    return Upsert(
        found.cursor, False, result["num_target_rows_inserted"], result["num_target_rows_updated"], result["num_target_rows_deleted"]
    )  # fmt: skip


def _popularity(table: "DeltaTable") -> dict[str, str]:
    """The columns that a change of popularity changes. A struct has no members that could be set alone."""
    from deltalake.schema import StructType

    sources = next(field.type for field in table.schema().fields if field.name == "provenance")
    assert isinstance(sources, StructType)
    members = ", ".join(
        f"'{field.name}', " + ("'link-graph'" if field.name == "popularity" else f"kept.`provenance`['{field.name}']") for field in sources.fields
    )
    return {"`popularity`": "told.`popularity`", "`provenance`": f"named_struct({members})"}


@dataclasses.dataclass
class _Count:
    rows: int = 0


def _reader(rows: DataFrame, count: _Count) -> pa.RecordBatchReader:
    """The rows as a stream of Arrow's batches. Executors make them; the driver has a partition at a time."""
    schema = to_arrow_schema(rows.schema)

    def batches() -> typing.Iterator[pa.RecordBatch]:
        for row in rows.mapInArrow(_packed, "batch binary").toLocalIterator():
            for batch in pa.ipc.open_stream(row["batch"]):
                count.rows += batch.num_rows
                yield batch.cast(schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _packed(batches: typing.Iterator[pa.RecordBatch]) -> typing.Iterator[pa.RecordBatch]:
    """Each batch as bytes in Arrow's own format, in an executor."""
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_OF_BATCH):
            part = batch.slice(start, _ROWS_OF_BATCH)
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, part.schema) as stream:
                stream.write_batch(part)
            yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], names=["batch"])
