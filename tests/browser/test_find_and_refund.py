"""Finding a payment by any identifier, and returning its money after confirmation."""

import csv
import io
import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Opener, Site, navigate, open_palette
from tests.browser.site_api import (
    WALLET,
    create_base_intent,
    deposit,
    wait_for_status,
    wait_in_quick_time,
)


def find(page: Page, text: str) -> None:
    """Search by keyboard, and open the first match."""
    open_palette(page, text).press("Enter")


def test_a_payment_is_found_by_each_kind_of_identifier(opened: Opener, site: Site) -> None:
    create_base_intent(site, metadata={"reference": "SHOES-0"})
    intent = create_base_intent(site, metadata={"reference": "SHOES-1"})
    sent = deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")
    payout = site.read(f"/intents/{intent['id']}")["tx_hash"]
    page, observed = opened("keys")
    title = page.get_by_role("heading", name=f"Payment #{intent['number']}", exact=True)
    for text in (
        str(intent["id"]),
        intent["intent_address"].lower(),
        sent["txHash"],
        f"https://arbiscan.io/tx/{payout}",
        "shoes-1",
    ):
        find(page, text)
        expect(title, text).to_be_visible()
        navigate(page, "API keys")
    open_palette(page, WALLET)
    page.get_by_role("option", name="All results for").click()
    expect(page.get_by_role("heading", name="Search")).to_be_visible()
    expect(page.get_by_text("Recipient address").first).to_be_visible()
    find(page, "0x" + "7" * 64)
    expect(page.get_by_text("No results for")).to_be_visible()
    assert observed.errors == []


def test_leaving_a_page_while_payments_change_leaves_no_remains(opened: Opener, site: Site) -> None:
    """A live fragment of the previous page must not draw on the next one."""
    page, observed = opened("intents")
    for turn in range(4):
        intent = create_base_intent(site, metadata={"reference": f"LEFT-{turn}"})
        deposit(site, intent)
        find(page, str(intent["id"]))
        title = page.get_by_role("heading", name=f"Payment #{intent['number']}", exact=True)
        expect(title).to_be_visible()
        navigate(page, ("API keys", "Payments")[turn % 2])
    assert observed.errors == []


def test_an_unexpected_deposit_is_returned_after_confirmation(opened: Opener, site: Site) -> None:
    intent = create_base_intent(site, metadata={"reference": "SHOES-2"})
    deposit(site, intent, "5000000", token="EURC")
    page, observed = opened(f"intent?id={intent['number']}")
    page.get_by_role("button", name=re.compile("^undo Return unexpected|^Return unexpected")).or_(
        page.get_by_role("button", name=re.compile("Return unexpected deposit"))
    ).first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("5.00 EURC on Base")
    expect(dialog).to_contain_text(WALLET)
    expect(dialog).to_contain_text("cannot be undone")
    dialog.get_by_role("button", name="Return deposit").click()
    returned = page.get_by_text("Returned to the payer").first
    wait_in_quick_time(site, "it is returned", returned.is_visible)
    page.get_by_label("Internal note").fill("The payer was told.")
    page.get_by_role("button", name=re.compile("Add note")).click()
    expect(page.get_by_text("The payer was told.").first).to_be_visible()
    assert observed.errors == []


def test_the_export_contains_the_filtered_payments(opened: Opener, site: Site) -> None:
    intent = create_base_intent(site, metadata={"reference": "SHOES-3"})
    page, observed = opened("intents?all=reference:shoes-3")
    expect(page.get_by_text("1 payment.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Export as CSV")).click()
    lines = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    assert [line["id"] for line in lines] == [str(intent["id"])]
    assert observed.errors == []
