"""Archives become one table of records; a bad one is named and skipped."""
import io
import json
import os
import pathlib
import subprocess
import sys
import typing

import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pippin_spark import archives
from pippin_spark.trouble import Trouble

pytestmark = pytest.mark.skipif("PIPPIN" not in os.environ, reason="PIPPIN names no program: use make spark-test")


def write_archive(file: pathlib.Path, host: str, pages: int) -> None:
    with file.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True)
        for number in range(pages):
            body = (
                f"<!doctype html><title>Page {number} of {host}</title>"
                f'<meta name="apple-itunes-app" content="app-id={1000 + number}, app-argument=app://{host}/{number}">'
                f"<h1>Page {number}</h1><p>What page {number} of {host} says, in a sentence that is long enough to be one.</p>"
            ).encode()
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))], "HTTP/1.1")
            writer.write_record(writer.create_warc_record(f"https://{host}/{number}", "response", payload=io.BytesIO(body), http_headers=head))


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for number in range(3):
        write_archive(tmp_path / f"{number}.warc.gz", f"h{number}.example", 20)
    return tmp_path


def test_archives_become_a_table_with_the_types_of_the_record(spark: SparkSession, folder: pathlib.Path) -> None:
    found, count = archives.read(spark, os.environ["PIPPIN"], [str(folder / "*.warc.gz")], str(folder / "out"))
    assert count == 60
    assert [(archive.pages, archive.trouble) for archive in found] == [(20, None)] * 3
    rows = pyarrow.parquet.read_table(folder / "out").to_pylist()
    by_key = {row["uniqueIdentifier"]: row for row in rows}
    assert len(by_key) == 60
    assert by_key["https://h2.example/7"]["deepLinks"][0]["storeIdentifier"] == "1007"
    assert by_key["https://h2.example/7"]["archive"].endswith("/2.warc.gz")
    # The same as the program gives by itself.
    lines = subprocess.run(
        [os.environ["PIPPIN"], "extract", "--warc", "--records-only", *sorted(map(str, folder.glob("*.warc.gz")))],
        check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    for record in map(json.loads, lines):
        row = by_key[record["uniqueIdentifier"]]
        assert record == without_nulls({key: value for key, value in row.items() if key != "archive"})


def test_a_bad_archive_is_named_and_the_others_are_read(spark: SparkSession, folder: pathlib.Path) -> None:
    (folder / "1.warc.gz").write_bytes((folder / "1.warc.gz").read_bytes()[:2000])
    (folder / "bad.warc.gz").write_bytes(b"\x1f\x8b" + os.urandom(5000))
    (folder / "empty.warc.gz").write_bytes(b"")
    found, count = archives.read(spark, os.environ["PIPPIN"], [str(folder)], str(folder / "out"))
    trouble = {pathlib.Path(archive.name).name: archive.trouble for archive in found if archive.trouble}
    assert {"1.warc.gz", "bad.warc.gz"} <= trouble.keys() and not {"0.warc.gz", "2.warc.gz"} & trouble.keys()
    assert 40 <= count < 60
    listed = json.loads((folder / "out/_archives.json").read_text())
    assert len(listed) == 5 and pyarrow.parquet.read_table(folder / "out").num_rows == count


def test_an_archive_that_is_not_there_is_named(spark: SparkSession, folder: pathlib.Path) -> None:
    with pytest.raises(Trouble, match="no such file"):
        archives.read(spark, os.environ["PIPPIN"], [str(folder / "*.warc")], str(folder / "out"))
    (folder / "out").mkdir()
    with pytest.raises(Trouble, match="exists"):
        archives.read(spark, os.environ["PIPPIN"], [str(folder)], str(folder / "out"))


def test_the_command_says_what_it_did(spark: SparkSession, folder: pathlib.Path) -> None:
    (folder / "bad.warc.gz").write_bytes(b"no archive")
    # One session serves all tests; ending it is the fixture's part.
    status = subprocess.run(
        [sys.executable, "-m", "pippin_spark", "warc", "--pippin", os.environ["PIPPIN"], str(folder), str(folder / "out")],
        capture_output=True, text=True, cwd=pathlib.Path(__file__).parents[1],
    )  # fmt: skip
    assert status.returncode == 3, status.stderr
    assert f"60 records of 60 pages in 4 archives: {folder}/out" in status.stdout
    assert "bad.warc.gz: " in status.stderr


def without_nulls(value: typing.Any) -> typing.Any:
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [without_nulls(part) for part in value]
    return value
