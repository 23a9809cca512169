"""The catalogue's data: complete, unique, and every address valid on its chain."""

import tomllib
from importlib.resources import files

import pytest

from crossway.adapters.chains.addresses import canonical_address
from crossway.catalogue import load_catalogue, reference_prices
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_there_are_21_chains_39_symbols_and_264_pairs(catalogue: Catalogue) -> None:
    assert len(catalogue.chains) == 21
    assert len(set(catalogue.symbols)) == len(catalogue.symbols) == 39
    assert len(catalogue.tokens) == 264


def test_chain_names_and_caip2_identifiers_are_unique(catalogue: Catalogue) -> None:
    chains = catalogue.chains.values()
    assert len({chain.name for chain in chains}) == len({chain.caip2 for chain in chains}) == 21


def test_every_token_address_is_in_its_chains_canonical_form(catalogue: Catalogue) -> None:
    for token in catalogue.tokens.values():
        kind = catalogue.chains[token.chain].kind
        assert canonical_address(kind, token.address) == token.address, token


def test_every_symbol_has_a_chain_and_every_chain_has_usdc(catalogue: Catalogue) -> None:
    assert {symbol for _, symbol in catalogue.tokens} == set(catalogue.symbols)
    without = {chain for chain in catalogue.chains if (chain, "USDC") not in catalogue.tokens}
    assert without == set()


def test_a_test_network_says_so_in_its_name_and_its_data(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        assert chain.id.endswith("_TESTNET") == chain.testnet


def test_larger_values_never_need_fewer_confirmations(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        tiers = chain.confirmations
        assert 0 < tiers.fast <= tiers.normal <= tiers.large <= tiers.finalized, chain.id


def test_finality_is_well_below_the_lifetime_of_an_intent(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        assert chain.confirmations.finalized * chain.block_time_seconds <= 20 * 60, chain.id


def test_every_chain_has_a_cost_and_explorer_links(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        assert 0 < chain.transfer_cost_micro_usd <= 1_000_000
        assert chain.tx_url("0x1").startswith("https://")
        assert "{" not in chain.tx_url("0x1") + chain.address_url("0x1")


def test_wallets_can_be_told_of_every_evm_chain(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        assert chain.public_rpc.startswith("https://" if chain.kind == "evm" else ""), chain.id
        assert bool(chain.public_rpc) == (chain.kind == "evm"), chain.id


def test_a_test_network_costs_and_waits_like_its_mainnet(catalogue: Catalogue) -> None:
    for chain in catalogue.chains.values():
        main = catalogue.chain(chain.id.removesuffix("_TESTNET").removesuffix("_MAINNET"))
        assert chain.confirmations == main.confirmations
        assert chain.transfer_cost_micro_usd == main.transfer_cost_micro_usd


@pytest.mark.parametrize("chain", ["ARBITRUM", "POLYGON", "MONAD", "HYPEREVM"])
def test_a_contract_with_two_symbols_is_usdt(catalogue: Catalogue, chain: str) -> None:
    usdt0 = catalogue.token(f"{chain}_MAINNET", "USDT0")
    assert catalogue.token_at(f"{chain}_MAINNET", usdt0.address).symbol == "USDT"


def test_no_other_contract_has_two_symbols(catalogue: Catalogue) -> None:
    assert len(catalogue.by_address) == 264 - 4


def disabled(catalogue: Catalogue) -> list[Token]:
    return [token for token in catalogue.tokens.values() if not token.enabled]


def test_deprecated_and_rebasing_tokens_are_disabled_with_a_reason(catalogue: Catalogue) -> None:
    off = disabled(catalogue)
    assert {t.symbol for t in off if t.chain != "TRON_MAINNET"} == {"BUSD", "anyBTC", "stETH"}
    assert {t.symbol for t in off if t.chain == "TRON_MAINNET"} == {"USDC"}
    assert all(token.disabled_reason for token in off)


def test_a_disabled_token_is_rejected_with_its_reason(catalogue: Catalogue) -> None:
    with pytest.raises(InvalidInput, match="no longer issued on TRON"):
        catalogue.token("TRON_MAINNET", "USDC")


def test_every_symbol_has_a_reference_price(catalogue: Catalogue) -> None:
    prices = reference_prices()
    assert tuple(prices) == catalogue.symbols
    assert prices["USDC"].pico_usd == 10**12
    assert {symbol for symbol, price in prices.items() if price.pico_usd == 0} == {"anyBTC"}


def test_a_pyth_feed_is_named_by_32_bytes() -> None:
    feeds = [price.pyth_feed_id for price in reference_prices().values() if price.pyth_feed_id]
    assert all(len(bytes.fromhex(feed.removeprefix("0x"))) == 32 for feed in feeds)


def test_the_depths_of_every_chain_name_their_source() -> None:
    text = files("crossway.catalogue").joinpath("chains.toml").read_text(encoding="utf-8")
    for name, chain in tomllib.loads(text).items():
        source = chain["confirmations_source"]
        assert (source == "As on its mainnet.") == chain.get("testnet", False), name
        assert source.endswith("."), name
