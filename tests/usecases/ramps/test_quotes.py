"""Ramp quotes: called providers, comparison, and exclusions."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.quotes import BridgeQuote
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.policy import Policy, TimeoutPolicy
from crossway.ports.ramps import ProviderRejected
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quote_params import RampQuoteRequest
from crossway.usecases.ramps.quotes import RampComparison, compare_quotes, get_quote_for_order
from tests.processes import PATIENCE_SECONDS
from tests.ramp_prices import PricingProvider, services_with, with_changes
from tests.services import FIAT, NOW, KillSwitchStore, caller

SHOP = caller()
FONBNK, ONRAMP_MONEY, PAYCREST, YELLOW_CARD = ProviderName
SHORT_TIMEOUTS = Policy(ramp_quote_timeouts=TimeoutPolicy(deadline=0.3, enough=1, grace=0.1))


def on_ramp_params(**changes: Any) -> RampQuoteRequest:
    """25 USDC on Base for naira."""
    params = {
        "direction": "on-ramp",
        "currency": "NGN",
        "amount": "25",
        "destination_chain": "BASE",
    }
    return RampQuoteRequest(**(params | changes))


def off_ramp_params(**changes: Any) -> RampQuoteRequest:
    """25 USDC from Base for naira."""
    params = {"direction": "off-ramp", "currency": "NGN", "amount": "25", "source_chain": "BASE"}
    return RampQuoteRequest(**(params | changes))


def raising(error: Exception) -> Any:
    def first() -> None:
        raise error

    return first


class SlowBridge:
    """A bridge whose transfers take this long."""

    def __init__(self, inner: Any, seconds: int) -> None:
        self.inner, self.seconds, self.name, self.routes = inner, seconds, inner.name, inner.routes
        self.runs_in_process = True

    def get_quotes(self, requests: Any, now: Any) -> Any:
        return [
            replace(q, fill_seconds=self.seconds) if isinstance(q, BridgeQuote) else q
            for q in self.inner.get_quotes(requests, now)
        ]


class DownBridge(SlowBridge):
    """A bridge whose service does not respond."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner, 0)

    def get_quotes(self, requests: Any, now: Any) -> Any:
        raise Unreachable("is down")


def get_order_quote(
    *providers: PricingProvider, request: RampQuoteRequest, **changes: Any
) -> RampQuote:
    (quote,) = compare_quotes(services_with(*providers, **changes), SHOP, request).quotes
    return quote


def reasons(comparison: RampComparison) -> dict[str, str]:
    return {left.subject: left.reason for left in comparison.excluded}


def test_an_on_ramp_costs_the_price_above_the_value_of_the_crypto() -> None:
    provider = PricingProvider(PAYCREST)
    quote = get_order_quote(provider, request=on_ramp_params())
    ((ask, _),) = provider.requests
    assert ask.amount == quote.ramp_units == quote.intent_quote.deposit_amount
    assert quote.ramp_units > quote.crypto_units == 25_000_000
    reference = 25 * 1_448_50
    assert quote.total_fees_minor == quote.fiat_minor - reference > reference // 100
    assert quote.total_fees_micro_usd == quote.total_fees_minor * 10**6 // 1_448_50
    assert quote.gross_units == 0
    assert (quote.rate_micro, quote.value_micro_usd) == (1_448_500_000, 25_000_000)


def test_an_off_ramp_costs_the_deposit_above_the_payout() -> None:
    provider = PricingProvider(PAYCREST)
    quote = get_order_quote(provider, request=off_ramp_params())
    ((ask, _),) = provider.requests
    assert ask.amount == quote.ramp_units == 25_000_000
    assert quote.gross_units == quote.intent_quote.deposit_amount > 25_000_000
    worth = -(-quote.gross_units * 1_448_50 // 10**6)
    assert quote.total_fees_minor == worth - quote.fiat_minor
    assert quote.token.chain == quote.ramp_token.chain == "BASE_MAINNET"


def test_the_deposit_of_an_off_ramp_counts_the_token_that_the_user_deposits() -> None:
    params = off_ramp_params(source_chain="BSC", symbol="USDT", amount="7.25")
    quote = get_order_quote(PricingProvider(PAYCREST), request=params)
    assert (quote.ramp_token.symbol, quote.decimals) == ("USDC", 18)
    assert quote.crypto_units == 725 * 10**16
    assert quote.gross_units > quote.crypto_units
    assert quote.ramp_units == 725 * 10**16


def test_a_provider_on_the_same_chain_needs_no_bridge() -> None:
    quote = get_order_quote(
        PricingProvider(FONBNK), request=on_ramp_params(destination_chain="ETHEREUM")
    )
    assert quote.ramp_token.chain == "ETHEREUM_MAINNET"
    assert not quote.requires_bridge
    assert quote.intent_quote.bridge is None


def test_another_chain_is_reached_by_the_cheapest_bridge() -> None:
    quote = get_order_quote(
        PricingProvider(FONBNK), request=on_ramp_params(destination_chain="MONAD")
    )
    assert quote.requires_bridge
    assert quote.intent_quote.source == quote.ramp_token.chain
    assert quote.intent_quote.destination == "MONAD_MAINNET"
    off = KillSwitchStore({f"chain:{quote.ramp_token.chain}": "maintenance"})
    other = get_order_quote(
        PricingProvider(FONBNK), request=on_ramp_params(destination_chain="MONAD"), store=off
    )
    assert other.ramp_token.chain != quote.ramp_token.chain
    assert other.intent_quote.costs.bridge_micro_usd >= quote.intent_quote.costs.bridge_micro_usd


def test_bridges_are_called_once_for_all_providers() -> None:
    class Counting:
        def __init__(self, inner: Any) -> None:
            self.inner, self.calls = inner, 0
            self.name, self.runs_in_process, self.routes = (
                inner.name,
                inner.runs_in_process,
                inner.routes,
            )

        def get_quotes(self, legs: Any, now: Any) -> Any:
            self.calls += 1
            return self.inner.get_quotes(legs, now)

    base = services_with(*[PricingProvider(name) for name in (FONBNK, PAYCREST, YELLOW_CARD)])
    bridges = [Counting(bridge) for bridge in base.bridges]
    configured_services = services_with(*base.ramps, bridges=bridges)
    assert (
        len(
            compare_quotes(
                configured_services, SHOP, on_ramp_params(destination_chain="MONAD")
            ).quotes
        )
        == 3
    )
    assert {bridge.calls for bridge in bridges} == {1}


def test_without_a_bridge_only_providers_on_the_same_chain_are_quoted() -> None:
    providers = [PricingProvider(name) for name in (FONBNK, PAYCREST, YELLOW_CARD)]
    comparison = compare_quotes(
        services_with(*providers, bridges=()), SHOP, on_ramp_params(destination_chain="ETHEREUM")
    )
    assert [quote.provider for quote in comparison.quotes] == [
        YELLOW_CARD,
        FONBNK,
    ]  # The faster one comes first.
    assert comparison.queried == (FONBNK, PAYCREST, YELLOW_CARD)
    assert reasons(comparison) == {
        "PAYCREST": "has no route between its chains and ETHEREUM_MAINNET at the moment"
    }


def test_an_off_ramp_takes_no_bridge_that_is_slower_than_its_provider_waits() -> None:
    provider, monad = PricingProvider(FONBNK), off_ramp_params(source_chain="MONAD")
    base = services_with(provider)
    # Providers of off-ramps in naira wait half an hour, of which the user has at least 5 minutes.
    for minutes, is_quoted in ((20, True), (26, False)):
        slow = services_with(provider, bridges=[SlowBridge(b, minutes * 60) for b in base.bridges])
        comparison = compare_quotes(slow, SHOP, monad)
        assert bool(comparison.quotes) is is_quoted
    reason = reasons(comparison)["FONBNK"]
    assert reason.startswith("has no route between its chains and MONAD_MAINNET at the moment: ")
    assert "CCTP takes 27 minutes to BASE_MAINNET, longer than it waits" in reason
    on = compare_quotes(slow, SHOP, on_ramp_params(destination_chain="MONAD"))
    assert on.quotes[0].requires_bridge


def test_bridges_that_do_not_respond_are_no_rejection_of_the_order() -> None:
    base = services_with(PricingProvider(PAYCREST))
    down = services_with(*base.ramps, bridges=[DownBridge(bridge) for bridge in base.bridges])
    params = on_ramp_params(destination_chain="ETHEREUM")
    assert "No bridge responded: " in reasons(compare_quotes(down, SHOP, params))["PAYCREST"]
    with pytest.raises(QuotesUnavailable, match=r"PAYCREST has no route .*: No bridge responded"):
        get_quote_for_order(down, SHOP, params, "PAYCREST")


def test_test_networks_are_quoted_by_providers_that_support_them() -> None:
    providers = [PricingProvider(name) for name in (FONBNK, PAYCREST)]
    comparison = compare_quotes(
        services_with(*providers), SHOP, on_ramp_params(destination_chain="BASE_TESTNET")
    )
    assert [quote.provider for quote in comparison.quotes] == [FONBNK]
    assert comparison.quotes[0].ramp_token.chain == "BASE_TESTNET"


def test_quotes_come_cheapest_first_and_the_cheapest_is_recommended() -> None:
    providers = [PricingProvider(FONBNK, 300), PricingProvider(PAYCREST, 100)]
    comparison = compare_quotes(
        services_with(*providers, PricingProvider(YELLOW_CARD, 200)), SHOP, on_ramp_params()
    )
    assert [quote.provider for quote in comparison.quotes] == [PAYCREST, YELLOW_CARD, FONBNK]
    assert comparison.recommended == comparison.quotes[0]


def test_providers_of_other_corridors_are_not_called() -> None:
    hosted = PricingProvider(ONRAMP_MONEY)
    comparison = compare_quotes(services_with(hosted), SHOP, on_ramp_params())
    assert (comparison.quotes, comparison.recommended, comparison.queried) == ((), None, ())
    assert hosted.requests == []
    rupees = on_ramp_params(currency="INR", amount=20)
    assert compare_quotes(services_with(hosted), SHOP, rupees).queried == (ONRAMP_MONEY,)
    assert (
        compare_quotes(
            services_with(hosted), SHOP, off_ramp_params(currency="INR", amount=20)
        ).quotes
        == ()
    )


def test_direct_only_excludes_hosted_providers() -> None:
    hosted = PricingProvider(ONRAMP_MONEY)
    params = on_ramp_params(currency="INR", amount=20, direct_only="true")
    assert compare_quotes(services_with(hosted), SHOP, params).queried == ()
    with pytest.raises(
        InvalidInput, match="provider: ONRAMP_MONEY offers no INR on-ramps in IN by"
    ):
        get_quote_for_order(services_with(hosted), SHOP, params, "ONRAMP_MONEY")


def test_slow_failing_and_rejecting_providers_are_excluded_and_named() -> None:
    hung = threading.Event()
    providers = [
        PricingProvider(
            FONBNK, before_response=raising(Unreachable("is down")), runs_in_process=False
        ),
        PricingProvider(PAYCREST, before_response=hung.wait, runs_in_process=False),
        PricingProvider(YELLOW_CARD, runs_in_process=False),
    ]
    with ThreadPoolExecutor(8) as pool:
        try:
            configured_services = services_with(*providers, executor=pool, policy=SHORT_TIMEOUTS)
            comparison = compare_quotes(configured_services, SHOP, on_ramp_params())
        finally:
            hung.set()
    assert [quote.provider for quote in comparison.quotes] == [YELLOW_CARD]
    assert comparison.recommended == comparison.quotes[0]
    assert reasons(comparison) == {"FONBNK": "is down", "PAYCREST": "did not respond in time"}
    refusing = PricingProvider(
        FONBNK, before_response=raising(ProviderRejected("Fonbnk is closed"))
    )
    broken = PricingProvider(PAYCREST, before_response=raising(ZeroDivisionError()))
    assert reasons(compare_quotes(services_with(refusing, broken), SHOP, on_ramp_params())) == {
        "FONBNK": "refuses: Fonbnk is closed",
        "PAYCREST": "failed with ZeroDivisionError",
    }


@pytest.mark.parametrize(
    ("lie", "message"),
    [
        (
            {"fiat_minor": 99 * 10**6},
            r"quoted 990000\.00 NGN, but the reference rate of 2026-11-20",
        ),
        ({"fiat_minor": 1, "fee_minor": 0}, r"quoted 0\.01 NGN, but the reference rate"),
        ({"fiat_minor": -1}, "amounts that do not add up"),
        ({"fee_minor": 10**12}, "amounts that do not add up"),
        ({"fee_minor": -1}, "amounts that do not add up"),
        ({"rate_micro": 0}, "amounts that do not add up"),
        ({"channels": ()}, "unknown channels"),
        ({"expires_at": NOW}, "a quote that has expired"),
    ],
)
def test_an_implausible_quote_is_excluded(lie: dict[str, Any], message: str) -> None:
    liar = PricingProvider(PAYCREST, change_quote=with_changes(**lie))
    for params in (on_ramp_params(), off_ramp_params()):
        configured_services = services_with(liar, PricingProvider(YELLOW_CARD, 250))
        comparison = compare_quotes(configured_services, SHOP, params)
        assert [quote.provider for quote in comparison.quotes] == [YELLOW_CARD]
        with pytest.raises(InvalidInput, match=f"^provider: PAYCREST .*{message}"):
            get_quote_for_order(configured_services, SHOP, params, "PAYCREST")


def test_a_quote_for_unrequested_channels_is_excluded() -> None:
    other = PricingProvider(YELLOW_CARD).capabilities.channels
    configured_services = services_with(
        PricingProvider(PAYCREST, change_quote=with_changes(channels=other))
    )
    assert reasons(compare_quotes(configured_services, SHOP, on_ramp_params())) == {
        "PAYCREST": "answered with unknown channels"
    }


def test_an_amount_outside_a_channels_limits_names_them() -> None:
    params = on_ramp_params(amount="3000", currency="UGX")
    comparison = compare_quotes(
        services_with(PricingProvider(PAYCREST), PricingProvider(YELLOW_CARD)), SHOP, params
    )
    assert [quote.provider for quote in comparison.quotes] == [YELLOW_CARD]
    assert [channel.id for channel in comparison.quotes[0].channels] == ["ugx-bank-transfer-on"]
    assert reasons(comparison) == {"PAYCREST": "takes from 2500 UGX to 5000000 UGX by Mobile money"}


def test_a_quote_expires_with_the_earlier_of_provider_and_own_limit() -> None:
    assert get_order_quote(
        PricingProvider(PAYCREST), request=on_ramp_params()
    ).expires_at == NOW + timedelta(seconds=30)
    brief = Policy(quote_life_seconds=10)
    quote = get_order_quote(PricingProvider(PAYCREST), request=on_ramp_params(), policy=brief)
    assert quote.expires_at == NOW + timedelta(seconds=10)


def test_an_order_gets_the_quote_of_its_provider_and_channel() -> None:
    configured_services = services_with(
        PricingProvider(PAYCREST), PricingProvider(YELLOW_CARD, 250)
    )
    params = on_ramp_params(currency="KES", channel="kes-bank-transfer-on")
    quote = get_quote_for_order(configured_services, SHOP, params, "YELLOW_CARD")
    assert (quote.provider, quote.direction) == (YELLOW_CARD, Direction.ON)
    assert [channel.id for channel in quote.channels] == ["kes-bank-transfer-on"]
    with pytest.raises(InvalidInput, match="channel: YELLOW_CARD has no such channel for KES"):
        get_quote_for_order(
            configured_services, SHOP, on_ramp_params(currency="KES", channel="?"), "YELLOW_CARD"
        )
    with pytest.raises(InvalidInput, match="provider: PAYCREST offers no ZAR on-ramps in ZA"):
        get_quote_for_order(configured_services, SHOP, on_ramp_params(currency="ZAR"), "PAYCREST")
    with pytest.raises(InvalidInput, match="provider is required"):
        get_quote_for_order(configured_services, SHOP, params, None)
    for stranger in ("PAYPAL", "FONBNK"):
        with pytest.raises(InvalidInput, match="provider must be one of FONBNK"):
            get_quote_for_order(configured_services, SHOP, params, stranger)


def test_an_unreachable_provider_is_not_a_rejection_of_the_order() -> None:
    configured_services = services_with(
        PricingProvider(PAYCREST, before_response=raising(Unreachable("is down")))
    )
    with pytest.raises(QuotesUnavailable, match="PAYCREST is down"):
        get_quote_for_order(configured_services, SHOP, on_ramp_params(), "PAYCREST")


def test_providers_are_called_in_parallel() -> None:
    together = threading.Barrier(3, timeout=PATIENCE_SECONDS)
    names = (FONBNK, PAYCREST, YELLOW_CARD)
    configured_services = services_with(
        *[PricingProvider(n, before_response=together.wait, runs_in_process=False) for n in names]
    )
    assert len(compare_quotes(configured_services, SHOP, on_ramp_params()).quotes) == 3


def test_the_app_fee_is_part_of_the_price() -> None:
    plain = get_order_quote(PricingProvider(PAYCREST), request=on_ramp_params())
    configured_services = services_with(PricingProvider(PAYCREST))
    (charged,) = compare_quotes(
        configured_services, caller(app_fee_bps=100), on_ramp_params()
    ).quotes
    assert charged.ramp_units == plain.ramp_units + 250_000
    assert charged.fiat_minor > plain.fiat_minor


def test_rates_are_exact_in_currencies_without_minor_units() -> None:
    quote = get_order_quote(
        PricingProvider(YELLOW_CARD, 0), request=on_ramp_params(currency="XOF", country="CI")
    )
    assert quote.currency == FIAT.corridors["XOF"].currency
    assert quote.fiat_minor == quote.ramp_units * 565_435_000 // 10**12
    assert all(channel.countries == ("CI",) for channel in quote.channels)
