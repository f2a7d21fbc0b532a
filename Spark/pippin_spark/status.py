"""Where a job stands, by its commits; in the same numbers for `status`, the file of metrics and the line of a turn."""
import collections
import datetime
import typing

from . import exchange
from .job import Commit, Job


def status(job: Job) -> dict[str, typing.Any]:
    """As JSON has it."""
    flying = exchange.in_flight(job)
    return standing(job) | {
        "turnsInFlight": len(flying),
        "shardsInFlight": sorted(shard for inbox in flying for shard in inbox.turns),
    }


def standing(job: Job) -> dict[str, typing.Any]:
    """Without the turns in flight, which a driver knows."""
    commit = job.last_commit()
    result: dict[str, typing.Any] = {"job": job.files.root, "shards": job.shards, "turn": commit.turn if commit else 0}
    if commit is None:
        return result
    dones = [commit.dones[shard] for shard in sorted(commit.dones)]
    due = sorted(done.next_due for done in dones if done.next_due)
    endings = collections.Counter(done.ending for done in dones)
    if (new := job.shards - len(dones)) > 0:
        endings["none"] += new
    result |= {
        "endedAt": commit.ended_at,
        "seconds": commit.seconds,
        "known": sum(done.known for done in dones),
        "queued": sum(done.queued for done in dones),
        "hosts": sum(done.hosts for done in dones),
        "foreign": sum(commit.waiting.values()),
        "isIdle": commit.is_idle and len(dones) == job.shards,
        "shardsByEnding": dict(sorted(endings.items())),
        "rebuilding": sorted(job.rebuilt()),
        "lastTurn": last_turn(commit),
        "shardStates": [
            {
                "shard": done.shard, "known": done.known, "queued": done.queued, "hosts": done.hosts, "waiting": commit.waiting.get(done.shard, 0),
                "ending": done.ending, "seconds": round(sum(done.seconds.values()), 3), "nextDue": done.next_due,
            }
            for done in dones
        ],
    }  # fmt: skip
    if due:
        result["nextDue"] = due[0]
    if job.settings.links:
        result |= {"rankedAfter": job.last_ranking(), "hasUnrankedLinks": job.has_unranked_links()}
    return result


def last_turn(commit: Commit) -> dict[str, typing.Any]:
    """What a turn came to."""
    dones = [commit.dones[shard] for shard in commit.ran]
    return {
        "shards": list(commit.ran),
        "visits": sum(done.visits for done in dones),
        "pages": sum(done.pages for done in dones),
        "requests": sum(done.requests for done in dones),
        "told": commit.told,
        "seconds": {part: round(value, 3) for part, value in parts(commit).items()},
    }


def parts(commit: Commit) -> dict[str, float]:
    """Where the seconds of a turn went: the parts of its slowest worker, for which it waited, and beside: exchange, start, commit."""
    dones = [commit.dones[shard] for shard in commit.ran]
    slowest = max((done.seconds for done in dones), key=lambda seconds: sum(seconds.values()), default={})
    return {part: slowest.get(part, 0.0) for part in ("opening", "crawling", "telling")} | {
        "beside": max(0.0, commit.seconds - sum(slowest.values()))
    }


def text(standing: dict[str, typing.Any]) -> str:
    if standing["turn"] == 0:
        return f"{standing['job']}: {standing['shards']} shards, no turn yet"
    last = standing["lastTurn"]
    flying = standing["shardsInFlight"]
    lines = [
        f"{standing['job']}: {standing['shards']} shards, {standing['turn']} turns, {standing['turnsInFlight']} in flight"
        + (f" with {len(flying)} shards" if flying else ""),
        f"the last turn ended at {standing['endedAt']}{_ago(standing['endedAt'])} and took {standing['seconds']:.1f} s ("
        + ", ".join(f"{part} {seconds:.1f}" for part, seconds in last["seconds"].items())
        + f"): {last['pages']:,} pages of {len(last['shards'])} shards, {last['requests']:,} requests",
        f"{standing['known']:,} URLs known, {standing['queued']:,} queued, {standing['foreign']:,} on their way to other shards; "
        f"{standing['hosts']:,} hosts" + (f"; next due at {standing['nextDue']}" if "nextDue" in standing else ""),
        *_ranking(standing),
        *([f"made anew by their next turn: shards {', '.join(map(str, standing['rebuilding']))}"] if standing["rebuilding"] else []),
        "shards by ending: " + ", ".join(f"{count} {ending}" for ending, count in standing["shardsByEnding"].items()),
        "shard     known    queued   waiting   seconds  ending",
    ]
    for shard in standing["shardStates"]:
        lines.append(
            f"{shard['shard']:>5} {shard['known']:>9,} {shard['queued']:>9,} {shard['waiting']:>9,} {shard['seconds']:>9.1f}  {shard['ending']}"
            + (" (in flight)" if shard["shard"] in flying else "")
        )
    return "\n".join(lines)


def _ago(moment: str) -> str:
    """By this machine's clock; nothing if the driver's was ahead."""
    age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    seconds = int(age.total_seconds())
    if seconds < 0:
        return ""
    for least, unit, divisor in ((172_800, "days", 86_400), (7_200, "hours", 3_600), (120, "minutes", 60)):
        if seconds >= least:
            return f" ({seconds // divisor} {unit} ago)"
    return f" ({seconds} s ago)"


def _ranking(standing: dict[str, typing.Any]) -> list[str]:
    if "rankedAfter" not in standing:
        return []
    ranked = f"popularity of turn {standing['rankedAfter']}" if standing["rankedAfter"] else "no popularity yet"
    return [ranked + ("; links were found since, and the next run ranks them" if standing["hasUnrankedLinks"] else "")]
