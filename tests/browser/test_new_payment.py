"""A returning merchant creates a payment, hands on its link and sees that it was paid."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from crossway.domain.money import format_units
from tests.browser.conftest import Opener, Site, navigate, wait_until_drawn
from tests.browser.site_api import wait_in_quick_time

_READY = re.compile(r"Payment #\d+ is ready")
_CREATE = re.compile(r"^Create a payment of")


def _create(page: Page) -> None:
    page.get_by_role("button", name=_CREATE).click()
    expect(page.get_by_text(_READY)).to_be_visible()
    wait_until_drawn(page)


def test_a_returning_merchant_needs_three_clicks(opened: Opener, site: Site) -> None:
    page, observed = opened("new_intent")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    recipient = page.get_by_role("textbox", name="Recipient address")
    page.get_by_role("button", name="Use example addresses").click()
    # Not any address: the form begins with the recipient that another test used last.
    shop = "0x88FEa0aEB85786aE1bfcFD451Ba5Cb3B3A9295Ed"
    expect(recipient).to_have_value(shop)
    _create(page)

    navigate(page, "Overview")
    page.get_by_role("link", name="New payment").last.click()  # 1
    expect(page.get_by_role("textbox", name="Recipient gets")).to_be_focused()
    expect(recipient).to_have_value(shop)
    wait_until_drawn(page)
    page.keyboard.type("1,000.50")
    page.get_by_role("button", name=_CREATE).click()  # 2
    expect(page.get_by_text(_READY)).to_be_visible()
    page.get_by_role("button", name="Copy link").click()  # 3
    expect(page.get_by_text("Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    made = site.read("/intents?limit=1")["intents"][0]
    assert made["recipient"] == shop
    assert made["initialAmount"] == "1000500000"
    assert urlsplit(copied).path.startswith("/pay/")
    wait_until_drawn(page)

    created_at = page.url
    page.reload()
    expect(page.get_by_text(_READY)).to_be_visible()
    assert page.url == created_at
    wait_until_drawn(page)
    page.go_back()
    expect(page.get_by_role("button", name=_CREATE)).to_be_visible()
    wait_until_drawn(page)
    page.go_forward()
    expect(page.get_by_text(_READY)).to_be_visible()
    assert observed.errors == []


def test_the_sheet_has_what_the_payer_needs_on_paper(opened: Opener, site: Site) -> None:
    page, _ = opened("new_intent")
    page.get_by_role("button", name="Use example addresses").click()
    wait_until_drawn(page)
    _create(page)
    with page.context.expect_page() as opening:
        page.get_by_role("link", name="Print").click()
    sheet = opening.value
    made = site.read("/intents?limit=1")["intents"][0]
    text = sheet.locator("main").inner_text()
    assert made["intent_address"] in text
    assert format_units(int(made["total_amount_in_asset_token"]), 6) in text
    # The form begins with the chain of the latest payment of this site.
    network = {"ARBITRUM_MAINNET": "Arbitrum One", "BASE_MAINNET": "Base"}[made["source_chain"]]
    for said in (f"Only USDC on {network}", "Pay by", "Simulated: no real money"):
        assert said in text
    expect(sheet.locator("main svg")).to_be_visible()
    wait_in_quick_time(site, "the sheet can be printed", sheet.locator("[data-print]").is_visible)
