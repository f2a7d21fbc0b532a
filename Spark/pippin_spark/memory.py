"""How much memory this process may still take."""
import contextlib
import pathlib

_CGROUPS = (
    # Version 2, then 1.
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"),
)


def free_bytes() -> int:
    """What the machine has free, or the container if it has less. 0 if the system does not say it."""
    free = _of_machine(pathlib.Path("/proc/meminfo"))
    for limit, used, statistics in _CGROUPS:
        of_group = _of_group(pathlib.Path(limit), pathlib.Path(used), pathlib.Path(statistics))
        free = free if of_group is None else min(free, of_group)
    return free


def _of_machine(file: pathlib.Path) -> int:
    with contextlib.suppress(OSError):
        for line in file.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 0


def _of_group(limit: pathlib.Path, used: pathlib.Path, statistics: pathlib.Path) -> int | None:
    """None if there is no such group, or it has no limit ("max")."""
    # A machine without such groups has no such files.
    with contextlib.suppress(OSError, ValueError):
        most = int(limit.read_text())
        # Files that were read count as used, and are given up when memory is wanted.
        files = (line.split() for line in statistics.read_text().splitlines())
        return max(0, most - int(used.read_text()) + sum(int(count) for name, count in files if name == "inactive_file"))
    return None
