"""Quotes of one bridge, of several, the best, and for an intent."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from crossway.adapters.prices.fixed import FixedPrices
from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput, NotFound, QuotesUnavailable, Unreachable
from crossway.domain.money import Price
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest
from crossway.ports.policy import Policy, TimeoutPolicy
from crossway.usecases.pricing.intent_quotes import quote_intent
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.priced_request import QuoteRequest, RequestedRoute
from crossway.usecases.pricing.quotes import (
    best_quote,
    list_quotes,
    quote_with_bridge,
)
from tests.services import (
    CATALOGUE,
    NOW,
    PRICES,
    FixedClock,
    KillSwitchStore,
    address,
    caller,
    services,
)

SHORT_TIMEOUTS = Policy(quote_timeouts=TimeoutPolicy(deadline=0.05, enough=9))
SHOP = caller()


class StubBridge:
    """A stub bridge that returns a quote, fails or hangs."""

    runs_in_process = False

    def __init__(self, name: BridgeName, answer: Any = 1_000) -> None:
        self.name, self.answer = name, answer

    def routes(self) -> Sequence[Route]:
        return ()

    def get_quotes(
        self, legs: Sequence[RouteRequest], now: Any
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        if isinstance(self.answer, threading.Event):
            assert self.answer.wait(30)
            return []
        if isinstance(self.answer, BaseException):
            raise self.answer
        if isinstance(self.answer, str):
            return [QuoteRejected(self.name, leg, self.answer) for leg in legs]
        return [BridgeQuote(self.name, leg, self.answer, 1, 1, {}, "0xab") for leg in legs]


def quote_request(**changes: Any) -> QuoteRequest:
    """A request for a quote: 100 USDC from Base to USDC on Polygon."""
    params = {
        "token_in": address("BASE_MAINNET"),
        "token_out": address("POLYGON_MAINNET"),
        "source": "BASE_MAINNET",
        "destination": "POLYGON_MAINNET",
        "amount": "100000000",
    }
    return QuoteRequest(**params | changes)


def route_of(source: str, symbol_in: str, destination: str, symbol_out: str) -> RequestedRoute:
    chains = CATALOGUE.chains[source], CATALOGUE.chains[destination]
    tokens = CATALOGUE.tokens[source, symbol_in], CATALOGUE.tokens[destination, symbol_out]
    return RequestedRoute(*chains, *tokens)


def test_a_single_quote_names_fee_deposit_and_route() -> None:
    quote = quote_with_bridge(services(), SHOP, quote_request(), bridge="ACROSS")
    start = CATALOGUE.chains["BASE_MAINNET"].transfer_cost_micro_usd
    fill = CATALOGUE.chains["POLYGON_MAINNET"].transfer_cost_micro_usd
    assert quote.bridge is BridgeName.ACROSS
    assert quote.costs.bridge_micro_usd == 20_000 + start + 2 * fill
    assert quote.costs.service_micro_usd == 10_000
    assert quote.fee_units == quote.costs.fees_units == quote.costs.bridge_micro_usd + 10_000
    assert quote.deposit_amount == 100_000_000 + quote.fee_units
    assert quote.payout_amount == 100_000_000
    assert quote.slippage == "0"
    assert quote.expires_at == NOW + timedelta(seconds=60)
    assert quote.details["pctFee"] == 2 * 10**14


def test_a_mainnets_short_name_and_any_spelling_of_an_address_are_understood() -> None:
    request = quote_request(
        source="BASE", destination="POLYGON", token_in=address("BASE_MAINNET").lower()
    )
    quote = quote_with_bridge(services(), SHOP, request, bridge="CCTP")
    assert (quote.source, quote.destination) == ("BASE_MAINNET", "POLYGON_MAINNET")
    assert quote.token_in == address("BASE_MAINNET")


def test_the_amount_may_be_given_in_another_symbol_and_paid_in_a_third() -> None:
    request = quote_request(
        token_in=address("BASE_MAINNET", "cbBTC"),
        token_out=address("POLYGON_MAINNET", "USDT"),
        amount=str(10**17),
        amount_symbol="ETH",
    )
    quote = quote_with_bridge(services(), SHOP, request, bridge="INVENTORY")
    btc = PRICES.get_usd_prices(["cbBTC"])["cbBTC"].pico_usd
    owed = 198_700_000 + quote.costs.bridge_micro_usd + quote.costs.service_micro_usd
    assert quote.payout_amount == 198_700_000
    assert quote.amount_decimals == 18
    # 2.5 % a day, over an hour, of which 40 %: 2 041 millionths are the spread.
    btc = btc * (10**6 - 2_041) // 10**6
    assert quote.deposit_amount * btc >= owed * 10**14
    assert (quote.deposit_amount - 2) * btc < owed * 10**14
    assert quote.slippage == "0"  # Nothing is swapped: the terms are fixed.


def test_usdc_means_dollars_whatever_its_decimals_on_the_chain() -> None:
    tokens = {"token_in": address("BSC_MAINNET"), "token_out": address("BASE_MAINNET")}
    request = quote_request(source="BSC", destination="BASE", **tokens)
    quote = quote_with_bridge(services(), SHOP, request, bridge="ACROSS")
    assert quote.amount_decimals == 6
    assert quote.asset_decimals == 18
    assert quote.deposit_amount == (100_000_000 + quote.fee_units) * 10**12


@pytest.mark.parametrize(
    ("paid", "received", "decimals"),
    [("ETH", "USDT", 8), ("ETH", "ETH", 8), ("SOL", "ETH", 18), ("SOL", "USDT", 8)],
)
def test_an_amount_counts_the_decimals_of_the_token_paid_else_of_the_one_received(
    paid: str, received: str, decimals: int
) -> None:
    request = quote_request(
        source="SOLANA",
        destination="ARBITRUM",
        amount_symbol="ETH",
        amount=str(10**decimals // 50),
        token_in=address("SOLANA_MAINNET", paid),
        token_out=address("ARBITRUM_MAINNET", received),
    )
    quote = best_quote(services(), SHOP, request)
    assert quote.amount_decimals == decimals
    pico_usd = PRICES.get_usd_prices([paid])[paid].pico_usd
    micro_usd = quote.deposit_amount * pico_usd // 10 ** (quote.asset_decimals + 6)
    assert 39_000_000 < micro_usd < 41_000_000


@pytest.mark.parametrize("missing", ["token_in", "token_out"])
@pytest.mark.parametrize("nothing", [None, ""])
def test_a_single_quote_needs_both_token_addresses(missing: str, nothing: str | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        quote_with_bridge(services(), SHOP, quote_request(**{missing: nothing}), bridge="ACROSS")
    assert str(refused.value) == "Token addresses are required"


def test_all_errors_are_reported_together_each_naming_its_field() -> None:
    request = quote_request(
        token_in="0x12", destination="MARS", amount="-5", amount_symbol="GOLD", recipient="x"
    )
    with pytest.raises(InvalidInput) as refused:
        quote_with_bridge(services(), SHOP, request, bridge="HOP")
    fields = [complaint.split()[0] for complaint in str(refused.value).split("; ")]
    assert fields == ["bridge", "destinationChain", "amount", "amountSymbol", "tokenIn"]


def test_a_recipient_of_another_kind_of_chain_is_refused() -> None:
    tron = address("TRON_MAINNET")
    with pytest.raises(InvalidInput, match=r"^recipient "):
        quote_with_bridge(services(), SHOP, quote_request(recipient=tron), bridge="ACROSS")


def test_an_unsupported_route_is_rejected_by_the_bridge() -> None:
    request = quote_request(
        source="TRON",
        destination="BASE",
        token_in=address("TRON_MAINNET", "USDT"),
        token_out=address("BASE_MAINNET"),
    )
    with pytest.raises(InvalidInput) as refused:
        quote_with_bridge(services(), SHOP, request, bridge="ACROSS")
    assert str(refused.value) == "ACROSS does not support TRON_MAINNET -> BASE_MAINNET"


def test_an_amount_outside_the_limits_names_the_limit() -> None:
    with pytest.raises(InvalidInput, match=r"^amount: ACROSS takes at least 1\.00 USD$"):
        quote_with_bridge(services(), SHOP, quote_request(amount="999999"), bridge="ACROSS")
    with pytest.raises(InvalidInput, match=r"^amount: RHINOFI takes at most 100000\.00 USD$"):
        quote_with_bridge(services(), SHOP, quote_request(amount="100000000001"), bridge="RHINOFI")


def test_a_live_key_gets_no_quote_for_a_test_network() -> None:
    tokens = {"token_in": address("BASE_TESTNET"), "token_out": address("ARBITRUM_TESTNET")}
    request = quote_request(source="BASE_TESTNET", destination="ARBITRUM_TESTNET", **tokens)
    with pytest.raises(InvalidInput) as refused:
        quote_with_bridge(services(), caller(Mode.LIVE), request, bridge="ACROSS")
    assert str(refused.value) == "A live key cannot be used with test networks"
    assert quote_with_bridge(services(), caller(Mode.TEST), request, bridge="ACROSS").fee_units > 0


def test_a_disabled_token_is_refused() -> None:
    request = quote_request(source="TRON", token_in=address("TRON_MAINNET"))
    with pytest.raises(InvalidInput, match="tokenIn: USDC on TRON_MAINNET is disabled"):
        quote_with_bridge(services(), SHOP, request, bridge="RHINOFI")


def test_the_clients_app_fee_is_part_of_the_deposit_and_no_part_of_the_fee() -> None:
    plain = quote_with_bridge(services(), SHOP, quote_request(), bridge="CCTP")
    charged = quote_with_bridge(services(), caller(app_fee_bps=100), quote_request(), bridge="CCTP")
    capped = quote_with_bridge(
        services(), caller(app_fee_bps=100, cap=300_000), quote_request(), bridge="CCTP"
    )
    assert charged.costs.app_micro_usd == 1_000_000
    assert (plain.app_fee_units, charged.app_fee_units) == (0, 1_000_000)
    assert charged.fee_units == plain.fee_units
    assert charged.costs.fees_units == plain.costs.fees_units
    assert charged.deposit_amount == plain.deposit_amount + 1_000_000
    assert capped.deposit_amount == plain.deposit_amount + 300_000


def test_multiple_quotes_come_cheapest_first_and_the_best_is_the_first() -> None:
    listed = list_quotes(services(), SHOP, quote_request())
    fees = [quote.costs.bridge_micro_usd for quote in listed]
    assert {quote.bridge for quote in listed} == set(BridgeName)
    assert fees == sorted(fees)
    assert best_quote(services(), SHOP, quote_request()) == listed[0]


def test_excluded_bridges_are_not_called() -> None:
    listed = list_quotes(services(), SHOP, quote_request(), exclude_bridges="CCTP, GATEWAY")
    assert {quote.bridge for quote in listed} == {
        BridgeName.ACROSS,
        BridgeName.RHINOFI,
        BridgeName.INVENTORY,
    }
    with pytest.raises(InvalidInput, match="excludeBridges"):
        list_quotes(services(), SHOP, quote_request(), exclude_bridges="HOP")


def test_no_bridge_for_a_route_is_not_found() -> None:
    request = quote_request(source="BASE_TESTNET", token_in=address("BASE_TESTNET"))
    assert list_quotes(services(), SHOP, request) == []
    with pytest.raises(NotFound) as refused:
        best_quote(services(), SHOP, request)
    assert str(refused.value) == (
        "No quotes available for this route. Please check if the route is supported."
    )


def test_within_one_chain_there_is_one_quote_and_no_bridge() -> None:
    request = quote_request(destination="BASE", token_out=address("BASE_MAINNET", "ETH"))
    (quote,) = list_quotes(services(), SHOP, request)
    assert quote.bridge is None
    base = CATALOGUE.chains["BASE_MAINNET"]
    assert quote.costs.bridge_micro_usd == 2 * base.transfer_cost_micro_usd


def test_a_bridge_that_fails_hangs_or_returns_invalid_quotes_is_excluded() -> None:
    hung = threading.Event()
    bridges = [
        StubBridge(BridgeName.ACROSS, Unreachable("down")),
        StubBridge(BridgeName.CCTP, ZeroDivisionError()),
        StubBridge(BridgeName.GATEWAY, hung),
        StubBridge(BridgeName.RHINOFI, 5_000),
    ]
    with ThreadPoolExecutor(8) as pool:
        try:
            configured_services = services(bridges=bridges, executor=pool, policy=SHORT_TIMEOUTS)
            (quote,) = list_quotes(configured_services, SHOP, quote_request())
            usdc = address("BASE_MAINNET")
            compared = quote_multi_source(configured_services, SHOP, "BASE", "5", usdc)
        finally:
            hung.set()
    assert quote.bridge is BridgeName.RHINOFI
    assert {source.subject: source.reason for source in compared.excluded} == {
        "ACROSS": "down",
        "CCTP": "failed with ZeroDivisionError",
        "GATEWAY": "did not respond in time",
    }


def test_when_no_bridge_answers_quotes_are_unavailable() -> None:
    bridges = [StubBridge(name, Unreachable("down")) for name in BridgeName]
    configured_services = services(bridges=bridges)
    with pytest.raises(QuotesUnavailable):
        quote_with_bridge(configured_services, SHOP, quote_request(), bridge="ACROSS")
    with pytest.raises(QuotesUnavailable):
        best_quote(configured_services, SHOP, quote_request())
    with pytest.raises(QuotesUnavailable):
        quote_multi_source(configured_services, SHOP, "BASE", "5", address("BASE_MAINNET"))


def test_no_quote_while_a_bridge_is_down_means_unavailable_not_rejected() -> None:
    bridges = [
        StubBridge(BridgeName.ACROSS, Unreachable("down")),
        StubBridge(BridgeName.CCTP, "CCTP takes at most 1.00 USD"),
    ]
    with pytest.raises(QuotesUnavailable, match="ACROSS down"):
        best_quote(services(bridges=bridges), SHOP, quote_request())


def test_a_disabled_chain_bridge_or_route_is_not_quoted() -> None:
    configured_services = services(store=KillSwitchStore({"chain:POLYGON_MAINNET": "maintenance"}))
    with pytest.raises(InvalidInput, match="destinationChain: POLYGON_MAINNET is disabled"):
        quote_with_bridge(configured_services, SHOP, quote_request(), bridge="CCTP")
    off = {"bridge:CCTP": "", "route:GATEWAY:BASE_MAINNET:POLYGON_MAINNET": ""}
    configured_services = services(store=KillSwitchStore(off))
    with pytest.raises(InvalidInput, match="CCTP is disabled"):
        quote_with_bridge(configured_services, SHOP, quote_request(), bridge="CCTP")
    bridges = {quote.bridge for quote in list_quotes(configured_services, SHOP, quote_request())}
    assert bridges == {BridgeName.ACROSS, BridgeName.RHINOFI, BridgeName.INVENTORY}


class AgedPrices:
    """A price source whose prices are from `NOW` and may be a minute old."""

    def get_usd_prices(self, symbols: Any) -> dict[str, Price]:
        return {symbol: Price(symbol, 10**12, NOW) for symbol in symbols}

    def max_age_seconds(self) -> float:
        return 60.0


def test_a_stale_price_prevents_quotes() -> None:
    clock = FixedClock(NOW + timedelta(seconds=60))
    configured_services = services(prices=AgedPrices(), clock=clock)
    request = quote_request(token_in=address("BASE_MAINNET", "ETH"))
    assert best_quote(configured_services, SHOP, request).deposit_amount > 0
    clock.at = NOW + timedelta(seconds=61)
    with pytest.raises(QuotesUnavailable, match="price of USDC is older than 60 s"):
        best_quote(configured_services, SHOP, request)
    assert (
        best_quote(configured_services, SHOP, quote_request()).deposit_amount > 0
    )  # USDC needs no price.
    compared = quote_multi_source(configured_services, SHOP, "BASE", "5", address("BASE_MAINNET"))
    assert {option.symbol for source in compared.options for option in source.options} == {"USDC"}


def test_a_token_without_a_price_is_rejected_by_name() -> None:
    configured_services = services(prices=FixedPrices({"ETH": 0, "USDC": 10**12}, NOW))
    with pytest.raises(InvalidInput, match="tokenIn: there is no price for ETH"):
        best_quote(
            configured_services, SHOP, quote_request(token_in=address("BASE_MAINNET", "ETH"))
        )


def test_a_failing_price_source_makes_quotes_unavailable() -> None:
    class Silent(AgedPrices):
        def get_usd_prices(self, symbols: Any) -> dict[str, Price]:
            raise Unreachable("no prices")

    with pytest.raises(QuotesUnavailable, match="no prices"):
        best_quote(
            services(prices=Silent()), SHOP, quote_request(token_in=address("BASE_MAINNET", "ETH"))
        )


def test_an_intent_gets_the_best_quote_with_the_data_to_store() -> None:
    route = route_of("AVALANCHE_MAINNET", "USDC", "HYPEREVM_MAINNET", "USDC")
    quote = quote_intent(services(), SHOP, route, 250_000_000, "USDC")
    request = RouteRequest("AVALANCHE_MAINNET", "HYPEREVM_MAINNET", 250_000_000)
    cctp = next(bridge for bridge in services().bridges if bridge.name is BridgeName.CCTP)
    (bridge_quote,) = cctp.get_quotes([request], NOW)
    assert isinstance(bridge_quote, BridgeQuote)
    assert quote.bridge is BridgeName.CCTP
    assert quote.extra_data == bridge_quote.extra_data
    assert len(quote.extra_data) == 2 + 4 * 64
    assert quote.costs.bridge_micro_usd == bridge_quote.fee_micro_usd
    assert quote.settle_seconds == bridge_quote.settle_seconds


def test_an_intent_within_one_chain_has_no_bridge_data() -> None:
    route = route_of("BASE_MAINNET", "ETH", "BASE_MAINNET", "USDC")
    quote = quote_intent(services(), SHOP, route, 5_000_000, "USDC")
    assert quote.bridge is None
    assert quote.extra_data == "0x"
