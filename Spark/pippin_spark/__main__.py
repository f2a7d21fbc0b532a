"""`python -m pippin_spark`, and `spark-submit …/pippin_spark/__main__.py`"""
import argparse
import contextlib
import json
import os
import shutil
import signal
import stat
import sys
import typing

if not __package__:
    # spark-submit runs this file by its path, and would look for modules beside it.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    __package__ = "pippin_spark"  # noqa: A001

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from . import __version__, archives, compaction, deltatable, rank, records, reshard, run, status
from .claim import Claim
from .cursorfile import CursorFile
from .files import Files
from .job import Job
from .session import SLOTS_A_CORE, session, slots_for
from .trouble import INTERNAL, USAGE, Trouble, WorkerTrouble, sentence
from .turn import Means

_EPILOG: typing.Final = """\
examples:
  python -m pippin_spark run jobs/news                                # on this machine, a slot for each shard
  python -m pippin_spark run jobs/news --master spark://head:7077 --turns 6
  python -m pippin_spark run hdfs:///crawls/news --storages /data/pippin --master yarn --conf spark.executor.cores=8
  python -m pippin_spark records jobs/news --out records.parquet --format parquet
  python -m pippin_spark records jobs/news --table /tables/news
  python -m pippin_spark changes jobs/news --cursor-file news.cursor > changes.ndjson
  spark-submit --master yarn …/pippin_spark/__main__.py run hdfs:///crawls/news --storages /data/pippin
  python -m pippin_spark warc 's3a://commoncrawl/…/*.warc.gz' records.parquet

exit status: 0 done, 2 usage, configuration or protocol, 3 some seeds failed (warc: a file could not be read), 4 a limit was reached,
5 interrupted, 6 disk or database trouble, 7 another driver has the job, or another process a storage, 70 internal error
"""


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(options.does(options))
    except Trouble as trouble:
        _say(f"pippin_spark: {trouble}")
        return trouble.code
    except WorkerTrouble as trouble:
        _say(f"pippin_spark: {trouble.trouble}")
        return trouble.trouble.code
    except (Py4JJavaError, PySparkException) as error:
        _say(f"pippin_spark: Spark failed: {sentence(error)} The committed turns stay; start again to go on.")
        return INTERNAL
    except KeyboardInterrupt:
        _say("pippin_spark: interrupted. The committed turns stay; start again to go on.")
        return 5
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("pippin_spark", description="Runs a Pippin job on Apache Spark.", epilog=_EPILOG, formatter_class=form)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, does: typing.Callable[[argparse.Namespace], int], words: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        added.set_defaults(does=does)
        added.add_argument("--master", help="as of spark-submit; without it this machine (or PIPPIN_SPARK_MASTER)")
        added.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark; repeat it for more")
        return added

    def of_job(added: argparse.ArgumentParser) -> None:
        added.add_argument("job", metavar="JOB", help="the job's folder: a path, or a URL of any Hadoop file system")
        added.add_argument("--storages", metavar="DIR", help="where executors have the shards' storages (JOB/shards)")

    def of_turns(added: argparse.ArgumentParser) -> None:
        of_job(added)
        added.add_argument("--pippin", default="pippin", metavar="PATH", help="the program, as executors find it")
        added.add_argument("--for", dest="duration", metavar="TIME", help="how long a turn is, such as 10m (cluster.turn)")
        added.add_argument("--wait-for-storage", default="60s", metavar="TIME", help="for a storage that another worker holds (60s)")
        added.add_argument("--logs", metavar="DIR", help="a folder for a crawl log of each shard, on the executors")
        added.add_argument("--summary", metavar="FILE", help="the end report as JSON")
        added.add_argument("--metrics", metavar="FILE", help="metrics for Prometheus (node_exporter's textfile collector), after each commit")
        added.add_argument(
            "--rebuild", type=int, action="append", default=[], metavar="SHARD",
            help="make a shard anew whose storage is lost, or an older copy: what it lacks is crawled again; repeat it for more",
        )  # fmt: skip

        added.add_argument(
            "--keep-turns", type=int, default=compaction.TURNS_KEPT, metavar="N",
            help="turns whose lines stay for consumers of changes (%(default)s); what holds now is never deleted",
        )  # fmt: skip

    added = command("run", _run, "crawls, turn by turn, until nothing is left to do now")
    of_turns(added)
    added.add_argument("--turns", type=int, metavar="N", help="at most N turns of each shard")
    added.add_argument("--no-rank", action="store_true", help="do not rank pages at the end, even with cluster.links")
    added = command("turn", _run, "runs one turn of each shard")
    of_turns(added)
    added.set_defaults(turns=1, no_rank=True)
    added = command("rank", _rank, "ranks pages by the links of all shards, and finds near duplicates; the next turn delivers the ranks")
    of_job(added)
    added = command("records", _records, "writes the records of a job")
    of_job(added)
    added.add_argument("--out", metavar="DIR", help="a new folder; without it NDJSON on standard output")
    added.add_argument("--table", metavar="PATH", help="a Delta table to be made, or to be brought up to the last turn: needs `pip install pippin-spark[delta]`")
    added.add_argument("--anew", action="store_true", help="replace all that the table has, in one commit")
    added.add_argument("--format", choices=("ndjson", "parquet", "delta"), help="ndjson; delta with --table")
    added = command("changes", _changes, "writes what changed since a cursor: each record that was written or deleted once, as it is now")
    of_job(added)
    added.add_argument("--since", metavar="CURSOR", help="what the last `changes` ended with; without it all records are written")
    added.add_argument("--cursor-file", metavar="FILE", help="to read the cursor from, if it is there, and to write the new one to at the end")
    added.add_argument("--out", metavar="DIR", help="a new folder; without it NDJSON on standard output, in the order of turns, the cursor last")
    added.add_argument("--format", choices=("ndjson", "parquet"), default="ndjson")
    added = command("status", _status, "says where a job stands")
    of_job(added)
    added.add_argument("--json", action="store_true")
    added = command("reshard", _reshard, "moves a job into as many shards as cluster.shards says now, with all that was fetched")
    of_job(added)
    added.add_argument("--pippin", default="pippin", metavar="PATH", help="the program, as executors find it")
    added = command("warc", _warc, "reads web archives into one Parquet table with the types of the record")
    added.add_argument("input", nargs="+", metavar="INPUT", help="files, patterns, or folders of archives")
    added.add_argument("output", metavar="OUTPUT", help="a new folder")
    added.add_argument("--pippin", default="pippin", metavar="PATH", help="the program, as executors find it")
    return parser


def _settings(options: argparse.Namespace) -> dict[str, str]:
    settings = {}
    for setting in options.conf:
        key, equals, value = setting.partition("=")
        if not equals:
            raise Trouble(f"--conf {setting}: write KEY=VALUE", USAGE)
        settings[key] = value
    return settings


def _session(options: argparse.Namespace, slots: int) -> typing.ContextManager[SparkSession]:
    return session(options.master, slots, _settings(options))


def _slots(options: argparse.Namespace) -> int:
    """How many a job on this machine needs, before there is a Spark that could read its folder."""
    folder = options.job.removeprefix("file://")
    if "://" in folder:
        return os.cpu_count() or 1
    from .job import Settings

    name = os.path.join(folder, "config.yaml")
    try:
        with open(name, "rb") as file:
            return min(Settings.parse(file.read(), name).shards, SLOTS_A_CORE * (os.cpu_count() or 1))
    except OSError as error:
        raise Trouble(f"{name}: {error.strerror}", USAGE) from error


def _run(options: argparse.Namespace) -> int:
    if options.turns is not None and options.turns < 1:
        raise Trouble("--turns is 1 or more", USAGE)
    if options.keep_turns < 1:
        raise Trouble("--keep-turns is 1 or more: the next turn reads the last one", USAGE)
    program = shutil.which(options.pippin) or options.pippin
    with _session(options, _slots(options)) as spark:
        job = Job(Files(spark, options.job), options.storages)
        with Claim(job.files) as claim:
            reshard.end_move(spark, job)
            job.check_shards()
            means = Means(
                program, options.duration, options.wait_for_storage, options.logs, rebuild=tuple(options.rebuild), slots=slots_for(spark, job.shards, _say)
            )
            wishes = run.Wishes(options.turns, not options.no_rank, options.summary, options.keep_turns, options.metrics)
            return run.run(spark, job, claim, means, wishes, _say)


def _reshard(options: argparse.Namespace) -> int:
    program = shutil.which(options.pippin) or options.pippin
    with _session(options, _slots(options)) as spark:
        job = Job(Files(spark, options.job), options.storages)
        with Claim(job.files) as claim:
            moved = reshard.reshard(spark, job, claim, program)
    print(
        f"{job.shards} shards now: {moved['hosts']:,} hosts, {moved['urls']:,} URLs and {moved['records']:,} records moved. "
        f"The old storages lie in {job.storages}.old-*; delete them once a turn has passed."
    )
    return 0


def _rank(options: argparse.Namespace) -> int:
    with _session(options, _slots(options)) as spark:
        job = Job(Files(spark, options.job), options.storages)
        with Claim(job.files):
            commit = job.last_commit()
            if commit is None:
                raise Trouble(f"{job.files.root} has no turn yet", USAGE)
            print(rank.rank(spark, job, commit.turn, _say).text)
    return 0


def _records(options: argparse.Namespace) -> int:
    options.format = options.format or ("ndjson" if options.table is None else "delta")
    _check_form(options)
    if (options.table is None) != (options.format != "delta") or options.table is not None and options.out is not None:
        raise Trouble("--table makes a table of the format delta, and no --out", USAGE)
    if options.anew and options.table is None:
        raise Trouble("--anew is about --table", USAGE)
    with _session(options, _slots(options)) as spark:
        job = Job(Files(spark, options.job), options.storages)
        if options.table is not None:
            result = deltatable.upsert(spark, job, options.table, options.anew)
            print(f"{result.text}: {options.table}, cursor {result.cursor}")
            return 0
        rows = records.records(spark, job)
        if options.out is not None:
            print(f"{records.write(rows, options.out, options.format, records.typed_records):,} records: {options.out}")
        else:
            with records.small_parts(spark, job):
                _write(records.lines(rows, "key"))
    return 0


def _changes(options: argparse.Namespace) -> int:
    _check_form(options)
    file = None if options.cursor_file is None else CursorFile(options.cursor_file)
    with file.locked() if file else contextlib.nullcontext():
        since = options.since or (file.read() if file else None)
        if since is not None:
            records.Cursor.parse(since)
        with _session(options, _slots(options)) as spark:
            job = Job(Files(spark, options.job), options.storages)
            found = records.changes(spark, job, since)
            if options.out is not None:
                count = records.write(found.rows, options.out, options.format, records.typed_changes)
                _say(f"{count:,} {'records' if found.is_all else 'changes'}: {options.out}")
            else:
                with records.small_parts(spark, job, since):
                    _write(records.lines(found.rows, "turn", "shard", "sequence"))
        _write([json.dumps({"cursor": found.cursor}, separators=(",", ":")).encode() + b"\n"])
        if file:
            # The cursor must not be ahead of what was written, even after a loss of power.
            if stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
                os.fsync(sys.stdout.fileno())
            file.write(found.cursor)
    return 0


def _check_form(options: argparse.Namespace) -> None:
    if options.out is None and options.format == "parquet":
        raise Trouble("--format parquet needs --out", USAGE)


def _write(lines: typing.Iterable[bytes]) -> None:
    for line in lines:
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def _status(options: argparse.Namespace) -> int:
    with session("local[1]", 1, _settings(options)) as spark:
        standing = status.status(Job(Files(spark, options.job), options.storages))
    print(json.dumps(standing) if options.json else status.text(standing))
    return 0


def _warc(options: argparse.Namespace) -> int:
    program = shutil.which(options.pippin) or options.pippin
    with _session(options, os.cpu_count() or 1) as spark:
        found, count = archives.read(spark, program, options.input, options.output)
    bad = [archive for archive in found if archive.trouble is not None]
    for archive in bad:
        _say(f"{archive.name}: {archive.trouble}")
    print(f"{count:,} records of {sum(archive.pages for archive in found):,} pages in {len(found)} archives: {options.output}")
    return run.SEEDS_FAILED if bad else 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
