"""Alerts link to their next step and are resolved once it is done."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.alert_causes import asked_for, later, misbehave, pay, wallet
from tests.browser.conftest import WIDE, Opener, Site


def hours_later(site: Site) -> None:
    """Past the expiry of everything that is open."""
    later(site, 3_700)


def to_its_remedy(page: Page, words: str) -> None:
    """From the list of alerts to the page of this one's next step."""
    page.get_by_role("link", name=re.compile(words)).first.click()


def none_stands(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/alerts")
    expect(page.get_by_text("Anything that needs attention appears here")).to_be_visible()


def test_a_refund_that_failed_is_sent_again_once_its_confirmation_is_read(
    opened: Opener, site: Site
) -> None:
    back = wallet(0xBAC1)
    intent = asked_for(site, back)
    misbehave(site, refuse=[back])
    pay(site, intent, "10000000")
    page, seen = opened(f"intent?id={intent['id']}", WIDE)
    expect(page.get_by_text("send another 15.").first).to_be_visible()
    hours_later(site)
    page.goto(f"{site.url}/alerts")
    to_its_remedy(page, f"The refund of payment {intent['id']} failed")
    expect(page.get_by_role("heading", name=f"Payment #{intent['id']}")).to_be_visible()
    misbehave(site, accept=[back])
    page.get_by_role("button", name=re.compile(r"Refund 10\.00 USDC to 0x")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("10.00 USDC on Polygon PoS will be refunded to")
    expect(dialog).to_contain_text("cannot be undone")
    expect(page.get_by_text("Already refunded.")).to_have_count(0)
    dialog.get_by_role("button", name=re.compile("^.*Refund 10")).click()
    expect(page.get_by_text("Already refunded.").first).to_be_visible()
    none_stands(page, site)
    assert seen.errors == []


def short_of_stock(site: Site, page: Page) -> None:
    """More is asked for than there is, until it has expired and went back."""
    intent = asked_for(site, wallet(0x570C), "2000000000000")
    pay(site, intent)
    to_its_remedy(page, "The relayer is short of USDC on Avalanche C-Chain")
    expect(page.get_by_role("heading", name="Treasury")).to_be_visible()
    hours_later(site)


def foreign_money(site: Site, page: Page) -> None:
    intent = asked_for(site, wallet(0xF0E1))
    pay(site, intent, "5000000", token="USDT")
    to_its_remedy(page, f"Payment {intent['id']} received an unexpected deposit")
    page.get_by_role("button", name=re.compile("Return unexpected deposit")).click()
    page.get_by_role("dialog").get_by_role("button", name="Return deposit").click()
    expect(page.get_by_text("Returned to the payer").first).to_be_visible()
    hours_later(site)


def silent_chain(site: Site, page: Page) -> None:
    misbehave(site, outageSeconds=3_600)
    to_its_remedy(page, "Polygon PoS does not answer")
    expect(page.get_by_role("heading", name="Chains", exact=True)).to_be_visible()
    expect(page.get_by_text("Not responding").first).to_be_visible()
    page.goto(f"{site.url}/simulator")
    page.get_by_role("button", name="Reset all").click()
    expect(page.get_by_text(re.compile(r"\d changes? reset")).first).to_be_visible()


def strangers_transaction(site: Site, page: Page) -> None:
    """The one kind that only a person can end, with a note."""
    misbehave(site, takeNonce=True)
    pay(site, asked_for(site, wallet(0x0517)))
    to_its_remedy(page, "The relayer's account on Polygon PoS made a transaction")
    expect(page.get_by_role("heading", name="Reconcile")).to_be_visible()
    page.goto(f"{site.url}/alerts")
    page.get_by_role("button", name="Resolve manually").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Note").fill("Moved by hand, as agreed")
    dialog.get_by_role("button", name="Resolve", exact=True).click()
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize(
    "act", [short_of_stock, foreign_money, silent_chain, strangers_transaction]
)
def test_each_kind_of_alert_is_dealt_with_where_it_leads(
    opened: Opener, site: Site, act: Callable[[Site, Page], None]
) -> None:
    page, seen = opened("alerts", WIDE)
    act(site, page)
    none_stands(page, site)
    assert seen.errors == []
