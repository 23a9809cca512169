"""What operators do about alerts, as steps on the screen."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Site, navigate, wait_until_drawn
from tests.browser.site_api import wait_in_quick_time


def alert_strip(page: Page) -> Locator:
    """The alert strip above every page."""
    return page.locator('.host[role="status"]').locator("visible=true").first


def click(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name=name).first.click()


def select_option(page: Page, key: str, name: str) -> None:
    """Select an option once the page is drawn, as its options may change until then."""
    wait_until_drawn(page)
    field = page.locator(f".st-key-{key} input")
    field.click()
    field.fill(name)
    page.get_by_role("option", name=name, exact=True).click()


def confirm_dialog(page: Page, button: str, field: str = "", words: str = "") -> None:
    """Fill in and confirm the dialog of a button."""
    dialog = page.get_by_role("dialog")
    if field:
        dialog.get_by_label(re.compile(field)).fill(words)
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_have_count(0)


def reset_all_faults(page: Page) -> None:
    """Reset all faults on the simulator's page."""
    navigate(page, "Simulator")
    click(page, "Reset all")


def expect_alert(
    site: Site, page: Page, kind: str, words: str, way: str, screen: str, pace: float = 4
) -> None:
    """An alert appears live in the strip and on the list, and the overview links to its next
    step. The service's clock runs meanwhile, by `pace` seconds each time."""
    shown = alert_strip(page).filter(has_text=re.compile(words))
    wait_in_quick_time(site, f"an alert: {words}", shown.count, pace)
    row = page.get_by_role("link", name=re.compile(f"{words}.*{way}"))
    expect(row).to_be_visible()
    expect(row).to_contain_text(kind)
    navigate(page, "Overview")
    expect(alert_strip(page)).to_contain_text(re.compile(words))
    page.get_by_role("link", name=re.compile(f"{kind}: {words}.*{way}")).click()
    heading = page.locator("[data-testid=stMainBlockContainer] h1", has_text=screen)
    expect(heading.first).to_be_visible()


def expect_no_alerts(site: Site, page: Page, pace: float = 4) -> None:
    """No alert is active any more, soon after its cause is gone."""
    shown = alert_strip(page).filter(has_text="No active alerts")
    wait_in_quick_time(site, "no alert is active", shown.count, pace)


def advance_until_no_alerts(site: Site, page: Page) -> None:
    """Advance the clock on the simulator's page, and further until no alert is active."""
    click(page, "Forward 1 h")
    expect_no_alerts(site, page, pace=60)
