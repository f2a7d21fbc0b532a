"""What the torture says: a line for each proof."""
import sys
import time


class Telling:
    """Counts the proofs that failed."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.proofs = 0
        self._begun = time.monotonic()
        self._section = ""

    def section(self, title: str) -> None:
        self._section = title
        print(f"\n{title}", flush=True)

    def note(self, text: str) -> None:
        print(f"  · {text}", flush=True)

    def check(self, holds: bool, text: str, problems: list[str] | None = None) -> bool:
        """A proof, with what is wrong where it fails."""
        self.proofs += 1
        print(f"  {'✔' if holds else '✘'} {text}", flush=True)
        if not holds:
            self.failures.append(f"{self._section}: {text}")
            for problem in (problems or [])[:8]:
                print(f"      {problem}")
            if problems and len(problems) > 8:
                print(f"      … and {len(problems) - 8} more")
        return holds

    def none(self, problems: list[str], text: str) -> bool:
        """A proof that holds when nothing speaks against it."""
        return self.check(not problems, text, problems)

    def end(self) -> int:
        seconds = time.monotonic() - self._begun
        if self.failures:
            print(f"\n{len(self.failures)} of {self.proofs} proofs failed, after {seconds:.0f} s:", file=sys.stderr)
            for failure in self.failures:
                print(f"✘ {failure}", file=sys.stderr)
            return 1
        print(f"\nAll {self.proofs} proofs hold, after {seconds:.0f} s.")
        return 0
