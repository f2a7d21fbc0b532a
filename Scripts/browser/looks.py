"""How every page looks: at three widths, light and dark. Each is held against axe's rules, and must fit its width."""
import pathlib
import urllib.parse

from browser import Browser, Sheet
from demo import Demo
from telling import Telling

WIDTHS = {390: 844, 768: 1024, 1440: 900}
SCHEMES = ("light", "dark")


def run(browser: Browser, demo: Demo, telling: Telling, folder: pathlib.Path) -> None:
    telling.section("Every page at 390, 768 and 1440 px, light and dark")
    with browser.sheet() as sheet:
        pages = addresses(sheet, demo)
    problems: dict[str, list[str]] = {kind: [] for kind in ("complaints", "overflow", "axe")}
    pictures = 0
    for scheme in SCHEMES:
        for width, height in WIDTHS.items():
            with browser.sheet(width, height, scheme) as sheet:
                for name, (path, status) in pages.items():
                    what = f"{name} at {width} px, {scheme}"
                    sheet.go(path, status=status)
                    problems["overflow"] += [f"{what}: {text}" for text in sheet.overflow()]
                    # Between the smallest and the largest width no other element is shown.
                    if width != 768:
                        problems["axe"] += [f"{what}: {text}" for text in sheet.axe()]
                    picture = sheet.page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                    pictures += len(picture) > 1000
                    problems["complaints"] += [f"{what}: {text}" for text in sheet.problems()]
    telling.none(problems["complaints"], f"{len(pages)} pages load without an error, a violated policy or a failed request")
    telling.none(problems["overflow"], "none of them is wider than the window")
    telling.none(problems["axe"], "axe finds nothing serious: names, roles, contrast of AA, in both schemes")
    telling.check(pictures == len(pages) * len(WIDTHS) * len(SCHEMES), f"{pictures} screenshots are in {folder}")


def addresses(sheet: Sheet, demo: Demo) -> dict[str, tuple[str, int]]:
    """The path of every page, and the status that it has."""
    quoted = urllib.parse.quote(demo.site("shop") + "/products/mug.html", safe="")
    sheet.go("/card")
    sheet.page.get_by_label("Address of the page").fill(demo.site("shop") + "/products/mug.html")
    sheet.page.get_by_role("button", name="Check").click()
    sheet.page.wait_for_url("**/card?id=*")
    card = urllib.parse.urlsplit(sheet.page.url)
    sheet.go("/site")
    worst = sheet.page.locator("a[href^='/site/card']").first.get_attribute("href")
    return {
        "home": ("/", 200),
        "results": ("/?q=mug", 200),
        "many": ("/?q=type%3ARecipe", 200),
        "none": ("/?q=xyzzyxyzzy", 200),
        "none-filtered": ("/?q=mug+lang%3Afr+type%3AProduct", 200),
        "record": (f"/record?url={quoted}", 200),
        "card-form": (f"/card?url={quoted}", 200),
        "card": (f"{card.path}?{card.query}", 200),
        "card-gone": ("/card?id=0", 404),
        "site": ("/site", 200),
        "site-card": (worst, 200),
        "crawl": ("/crawl", 200),
        "missing": ("/nowhere", 404),
    }
