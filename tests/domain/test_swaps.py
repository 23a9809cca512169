"""What swaps cost, and by how much they may cost more than expected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.swaps import SwapQuote, expected_input, percent_of_bps


def test_a_swap_costs_its_fee_its_impact_and_the_allowance() -> None:
    # 5 bps of fee, 2 of impact and 10 of allowance, of what is paid in: 17 / 9 983 of the value.
    quote = SwapQuote("an exchange", cost_bps=7, impact_bps=2)
    assert quote.cost_of(99_830_000) == 170_000
    assert quote.cost_of(99_830_001) == 170_001
    assert quote.cost_of(0) == 0


@given(st.integers(1, 10**15), st.integers(0, 500))
def test_what_is_paid_in_less_the_cost_buys_the_value(micro_usd: int, cost_bps: int) -> None:
    paid_in = micro_usd + SwapQuote("an exchange", cost_bps, 0).cost_of(micro_usd)
    assert paid_in * (10_000 - cost_bps) // 10_000 >= micro_usd


@given(st.integers(1, 10**30), st.integers(0, 5_000))
def test_the_deposit_covers_the_expected_input_and_its_slippage(
    deposit: int, slippage_bps: int
) -> None:
    expected = expected_input(deposit, slippage_bps)
    assert expected + expected * slippage_bps // 10_000 <= deposit


@pytest.mark.parametrize(
    ("basis_points", "percent"), [(0, "0"), (1, "0.01"), (10, "0.1"), (39, "0.39"), (100, "1")]
)
def test_basis_points_as_a_percentage(basis_points: int, percent: str) -> None:
    assert percent_of_bps(basis_points) == percent
