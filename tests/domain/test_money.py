"""Exact amounts: parsing, formatting and rounding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.errors import InvalidInput
from crossway.domain.money import (
    format_units,
    micro_usd_down,
    micro_usd_up,
    parse_decimal,
    parse_units,
    rescale_up,
    share_up,
    units_for_micro_usd_up,
)

UNITS = st.integers(0, 10**40)
DECIMALS = st.integers(0, 24)
PRICES = st.integers(1, 10**18)


@given(UNITS, DECIMALS)
def test_formatted_amounts_parse_back_unchanged(units: int, decimals: int) -> None:
    assert parse_decimal("amount", format_units(units, decimals), decimals) == units


@given(UNITS, DECIMALS, DECIMALS)
def test_formatted_amounts_have_the_minimum_decimal_places(
    units: int, decimals: int, least: int
) -> None:
    shown = format_units(units, decimals, least_places=min(least, decimals))
    assert len(shown.partition(".")[2]) >= (min(least, decimals) if decimals else 0)


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1 ", "1\n", "1.5\n", "1e2", "+1", "-1", "1,5", "1.", ".5", "0x1", "١", "NaN", "1_0",
     None, 1],
)  # fmt: skip
def test_only_plain_decimal_numbers_are_parsed(text: object) -> None:
    with pytest.raises(InvalidInput, match=r"^amount "):
        parse_decimal("amount", text, 18)


def test_excess_decimal_places_are_rejected_not_rounded() -> None:
    assert parse_decimal("amount", "1.2300000", 2) == 123
    with pytest.raises(InvalidInput, match="more than 2 decimal places"):
        parse_decimal("amount", "1.234", 2)


@pytest.mark.parametrize(
    "text", ["", "0", "00", "-1", "1.0", "1e2", " 1", "1\n", "٣", "9" * 79, None, 5]
)
def test_smallest_units_are_a_positive_integer_in_text(text: object) -> None:
    with pytest.raises(InvalidInput, match=r"^amount "):
        parse_units("amount", text)


def test_ten_ether_in_wei_is_exact() -> None:
    assert parse_units("amount", "10000000000000000001") == 10**19 + 1


@given(st.integers(0, 10**15), DECIMALS, PRICES)
def test_amounts_for_usd_are_never_worth_less(micro_usd: int, decimals: int, pico_usd: int) -> None:
    units = units_for_micro_usd_up(micro_usd, decimals, pico_usd)
    assert micro_usd_up(units, decimals, pico_usd) >= micro_usd
    assert units == 0 or units_for_micro_usd_up(micro_usd, decimals, pico_usd) - 1 < units
    if units:
        assert micro_usd_down(units - 1, decimals, pico_usd) < micro_usd


@given(UNITS, DECIMALS, PRICES)
def test_rounding_up_and_down_differ_by_at_most_one_micro_dollar(
    units: int, decimals: int, pico_usd: int
) -> None:
    up, down = micro_usd_up(units, decimals, pico_usd), micro_usd_down(units, decimals, pico_usd)
    assert down <= up <= down + 1


@given(UNITS, DECIMALS, DECIMALS)
def test_rescaling_never_loses_value(units: int, decimals: int, others: int) -> None:
    rescaled = rescale_up(units, decimals, others)
    assert rescaled * 10**decimals >= units * 10**others
    assert (rescaled - 1) * 10**decimals < units * 10**others


@given(UNITS, st.integers(0, 10_000))
def test_a_share_is_never_rounded_down(amount: int, basis_points: int) -> None:
    share = share_up(amount, basis_points)
    assert share * 10_000 >= amount * basis_points
    assert (share - 1) * 10_000 < amount * basis_points
