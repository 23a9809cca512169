"""Tables that people work with: selecting rows and acting on them, by mouse and by keyboard."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.alert_pages import alert_strip, confirm_dialog
from tests.browser.conftest import PHONE, WIDE, Opener, Site, wait_until_drawn
from tests.browser.site_api import create_intent, inject_faults, wait_in_quick_time, wallet
from tests.processes import wait_until

SILENT = {
    "OPTIMISM_MAINNET": "OP Mainnet",
    "ARBITRUM_MAINNET": "Arbitrum One",
    "AVALANCHE_MAINNET": "Avalanche C-Chain",
}


@pytest.fixture
def silent_chains(site: Site) -> Iterator[None]:
    """Three chains that do not answer: three alerts that stay."""
    for chain in SILENT:
        inject_faults(site, chain, outageSeconds=86_400)
    yield
    for chain in SILENT:
        inject_faults(site, chain, outageSeconds=0)


def wait_for_alerts(site: Site, page: Page) -> None:
    shown = page.locator("tbody tr", has_text="does not answer")
    wait_in_quick_time(site, "three alerts", lambda: shown.count() == len(SILENT))


def box(page: Page, words: str) -> Locator:
    return page.get_by_role("checkbox", name=re.compile(f"Select {words}"))


def bar(page: Page) -> Locator:
    return page.get_by_role("group", name="Selected rows")


def row(page: Page, words: str) -> Locator:
    return page.locator("tbody tr", has_text=words)


def test_selected_alerts_are_acknowledged_at_once(
    opened: Opener, site: Site, silent_chains: None
) -> None:
    page, log = opened("alerts", WIDE)
    wait_for_alerts(site, page)
    expect(bar(page).get_by_role("button")).to_have_count(0)
    box(page, "OP Mainnet").check()
    box(page, "Arbitrum One").check()
    expect(bar(page)).to_contain_text("2 selected")
    # A live update keeps the selection, and what is focused.
    box(page, "Arbitrum One").focus()
    inject_faults(site, "POLYGON_MAINNET", outageSeconds=86_400)
    try:
        polygon = row(page, "Polygon PoS does not answer")
        wait_in_quick_time(site, "a fourth alert", polygon.is_visible)
    finally:
        inject_faults(site, "POLYGON_MAINNET", outageSeconds=0)
    expect(bar(page)).to_contain_text("2 selected")
    expect(box(page, "Arbitrum One")).to_be_focused()
    bar(page).get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("You acknowledged 2 alerts.")).to_be_visible()
    for name in ("OP Mainnet", "Arbitrum One"):
        expect(row(page, f"{name} does not answer")).not_to_contain_text("Unassigned")
    expect(row(page, "Avalanche C-Chain does not answer")).to_contain_text("Unassigned")
    expect(bar(page)).not_to_contain_text("selected")
    expect(box(page, "OP Mainnet")).not_to_be_checked()
    assert log.errors == []


def test_a_snoozed_alert_leaves_the_strip_and_comes_back_by_the_clock(
    opened: Opener, site: Site, silent_chains: None
) -> None:
    page, log = opened("alerts", WIDE)
    wait_for_alerts(site, page)
    page.get_by_role("checkbox", name="Select all rows").check()
    expect(bar(page)).to_contain_text("3 selected")
    bar(page).get_by_role("button", name="Snooze…").click()
    confirm_dialog(page, "Snooze")
    expect(row(page, "OP Mainnet does not answer")).to_contain_text("Snoozed")
    strip = alert_strip(page)
    expect(strip).to_contain_text("No active alerts")
    expect(strip).to_contain_text("3 snoozed")
    wait_in_quick_time(
        site, "it comes back", strip.filter(has_text="does not answer").count, seconds=1_900
    )
    expect(row(page, "OP Mainnet does not answer")).not_to_contain_text("Snoozed")
    assert log.errors == []


def test_rows_are_selected_and_opened_with_the_keyboard(
    opened: Opener, site: Site, silent_chains: None
) -> None:
    page, log = opened("alerts", WIDE)
    wait_for_alerts(site, page)
    links = page.locator("tbody a.open")
    links.nth(0).focus()
    page.keyboard.press("Space")
    expect(bar(page)).to_contain_text("1 selected")
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Shift+ArrowDown")
    expect(bar(page)).to_contain_text("3 selected")
    page.keyboard.press("Space")
    expect(bar(page)).to_contain_text("2 selected")
    # With the mouse, Shift selects the rows between.
    bar(page).get_by_role("button", name="Clear").click()
    boxes = page.locator("tbody input.pick")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(bar(page)).to_contain_text("3 selected")
    links.nth(1).focus()
    page.keyboard.press("Enter")
    heading = page.locator("[data-testid=stMainBlockContainer] h1", has_text="Chains")
    expect(heading).to_be_visible()
    assert log.errors == []


def test_cards_of_a_narrow_screen_are_selected_and_assigned(
    opened: Opener, site: Site, silent_chains: None
) -> None:
    page, log = opened("alerts", PHONE)
    wait_for_alerts(site, page)
    box(page, "OP Mainnet").check()
    bar(page).get_by_role("button", name="Assign").click()
    confirm_dialog(page, "Assign")
    expect(row(page, "OP Mainnet does not answer")).to_contain_text("Not acknowledged yet")
    assert log.errors == []


def headers(page: Page) -> list[str]:
    """The column headers, without the icons of their buttons."""
    texts = page.locator("thead th:not(.pick)").evaluate_all(
        "all => all.map(one => (one.querySelector('.sort') ?? one).firstChild.textContent)"
    )
    return [str(text) for text in texts]


def amounts(page: Page) -> list[str]:
    return page.locator("tbody td[data-title='Amount due'] .text").all_inner_texts()


def test_columns_and_order_are_kept_after_a_reload(opened: Opener, site: Site) -> None:
    for units in ("31000000", "9000000", "120000000"):
        create_intent(site, wallet(0x7AB1E), units)
    page, log = opened("intents", WIDE)
    usual = headers(page)
    menu = page.locator("details.menu summary")
    menu.click()
    refund = page.get_by_role("checkbox", name="Refund address", exact=True)
    refund.check()
    page.get_by_role("checkbox", name="Recipient", exact=True).uncheck()
    changed = [*usual[:4], "Refund address", *usual[5:]]
    wait_until("the columns are shown", lambda: headers(page) == changed)
    expect(refund).to_be_visible()
    menu.press("Escape")
    expect(refund).to_be_hidden()
    page.get_by_role("button", name="Amount due").click()
    note = page.get_by_text("Sorted by Amount due, ascending.")
    expect(note).to_be_visible()
    expect(page.get_by_text("Smallest first, by value before fees.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]sort=amount"))
    assert page.get_by_role("button", name="Amount due").get_attribute("title") == (
        "Sorts the whole list"
    )
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Amount due")
    wait_until_drawn(page)
    page.reload()
    expect(note).to_be_visible()
    assert headers(page) == changed
    shown = [float(text.split()[0].replace(",", "")) for text in amounts(page)]
    assert shown == sorted(shown)
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Usual columns").click()
    wait_until("the usual columns are back", lambda: headers(page) == usual)
    # Ascending, descending, and the usual order again.
    page.get_by_role("button", name="Amount due").click()
    expect(page.get_by_text("Sorted by Amount due, descending")).to_be_visible()
    page.get_by_role("button", name="Amount due").click()
    expect(page.get_by_text("Sorted by")).to_have_count(0)
    expect(page.get_by_text("Newest first.")).to_be_visible()
    expect(page).not_to_have_url(re.compile(r"[?&]sort="))
    # What only the page can be sorted by says so.
    page.get_by_role("button", name="Status").click()
    expect(page.get_by_text("Sorted by Status, ascending, within this page.")).to_be_visible()
    assert page.get_by_role("button", name="Status").get_attribute("title") == "Sorts this page"
    page.locator("[data-key=sort-id]").click()
    expect(page.get_by_text("Oldest first.")).to_be_visible()
    page.locator("[data-key=sort-id]").click()
    page.locator("[data-key=sort-id]").click()
    expect(page.get_by_text("Sorted by")).to_have_count(0)
    assert log.errors == []


def test_selected_payments_are_exported_and_stay_selected_while_others_arrive(
    opened: Opener, site: Site
) -> None:
    chosen = [create_intent(site, wallet(0x7AB1E)) for _ in range(2)]
    page, log = opened("intents", WIDE)
    for intent in chosen:
        box(page, f"Payment {intent['number']},").check()
    arrived = create_intent(site, wallet(0x7AB1E))
    expect(row(page, f"#{arrived['number']}")).to_be_visible()
    expect(bar(page)).to_contain_text("2 selected")
    expect(box(page, f"Payment {chosen[0]['number']},")).to_be_checked()
    with page.expect_download() as download:
        bar(page).get_by_role("link", name="Export as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == 3
    assert {intent["intent_address"] in "".join(lines) for intent in chosen} == {True}
    assert arrived["intent_address"] not in "".join(lines)
    page.get_by_role("radio", name="Pending").click()
    expect(bar(page)).not_to_contain_text("selected")
    assert log.errors == []
