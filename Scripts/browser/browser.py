"""Chromium without a window, and what it complains of."""
import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response, sync_playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
# Violations of the policy are events of the document; they are also written to the console, but not by every browser.
LISTENER = """
window.pippinViolations = [];
document.addEventListener("securitypolicyviolation", (event) =>
    window.pippinViolations.push(`${event.violatedDirective} ${event.blockedURI || event.sourceFile}`));
"""
# Runs from the address of an element; styles that axe needs are no part of the page.
OVERFLOW = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > width + 1);
    return [`the page is ${document.documentElement.scrollWidth} px wide`, ...wide.slice(0, 5).map((e) =>
        `<${e.tagName.toLowerCase()} class="${e.getAttribute("class") ?? ""}"> ends at ${Math.round(e.getBoundingClientRect().right)} px`)];
}"""
# Serious and critical ones fail. The rules are those of WCAG 2.2 A and AA, and axe's good practice.
RUN_AXE = """async () => {
    const result = await axe.run(document, {resultTypes: ["violations"]});
    return result.violations.filter((v) => ["serious", "critical"].includes(v.impact)).flatMap((v) =>
        v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.target.join(" ")} ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message ?? v.help}`));
}"""


class Sheet:
    """A page of the browser that remembers every complaint."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self._origin = page, origin
        self._problems: list[str] = []
        self.foreign: set[str] = set()
        self.expected: set[int] = set()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._problems.append(f"script: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.on("request", self._asked)

    def go(self, path: str, *, status: int = 200) -> "Sheet":
        self.expected = {status}
        response = self.page.goto(self._origin + path, wait_until="load")
        if response is None or response.status != status:
            self._problems.append(f"{path}: status {response and response.status} in place of {status}")
        return self

    def problems(self) -> list[str]:
        """What was complained of since the last time."""
        with contextlib.suppress(Exception):
            self._problems += [f"policy: {text}" for text in self.page.evaluate("window.pippinViolations ?? []")]
        found, self._problems = self._problems, []
        return found

    def overflow(self) -> list[str]:
        return self.page.evaluate(OVERFLOW)

    def axe(self) -> list[str]:
        # By the debugging protocol, which the page's policy does not concern.
        self.page.evaluate(AXE.read_text())
        return self.page.evaluate(RUN_AXE)

    def _console(self, message: ConsoleMessage) -> None:
        # A refused form is answered with a status that the browser writes to its console.
        if message.type == "error" and any(f"status of {status}" in message.text for status in self.expected - {200}):
            return
        # Pictures come from the web as it is.
        url = message.location.get("url", "")
        if message.text.startswith("Failed to load resource") and not url.startswith(self._origin):
            return
        if message.type in ("error", "warning"):
            self._problems.append(f"console: {message.text}")

    def _failed(self, request: Request) -> None:
        # A request of the page that is left behind is aborted.
        if request.url.startswith(self._origin) and request.failure != "net::ERR_ABORTED":
            self._problems.append(f"{request.url}: {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.url.startswith(self._origin) and response.status >= 400 and response.status not in self.expected:
            self._problems.append(f"{response.url}: status {response.status}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self._origin, "data:")):
            self.foreign.add(f"{request.resource_type} {request.url}")


class Browser:
    """The browser while it is entered."""

    def __init__(self, origin: str) -> None:
        self.origin = origin

    def __enter__(self) -> "Browser":
        program = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
        if program is None:
            raise SystemExit(f"none of {', '.join(PROGRAMS)} is in PATH: Scripts/setup.sh test installs one")
        self._playwright = sync_playwright().start()
        # Its sandbox needs user namespaces, which root and many containers do not have. It only sees our own pages.
        arguments = ["--no-sandbox"] if os.getuid() == 0 else []
        self._browser = self._playwright.chromium.launch(executable_path=program, args=arguments)
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._playwright.stop()

    @contextlib.contextmanager
    def sheet(
        self, width: int = 1440, height: int = 900, scheme: str = "light", script: bool = True, motion: bool = True, scale: float = 1,
    ) -> Iterator[Sheet]:
        # The demo's pictures come from hosts with a certificate of its own authority.
        context: BrowserContext = self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, java_script_enabled=script,
            reduced_motion="no-preference" if motion else "reduce", ignore_https_errors=True, device_scale_factor=scale,
            has_touch=width < 500, is_mobile=width < 500, locale="en-US", timezone_id="UTC")
        context.set_default_timeout(20_000)
        if script:
            context.add_init_script(LISTENER)
        try:
            yield Sheet(context.new_page(), self.origin)
        finally:
            context.close()
