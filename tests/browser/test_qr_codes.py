"""A camera reads the exact payment URI from the QR code of each chain family."""

import pytest
from playwright.sync_api import Browser, Page

from crossway.catalogue import load_catalogue
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.payment_uri import MAX_LABEL_CHARACTERS, payment_uri
from crossway.qr import qr_svg
from tests.browser.conftest import PHONE, new_browser_context, read_qr_codes

CATALOGUE = load_catalogue()
ADDRESSES = {
    "BASE_MAINNET": "0x8e23Ee67D1332Ad560396262C48ffbB01F93d052",
    "SOLANA_MAINNET": "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN",
    "STARKNET_MAINNET": "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "TRON_MAINNET": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
}
KEY = "0x" + "a1" * 32


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Page:
    context = new_browser_context(chromium, PHONE)
    return context.new_page()


@pytest.mark.parametrize("marked", [True, False], ids=["simulated", "real"])
@pytest.mark.parametrize("chain", ADDRESSES)
def test_a_camera_reads_the_qr_code_of_every_chain_family(
    page: Page, chain: str, marked: bool
) -> None:
    source = CATALOGUE.chains[chain]
    for token in CATALOGUE.by_chain[chain][:3]:
        text = payment_uri(
            source, token, ADDRESSES[chain], 123_456_789, KEY, "و" * MAX_LABEL_CHARACTERS
        )
        for mark in ("NO REAL MONEY", SIMULATED) if marked else ("",):
            code = qr_svg(text, "a code", mark)
            # The width on a phone.
            page.set_content(f"<style>svg {{ width: 240px; height: auto }}</style>{code}")
            assert read_qr_codes(page.screenshot()) == [text]
