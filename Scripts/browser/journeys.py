"""What people do on the pages: with a pointer, with the keyboard alone, without script."""
import contextlib
from collections.abc import Callable, Iterator

from browser import Browser, Sheet
from demo import Demo
from playwright.sync_api import Error, expect
from telling import Telling


def run(browser: Browser, demo: Demo, telling: Telling) -> None:
    telling.section("What people do")

    @contextlib.contextmanager
    def journey(what: str, **options) -> Iterator[Sheet]:
        """A proof that holds when its steps can be done, and nothing is complained of on the way."""
        with browser.sheet(**options) as sheet:
            problems: list[str] = []
            try:
                yield sheet
            except (AssertionError, Error) as error:
                problems.append(" ".join(str(error).split())[:600])
            problems += sheet.problems()
            # Pictures that records name are all that a page may load from elsewhere.
            problems += [f"asked elsewhere: {request}" for request in sheet.foreign if not request.startswith("image ")]
            telling.none(problems, what)

    for step in (search, typing, nothing, filters, record, card, refused_card, site, dashboard, without_script, reduced_motion):
        step(journey, demo)


Journey = Callable[..., contextlib.AbstractContextManager[Sheet]]


def search(journey: Journey, demo: Demo) -> None:
    with journey("a search by keyboard alone: suggestions, arrows, Enter; the words are marked in the hits") as sheet:
        page = sheet.go("/?q=mug").page
        page.keyboard.press("/")
        field = page.get_by_role("combobox")
        expect(field).to_be_focused()
        page = sheet.go("/").page
        expect(field).to_be_focused()
        page.keyboard.type("umb", delay=20)
        offers = page.get_by_role("option")
        expect(offers.first).to_be_visible()
        page.keyboard.press("ArrowDown")
        expect(offers.first).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Escape")
        expect(offers).to_have_count(0)
        expect(field).to_have_value("umb")
        page.keyboard.type("r", delay=20)
        expect(offers.first).to_be_visible()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/?q=*")
        expect(page.get_by_role("article").first).to_contain_text("mbrella")
        expect(page.locator("mark").first).to_be_visible()


def typing(journey: Journey, demo: Demo) -> None:
    with journey("the results of a search follow what is typed, and the address with them") as sheet:
        page = sheet.go("/?q=mug").page
        page.evaluate("window.isThisPage = true")
        page.get_by_role("combobox").fill("umbrella")
        expect(page.get_by_role("article").first).to_contain_text("mbrella")
        page.wait_for_url("**/?q=umbrella")
        page.get_by_role("combobox").fill("xyzzyxyzzy")
        expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
        assert page.evaluate("window.isThisPage"), "the page was loaded again"


def nothing(journey: Journey, demo: Demo) -> None:
    with journey("where nothing is found, a filter can be left out") as sheet:
        page = sheet.go("/?q=mug+lang%3Afr").page
        page.get_by_role("link", name="without lang:fr").click()
        page.wait_for_url("**/?q=mug")
        expect(page.get_by_role("article").first).to_contain_text("ug")


def filters(journey: Journey, demo: Demo) -> None:
    with journey("filters narrow a search, and a filter is taken back") as sheet:
        page = sheet.go("/?q=apple").page
        all_hits = page.get_by_role("article").count()
        assert all_hits > 1, f"{all_hits} hits of apple"
        chip = page.locator("a.chip").first
        name = chip.inner_text()
        chip.click()
        page.wait_for_load_state()
        fewer = page.get_by_role("article").count()
        assert 0 < fewer <= all_hits, f"{fewer} hits with {name}, {all_hits} without"
        page.locator("a.chip[aria-current]").first.click()
        page.wait_for_load_state()
        expect(page.get_by_role("article")).to_have_count(all_hits)


def record(journey: Journey, demo: Demo) -> None:
    with journey("a hit leads to its record: fields with sources, deep links, and a way to its report card") as sheet:
        page = sheet.go("/?q=mug").page
        page.get_by_role("link", name="Details").first.click()
        page.wait_for_url("**/record?url=**")
        expect(page.get_by_role("heading", level=1)).to_contain_text("ug")
        expect(page.get_by_role("main")).to_contain_text("deepLinks")
        expect(page.get_by_role("img", name="QR code of the deep link")).to_be_visible()


def card(journey: Journey, demo: Demo) -> None:
    with journey("a report card is made, can be linked, and a reload does not fetch again") as sheet:
        page = sheet.go("/card").page
        page.get_by_label("Address of the page").fill(demo.site("shop") + "/products/umbrella.html")
        page.keyboard.press("Enter")
        page.wait_for_url("**/card?id=*")
        expect(page.get_by_role("heading", name="What to fix")).to_be_visible()
        expect(page.get_by_role("heading", name="As a search result")).to_be_visible()
        address, heading = page.url, page.get_by_role("heading", level=1).inner_text()
        page.reload()
        assert page.url == address and page.get_by_role("heading", level=1).inner_text() == heading


def refused_card(journey: Journey, demo: Demo) -> None:
    with journey("what is no page gets a sentence beside the field, which has the focus") as sheet:
        page = sheet.go("/card").page
        sheet.expected = {200, 400}
        page.get_by_label("Address of the page").fill("ftp://example.org/")
        page.keyboard.press("Enter")
        field = page.get_by_label("Address of the page")
        expect(page.get_by_role("alert")).to_contain_text("not an http or https address")
        expect(field).to_be_focused()
        expect(field).to_have_value("ftp://example.org/")


def site(journey: Journey, demo: Demo) -> None:
    with journey("the site report opens its rows by keyboard, and leads to the card of a page and back") as sheet:
        page = sheet.go("/site").page
        row = page.locator("details.row").first
        row.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(row).to_have_attribute("open", "")
        page.locator("a[href^='/site/card']").first.click()
        page.wait_for_url("**/site/card?name=*")
        expect(page.get_by_role("heading", name="What to fix")).to_be_visible()
        page.get_by_role("link", name="Site report").last.click()
        page.wait_for_url("**/site")


def dashboard(journey: Journey, demo: Demo) -> None:
    with journey("the dashboard follows a crawl of another process without a reload, to its end") as sheet:
        page = sheet.go("/crawl").page
        runs = page.locator("table.runs tbody tr")
        before = runs.count()
        page.evaluate("window.isThisPage = true")
        crawl = demo.crawl()
        try:
            expect(page.get_by_role("status").first).to_contain_text("A run goes on")
            expect(runs).to_have_count(before + 1)
        finally:
            crawl.wait(120)
        expect(page.get_by_role("status").first).to_contain_text("No run goes on")
        expect(page.get_by_role("img", name="Pages a second")).to_be_visible()
        assert page.evaluate("window.isThisPage"), "the page was loaded again"


def without_script(journey: Journey, demo: Demo) -> None:
    with journey("without script, search, record, report card, site report and dashboard work", script=False) as sheet:
        page = sheet.go("/").page
        page.locator("input[name=q]").fill("mug")
        page.keyboard.press("Enter")
        page.wait_for_url("**/?q=mug*")
        page.get_by_role("link", name="Details").first.click()
        page.wait_for_url("**/record?url=**")
        sheet.go("/card")
        page.get_by_label("Address of the page").fill(demo.site("pantry") + "/")
        page.get_by_role("button", name="Check").click()
        page.wait_for_url("**/card?id=*")
        expect(page.get_by_role("heading", name="What to fix")).to_be_visible()
        sheet.go("/site")
        expect(page.get_by_role("heading", name="Worst pages")).to_be_visible()
        sheet.go("/crawl")
        page.get_by_role("link", name="Reload").click()
        expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def reduced_motion(journey: Journey, demo: Demo) -> None:
    with journey("nothing moves for those who asked for it", motion=False) as sheet:
        for path in ("/", "/?q=mug", "/site", "/crawl"):
            page = sheet.go(path).page
            moving = page.evaluate(
                "[...document.querySelectorAll('*')].filter((e) => { const s = getComputedStyle(e);"
                " return parseFloat(s.transitionDuration) > 0 || parseFloat(s.animationDuration) > 0; }).length")
            assert moving == 0, f"{moving} elements of {path} may move"
