"""The demo of the binary under test: its site, a crawl of it with a report, and the pages of pippin serve."""
import pathlib
import re
import subprocess
import threading


class Demo:
    """Runs `pippin demo --serve` on free ports while it is entered."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path, site: pathlib.Path) -> None:
        self.binary, self.folder, self._site = binary, folder, site
        self.origin = ""
        self._output: list[str] = []

    def __enter__(self) -> "Demo":
        self._process = subprocess.Popen(
            [self.binary, "demo", "--serve", "--serve-port", "0", "--port", "0", "--http-port", "0", "--site", self._site, "--folder", self.folder],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout
        for line in self._process.stdout:
            self._output.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+(?=/)", line):
                self.origin = found[0]
                break
        else:
            raise SystemExit("the demo has not started:\n" + "".join(self._output))
        # Nobody may have to wait for room in the pipe.
        threading.Thread(target=self._drain, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise SystemExit("the demo did not end within 20 s of SIGTERM")

    def _drain(self) -> None:
        for line in self._process.stdout or []:
            self._output.append(line)

    def site(self, host: str) -> str:
        """The origin of a host of the demo site: shop → https://shop.localhost:45093"""
        secure = (self.folder / "ports").read_text().split()[0]
        return f"https://{host}.localhost:{secure}"

    def crawl(self, *flags: str) -> subprocess.Popen[bytes]:
        """A crawl of the demo's job in another process."""
        return subprocess.Popen(
            [self.binary, "crawl", "--config", "crawl-config.yaml", *flags], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
