"""Ramp quotes: who is asked, what is compared, who is left out (service.md §10, wire.md §4)."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput, QuotesUnavailable, Unreachable
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.policy import Policy, TimeoutPolicy
from crossway.ports.ramps import ProviderRejected
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quote_params import RampQuoteRequest
from crossway.usecases.ramps.quotes import RampComparison, compare_quotes, get_quote_for_order
from tests.ramp_prices import PricingProvider, desk, saying
from tests.services import FIAT, NOW, KillSwitchStore, caller

SHOP = caller()
FONBNK, ONRAMP_MONEY, PAYCREST, YELLOW_CARD = ProviderName
HASTY = Policy(ramp_quote_timeouts=TimeoutPolicy(deadline=0.3, enough=1, grace=0.1))


def buying(**changes: Any) -> RampQuoteRequest:
    """25 USDC on Base for naira."""
    asked = {"direction": "on-ramp", "currency": "NGN", "amount": "25", "destination_chain": "BASE"}
    return RampQuoteRequest(**(asked | changes))


def selling(**changes: Any) -> RampQuoteRequest:
    """25 USDC from Base for naira."""
    asked = {"direction": "off-ramp", "currency": "NGN", "amount": "25", "source_chain": "BASE"}
    return RampQuoteRequest(**(asked | changes))


def raising(error: Exception) -> Any:
    def first() -> None:
        raise error

    return first


def one(*providers: PricingProvider, asked: RampQuoteRequest, **changes: Any) -> RampQuote:
    (quote,) = compare_quotes(desk(*providers, **changes), SHOP, asked).quotes
    return quote


def reasons(found: RampComparison) -> dict[str, str]:
    return {left.subject: left.reason for left in found.excluded}


def test_an_on_ramp_costs_what_is_paid_beyond_the_worth_of_the_crypto() -> None:
    provider = PricingProvider(PAYCREST)
    quote = one(provider, asked=buying())
    ((ask, _),) = provider.asked
    assert ask.amount == quote.ramp_units == quote.routed.quote.deposit_amount
    assert quote.ramp_units > quote.crypto_units == 25_000_000
    reference = 25 * 1_448_50
    assert quote.total_fees_minor == quote.fiat_minor - reference > reference // 100
    assert quote.total_fees_micro_usd == quote.total_fees_minor * 10**6 // 1_448_50
    assert quote.gross_units == 0
    assert (quote.rate_micro, quote.worth_micro_usd) == (1_448_500_000, 25_000_000)


def test_an_off_ramp_costs_what_is_deposited_beyond_what_is_paid_out() -> None:
    provider = PricingProvider(PAYCREST)
    quote = one(provider, asked=selling())
    ((ask, _),) = provider.asked
    assert ask.amount == quote.ramp_units == 25_000_000
    assert quote.gross_units == quote.routed.quote.deposit_amount > 25_000_000
    worth = -(-quote.gross_units * 1_448_50 // 10**6)
    assert quote.total_fees_minor == worth - quote.fiat_minor
    assert quote.token.chain == quote.ramp_token.chain == "BASE_MAINNET"


def test_the_deposit_of_an_off_ramp_counts_the_token_that_the_user_deposits() -> None:
    asked = selling(source_chain="BSC", symbol="USDT", amount="7.25")
    quote = one(PricingProvider(PAYCREST), asked=asked)
    assert (quote.ramp_token.symbol, quote.decimals) == ("USDC", 18)
    assert quote.crypto_units == 725 * 10**16
    assert quote.gross_units > quote.crypto_units
    assert quote.ramp_units == 725 * 10**16


def test_the_same_chain_is_taken_where_the_provider_is_there_and_needs_no_bridge() -> None:
    quote = one(PricingProvider(FONBNK), asked=buying(destination_chain="ETHEREUM"))
    assert quote.ramp_token.chain == "ETHEREUM_MAINNET"
    assert not quote.requires_bridge
    assert quote.routed.quote.bridge is None


def test_from_another_chain_the_cheapest_bridge_is_taken() -> None:
    quote = one(PricingProvider(FONBNK), asked=buying(destination_chain="MONAD"))
    assert quote.requires_bridge
    assert quote.routed.quote.source == quote.ramp_token.chain
    assert quote.routed.quote.destination == "MONAD_MAINNET"
    off = KillSwitchStore({f"chain:{quote.ramp_token.chain}": "maintenance"})
    other = one(PricingProvider(FONBNK), asked=buying(destination_chain="MONAD"), store=off)
    assert other.ramp_token.chain != quote.ramp_token.chain
    assert other.routed.quote.bridge_micro_usd >= quote.routed.quote.bridge_micro_usd


def test_bridges_are_asked_once_for_all_providers() -> None:
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

    base = desk(*[PricingProvider(name) for name in (FONBNK, PAYCREST, YELLOW_CARD)])
    bridges = [Counting(bridge) for bridge in base.bridges]
    made = desk(*base.ramps, bridges=bridges)
    assert len(compare_quotes(made, SHOP, buying(destination_chain="MONAD")).quotes) == 3
    assert {bridge.calls for bridge in bridges} == {1}


def test_without_a_bridge_only_providers_on_the_same_chain_are_quoted() -> None:
    providers = [PricingProvider(name) for name in (FONBNK, PAYCREST, YELLOW_CARD)]
    found = compare_quotes(desk(*providers, bridges=()), SHOP, buying(destination_chain="ETHEREUM"))
    assert [quote.provider for quote in found.quotes] == [YELLOW_CARD, FONBNK]  # The faster first.
    assert found.queried == (FONBNK, PAYCREST, YELLOW_CARD)
    assert reasons(found) == {
        "PAYCREST": "has no route between its chains and ETHEREUM_MAINNET at the moment"
    }


def test_on_a_test_network_only_providers_with_one_are_quoted() -> None:
    providers = [PricingProvider(name) for name in (FONBNK, PAYCREST)]
    found = compare_quotes(desk(*providers), SHOP, buying(destination_chain="BASE_TESTNET"))
    assert [quote.provider for quote in found.quotes] == [FONBNK]
    assert found.quotes[0].ramp_token.chain == "BASE_TESTNET"


def test_quotes_come_cheapest_first_and_the_cheapest_is_recommended() -> None:
    providers = [PricingProvider(FONBNK, 300), PricingProvider(PAYCREST, 100)]
    found = compare_quotes(desk(*providers, PricingProvider(YELLOW_CARD, 200)), SHOP, buying())
    assert [quote.provider for quote in found.quotes] == [PAYCREST, YELLOW_CARD, FONBNK]
    assert found.recommended == found.quotes[0]


def test_providers_of_other_corridors_are_not_asked() -> None:
    hosted = PricingProvider(ONRAMP_MONEY)
    found = compare_quotes(desk(hosted), SHOP, buying())
    assert (found.quotes, found.recommended, found.queried) == ((), None, ())
    assert hosted.asked == []
    rupees = buying(currency="INR", amount=20)
    assert compare_quotes(desk(hosted), SHOP, rupees).queried == (ONRAMP_MONEY,)
    assert compare_quotes(desk(hosted), SHOP, selling(currency="INR", amount=20)).quotes == ()


def test_direct_only_leaves_out_who_sends_the_user_elsewhere() -> None:
    hosted = PricingProvider(ONRAMP_MONEY)
    asked = buying(currency="INR", amount=20, direct_only="true")
    assert compare_quotes(desk(hosted), SHOP, asked).queried == ()
    with pytest.raises(
        InvalidInput, match="provider: ONRAMP_MONEY offers no INR on-ramps in IN by"
    ):
        get_quote_for_order(desk(hosted), SHOP, asked, "ONRAMP_MONEY")


def test_who_is_slow_broken_down_or_refuses_is_left_out_and_named() -> None:
    hung = threading.Event()
    providers = [
        PricingProvider(FONBNK, first=raising(Unreachable("is down")), runs_in_process=False),
        PricingProvider(PAYCREST, first=hung.wait, runs_in_process=False),
        PricingProvider(YELLOW_CARD, runs_in_process=False),
    ]
    with ThreadPoolExecutor(8) as pool:
        try:
            made = desk(*providers, executor=pool, policy=HASTY)
            found = compare_quotes(made, SHOP, buying())
        finally:
            hung.set()
    assert [quote.provider for quote in found.quotes] == [YELLOW_CARD]
    assert found.recommended == found.quotes[0]
    assert reasons(found) == {"FONBNK": "is down", "PAYCREST": "did not respond in time"}
    refusing = PricingProvider(FONBNK, first=raising(ProviderRejected("Fonbnk is closed")))
    broken = PricingProvider(PAYCREST, first=raising(ZeroDivisionError()))
    assert reasons(compare_quotes(desk(refusing, broken), SHOP, buying())) == {
        "FONBNK": "refuses: Fonbnk is closed",
        "PAYCREST": "failed with ZeroDivisionError",
    }


@pytest.mark.parametrize(
    ("lie", "words"),
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
def test_an_answer_that_cannot_be_true_is_left_out(lie: dict[str, Any], words: str) -> None:
    liar = PricingProvider(PAYCREST, answer=saying(**lie))
    for asked in (buying(), selling()):
        made = desk(liar, PricingProvider(YELLOW_CARD, 250))
        found = compare_quotes(made, SHOP, asked)
        assert [quote.provider for quote in found.quotes] == [YELLOW_CARD]
        with pytest.raises(InvalidInput, match=f"^provider: PAYCREST .*{words}"):
            get_quote_for_order(made, SHOP, asked, "PAYCREST")


def test_channels_of_somebody_else_are_not_believed() -> None:
    other = PricingProvider(YELLOW_CARD).capabilities.channels
    made = desk(PricingProvider(PAYCREST, answer=saying(channels=other)))
    assert reasons(compare_quotes(made, SHOP, buying())) == {
        "PAYCREST": "answered with unknown channels"
    }


def test_an_amount_outside_a_channel_names_its_limits() -> None:
    asked = buying(amount="3000", currency="UGX")
    found = compare_quotes(
        desk(PricingProvider(PAYCREST), PricingProvider(YELLOW_CARD)), SHOP, asked
    )
    assert [quote.provider for quote in found.quotes] == [YELLOW_CARD]
    assert [channel.id for channel in found.quotes[0].channels] == ["ugx-bank-transfer-on"]
    assert reasons(found) == {"PAYCREST": "takes from 2500 UGX to 5000000 UGX by Mobile money"}


def test_a_quote_ends_with_the_providers_or_our_own_whichever_is_sooner() -> None:
    assert one(PricingProvider(PAYCREST), asked=buying()).expires_at == NOW + timedelta(seconds=30)
    brief = Policy(quote_life_seconds=10)
    quote = one(PricingProvider(PAYCREST), asked=buying(), policy=brief)
    assert quote.expires_at == NOW + timedelta(seconds=10)


def test_an_order_gets_the_quote_of_its_provider_and_channel() -> None:
    made = desk(PricingProvider(PAYCREST), PricingProvider(YELLOW_CARD, 250))
    asked = buying(currency="KES", channel="kes-bank-transfer-on")
    quote = get_quote_for_order(made, SHOP, asked, "YELLOW_CARD")
    assert (quote.provider, quote.direction) == (YELLOW_CARD, Direction.ON)
    assert [channel.id for channel in quote.channels] == ["kes-bank-transfer-on"]
    with pytest.raises(InvalidInput, match="channel: YELLOW_CARD has no such channel for KES"):
        get_quote_for_order(made, SHOP, buying(currency="KES", channel="?"), "YELLOW_CARD")
    with pytest.raises(InvalidInput, match="provider: PAYCREST offers no ZAR on-ramps in ZA"):
        get_quote_for_order(made, SHOP, buying(currency="ZAR"), "PAYCREST")
    for stranger in ("PAYPAL", None, "FONBNK"):
        with pytest.raises(InvalidInput, match="provider must be one of FONBNK"):
            get_quote_for_order(made, SHOP, asked, stranger)


def test_for_an_order_silence_is_unknown_and_no_refusal() -> None:
    made = desk(PricingProvider(PAYCREST, first=raising(Unreachable("is down"))))
    with pytest.raises(QuotesUnavailable, match="PAYCREST is down"):
        get_quote_for_order(made, SHOP, buying(), "PAYCREST")


def test_providers_are_asked_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=2)
    names = (FONBNK, PAYCREST, YELLOW_CARD)
    made = desk(*[PricingProvider(n, first=together.wait, runs_in_process=False) for n in names])
    began = time.monotonic()
    assert len(compare_quotes(made, SHOP, buying()).quotes) == 3
    assert time.monotonic() - began < 2


def test_a_clients_own_fee_is_in_the_price() -> None:
    plain = one(PricingProvider(PAYCREST), asked=buying())
    made = desk(PricingProvider(PAYCREST))
    (charged,) = compare_quotes(made, caller(app_fee_bps=100), buying()).quotes
    assert charged.ramp_units == plain.ramp_units + 250_000
    assert charged.fiat_minor > plain.fiat_minor


def test_rates_are_exact_in_currencies_without_minor_units() -> None:
    quote = one(PricingProvider(YELLOW_CARD, 0), asked=buying(currency="XOF", country="CI"))
    assert quote.currency == FIAT.corridors["XOF"].currency
    assert quote.fiat_minor == quote.ramp_units * 565_435_000 // 10**12
    assert all(channel.countries == ("CI",) for channel in quote.channels)
