"""The pictures of the README: small, and made anew by `make screenshots`."""
import base64
import pathlib
import urllib.parse

from browser import Browser
from demo import Demo
from telling import Telling

# A picture is read by everyone who opens the README.
MAXIMUM_BYTES = 150_000
WIDTH, HEIGHT = 1180, 820


def run(browser: Browser, demo: Demo, telling: Telling, folder: pathlib.Path) -> None:
    telling.section("Pictures for the README")
    shots = {"search.webp": "/?q=plum", "report-card.webp": ""}
    for name, path in shots.items():
        with browser.sheet(WIDTH, HEIGHT, scale=1.5) as sheet:
            page = sheet.page
            if path:
                sheet.go(path)
            else:
                sheet.go("/card?url=" + urllib.parse.quote(demo.site("shop") + "/products/umbrella.html", safe=""))
                page.get_by_role("button", name="Check").click()
                page.wait_for_url("**/card?id=*")
            page.wait_for_load_state("networkidle")
            shot = page.context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": 80})
            data = base64.b64decode(shot["data"])
            (folder / name).write_bytes(data)
            telling.check(len(data) <= MAXIMUM_BYTES, f"{folder.name}/{name}: {len(data) // 1000} KB")
            telling.none(sheet.problems(), f"nothing is complained of in {name}")
