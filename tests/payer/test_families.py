"""What a page gives to the wallets of each family of chains: a link, or words what to do."""

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
def test_a_wallet_gets_a_link_that_it_reads_or_the_payer_gets_words(
    payer: Payer, chain: str, scheme: str, words: str
) -> None:
    intent = payer.world.pay(chain, "BASE_MAINNET" if chain != "BASE_MAINNET" else "TRON_MAINNET",
                             token_in=CATALOGUE.tokens[chain, "USDT"].address)  # fmt: skip
    page = payer.page(intent)
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
    # Who is paid is the owner of the address, never a token account of it.
    assert intent.address in told
    assert asked.link == asked.uri
    assert told.startswith(asked.link)


@pytest.mark.parametrize("chain", ["SOLANA_MAINNET", "TRON_MAINNET", "STARKNET_MAINNET"])
@pytest.mark.parametrize("language", ["fr", "es", "pt", "ar"])
def test_the_words_are_the_payers_own(payer: Payer, chain: str, language: str) -> None:
    intent = payer.world.pay(chain, "BASE_MAINNET",
                             token_in=CATALOGUE.tokens[chain, "USDT"].address)  # fmt: skip
    page = payer.page(intent, lang=language)
    assert TRY not in page
    assert TYPE not in page
