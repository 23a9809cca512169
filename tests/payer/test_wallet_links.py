"""Wallet links or instructions on a payment's page, for each chain family."""

import re
from html import unescape

import pytest

from crossway.dashboard.views.payment_request import build_payment_request
from tests.harness import CATALOGUE
from tests.payer.conftest import Payer

READ = "Check them."
TRY = "If yours refuses it, copy the address and the amount instead."
TYPE = "The code contains only the address: enter the amount yourself."


@pytest.mark.parametrize(
    ("chain", "scheme", "words"),
    [
        ("BASE_MAINNET", "ethereum:", READ),
        ("SOLANA_MAINNET", "solana:", TRY),
        ("TRON_MAINNET", "", TYPE),
        ("STARKNET_MAINNET", "", TYPE),
    ],
)
def test_each_chain_family_has_a_wallet_link_or_instructions(
    payer: Payer, chain: str, scheme: str, words: str
) -> None:
    intent = payer.world.create_intent(
        chain,
        "BASE_MAINNET" if chain != "BASE_MAINNET" else "TRON_MAINNET",
        token_in=CATALOGUE.tokens[chain, "USDT"].address,
    )
    page = payer.get_page(intent)
    link = re.search(r'id="wallet" href="([^"]+)"', page)
    asked = build_payment_request(payer.world.services.catalogue, intent)
    assert words in page
    if not scheme:
        assert link is None
        assert (asked.link, asked.uri) == ("", intent.address)
        assert "enter the amount yourself" in asked.hint
        return
    assert link is not None
    told = unescape(link.group(1))
    assert told.startswith(scheme)
    # The recipient is the owner address, never its token account.
    assert intent.address in told
    assert asked.link == asked.uri
    assert told.startswith(asked.link)


@pytest.mark.parametrize("chain", ["SOLANA_MAINNET", "TRON_MAINNET", "STARKNET_MAINNET"])
@pytest.mark.parametrize("language", ["fr", "es", "pt", "ar"])
def test_instructions_are_in_the_payers_language(payer: Payer, chain: str, language: str) -> None:
    intent = payer.world.create_intent(
        chain, "BASE_MAINNET", token_in=CATALOGUE.tokens[chain, "USDT"].address
    )
    page = payer.get_page(intent, lang=language)
    assert TRY not in page
    assert TYPE not in page
