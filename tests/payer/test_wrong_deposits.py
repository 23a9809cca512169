"""Before anything is sent, the page says what happens to each deposit it does not ask for."""

import html
import re

import pytest

from crossway.payer.i18n import DEFAULT_LANGUAGE, LANGUAGES, load_translations
from tests.payer.conftest import Payer

BRIEF_EVM = (
    "Anything else does not count as payment. Another token or another EVM network comes back to "
    "your refund address; from a network of another kind, such as Solana or Tron, nobody can bring "
    "it back."
)
BRIEF_ALONE = (
    "Anything else does not count as payment. Another token comes back to your refund address; "
    "from another network nobody can bring it back."
)


def plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\u00a0", " ")


def fates(page: str) -> dict[str, str]:
    """What happens to each kind of wrong deposit, as the page says it."""
    part = page.split('id="wrong"')[1].split("</details>")[0]
    return {plain(a): plain(b) for a, b in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", part)}


def warning(page: str) -> str:
    return plain(page.split('class="warn"')[1].split("<span>")[1].split("</span>")[0])


def test_each_wrong_deposit_to_an_evm_address_has_its_fate(payer: Payer) -> None:
    intent = payer.world.create_intent()
    page = payer.get_page(intent)
    assert warning(page) == BRIEF_EVM
    told = fates(page)
    assert list(told) == [
        "Less", "More", "Too late", "Another token on Base",
        "The same address on another EVM network", "Any other network", "Very small amounts",
    ]  # fmt: skip
    assert "until 25.06325 USDC have arrived" in told["Less"]
    assert told["Too late"].endswith("We watch the address for 30 days after that.")
    tokens = told["Another token on Base"]
    assert "USDT, DAI, EURC, ETH" in tokens
    assert "USDC" not in tokens
    assert "ask A shop" in tokens
    networks = told["The same address on another EVM network"]
    assert "Arbitrum One" in networks
    assert not re.search(r"Base\b|Solana|Tron|Starknet|Sepolia|Fuji", networks)
    assert "On Solana, Tron, Starknet nobody can: it is lost." in told["Any other network"]
    assert "about $0.01 on Base" in told["Very small amounts"]


def test_an_address_of_a_family_with_one_chain_comes_back_from_no_other(payer: Payer) -> None:
    intent = payer.world.create_intent("SOLANA_MAINNET")
    page = payer.get_page(intent)
    assert warning(page) == BRIEF_ALONE
    told = fates(page)
    assert not any("same address" in kind for kind in told)
    assert "On Ethereum, Tron, Starknet nobody can: it is lost." in told["Any other network"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_that_nobody_reviewed_says_so(payer: Payer, code: str) -> None:
    note = load_translations(code).texts["language.unreviewed"]
    page = html.unescape(payer.get_page(payer.world.create_intent(), code))
    assert ('id="unreviewed"' in page) == (code != DEFAULT_LANGUAGE)
    assert note in page
    assert plain(page).count("{") == 0
