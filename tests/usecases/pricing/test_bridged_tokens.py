"""Quotes of tokens that bridges carry and do not, and of payments that contracts enforce."""

from typing import Any

import pytest

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Across, Cctp
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName, Quote
from crossway.ports.services import Services
from crossway.usecases.pricing import intent_quotes, quotes
from crossway.usecases.pricing.priced_request import QuoteRequest, RequestedRoute
from tests.services import BRIDGES, CATALOGUE, KillSwitchStore, address, services

BASE, ARBITRUM, ETHEREUM = "BASE_MAINNET", "ARBITRUM_MAINNET", "ETHEREUM_MAINNET"
REAL = [bridge for bridge in BRIDGES if bridge.name in ("ACROSS", "CCTP")]


def enforcing() -> Services:
    """Services whose bridges carry payments, beside the inventory."""
    bridges = (Across(CATALOGUE, enforced=True), Cctp(CATALOGUE, enforced=True))
    return services(bridges=[*bridges, Inventory(CATALOGUE)])


def request(source: str, paid: str, destination: str, received: str, **more: Any) -> QuoteRequest:
    tokens = address(source, paid), address(destination, received)
    return QuoteRequest(*tokens, source, destination, **({"amount": "100000000"} | more))


def listed(given: Services, *route: str) -> dict[BridgeName | None, Quote]:
    return {quote.bridge: quote for quote in quotes.list_quotes(given, None, request(*route))}


@pytest.mark.parametrize(
    ("paid", "received", "bridges"),
    [
        ("USDC", "USDC", {"ACROSS", "CCTP", "GATEWAY", "RHINOFI", "INVENTORY"}),
        ("USDT", "USDT", {"ACROSS", "RHINOFI", "INVENTORY"}),
        ("WETH", "WETH", {"ACROSS", "INVENTORY"}),
        ("ETH", "ETH", {"RHINOFI", "INVENTORY"}),
        ("WETH", "USDC", {"INVENTORY"}),
        ("USDC", "USDT", {"RHINOFI", "INVENTORY"}),
    ],
)
def test_only_bridges_that_carry_the_tokens_give_quotes(
    paid: str, received: str, bridges: set[str]
) -> None:
    assert set(listed(services(), BASE, paid, ARBITRUM, received)) == bridges


@pytest.mark.parametrize(
    ("paid", "received", "message"),
    [
        ("WETH", "WETH", "tokenIn: CCTP carries USDC only"),
        ("USDC", "WETH", "tokenOut: CCTP carries USDC only"),
    ],
)
def test_one_bridge_says_what_it_carries_naming_the_parameter(
    paid: str, received: str, message: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        quotes.quote_with_bridge(services(), None, request(BASE, paid, ARBITRUM, received), "CCTP")
    assert str(refused.value) == message


def intent_route(source: str, paid: str, destination: str, received: str) -> RequestedRoute:
    chains = CATALOGUE.chains[source], CATALOGUE.chains[destination]
    tokens = CATALOGUE.tokens[source, paid], CATALOGUE.tokens[destination, received]
    return RequestedRoute(*chains, *tokens)


def test_an_intent_that_no_bridge_carries_is_rejected_with_the_reason_of_each() -> None:
    route = intent_route(BASE, "WETH", ARBITRUM, "USDC")
    with pytest.raises(InvalidInput) as refused:
        intent_quotes.quote_intent(services(bridges=REAL), None, route, 100_000_000, "USDC")
    assert str(refused.value) == (
        "tokenIn: no bridge carries WETH to USDC, BASE_MAINNET -> ARBITRUM_MAINNET: ACROSS does "
        "not exchange WETH for USDC, CCTP carries USDC only"
    )
    assert (
        intent_quotes.quote_intent(services(), None, route, 100_000_000, "USDC").bridge
        == "INVENTORY"
    )


@pytest.mark.parametrize(
    ("source", "units", "message"),
    [
        ("BASE_TESTNET", 5_000_000, "destination_chain: no bridge serves"),
        (
            "LISK_MAINNET",
            10**13,
            "amount: ACROSS takes at most 1000000.00 USD, INVENTORY takes at most 1000000.00 USD",
        ),
        (
            "LISK_MAINNET",
            1,
            "amount: ACROSS takes at least 1.00 USD, INVENTORY takes at least 0.01 USD",
        ),
    ],
)
def test_an_intent_without_a_route_or_outside_the_limits_is_rejected(
    source: str, units: int, message: str
) -> None:
    route = intent_route(source, "USDC", "BSC_MAINNET", "USDC")
    with pytest.raises(InvalidInput, match=message):
        intent_quotes.quote_intent(services(), None, route, units, "USDC")


def test_an_intent_whose_bridge_is_disabled_says_so() -> None:
    route = intent_route(BASE, "USDC", "HYPEREVM_MAINNET", "USDC")
    off = KillSwitchStore({"bridge:CCTP": "", "bridge:ACROSS": ""})
    with pytest.raises(InvalidInput) as refused:
        intent_quotes.quote_intent(services(bridges=REAL, store=off), None, route, 10**8, "USDC")
    assert str(refused.value) == (
        "destination_chain: ACROSS is disabled for BASE_MAINNET -> HYPEREVM_MAINNET, "
        "CCTP is disabled for BASE_MAINNET -> HYPEREVM_MAINNET"
    )


def test_an_enforced_quote_charges_a_send_and_a_delivery_and_tells_the_contracts_fee() -> None:
    """100 USDC from Base to Arbitrum by CCTP: 1.56 basis points, a call on Base (0.01) and one on
    Arbitrum (0.02), and the service fee of 0.01."""
    quote = listed(enforcing(), BASE, "USDC", ARBITRUM, "USDC")[BridgeName.CCTP]
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, "CCTP_FAST")
    assert quote.costs.bridge_micro_usd == 15_600 + 10_000 + 20_000
    assert quote.deposit_amount == 100_000_000 + 45_600 + 10_000
    # All above the amount, as that is less than a 500th of the deposit.
    assert quote.details == {"maxFee": "55600", "minFinalityThreshold": 1000}
    words = [int(quote.extra_data[i : i + 64], 16) for i in range(2, len(quote.extra_data), 64)]
    assert words[:3] == [55_600, 1000, 3]


def test_a_fee_above_a_500th_of_the_deposit_is_not_offered_to_circle() -> None:
    """25 USDC from Ethereum, where a call costs a dollar: 26.04 are deposited."""
    given, asked = enforcing(), request(ETHEREUM, "USDC", ARBITRUM, "USDC", amount="25000000")
    quote = quotes.quote_with_bridge(given, None, asked, "CCTP")
    assert quote.deposit_amount == 25_000_000 + 3_000 + 1_000_000 + 20_000 + 10_000
    assert quote.details["maxFee"] == str(26_033_000 // 500)


def test_an_enforced_across_quote_charges_a_send_and_no_payout() -> None:
    """2 basis points of 100 USDT and the relayer's gas on Arbitrum; a call on Base."""
    quote = listed(enforcing(), BASE, "USDT", ARBITRUM, "USDT")[BridgeName.ACROSS]
    assert (quote.custody, quote.collector) == (Custody.BRIDGE, "ACROSS")
    assert quote.costs.bridge_micro_usd == 20_000 + 20_000 + 10_000


@pytest.mark.parametrize("symbol", ["USDC", "USDT", "WETH"])
def test_what_contracts_can_carry_is_not_entrusted_to_the_operator(symbol: str) -> None:
    best = quotes.best_quote(enforcing(), None, request(ETHEREUM, symbol, BASE, symbol))
    assert best.custody is Custody.BRIDGE
    assert best.trusted_seconds == 0


def test_a_payment_out_of_inventory_and_one_on_one_chain_trust_the_operator() -> None:
    across = listed(enforcing(), BASE, "WETH", ARBITRUM, "USDC")[BridgeName.INVENTORY]
    assert (across.custody, across.collector, across.trusted_seconds) == ("OPERATOR", "", 3)
    # 10 basis points of 100 USD; a call on Base, a payout and a delivery on Arbitrum.
    assert across.costs.bridge_micro_usd == 100_000 + 10_000 + 2 * 20_000
    within = listed(enforcing(), BASE, "WETH", BASE, "USDC")[None]
    assert (within.custody, within.trusted_seconds) == ("OPERATOR", 4)


def test_no_confirmations_are_waited_for_before_a_deposit_is_sent_over_a_bridge() -> None:
    """Polygon to Base: two blocks of Polygon, Circle's 8 s, and a block of Base."""
    quote = listed(enforcing(), "POLYGON_MAINNET", "USDC", BASE, "USDC")[BridgeName.CCTP]
    polygon = CATALOGUE.chains["POLYGON_MAINNET"]
    assert quote.fill_seconds == pytest.approx(2 * polygon.block_time_seconds + 8 + 2, abs=1)
    trusted = listed(enforcing(), "POLYGON_MAINNET", "USDC", BASE, "USDC")[BridgeName.INVENTORY]
    assert trusted.fill_seconds == polygon.confirmation_seconds(100_000_000) + 3
