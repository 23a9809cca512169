"""Books that differ from the chains raise an alert, which is resolved by booking the difference."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.alert_pages import click, confirm_dialog, expect_alert, expect_no_alerts
from tests.browser.conftest import WIDE, Opener, Site, navigate, running_site
from tests.browser.site_api import inject_faults


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of its own, as its books are changed."""
    with running_site(tmp_path_factory.mktemp("books")) as running:
        yield running


def reconcile(page: Page, verdict: str) -> None:
    click(page, "Reconcile now")
    expect(page.get_by_text(verdict).first).to_be_visible()


def test_inventory_added_without_a_posting_is_an_alert_until_it_is_booked(
    opened: Opener, site: Site
) -> None:
    page, observed = opened("alerts", WIDE)
    expect(page.get_by_text("Anything that needs attention appears here")).to_be_visible()
    navigate(page, "Reconcile")
    reconcile(page, "The books and the chains agree")
    run = page.locator("a.open[aria-label$='Run 1']")
    # A screen reader and speech input know a link by what it shows.
    assert (run.get_attribute("aria-label") or "").startswith(run.locator("time").inner_text())
    inject_faults(site, balances={"relayer": {"USDC": "5000000000000"}})
    reconcile(page, "1 difference to review")
    navigate(page, "Alerts")
    words = "Books and chains differ in 1 place"
    expect_alert(
        site,
        page,
        "Books and chains differ",
        words,
        "Review all differences: Reconcile",
        "Reconcile",
    )
    click(page, "Book as added")
    confirm_dialog(page, "Book", "Who and why", "The treasurer, as agreed")
    reconcile(page, "The books and the chains agree")
    expect_no_alerts(site, page)
    assert observed.errors == []
