"""One Spark for all tests that need no other."""
import json
import os
import pathlib
import sys
import typing

import pytest
from pyspark.sql import SparkSession

from pippin_spark.session import session


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests stand side by side in their files: each worker of pytest begins with some of them."""
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    items[:] = [item for first in range(count) for item in items[first::count]]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What failed is told at once: a long run may be ended before it tells at its end."""
    if report.failed:
        print(f"\n{report.nodeid}\n{report.longreprtext}", file=sys.__stderr__, flush=True)


# Also for drivers that tests start.
os.environ.setdefault("SPARK_CONF_DIR", str(pathlib.Path(__file__).parent / "conf"))

FAKE = pathlib.Path(__file__).parent / "fake_worker.py"


@pytest.fixture(scope="session")
def spark() -> typing.Iterator[SparkSession]:
    with session("local[4,4]", 4) as running:
        yield running


@pytest.fixture
def fake_job(tmp_path: pathlib.Path) -> pathlib.Path:
    """Six hosts of five pages, four shards, at most eight visits of each shard in a turn."""
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "config.yaml").write_text("cluster: { shards: 4, turn: 10s, links: true }\n")
    (folder / "seeds.txt").write_text("http://h0.test/0\n")
    times = {"turn": 1, "longestDelay": 0.2, "delayPerAddress": 0.1}
    (folder / "fake.json").write_text(json.dumps({"hosts": 6, "pages": 5, "visits": 8, "times": times}))
    return folder
