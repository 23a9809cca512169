"""A camera reads from each family's code the very text that wallets are to get."""

import pytest
from playwright.sync_api import Browser, Page

from crossway.catalogue import load
from crossway.dashboard.components.qr import qr_svg as dashboard_code
from crossway.domain.payment_uri import LABEL_LETTERS, payment_uri
from crossway.payer.qr import qr_svg as payer_code
from tests.browser.conftest import PHONE, codes_in, window

CATALOGUE = load()
ADDRESSES = {
    "BASE_MAINNET": "0x8e23Ee67D1332Ad560396262C48ffbB01F93d052",
    "SOLANA_MAINNET": "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN",
    "STARKNET_MAINNET": "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "TRON_MAINNET": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
}
KEY = "0x" + "a1" * 32


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Page:
    context = window(chromium, PHONE)
    return context.new_page()


@pytest.mark.parametrize("marked", [True, False], ids=["simulated", "real"])
@pytest.mark.parametrize("chain", ADDRESSES)
def test_the_code_of_every_family_is_read_back(page: Page, chain: str, marked: bool) -> None:
    found = CATALOGUE.chains[chain]
    for token in CATALOGUE.by_chain[chain][:3]:
        text = payment_uri(found, token, ADDRESSES[chain], 123_456_789, KEY, "و" * LABEL_LETTERS)
        for drawn in (
            payer_code(text, "a code", "NO REAL MONEY" if marked else ""),
            dashboard_code(text, marked),
        ):
            # As wide as a phone shows it.
            page.set_content(f"<style>svg {{ width: 240px; height: auto }}</style>{drawn}")
            assert codes_in(page.screenshot()) == [text]
