"""Where is the money: found by whatever one has in hand, given back after reading what is sent."""

import csv
import io
import re
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, Site, settled
from tests.processes import wait_until

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
PAYER = "0x52908400098527886E0F7030069857D2E4169EE7"


def posted(site: Site, path: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {site.key}"}
    answer = httpx.post(f"{site.url}/api/v1{path}", headers=headers, json=body, timeout=30)
    return answer.raise_for_status().json()


def made(site: Site, reference: str) -> Any:
    return posted(
        site, "/intents",
        {"amount": "25000000", "source_chain": BASE, "destination_chain": ARBITRUM,
         "tokenIn": USDC, "recipient": PAYER, "refund_address": PAYER,
         "metadata": {"reference": reference}},
    )  # fmt: skip


def stands(site: Site, intent: Any) -> str:
    return str(site.read(f"/intents/{intent['id']}")["intent_status"])


def find(page: Page, text: str) -> None:
    """By the keyboard alone, once the screen listens to it."""
    box = page.get_by_placeholder(re.compile("^Search: "))
    box.wait_for()
    settled(page)

    def reached() -> bool:
        if box.evaluate("node => node === document.activeElement"):
            return True
        page.keyboard.press("/")
        return False

    wait_until("the search box has the focus", reached)
    box.fill(text)
    expect(box).to_have_value(text)
    box.press("Enter")


def test_a_payment_is_found_by_each_kind_of_identifier(opened: Opener, site: Site) -> None:
    made(site, "SHOES-0")
    intent = made(site, "SHOES-1")
    sent = posted(
        site, "/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"}
    )
    wait_until("it is paid", lambda: stands(site, intent) == "COMPLETED")
    payout = site.read(f"/intents/{intent['id']}")["tx_hash"]
    page, seen = opened("keys")
    title = page.get_by_role("heading", name=f"Payment #{intent['id']}", exact=True)
    for text in (
        str(intent["id"]),
        intent["intent_address"].lower(),
        sent["txHash"],
        f"https://arbiscan.io/tx/{payout}",
        "shoes-1",
    ):
        find(page, text)
        expect(title, text).to_be_visible()
        page.goto(f"{site.url}/keys")
        page.get_by_role("heading", name="API keys").first.wait_for()
    find(page, PAYER)
    expect(page.get_by_role("heading", name="Search")).to_be_visible()
    expect(page.get_by_text("Recipient address").first).to_be_visible()
    find(page, "0x" + "7" * 64)
    expect(page.get_by_text("No results for")).to_be_visible()
    assert seen.errors == []


def test_a_screen_is_left_whole_while_payments_change_on_it(opened: Opener, site: Site) -> None:
    """What a live part of the screen that is left still draws must not fall on the next one."""
    page, seen = opened("intents")
    for turn in range(6):
        intent = made(site, f"LEFT-{turn}")
        posted(site, "/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
        find(page, str(intent["id"]))
        title = page.get_by_role("heading", name=f"Payment #{intent['id']}", exact=True)
        expect(title).to_be_visible()
        page.goto(f"{site.url}/{('keys', 'intents')[turn % 2]}")
        page.locator("[data-testid=stMainBlockContainer] h1").first.wait_for()
    assert seen.errors == []


def test_foreign_money_goes_back_once_the_confirmation_is_read(opened: Opener, site: Site) -> None:
    intent = made(site, "SHOES-2")
    wrong = {"address": intent["intent_address"], "amount": "5000000", "token": "EURC"}
    posted(site, "/sandbox/deposits", wrong)
    page, seen = opened(f"intent?id={intent['id']}")
    page.get_by_role("button", name=re.compile("^undo Return unexpected|^Return unexpected")).or_(
        page.get_by_role("button", name=re.compile("Return unexpected deposit"))
    ).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("5.00 EURC on Base")
    expect(dialog).to_contain_text(PAYER)
    expect(dialog).to_contain_text("cannot be undone")
    dialog.get_by_role("button", name="Return deposit").click()
    expect(page.get_by_text("Returned to the payer").first).to_be_visible()
    page.get_by_label("Internal note").fill("The payer was told.")
    page.get_by_role("button", name=re.compile("Add note")).click()
    expect(page.get_by_text("The payer was told.").first).to_be_visible()
    assert seen.errors == []


def test_what_is_filtered_is_what_is_exported(opened: Opener, site: Site) -> None:
    intent = made(site, "SHOES-3")
    page, seen = opened("intents?all=reference:shoes-3")
    expect(page.get_by_text("1 payment.")).to_be_visible()
    with page.expect_download() as kept:
        page.get_by_role("link", name=re.compile("Export as CSV")).click()
    lines = list(csv.DictReader(io.StringIO(kept.value.path().read_text())))
    assert [line["id"] for line in lines] == [str(intent["id"])]
    assert seen.errors == []
