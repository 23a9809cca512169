"""Quotes of tokens that no bridge carries: what the start swaps, and what that costs."""

import pytest

from crossway.adapters.exchanges.simulated import SimulatedExchange
from crossway.adapters.simulated_bridges.factory import simulated_bridges
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput
from crossway.domain.quotes import BridgeName, Quote
from crossway.ports.services import Services
from crossway.usecases.pricing import multi_source, quotes
from crossway.usecases.pricing.priced_request import QuoteRequest
from tests.services import CATALOGUE, PRICES, address, services

BASE, ARBITRUM, SOLANA = "BASE_MAINNET", "ARBITRUM_MAINNET", "SOLANA_MAINNET"
EXCHANGE = SimulatedExchange(CATALOGUE)


def swapping(inventory: bool = False) -> Services:
    """Services with the bridges and the exchange of the simulated network."""
    offered = simulated_bridges(CATALOGUE, EXCHANGE, inventory)
    return services(bridges=offered, exchange=EXCHANGE)


def quote(
    source: str, symbol: str, bridge: str, to: str = ARBITRUM, amount: str = "100000000"
) -> Quote:
    asked = QuoteRequest(address(source, symbol), address(to), source, to, amount)
    return quotes.quote_with_bridge(swapping(), None, asked, bridge)


def price(symbol: str) -> int:
    """In pico-USD."""
    return PRICES.get_usd_prices([symbol])[symbol].pico_usd


def test_the_swap_buys_the_amount_and_all_fees_but_its_own() -> None:
    found = quote(BASE, "ETH", "CCTP")
    swap, costs = found.swap, found.costs
    assert swap is not None
    assert (found.custody, found.collector) == (Custody.BRIDGE, "CCTP_SWAP_FAST")
    assert (swap.symbol, swap.token) == ("USDC", address(BASE))
    of_bridge = costs.bridge_micro_usd - swap.cost_micro_usd
    assert swap.output == 100_000_000 + costs.service_micro_usd + of_bridge
    # Its fee of 5 basis points, one of impact (100 of 20 million dollars), and 10 of allowance.
    assert swap.impact_bps == 1
    share = swap.cost_micro_usd / swap.output
    assert 0.00159 < share < 0.00161


def test_the_deposit_pays_for_the_swap_at_todays_price_and_for_its_slippage() -> None:
    found = quote(BASE, "ETH", "CCTP")
    swap = found.swap
    assert swap is not None
    # An hour's spread between ether and dollars, and the allowance: 28 and 10 basis points.
    assert found.slippage == "0.38"
    assert swap.expected_input == found.deposit_amount * 10_000 // 10_038
    # At today's price the expected input is worth what is bought, and six basis points more.
    worth = swap.expected_input * price("ETH") // 10**24
    assert swap.output * 10_005 // 10_000 < worth < swap.output * 10_008 // 10_000


def test_dollars_for_dollars_cost_the_exchanges_fee_alone_and_slip_little() -> None:
    found = quote(BASE, "USDT", "CCTP")
    assert found.swap is not None
    assert found.slippage == "0.1"


def test_what_the_bridge_carries_is_not_swapped() -> None:
    found = quote(BASE, "USDC", "CCTP")
    assert (found.swap, found.slippage, found.collector) == (None, "0", "CCTP_FAST")


def test_the_fee_that_circle_is_offered_is_a_part_of_what_is_bought() -> None:
    found = quote(BASE, "ETH", "CCTP")
    swap = found.swap
    assert swap is not None
    assert int(found.details["maxFee"]) == min(swap.output - 100_000_000, swap.output // 500)


def test_a_swap_that_would_move_the_price_too_far_is_refused_with_its_reason() -> None:
    with pytest.raises(
        InvalidInput, match="tokenIn: the swap of ETH for USDC would move the price"
    ):
        quote(BASE, "ETH", "CCTP", amount=str(700_000 * 10**6))


def test_tokens_on_other_families_are_swapped_where_the_operator_pays() -> None:
    found = quote(SOLANA, "SOL", "GATEWAY", BASE)
    assert (found.custody, found.collector) == (Custody.OPERATOR, "")
    assert found.swap is not None
    assert found.swap.symbol == "USDC"


def test_every_option_of_a_comparison_equals_the_single_quote_to_the_unit() -> None:
    given = swapping()
    comparison = multi_source.quote_multi_source(given, None, ARBITRUM, "100", address(ARBITRUM))
    compared = 0
    for option in comparison.options:
        for payment in option.options:
            if option.bridge is None:
                continue
            asked = QuoteRequest(
                payment.address, address(ARBITRUM), option.source, ARBITRUM, "100000000"
            )
            single = quotes.quote_with_bridge(given, None, asked, option.bridge)
            assert single.deposit_amount == payment.deposit_amount
            assert single.slippage == payment.slippage
            compared += 1
    assert compared > 100


def test_inventory_takes_part_only_where_it_is_switched_on() -> None:
    names = {bridge.name for bridge in swapping().bridges}
    assert BridgeName.INVENTORY not in names
    assert BridgeName.INVENTORY in {bridge.name for bridge in swapping(inventory=True).bridges}
