"""The Back button through pages with filters and dialogs, and two tabs of one browser."""

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Opener, Site, navigate, wait_until_drawn
from tests.browser.site_api import create_base_intent, deposit, wait_for_status

HEADING = "[data-testid=stMainBlockContainer] h1"


def row_of(page: Page, intent: Any) -> Locator:
    return page.locator("tr", has=page.locator(f'a[href="intent?id={intent["number"]}"]'))


def expect_page(page: Page, heading: str) -> None:
    """The page with this heading alone, drawn completely."""
    expect(page.locator(HEADING)).to_have_text(re.compile(f"^{re.escape(heading)}"))
    wait_until_drawn(page)


def test_back_and_forth_through_pages_with_filters_and_dialogs(opened: Opener, site: Site) -> None:
    paid, waiting = create_base_intent(site), create_base_intent(site)
    deposit(site, paid)
    wait_for_status(site, paid, "COMPLETED")
    page, observed = opened()
    navigate(page, "Payments")
    expect(row_of(page, waiting)).to_be_visible()
    page.get_by_role("radio", name="Completed").click()
    expect(row_of(page, waiting)).to_have_count(0)
    row_of(page, paid).locator("a").first.click()
    expect_page(page, f"Payment #{paid['number']}")
    navigate(page, "Chains")
    page.get_by_role("button", name="Disable chain").click()
    page.get_by_role("dialog").wait_for()
    page.go_back()
    expect_page(page, f"Payment #{paid['number']}")
    expect(page.get_by_role("dialog")).to_have_count(0)
    navigate(page, "Routes")
    navigate(page, "Alerts")
    for _ in range(2):
        page.go_back()
        expect_page(page, "Routes")
        page.go_back()
        expect_page(page, f"Payment #{paid['number']}")
        expect(page.get_by_text("Completed").first).to_be_visible()
        page.go_back()
        expect_page(page, "Payments")
        expect(row_of(page, paid)).to_contain_text("Completed")
        expect(row_of(page, waiting)).to_have_count(0)
        expect(page.get_by_role("radio", name="Completed")).to_be_checked()
        for heading in (f"Payment #{paid['number']}", "Routes", "Alerts"):
            page.go_forward()
            expect_page(page, heading)
    assert observed.errors == []


def test_quick_steps_back_end_on_the_right_page(opened: Opener) -> None:
    page, observed = opened()
    for name in ("Payments", "Quotes", "Routes", "Chains", "Alerts"):
        navigate(page, name)
    page.evaluate("() => { for (let step = 0; step < 4; step++) history.back() }")
    expect_page(page, "Payments")
    expect(page.locator("table").first).to_be_visible()
    assert observed.errors == []


@pytest.fixture
def two_tabs(warm_context: BrowserContext, opened: Opener, site: Site) -> tuple[Page, Page]:
    first, _ = opened("chains")
    second = warm_context.new_page()
    second.goto(f"{site.url}/chains")
    expect_page(second, "Chains")
    return first, second


def test_what_is_done_in_one_tab_shows_in_the_other(two_tabs: tuple[Page, Page]) -> None:
    first, second = two_tabs
    first.bring_to_front()
    first.get_by_role("button", name="Disable chain").click()
    dialog = first.get_by_role("dialog")
    dialog.get_by_role("textbox").first.fill("maintenance of its node")
    dialog.get_by_role("button", name="Disable", exact=True).click()
    expect(second.get_by_text("maintenance of its node").first).to_be_visible()
    second.bring_to_front()
    second.get_by_role("button", name="Enable", exact=True).click()
    dialog = second.get_by_role("dialog")
    dialog.get_by_role("button", name="Enable", exact=True).click()
    expect(dialog).to_have_count(0)
    for page in two_tabs:
        expect(page.get_by_text("Nothing is disabled.")).to_be_visible()


def expect_mode(page: Page, mode: str) -> None:
    expect(page.locator(".st-key-environment")).to_contain_text(f"{mode} mode")


def test_each_tab_says_which_mode_it_shows(two_tabs: tuple[Page, Page], site: Site) -> None:
    intent = create_base_intent(site)
    first, second = two_tabs
    for page in two_tabs:
        navigate(page, "Payments")
        expect_mode(page, "Test")
    first.bring_to_front()
    first.get_by_role("radio", name="Live", exact=True).click()
    expect_mode(first, "Live")
    expect(row_of(first, intent)).to_have_count(0)
    later = create_base_intent(site)
    expect(row_of(second, later)).to_be_visible()
    expect_mode(second, "Test")
    navigate(second, "Overview")
    expect_mode(second, "Test")
    expect_mode(first, "Live")
    first.bring_to_front()
    first.get_by_role("radio", name="Test", exact=True).click()
    expect(row_of(first, later)).to_be_visible()
