"""Conversion between fiat and USD: exact, with conservative rounding."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.fiat import RATE_SCALE, Rate, fiat_of_usd, usd_of_fiat

rates = st.integers(1, 10**11).map(lambda micro: Rate("XTS", micro, date(2026, 11, 20)))
digits = st.sampled_from([0, 2, 3])
amounts = st.integers(0, 10**15)


@given(amounts, rates, digits)
def test_fiat_prices_are_rounded_up_to_a_minor_unit(
    micro_usd: int, rate: Rate, places: int
) -> None:
    minor = fiat_of_usd(micro_usd, rate, places)
    exact = micro_usd * rate.micro_per_usd * 10**places
    assert (minor - 1) * 10**6 * RATE_SCALE < exact <= minor * 10**6 * RATE_SCALE


@given(amounts, rates, digits)
def test_fiat_values_are_rounded_down(minor: int, rate: Rate, places: int) -> None:
    micro_usd = usd_of_fiat(minor, rate, places)
    unit = rate.micro_per_usd * 10**places
    assert micro_usd * unit <= minor * 10**6 * RATE_SCALE < (micro_usd + 1) * unit


@given(amounts, rates, digits)
def test_a_round_trip_never_loses_value(micro_usd: int, rate: Rate, places: int) -> None:
    assert usd_of_fiat(fiat_of_usd(micro_usd, rate, places), rate, places) >= micro_usd


@given(amounts, amounts, rates, digits)
def test_conversion_is_monotonic(first: int, second: int, rate: Rate, places: int) -> None:
    low, high = sorted((first, second))
    assert fiat_of_usd(low, rate, places) <= fiat_of_usd(high, rate, places)
    assert usd_of_fiat(low, rate, places) <= usd_of_fiat(high, rate, places)
