"""The links of a simulated transaction lead in place to its page, and back."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener, Site
from tests.browser.site_api import create_base_intent, deposit, wait_for_status


def test_a_transaction_of_a_payment_opens_in_place(opened: Opener, site: Site) -> None:
    intent = create_base_intent(site, metadata={"reference": "EXPLORED"})
    sent = deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")
    page, observed = opened(f"intent?id={intent['number']}&tab=Advanced")
    title = page.get_by_role("heading", name=f"Payment #{intent['number']}", exact=True)
    links = page.get_by_role("link", name="Open the page of this transaction")
    expect(links.first).to_be_visible()
    page.locator(f"a[href*='{sent['txHash']}']").first.click()
    shown = f"{sent['txHash'][:6]}…{sent['txHash'][-4:]}"
    expect(page.get_by_role("heading", name=f"Transaction {shown}")).to_be_visible()
    expect(page.get_by_text("Success").first).to_be_visible()
    assert len(page.context.pages) == 1
    payment = page.get_by_role("link", name=f"Payment #{intent['number']}")
    expect(payment.first).to_be_visible()
    page.get_by_role("link", name="Open the page of this address").first.click()
    expect(page.get_by_role("heading", name="Address 0x")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(title).to_be_visible()
    assert observed.errors == []
