"""How things end that go wrong, with the exit codes of `pippin`."""
import re
import typing

#: Wrong usage, configuration or protocol; another shards.json.
USAGE: typing.Final = 2
#: Stopped by a signal; can be continued.
STOPPED: typing.Final = 5
#: Disk or database trouble.
DISK: typing.Final = 6
#: Another driver has the job, or another process a shard's storage.
HELD: typing.Final = 7
INTERNAL: typing.Final = 70

_LONGEST_SENTENCE: typing.Final = 1000


def sentence(error: BaseException) -> str:
    """The first cause in an error of Spark, which otherwise comes with hundreds of lines of Java."""
    lines = str(error).splitlines()
    causes = [line.strip().removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    words = next((line.strip() for line in lines if line.strip()), type(error).__name__)
    if causes and causes[-1] not in words:
        words = f"{words.rstrip('.: ')}: {causes[-1]}"
    return words[:_LONGEST_SENTENCE].rstrip(".") + "."


class Trouble(Exception):
    """Ends the program with one sentence and an exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class WorkerTrouble(Exception):
    """A worker did not finish its turn. Raised in executors; the driver finds its words again in Spark's error (`found_in`)."""

    def __init__(self, shard: int, status: int | None, reason: str) -> None:
        self.shard = shard
        self.status = status
        self.reason = reason
        code = "none" if status is None else str(status)
        super().__init__(f"[shard {shard} status {code}] {reason}")

    def __reduce__(self) -> tuple[type["WorkerTrouble"], tuple[int, int | None, str]]:
        return WorkerTrouble, (self.shard, self.status, self.reason)

    @staticmethod
    def found_in(text: str) -> "WorkerTrouble | None":
        found = re.search(r"\[shard (\d+) status (none|-?\d+)\] ([^\n]*)", text)
        if found is None:
            return None
        status = None if found[2] == "none" else int(found[2])
        return WorkerTrouble(int(found[1]), status, found[3])

    @property
    def trouble(self) -> Trouble:
        """The same for the person at the driver."""
        code = self.status if self.status in (USAGE, STOPPED, DISK, HELD) else INTERNAL
        return Trouble(f"shard {self.shard}: {self.reason}", code or INTERNAL)
