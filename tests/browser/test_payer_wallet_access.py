"""Paying with a wallet by keyboard and screen reader, on a small screen and in every language."""

import pytest
from playwright.sync_api import Browser, Page, expect

from crossway.payer.i18n import LANGUAGES, load_translations
from tests.browser.live_shop import (
    ARBITRUM_ID,
    LiveShop,
    expect_paid,
    expect_state,
    new_wallet,
    paying,
)
from tests.browser.payer_pages import expect_layout_and_accessibility
from tests.browser.wallets import REFUSED

MOST_KEYS = 40
FOCUSED = "document.activeElement?.textContent ?? ''"


def tab_to(page: Page, text: str) -> None:
    """Press the tab key until what has this text has the focus."""
    for _ in range(MOST_KEYS):
        page.keyboard.press("Tab")
        if text in str(page.evaluate(FOCUSED)):
            return
    raise AssertionError(f"{text} is not reached by keyboard")


def test_a_payment_is_made_by_keyboard_and_read_out(chromium: Browser, shop: LiveShop) -> None:
    intent, wallet = shop.ask("keys"), new_wallet(shop, "Keys")
    wallet.errors = {"eth_sendTransaction": REFUSED}
    with paying(chromium, shop.page(intent), wallet) as page:
        spoken = page.get_by_role("status")
        expect(spoken).to_contain_text("Choose a wallet")
        tab_to(page, "Keys")
        # A part arrives, and the page is drawn anew around the keyboard's place.
        shop.world.deposit(intent, 10**6)
        expect(page.get_by_role("heading", level=1)).to_have_text("Partially paid")
        expect(page.get_by_role("button", name="Keys")).to_be_focused()
        page.keyboard.press("Enter")
        expect(spoken).to_contain_text("You have")
        # What comes next has the focus, as the button that was pressed is gone.
        expect(page.get_by_role("button", name="Pay ")).to_be_focused()
        page.keyboard.press("Enter")
        expect(spoken).to_contain_text("You refused it")
        expect(page.locator(".told")).to_be_focused()
        wallet.errors.clear()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Try again")).to_be_focused()
        page.keyboard.press("Enter")
        expect(spoken).to_contain_text("Sent.")
        expect_paid(shop, page, intent)
        expect(spoken).to_have_text("Paid")


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_fits_a_small_screen(chromium: Browser, shop: LiveShop, code: str) -> None:
    intent = shop.ask(f"small {code}")
    # A name without a place to break it, as long as one may be.
    wallet = new_wallet(shop, 40 * "W", chain=ARBITRUM_ID)
    texts = load_translations(code).texts
    facts = {"size": (320, 700), "color_scheme": "dark"}
    with paying(chromium, shop.page(intent, code), wallet, **facts) as page:
        expect(page.locator(".wallets h2")).to_have_text(texts["wallet.title"])
        expect_layout_and_accessibility(page)
        page.locator(".wallet").click()
        expect_state(page, "elsewhere")
        expect_layout_and_accessibility(page)
        page.locator("#wallet_do_switch").click()
        expect_state(page, "ready")
        expect(page.locator(".told")).to_contain_text(texts["wallet.ready"].split("{")[0].strip())
        expect_layout_and_accessibility(page)
        page.emulate_media(media="print")
        expect(page.locator(".wallets")).to_be_hidden()
