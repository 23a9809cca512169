"""What a sandbox provider asks and pays: exact, the same each time, never against its own fees."""

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
from tests.ramps import NGN, OFF, ON, RATES, UNITS, ask, capabilities, channel
from tests.services import NOW

USUAL = Behaviour()
CAN = capabilities()
RATE = RATES["NGN"]


def test_an_on_ramp_costs_the_rate_with_its_spread_and_the_fee_inside() -> None:
    made = build_quote(CAN, RATE, ask(), [ON], USUAL, NOW)
    # 10 USDC at 1 507.50 NGN are 15 075 NGN; 50 NGN and one per cent of all of it come on top.
    assert made.rate_micro == 1_507_500_000
    assert (made.fiat_minor, made.fee_minor) == (1_527_778, 20_278)
    assert made.fee_minor == ON.fee_minor(made.fiat_minor)
    assert made.channels == (ON,)
    assert made.expires_at == NOW + timedelta(seconds=60)


def test_an_off_ramp_pays_the_rate_less_its_spread_and_less_the_fee() -> None:
    made = build_quote(CAN, RATE, ask(Direction.OFF), [OFF], USUAL, NOW)
    assert made.rate_micro == 1_492_500_000
    assert (made.fiat_minor, made.fee_minor) == (1_492_500 - 19_925, 19_925)


def test_the_same_question_has_the_same_answer() -> None:
    first, again = (build_quote(CAN, RATE, ask(), [ON], USUAL, NOW) for _ in range(2))
    assert first == again
    other = build_quote(CAN, RATE, ask(), [ON], USUAL, NOW + timedelta(seconds=1))
    assert other.quote_id != first.quote_id


def test_a_moved_rate_moves_the_price() -> None:
    moved = build_quote(CAN, RATE, ask(), [ON], Behaviour(rate_bps=1_000), NOW)
    assert moved.rate_micro == 1_658_250_000


def test_a_spread_of_a_currency_goes_before_that_of_all_others() -> None:
    can = capabilities(spreads_bps={"": 50, "NGN": 200})
    assert provider_rate(can, RATE, Direction.ON, USUAL) == 1_530_000_000
    assert provider_rate(can, RATE, Direction.OFF, USUAL) == 1_470_000_000


def test_the_cheapest_channel_that_takes_the_amount_comes_first() -> None:
    cheap = channel(Direction.ON, id="cheap", fee_bps=0, fee_fixed_minor=0)
    small = channel(Direction.ON, id="small", fee_bps=0, fee_fixed_minor=0, max_minor=1_000_000)
    can = capabilities(channels=(ON, cheap, small))
    made = build_quote(can, RATE, ask(), [ON, small, cheap], USUAL, NOW)
    assert made.channels == (cheap, ON)
    assert (made.fiat_minor, made.fee_minor) == (1_507_500, 0)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ask(units=1_000), "takes orders from 1500.00 to 5000000.00 NGN"),
        (ask(units=10**13), "takes orders from 1500.00 to 5000000.00 NGN"),
        (ask(country="KE"), "no such channel for NGN in KE"),
        (ask(Direction.OFF), "no such channel"),
        (ask(token=replace(ask().token, symbol="USDT")), "does not serve NGN with USDT"),
    ],
    ids=["too little", "too much", "another country", "another direction", "another token"],
)
def test_what_it_does_not_serve_is_refused_in_words(asked: object, words: str) -> None:
    with pytest.raises(ProviderRejected, match=words):
        build_quote(CAN, RATE, asked, [ON], USUAL, NOW)  # type: ignore[arg-type]


def test_a_currency_without_a_rate_is_not_served() -> None:
    with pytest.raises(ProviderRejected, match="does not serve NGN"):
        build_quote(CAN, None, ask(), [ON], USUAL, NOW)


@given(
    worth=st.integers(1, 10**12),
    fixed=st.integers(0, 10**6),
    bps=st.integers(0, 999),
)
def test_the_user_pays_the_least_amount_that_leaves_the_worth_after_the_fee(
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
    paid = build_quote(can, rate, ask(units=units), [buy], USUAL, NOW).fiat_minor
    try:
        got = build_quote(can, rate, ask(Direction.OFF, units=units), [sell], USUAL, NOW).fiat_minor
    except ProviderRejected:
        got = 0
    assert 0 <= got <= paid


def test_amounts_of_18_decimals_are_exact() -> None:
    token = replace(ask().token, symbol="USDC", decimals=18)
    can = capabilities(tokens=(token,), spreads_bps={"": 0})
    free = channel(Direction.ON, fee_fixed_minor=0, fee_bps=0)
    made = build_quote(
        replace(can, channels=(free,)), RATE, ask(token=token, units=10**19), [free], USUAL, NOW
    )
    assert made.fiat_minor == UNITS // 10**6 * 1_500 * 10**NGN.digits
    assert made.rate_micro == 1_500 * RATE_SCALE
