"""Where a job stands, by its commits."""
import typing

from .job import Job


def status(job: Job) -> dict[str, typing.Any]:
    """As JSON has it."""
    commit = job.last_commit()
    result: dict[str, typing.Any] = {"job": job.files.root, "shards": job.shards, "turn": commit.turn if commit else 0}
    if commit is None:
        return result
    dones = [commit.dones[shard] for shard in sorted(commit.dones)]
    due = sorted(done.next_due for done in dones if done.next_due)
    result |= {
        "endedAt": commit.ended_at,
        "seconds": commit.seconds,
        "known": sum(done.known for done in dones),
        "queued": sum(done.queued for done in dones),
        "foreign": sum(commit.waiting.values()),
        "isIdle": commit.is_idle and len(dones) == job.shards,
        "shardStates": [
            {"shard": done.shard, "known": done.known, "queued": done.queued, "ending": done.ending, "nextDue": done.next_due}
            for done in dones
        ],
    }
    if due:
        result["nextDue"] = due[0]
    if job.settings.links:
        result |= {"rankedAfter": job.last_ranking(), "hasUnrankedLinks": job.has_unranked_links()}
    return result


def text(standing: dict[str, typing.Any]) -> str:
    if standing["turn"] == 0:
        return f"{standing['job']}: {standing['shards']} shards, no turn yet"
    lines = [
        f"{standing['job']}: {standing['shards']} shards, {standing['turn']} turns; the last ended at {standing['endedAt']} "
        f"and took {standing['seconds']:.1f} s",
        f"{standing['known']:,} URLs known, {standing['queued']:,} queued, {standing['foreign']:,} on their way to other shards"
        + (f"; next due at {standing['nextDue']}" if "nextDue" in standing else ""),
        *_ranking(standing),
        "shard     known    queued  ending",
    ]
    for shard in standing["shardStates"]:
        lines.append(f"{shard['shard']:>5} {shard['known']:>9,} {shard['queued']:>9,}  {shard['ending']}")
    return "\n".join(lines)


def _ranking(standing: dict[str, typing.Any]) -> list[str]:
    if "rankedAfter" not in standing:
        return []
    ranked = f"popularity of turn {standing['rankedAfter']}" if standing["rankedAfter"] else "no popularity yet"
    return [ranked + ("; links were found since, and the next run ranks them" if standing["hasUnrankedLinks"] else "")]
