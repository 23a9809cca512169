"""On-ramp and off-ramp orders in a browser, from quote to completion without reloading."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, WIDE, Opener, Site, read_qr_codes, wait_until_drawn
from tests.browser.site_api import wait_in_quick_time


def open_order(page: Page, site: Site, email: str, provider: str) -> int:
    """Create an order from the quotes page and return its number in the API."""
    field = page.get_by_role("textbox", name="Customer's e-mail (optional)")
    field.fill(email)
    field.press("Enter")
    page.get_by_role("link", name=f"Open an order with {provider}").click()
    expect(page.get_by_role("heading", name="New ramp order")).to_be_visible()
    expect(page.get_by_role("textbox", name="Customer's e-mail")).to_have_value(email)
    page.get_by_role("button", name="Use example values").click()
    expect(page.get_by_role("textbox", name=re.compile("ing wallet$"))).to_have_value(
        re.compile("^0x")
    )
    verdict = page.get_by_text(re.compile("can go ahead now|needs the .* check first")).first
    expect(verdict).to_be_visible()
    wait_until_drawn(page)
    approve = page.get_by_role("button", name="Approve this check")
    if approve.count():
        approve.click()
    expect(page.get_by_text("can go ahead now").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Open an o.*-ramp order: the customer")).click()
    expect(page.get_by_text(re.compile(r"Order #\d+ is open"))).to_be_visible()
    number = re.search(r"Order #(\d+) is open", page.locator("body").inner_text())
    assert number is not None
    page.get_by_role("link", name="View this order").click()
    heading = page.get_by_role("heading", name=f"Ramp order #{number.group(1)}")
    expect(heading).to_be_visible()
    return int(site.read("/ramp/orders?limit=1")["orders"][0]["id"])


def wait_until_completed(page: Page, site: Site, number: int, last_step: str) -> None:
    path = f"/ramp/orders/{number}"
    wait_in_quick_time(site, "it is completed", lambda: site.read(path)["status"] == "COMPLETED")
    for words in (last_step, "Completed"):
        observed = page.get_by_text(words, exact=True).locator("visible=true").first
        expect(observed).to_be_visible()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
def test_an_on_ramp_order_completes(opened: Opener, site: Site, size: tuple[int, int]) -> None:
    page, observed = opened("ramp_quotes", size)
    expect(page.get_by_text("Cheapest").first).to_be_visible()
    number = open_order(page, site, "grace@example.com", "Fonbnk")
    assert "grace" not in page.url
    assert "grace@example.com" not in page.locator("[data-testid=stMain]").inner_text()
    expect(page.get_by_text("Account number").first).to_be_visible()
    reloads: list[str] = []
    page.on("framenavigated", lambda frame: reloads.append(frame.url))
    page.get_by_role("button", name=re.compile("^.*Customer pays [0-9,.]+ NGN")).click()
    wait_until_completed(page, site, number, "Crypto delivered")
    assert reloads == []
    outside = [u for u in observed.requests if not u.startswith((site.url, "data:", "blob:"))]
    assert outside == []
    assert observed.errors == []


def test_an_off_ramp_order_completes(opened: Opener, site: Site) -> None:
    start = "ramp_quotes?start_type=off-ramp&start_currency=KES&start_chain=ARBITRUM_MAINNET"
    page, observed = opened(start)
    expect(page.get_by_text("Cheapest").first).to_be_visible()
    number = open_order(page, site, "otto@example.com", "Yellow Card")
    code = page.locator("[data-testid=stImage] img, svg[role=img]").first
    code.scroll_into_view_if_needed()
    wait_until_drawn(page)
    read = read_qr_codes(page.screenshot())
    order = site.read(f"/ramp/orders/{number}")
    assert len(read) == 1
    assert order["intentAddress"] in read[0]
    page.get_by_role("button", name=re.compile("Customer deposits [0-9.]+ USDC")).click()
    wait_until_completed(page, site, number, "Fiat paid out")
    page.get_by_role("link", name=re.compile("Deposit payment")).click()
    expect(page.get_by_role("heading", name=re.compile("Payment #"))).to_be_visible()
    back = page.get_by_role("link", name=re.compile(r"Ramp order #\d+"))
    expect(back).to_be_visible()
    assert observed.errors == []


def test_an_invalid_value_is_reported_beside_its_field(opened: Opener) -> None:
    page, _ = opened("ramp_order_new")
    page.get_by_role("textbox", name=re.compile("ing wallet$")).press_sequentially("0x12")
    message = page.get_by_text("The address is not an EVM address")
    expect(message).to_be_visible()
