"""A run in Prometheus' text format, for node_exporter's textfile collector.

Names are those of `pippin crawl --metrics` (Docs/Operations.md) where they mean the same; counters begin with the run. What only a cluster
has is about turns, shards and what waits between shards. Moments are told, not ages, so that they stay true when nobody writes any more.
"""
import collections
import datetime
import os
import pathlib
import re
import time
import typing

from . import summary
from .job import Commit
from .status import parts
from .trouble import DISK, Trouble

_SUCCESS: typing.Final = "pippin_last_success_timestamp_seconds"
#: Endings of a run that are no success.
_BROKEN: typing.Final = ("interrupted", "failed")
Samples = typing.Sequence[tuple[dict[str, str], float]]


class Metrics:
    """Counts what a run commits, and writes it into a file, whole or not at all."""

    def __init__(self, path: str, started: float, say: typing.Callable[[str], None]) -> None:
        self._path, self._started, self._say = pathlib.Path(path), started, say
        self._turns = self._rebuilt = 0
        self._seconds: collections.Counter[str] = collections.Counter()
        self._text = ""
        self._success = self._last_success()
        self._trouble: str | None = None
        try:
            self._write("running")
        except OSError as error:
            raise Trouble(f"--metrics {path}: {error.strerror}", DISK) from error

    def take(self, commit: Commit) -> None:
        """A turn of this run was committed."""
        self._turns += 1
        self._rebuilt += len(commit.rebuilt)
        self._seconds.update(parts(commit))

    def show(
        self,
        standing: dict[str, typing.Any],
        report: summary.Report,
        turns_in_flight: int,
        shards_in_flight: int,
        share: float | None,
    ) -> None:
        """`standing`: where the job stands (`status`); `report`: what the run has come to."""
        text = _Text()
        text.family("pippin_requests_total", "counter", "HTTP requests, retries included.", [({}, report["requests"])])
        text.family(
            "pippin_requests_too_early_total", "counter", "Requests before a host's delay had passed; anything but 0 is a defect.",
            [({}, report["politeness"]["requestsTooEarly"])],
        )  # fmt: skip
        looked_up = [({"result": name}, count) for name, count in report["lookUps"].items()]
        text.family("pippin_look_ups_total", "counter", "Names looked up, by what came of it.", looked_up)
        text.family("pippin_hosts_beyond_limit", "gauge", "Hosts left for later, as a limit is reached.", [({}, report["hostsBeyondLimit"])])
        text.family("pippin_retries_total", "counter", "Requests that will be, or were, made again.", [({}, report["retries"])])
        outcomes = [({"outcome": entry["code"]}, entry["count"]) for entry in report["outcomes"]]
        text.family("pippin_visits_total", "counter", "Visits by their outcome (Docs/CrawlLog.md).", outcomes)
        dropped = [({"reason": entry["reason"]}, entry["count"]) for entry in report["droppedLinks"]]
        text.family("pippin_dropped_links_total", "counter", "Links that were not queued, by the reason.", dropped)
        for name, key, words in (
            ("pages", "pages", "Answers to page requests, redirects left out."),
            ("records", "records", "Records written."),
            ("deletions", "deletions", "Records that were taken back."),
            ("deep_links", "deepLinks", "Deep links in the records written."),
            ("received_bytes", "wireBytes", "Bytes of bodies as they crossed the wire."),
            ("decoded_bytes", "bytes", "Bytes of pages and sitemaps, decoded."),
        ):
            text.family(f"pippin_{name}_total", "counter", words, [({}, report[key])])

        text.family("pippin_turns_total", "counter", "Turns that this run has committed.", [({}, self._turns)])
        seconds = [({"part": part}, round(value, 3)) for part, value in self._seconds.items()]
        text.family(
            "pippin_turn_seconds_total", "counter",
            "Time of committed turns: of the slowest worker of each its opening, crawling and telling; beside: all else.", seconds,
        )  # fmt: skip
        text.family("pippin_rebuilt_shards_total", "counter", "Lost shards that were made anew.", [({}, self._rebuilt)])
        text.family("pippin_turns_in_flight", "gauge", "Turns in flight.", [({}, turns_in_flight)])
        text.family("pippin_shards_in_flight", "gauge", "Shards in turns that are in flight.", [({}, shards_in_flight)])
        share_of_time: Samples = [] if share is None else [({}, round(share, 4))]
        words = "Of the time in which shards have something to do, the part in which they crawl, from 0 to 1."
        text.family("pippin_crawling_share", "gauge", words, share_of_time)
        text.family("pippin_last_turn", "gauge", "The number of the job's last turn.", [({}, standing["turn"])])
        if standing["turn"] > 0:
            shards = [({"ending": ending}, count) for ending, count in standing["shardsByEnding"].items()]
            text.family("pippin_shards", "gauge", "Shards by how their last turn ended; none: they had no turn yet.", shards)
            text.family("pippin_known_urls", "gauge", "URLs that the shards know.", [({}, standing["known"])])
            text.family("pippin_queued_urls", "gauge", "URLs that wait in the shards.", [({}, standing["queued"])])
            text.family("pippin_known_hosts", "gauge", "Hosts that the shards know.", [({}, standing["hosts"])])
            text.family("pippin_waiting_requests", "gauge", "Requests on their way to other shards.", [({}, standing["foreign"])])
            text.family("pippin_rebuilding_shards", "gauge", "Lost shards whose next turn makes them anew.", [({}, len(standing["rebuilding"]))])
            moment = "When the last turn was committed, in seconds since 1970."
            text.family("pippin_last_commit_timestamp_seconds", "gauge", moment, [({}, _seconds(standing["endedAt"]))])
        if standing.get("rankedAfter") is not None:
            text.family("pippin_last_ranked_turn", "gauge", "The turn after which pages were ranked last.", [({}, standing["rankedAfter"])])
        if "hasUnrankedLinks" in standing:
            words = "1 if links were found since the last ranking."
            text.family("pippin_unranked_links", "gauge", words, [({}, int(standing["hasUnrankedLinks"]))])
        self._text = text.text
        self._publish("running")

    def end(self, state: str) -> None:
        """The run is over."""
        if state not in _BROKEN:
            self._success = time.time()
        self._publish(state)

    def _publish(self, state: str) -> None:
        """A file that cannot be written does not end a run. The same trouble is said once."""
        try:
            self._write(state)
            self._trouble = None
        except OSError as error:
            words = f"{self._path}: {error.strerror}: the metrics are those of before"
            if words != self._trouble:
                self._say(words)
            self._trouble = words

    def _write(self, state: str) -> None:
        text = _Text()
        text.family("pippin_start_time_seconds", "gauge", "When the run began, in seconds since 1970.", [({}, round(self._started, 3))])
        text.family("pippin_run_state", "gauge", "1 for the state that the run is in or ended with.", [({"state": state}, 1)])
        success: Samples = [] if self._success is None else [({}, round(self._success, 3))]
        text.family(_SUCCESS, "gauge", "When a run last ended in order, in seconds since 1970.", success)
        draft = self._path.with_name(f".{self._path.name}.draft")
        draft.write_text(text.text + self._text, encoding="utf-8")
        os.replace(draft, self._path)

    def _last_success(self) -> float | None:
        """The file keeps it from run to run."""
        try:
            with self._path.open("rb") as file:
                found = re.search(rf"^{_SUCCESS} (\d+(?:\.\d+)?)$".encode(), file.read(1 << 20), re.MULTILINE)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Trouble(f"--metrics {self._path}: {error.strerror}", DISK) from error
        return float(found[1]) if found else None


class _Text:
    """Lines of the format: HELP and TYPE once for a family, before its samples."""

    def __init__(self) -> None:
        self.text = ""

    def family(self, name: str, kind: str, words: str, samples: Samples) -> None:
        self.text += f"# HELP {name} {words}\n# TYPE {name} {kind}\n"
        for labels, value in sorted(samples, key=lambda sample: sorted(sample[0].items())):
            pairs = ",".join(f'{label}="{_escaped(text)}"' for label, text in sorted(labels.items()))
            self.text += f"{name}{{{pairs}}} {value}\n" if pairs else f"{name} {value}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _seconds(moment: str) -> float:
    return datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
