"""Prices of a sandbox provider: exact, deterministic, and never below its fees."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.ramps.sandbox.behaviour import Behaviour
from crossway.adapters.ramps.sandbox.quotes import apply_fee, build_quote, provider_rate
from crossway.domain.fiat import RATE_SCALE, Rate
from crossway.domain.ramps import Direction
from crossway.ports.ramps import ProviderRejected
from tests.ramps import NGN, OFF, ON, RATES, UNITS, capabilities, channel, quote_request
from tests.services import NOW

USUAL = Behaviour()
CAN = capabilities()
RATE = RATES["NGN"]


def test_an_on_ramp_costs_rate_plus_spread_and_fee() -> None:
    created = build_quote(CAN, RATE, quote_request(), [ON], USUAL, NOW)
    # 10 USDC at 1 507.50 NGN are 15 075 NGN; 50 NGN and one per cent of all of it come on top.
    assert created.rate_micro == 1_507_500_000
    assert (created.fiat_minor, created.fee_minor) == (1_527_778, 20_278)
    assert created.fee_minor == ON.fee_minor(created.fiat_minor)
    assert created.channels == (ON,)
    assert created.expires_at == NOW + timedelta(seconds=60)


def test_an_off_ramp_pays_rate_minus_spread_and_fee() -> None:
    created = build_quote(CAN, RATE, quote_request(Direction.OFF), [OFF], USUAL, NOW)
    assert created.rate_micro == 1_492_500_000
    assert (created.fiat_minor, created.fee_minor) == (1_492_500 - 19_925, 19_925)


def test_the_same_request_gets_the_same_quote() -> None:
    first, again = (build_quote(CAN, RATE, quote_request(), [ON], USUAL, NOW) for _ in range(2))
    assert first == again
    other = build_quote(CAN, RATE, quote_request(), [ON], USUAL, NOW + timedelta(seconds=1))
    assert other.quote_id != first.quote_id


def test_a_moved_rate_moves_the_price() -> None:
    moved = build_quote(CAN, RATE, quote_request(), [ON], Behaviour(rate_bps=1_000), NOW)
    assert moved.rate_micro == 1_658_250_000


def test_a_currencys_spread_precedes_the_default() -> None:
    can = capabilities(spreads_bps={"": 50, "NGN": 200})
    assert provider_rate(can, RATE, Direction.ON, USUAL) == 1_530_000_000
    assert provider_rate(can, RATE, Direction.OFF, USUAL) == 1_470_000_000


def test_the_cheapest_channel_that_takes_the_amount_comes_first() -> None:
    cheap = channel(Direction.ON, id="cheap", fee_bps=0, fee_fixed_minor=0)
    small = channel(Direction.ON, id="small", fee_bps=0, fee_fixed_minor=0, max_minor=1_000_000)
    can = capabilities(channels=(ON, cheap, small))
    created = build_quote(can, RATE, quote_request(), [ON, small, cheap], USUAL, NOW)
    assert created.channels == (cheap, ON)
    assert (created.fiat_minor, created.fee_minor) == (1_507_500, 0)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (quote_request(units=1_000), "takes orders from 1500.00 to 5000000.00 NGN"),
        (quote_request(units=10**13), "takes orders from 1500.00 to 5000000.00 NGN"),
        (quote_request(country="KE"), "no such channel for NGN in KE"),
        (quote_request(Direction.OFF), "no such channel"),
        (
            quote_request(token=replace(quote_request().token, symbol="USDT")),
            "does not serve NGN with USDT",
        ),
    ],
    ids=["too little", "too much", "another country", "another direction", "another token"],
)
def test_unsupported_requests_are_rejected_with_the_reason(asked: object, words: str) -> None:
    with pytest.raises(ProviderRejected, match=words):
        build_quote(CAN, RATE, asked, [ON], USUAL, NOW)  # type: ignore[arg-type]


def test_a_currency_without_a_rate_is_not_served() -> None:
    with pytest.raises(ProviderRejected, match="does not serve NGN"):
        build_quote(CAN, None, quote_request(), [ON], USUAL, NOW)


@given(
    worth=st.integers(1, 10**12),
    fixed=st.integers(0, 10**6),
    bps=st.integers(0, 999),
)
def test_the_price_is_the_smallest_amount_that_covers_the_fee(
    worth: int, fixed: int, bps: int
) -> None:
    by = channel(Direction.ON, fee_fixed_minor=fixed, fee_bps=bps)
    paid, fee = apply_fee(by, Direction.ON, worth)
    assert (paid - fee, fee) == (worth, by.fee_minor(paid))
    less = paid - 1
    assert less - by.fee_minor(less) < worth


@given(units=st.integers(1, 10**15), per_usd=st.integers(1, 10**11), spread=st.integers(0, 900))
def test_selling_never_pays_more_than_buying_costs(units: int, per_usd: int, spread: int) -> None:
    wide = {"min_minor": 0, "max_minor": 10**40, "fee_fixed_minor": 0, "fee_bps": 0}
    buy, sell = channel(Direction.ON, **wide), channel(Direction.OFF, **wide)
    can = capabilities(channels=(buy, sell), spreads_bps={"": spread})
    rate = Rate("NGN", per_usd, date(2026, 11, 1))
    paid = build_quote(can, rate, quote_request(units=units), [buy], USUAL, NOW).fiat_minor
    try:
        received = build_quote(
            can, rate, quote_request(Direction.OFF, units=units), [sell], USUAL, NOW
        ).fiat_minor
    except ProviderRejected:
        received = 0
    assert 0 <= received <= paid


def test_amounts_of_18_decimals_are_exact() -> None:
    token = replace(quote_request().token, symbol="USDC", decimals=18)
    can = capabilities(tokens=(token,), spreads_bps={"": 0})
    free = channel(Direction.ON, fee_fixed_minor=0, fee_bps=0)
    created = build_quote(
        replace(can, channels=(free,)),
        RATE,
        quote_request(token=token, units=10**19),
        [free],
        USUAL,
        NOW,
    )
    assert created.fiat_minor == UNITS // 10**6 * 1_500 * 10**NGN.digits
    assert created.rate_micro == 1_500 * RATE_SCALE
