"""Alerts link to their next step and are resolved once it is done; a lack of inventory in
`test_operator_tasks`."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WIDE, Opener, Site
from tests.browser.site_api import (
    advance_clock,
    create_intent,
    deposit,
    inject_faults,
    wait_in_quick_time,
    wallet,
)


def pass_expiry(site: Site) -> None:
    """Advance the clock beyond the expiry of every open payment."""
    advance_clock(site, 3_700)


def open_next_step(site: Site, page: Page, words: str) -> None:
    """Follow an alert's link to its next step."""
    link = page.get_by_role("link", name=re.compile(words)).first
    wait_in_quick_time(site, f"an alert: {words}", link.is_visible)
    link.click()


def expect_no_active_alerts(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/alerts")
    empty = page.get_by_text("Anything that needs attention appears here")
    wait_in_quick_time(site, "no alert is active", empty.is_visible)


def test_a_failed_refund_is_sent_again_after_confirmation(opened: Opener, site: Site) -> None:
    back = wallet(0xBAC1)
    intent = create_intent(site, back)
    inject_faults(site, refuse=[back])
    deposit(site, intent, "10000000")
    page, observed = opened(f"intent?id={intent['number']}", WIDE)
    asks = page.get_by_text("send another 15.").first
    wait_in_quick_time(site, "the deposit is credited", asks.is_visible)
    pass_expiry(site)
    page.goto(f"{site.url}/alerts")
    open_next_step(site, page, f"The refund of payment {intent['number']} failed")
    expect(page.get_by_role("heading", name=f"Payment #{intent['number']}")).to_be_visible()
    # The alert's next step asks for another address; the refund is sent again to this one.
    elsewhere = page.get_by_role("dialog")
    expect(elsewhere).to_contain_text("New refund address")
    elsewhere.get_by_role("button", name="Close").click()
    expect(elsewhere).to_have_count(0)
    inject_faults(site, accept=[back])
    page.get_by_role("button", name=re.compile(r"Refund 10\.00 USDC to 0x")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("10.00 USDC on Polygon PoS will be refunded to")
    expect(dialog).to_contain_text("cannot be undone")
    expect(page.get_by_text("Already refunded.")).to_have_count(0)
    dialog.get_by_role("button", name=re.compile("^.*Refund 10")).click()
    refunded = page.get_by_text("Already refunded.").first
    wait_in_quick_time(site, "it is refunded", refunded.is_visible)
    expect_no_active_alerts(page, site)
    assert observed.errors == []


def unexpected_deposit(site: Site, page: Page) -> None:
    intent = create_intent(site, wallet(0xF0E1))
    deposit(site, intent, "5000000", token="USDT")
    open_next_step(site, page, f"Payment {intent['number']} received 5.00 USDT instead of USDC")
    page.get_by_role("button", name=re.compile("Return unexpected deposit")).click()
    page.get_by_role("dialog").get_by_role("button", name="Return deposit").click()
    returned = page.get_by_text("Returned to the payer").first
    wait_in_quick_time(site, "it is returned", returned.is_visible)
    pass_expiry(site)


def chain_not_responding(site: Site, page: Page) -> None:
    inject_faults(site, outageSeconds=3_600)
    open_next_step(site, page, "Polygon PoS does not answer")
    expect(page.get_by_role("heading", name="Chains", exact=True)).to_be_visible()
    expect(page.get_by_text("Not responding").first).to_be_visible()
    page.goto(f"{site.url}/simulator")
    page.get_by_role("button", name="Reset all").click()
    expect(page.get_by_text(re.compile(r"\d changes? reset")).first).to_be_visible()


def foreign_transaction(site: Site, page: Page) -> None:
    """The only kind of alert that must be resolved manually, with a note."""
    inject_faults(site, takeNonce=True)
    deposit(site, create_intent(site, wallet(0x0517)))
    open_next_step(site, page, "The relayer's account on Polygon PoS made a transaction")
    expect(page.get_by_role("heading", name="Reconcile")).to_be_visible()
    page.goto(f"{site.url}/alerts")
    page.get_by_role("button", name="Resolve manually").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Note").fill("Moved by hand, as agreed")
    dialog.get_by_role("button", name="Resolve", exact=True).click()
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize("act", [unexpected_deposit, chain_not_responding, foreign_transaction])
def test_each_alert_is_resolved_by_its_next_step(
    opened: Opener, site: Site, act: Callable[[Site, Page], None]
) -> None:
    page, observed = opened("alerts", WIDE)
    act(site, page)
    expect_no_active_alerts(page, site)
    assert observed.errors == []
