"""The main job in a browser: quote, create, scan, pay, and watch it complete without reloading."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opener, Site, read_qr_codes, wait_until_drawn
from tests.browser.site_api import wait_in_quick_time


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
def test_quote_create_scan_pay_and_watch_it_complete(
    opened: Opener, site: Site, size: tuple[int, int]
) -> None:
    page, observed = opened("quotes", size)
    expect(page.get_by_text("Cheapest").first).to_be_visible()

    page.goto(f"{site.url}/new_intent")
    page.get_by_role("button", name="Use example addresses").click()
    create = page.get_by_role("button", name=re.compile(r"^Create a payment of"))
    expect(page.get_by_label("Recipient address")).to_have_value(re.compile("^0x"))
    create.click()
    expect(page.get_by_text(re.compile(r"Payment #\d+ is ready"))).to_be_visible()
    number = re.search(r"Payment #(\d+) is ready", page.content())
    assert number is not None

    intent = site.read("/intents?limit=1")["intents"][0]
    code = page.locator("img[alt*=QR], [data-testid=stImage] img, svg[role=img]").first
    code.scroll_into_view_if_needed()
    wait_until_drawn(page)
    read = read_qr_codes(page.screenshot())
    assert len(read) == 1, read
    assert intent["intent_address"] in read[0]
    assert intent["total_amount_in_asset_token"] in read[0]

    page.get_by_role("link", name=re.compile("View this payment")).click()
    expect(page.get_by_role("heading", name=re.compile(r"Payment #"))).to_be_visible()
    reloads: list[str] = []
    page.on("framenavigated", lambda frame: reloads.append(frame.url))
    page.get_by_role("button", name=re.compile(r"^Deposit [0-9.]+ USDC")).first.click()
    paid = page.get_by_text("Recipient paid").locator("visible=true").first
    wait_in_quick_time(site, "the recipient is paid", paid.is_visible)
    expect(page.get_by_text("Completed").locator("visible=true").first).to_be_visible()
    assert reloads == []
    assert site.read(f"/intents/{intent['id']}")["intent_status"] == "COMPLETED"
    assert [
        url for url in observed.requests if not url.startswith((site.url, "data:", "blob:"))
    ] == []
    assert observed.errors == []
