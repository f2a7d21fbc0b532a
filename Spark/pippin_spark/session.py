"""The Spark session, with the settings that a fetching job needs."""
import contextlib
import os
import pathlib
import sys
import tempfile
import time
import typing
import zipfile

import pyspark
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from .trouble import Trouble

#: Spark's defaults would let a frozen executor count as alive for ten minutes, and contradict each other:
#: heartbeatInterval · maxFailures < network.timeout, and network.timeoutInterval ≤ network.timeout, or no session starts.
SETTINGS: typing.Final = {
    # Two tasks of one shard must never run at a time.
    "spark.speculation": "false",
    # It would put several shards into one task.
    "spark.sql.adaptive.enabled": "false",
    "spark.task.maxFailures": "4",
    "spark.task.cpus": "1",
    "spark.executor.heartbeatInterval": "5s",
    "spark.executor.heartbeat.maxFailures": "10",
    "spark.network.timeout": "60s",
    "spark.network.timeoutInterval": "15s",
    # One writer for each kind of line, so that a turn's output is not sorted.
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # What fails is told in a sentence; `--conf spark.log.level=ERROR` shows Java's words too.
    "spark.log.level": "FATAL",
}
#: How long executors have to come up, and how long no more must have come.
PATIENCE: typing.Final = 120.0
SETTLING: typing.Final = 15.0
_LEAST_SLOTS: typing.Final = 2
#: Slots a core that this machine has by itself: a worker mostly waits for the web.
SLOTS_A_CORE: typing.Final = 16


@contextlib.contextmanager
def session(
    master: str | None, slots: int, settings: dict[str, str] | None = None, name: str = "pippin"
) -> typing.Iterator[SparkSession]:
    """A session that ends in any case.

    `master`: as of spark-submit; without one, what spark-submit says, or this machine with as many slots as there are shards.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name)
    if master is None and "PYSPARK_GATEWAY_PORT" not in os.environ:
        # A failed task is tried again on one machine too.
        master = os.environ.get("PIPPIN_SPARK_MASTER", f"local[{slots},4]")
    if master is not None:
        builder = builder.master(master)
    shuffles = {"spark.sql.shuffle.partitions": str(max(4, min(slots, 200)))}
    for key, value in (SETTINGS | shuffles | (settings or {})).items():
        builder = builder.config(key, value)
    spark: SparkSession = builder.getOrCreate()
    try:
        with tempfile.TemporaryDirectory(prefix="pippin-spark-") as folder:
            # Functions of the driver's modules are looked up by name in the executors.
            package = pathlib.Path(folder) / "pippin_spark.zip"
            _pack(package)
            spark.sparkContext.addPyFile(str(package))
            yield spark
    finally:
        spark.stop()


def _pack(target: pathlib.Path) -> None:
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted(pathlib.Path(__file__).parent.glob("*.py")):
            archive.write(file, f"pippin_spark/{file.name}")


def slots_for(spark: SparkSession, shards: int, say: typing.Callable[[str], None]) -> int | None:
    """How many shards may run at a time; None: all. Waits until there is a slot for each, or no more executors come."""
    context = spark.sparkContext
    have, since, began = _slots(spark), time.monotonic(), time.monotonic()
    with _demand(spark, shards) if have < shards else contextlib.nullcontext():
        while have < shards:
            moment = time.monotonic()
            if moment - since > SETTLING and have >= _LEAST_SLOTS or moment - began > PATIENCE:
                break
            time.sleep(0.2)
            if (now := _slots(spark)) != have:
                have, since = now, moment
    if have >= shards:
        return None
    if have < _LEAST_SLOTS:
        raise Trouble(
            f"{context.master} has {have} slots. It takes one for a shard and one for what goes between shards: give it more executors or cores "
            "(a worker mostly waits: more slots than cores are fine)."
        )
    # One is left, or what begins a turn would wait until another has ended.
    say(f"{context.master} has {have} slots for {shards} shards: {have - 1} run at a time, those first that have waited longest")
    return have - 1


@contextlib.contextmanager
def _demand(spark: SparkSession, slots: int) -> typing.Iterator[None]:
    """Tasks that wait as long as we do: with dynamic allocation Spark starts executors only for tasks, and none before there are any."""
    context = spark.sparkContext
    group = "pippin-slots"

    def wait() -> None:
        context.setJobGroup(group, "waits for a slot for each shard", interruptOnCancel=True)
        # It is cancelled as soon as there are slots, or the session ends.
        with contextlib.suppress(Py4JError, PySparkException, ConnectionError):
            context.parallelize(range(slots), slots).foreach(lambda _: time.sleep(PATIENCE))

    waiting = pyspark.InheritableThread(target=wait, daemon=True)
    waiting.start()
    try:
        yield
    finally:
        context.cancelJobGroup(group)
        waiting.join(5)


def _slots(spark: SparkSession) -> int:
    context = spark.sparkContext
    master = context.master or ""
    if master.startswith("local[") or master == "local":
        return context.defaultParallelism
    jvm: typing.Any = spark._jsc  # noqa: SLF001
    status = jvm.sc().statusTracker().getExecutorInfos()
    cores = int(context.getConf().get("spark.executor.cores") or 0)
    executors = len(status) - 1  # One of them is the driver.
    if master.startswith("local-cluster["):
        cores = int(master[len("local-cluster[") : -1].split(",")[1])
    return executors * cores if cores else context.defaultParallelism
