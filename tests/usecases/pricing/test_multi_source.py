"""Multi-source quotes: complete, sorted, and exact to the smallest unit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossway.adapters.bridges.base import BridgeModel
from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Cctp, Gateway, Rhinofi
from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units, parse_decimal
from crossway.domain.quotes import BridgeName, Comparison
from crossway.usecases.pricing import intent_quotes, multi_source
from crossway.usecases.pricing.priced_request import RequestedRoute
from tests.services import BRIDGES, CATALOGUE, PRICES, KillSwitchStore, address, caller, services

SHOP = caller()
MAINNETS = [chain.id for chain in CATALOGUE.chains.values() if not chain.testnet]


def compare(destination: str = "BASE_MAINNET", amount: str = "25.5", **more: str) -> Comparison:
    return multi_source.quote_multi_source(
        services(), SHOP, destination, amount, address(destination), **more
    )


def test_every_chain_of_the_network_is_a_source_and_the_same_chain_comes_first() -> None:
    comparison = compare()
    assert {option.source for option in comparison.options} == set(MAINNETS)
    assert comparison.excluded == ()
    first, *other_options = comparison.options
    assert (first.source, first.bridge) == ("BASE_MAINNET", None)
    costs = [option.fee_micro_usd for option in other_options]
    assert costs == sorted(costs)
    assert all(option.bridge for option in other_options)
    assert comparison.cheapest == min(comparison.options, key=lambda option: option.total_fee_units)


def test_every_enabled_token_with_a_price_is_a_payment_option_once() -> None:
    offered: dict[str, list[str]] = {}
    for source in compare().options:
        offered.setdefault(source.source, []).extend(o.symbol for o in source.options)
    for chain, symbols in offered.items():
        enabled = [token.symbol for token in CATALOGUE.by_chain[chain] if token.enabled]
        priced = set(PRICES.get_usd_prices(enabled))
        assert sorted(symbols) == sorted(s for s in enabled if s in priced)


def test_each_token_of_a_chain_comes_with_the_cheapest_bridge_that_carries_it() -> None:
    """To USDC on Base from Arbitrum: USDC by CCTP, which is free of gas costs of a burn; USDT, by
    both its names, by rhino.fi, which exchanges it; whatever else must be exchanged only out of
    inventory."""
    from_arbitrum = [o for o in compare().options if o.source == "ARBITRUM_MAINNET"]
    by_bridge = {o.bridge: [paid.symbol for paid in o.options] for o in from_arbitrum}
    assert by_bridge[BridgeName.CCTP] == ["USDC"]
    assert by_bridge[BridgeName.RHINOFI] == ["USDT", "USDT0"]
    assert {"ETH", "WETH", "ARB"} <= set(by_bridge[BridgeName.INVENTORY])
    assert set(by_bridge) == {BridgeName.CCTP, BridgeName.RHINOFI, BridgeName.INVENTORY}


def test_the_same_token_is_carried_by_bridges_and_all_others_come_out_of_inventory() -> None:
    comparison = multi_source.quote_multi_source(
        services(), SHOP, "POLYGON", "0.05", address("POLYGON_MAINNET", "WETH")
    )
    bridges = {(o.source, p.symbol): o.bridge for o in comparison.options for p in o.options}
    assert bridges["ETHEREUM_MAINNET", "WETH"] is BridgeName.ACROSS
    assert bridges["ETHEREUM_MAINNET", "ETH"] is BridgeName.INVENTORY
    assert bridges["ETHEREUM_MAINNET", "USDC"] is BridgeName.INVENTORY
    # Across does not carry WETH from Avalanche.
    assert bridges["AVALANCHE_MAINNET", "WETH"] is BridgeName.INVENTORY


def test_without_inventory_only_what_a_bridge_carries_is_offered_and_the_rest_says_why() -> None:
    real = [bridge for bridge in BRIDGES if bridge.name in ("ACROSS", "CCTP")]
    comparison = multi_source.quote_multi_source(
        services(bridges=real), SHOP, "BASE", "25.5", address("BASE_MAINNET")
    )
    bridged = [option for option in comparison.options if option.bridge]
    assert {(o.bridge, p.symbol) for o in bridged for p in o.options} == {
        (BridgeName.ACROSS, "USDC"),
        (BridgeName.CCTP, "USDC"),
    }
    reasons = {left.subject: left.reason for left in comparison.excluded}
    assert reasons == dict.fromkeys(
        ("SOLANA_MAINNET", "STARKNET_MAINNET", "TRON_MAINNET"), "no bridge serves this route"
    )
    from_base = multi_source.quote_multi_source(
        services(bridges=real), SHOP, "BASE", "1", address("BASE_MAINNET", "DAI")
    )
    reasons = {left.subject: left.reason for left in from_base.excluded}
    assert reasons["AVALANCHE_MAINNET"] == (
        "ACROSS does not carry DAI AVALANCHE_MAINNET -> BASE_MAINNET, CCTP carries USDC only, "
        "ACROSS does not exchange USDC for DAI"
    )


@pytest.mark.parametrize(("bridge", "seconds"), [(Gateway, 1), (Rhinofi, 60)])
def test_a_bridge_that_moves_inventory_asks_to_trust_the_operator(
    bridge: type[BridgeModel], seconds: int
) -> None:
    comparison = multi_source.quote_multi_source(
        services(bridges=[bridge(CATALOGUE)]), SHOP, "BASE", "25.5", address("BASE_MAINNET")
    )
    custody = {o.source: (o.custody, o.trusted_seconds) for o in comparison.options}
    assert custody["ARBITRUM_MAINNET"] == (Custody.OPERATOR, seconds)


def test_an_option_says_whom_the_payer_trusts_and_for_how_long() -> None:
    bridges = [Cctp(CATALOGUE, enforced=True), Inventory(CATALOGUE)]
    comparison = multi_source.quote_multi_source(
        services(bridges=bridges), SHOP, "BASE", "25.5", address("BASE_MAINNET")
    )
    custody = {
        (o.source, p.symbol): (o.custody, o.trusted_seconds)
        for o in comparison.options
        for p in o.options
    }
    assert custody["ARBITRUM_MAINNET", "USDC"] == (Custody.BRIDGE, 0)
    assert custody["ARBITRUM_MAINNET", "USDT"] == (Custody.OPERATOR, 3)
    # Two blocks of two seconds on Base itself.
    assert custody["BASE_MAINNET", "USDC"] == (Custody.OPERATOR, 4)


def test_the_parts_of_every_fee_add_up() -> None:
    comparison = multi_source.quote_multi_source(
        services(), caller(app_fee_bps=30), "BASE", "25.5", address("BASE_MAINNET")
    )
    for option in comparison.options:
        assert option.total_fee_units == option.service_fee_units + option.bridge_fee_units
        assert option.app_fee_units == 76_500
        assert option.fee_micro_usd == option.total_fee_units + 76_500
        for paid in option.options:
            if paid.symbol == "USDC":
                amount_units = 25_576_500 * 10 ** (paid.decimals - 6)
                assert paid.deposit_amount == amount_units + paid.fee_units


def test_a_test_network_is_only_paid_from_test_networks() -> None:
    sources = {option.source for option in compare("SOLANA_TESTNET").options}
    assert sources == {chain.id for chain in CATALOGUE.chains.values() if chain.testnet}


def test_a_live_key_may_not_compare_test_networks() -> None:
    with pytest.raises(InvalidInput, match="A live key cannot be used with test networks"):
        multi_source.quote_multi_source(
            services(), caller(Mode.LIVE), "BASE_TESTNET", "5", address("BASE_TESTNET")
        )


def test_excluded_chains_are_omitted_and_short_names_accepted() -> None:
    sources = {option.source for option in compare(exclude_chains="ETHEREUM, TRON_MAINNET").options}
    assert sources == set(MAINNETS) - {"ETHEREUM_MAINNET", "TRON_MAINNET"}


@pytest.mark.parametrize("amount", ["0", "0.00", "-1", "abc", "", "1e3", "NaN", "Infinity", None])
def test_the_amount_must_be_a_positive_number(amount: str | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        multi_source.quote_multi_source(services(), SHOP, "BASE", amount, address("BASE_MAINNET"))
    assert str(refused.value) == "Amount must be a valid positive number"


def test_more_decimals_than_the_token_has_are_rejected() -> None:
    with pytest.raises(InvalidInput, match="amount has more than 6 decimal places"):
        compare(amount="1.0000001")


def test_all_errors_are_reported_together() -> None:
    with pytest.raises(InvalidInput) as refused:
        multi_source.quote_multi_source(services(), SHOP, "MARS", "x", None, exclude_chains="VENUS")
    fields = [complaint.split()[0] for complaint in str(refused.value).split("; ")]
    assert fields == ["Amount", "destinationChain", "excludeChains", "tokenOut"]


def test_a_disabled_source_is_listed_as_excluded() -> None:
    configured_services = services(store=KillSwitchStore({"chain:BSC_MAINNET": "maintenance"}))
    comparison = multi_source.quote_multi_source(
        configured_services, SHOP, "BASE", "5", address("BASE_MAINNET")
    )
    assert [(left.subject, left.reason) for left in comparison.excluded] == [
        ("BSC_MAINNET", "is disabled")
    ]


def test_a_chain_whose_bridges_reject_the_amount_is_listed_with_the_limit() -> None:
    comparison = compare(amount="5000000")
    reasons = {left.subject: left.reason for left in comparison.excluded}
    assert "takes at most" in reasons["TRON_MAINNET"]
    assert {option.source for option in comparison.options} == set(MAINNETS) - set(reasons)


@settings(max_examples=settings.default.max_examples // 4)
@given(
    destination=st.sampled_from(["BASE_MAINNET", "BSC_MAINNET", "SOLANA_MAINNET"]),
    symbol=st.sampled_from(["USDC", "ETH", "USDT"]),
    millionths=st.integers(1, 10**8),
    bps=st.sampled_from([0, 37]),
)
def test_every_option_equals_the_deposit_amount_of_an_intent(
    destination: str, symbol: str, millionths: int, bps: int
) -> None:
    configured_services, args, text = (
        services(),
        caller(app_fee_bps=bps),
        format_units(millionths, 6),
    )
    out = CATALOGUE.tokens[destination, symbol]
    for source in multi_source.quote_multi_source(
        configured_services, args, destination, text, out.address
    ).options:
        for option in source.options:
            # Two symbols can name one contract: a payment with it has the first one's.
            token_in = CATALOGUE.token_at(source.source, option.address)
            decimals = option.decimals if token_in.symbol == symbol else out.decimals
            chains = CATALOGUE.chains[source.source], CATALOGUE.chains[destination]
            amount = parse_decimal("amount", text, 6 if symbol == "USDC" else decimals)
            route = RequestedRoute(*chains, token_in, out)
            quote = intent_quotes.quote_intent(configured_services, args, route, amount, symbol)
            assert quote.deposit_amount == option.deposit_amount
            assert quote.costs.fees_units == option.fee_units
            assert quote.bridge == source.bridge
            assert quote.fill_seconds == source.fill_seconds
