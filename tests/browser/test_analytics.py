"""Analytics in a browser: a chart leads to the payments behind it, and is exported and printed."""

import csv
import io
import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Opener, Site, wait_until_drawn
from tests.browser.site_api import complete_payment
from tests.processes import wait_until


def completed_payments(page: Page) -> int:
    """The completed payments that the page counts."""
    counts = page.locator(".st-key-analytics_kpis .delta", has_text=re.compile(r"\d of \d"))
    if not counts.count():
        return 0
    return int(counts.inner_text().partition(" of ")[0].split()[-1].replace(",", ""))


def open_counted(opened: Opener, site: Site, query: str) -> Page:
    """The page once a completed payment is counted."""
    page, _ = opened(f"analytics?{query}")

    def is_counted() -> bool:
        if completed_payments(page):
            return True
        page.reload()
        page.get_by_role("heading", name="Analytics").wait_for()
        wait_until_drawn(page)
        return False

    wait_until("a completed payment is counted", is_counted)
    return page


def click_mark(chart: Locator) -> None:
    """Click the longest bar of a chart."""
    marks = chart.locator(".bars .point path")
    marks.first.wait_for(state="attached")
    chart.scroll_into_view_if_needed()
    boxes = [box for mark in marks.all() if (box := mark.bounding_box())]
    box = max(boxes, key=lambda of: of["width"] * of["height"])
    # Plotly finds the mark under the pointer while it moves.
    chart.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(chart.locator(".hoverlayer .hovertext").first).to_be_visible()
    chart.page.mouse.down()
    chart.page.mouse.up()


def test_a_bar_leads_to_the_payments_behind_it(opened: Opener, site: Site) -> None:
    complete_payment(site)

    def list_agrees() -> bool:
        """The report is up to 15 s older than the list, which has newer payments too."""
        page = open_counted(opened, site, "period=24h&group=route&all=state:COMPLETED")
        counted = completed_payments(page)
        click_mark(page.locator("[class*=st-key-analytics_groups_chart]"))
        link = page.get_by_role("link", name=re.compile("^Show the .*payments?"))
        link.wait_for()
        shown = re.search(r"Show the (\d+) payments", link.inner_text())
        payments = int(shown[1]) if shown else 1
        assert payments <= counted
        link.click()
        expect(page.get_by_role("heading", name="Payments", exact=True)).to_be_visible()
        wait_until_drawn(page)
        caption = page.locator(".st-key-intents .tools div.quiet").inner_text()
        listed = int(caption.split()[0].replace(",", ""))
        assert listed >= payments
        return listed == payments

    wait_until("the list has the payments of the report", list_agrees)


def test_the_groups_are_downloaded_and_printed(opened: Opener, site: Site) -> None:
    complete_payment(site)
    page = open_counted(opened, site, "period=24h&group=status")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Export as CSV").click()
    [row] = [
        row
        for row in csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8")))
        if row["group"] == "COMPLETED"
    ]
    assert int(row["payments"]) >= 1
    with page.context.expect_page() as printed:
        page.get_by_role("link", name="Printable page").click()
    paper, errors = printed.value, list[str]()
    paper.on("pageerror", lambda error: errors.append(str(error)))
    expect(paper.locator("[data-chart] svg.main-svg").first).to_be_visible()
    expect(paper.get_by_text("Figures up to")).to_be_visible()
    assert errors == []


def test_charts_fit_a_phone(opened: Opener, site: Site) -> None:
    complete_payment(site)
    open_counted(opened, site, "period=24h")
    page, observed = opened("analytics?period=24h", PHONE, "dark")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert observed.errors == []
