"""Fees and totals: parts add up to the unit, and the deposit always covers what is owed."""

from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.pricing import (
    DOLLARS,
    ServiceFee,
    Side,
    app_fee,
    converted,
    costs_of,
    for_usd,
    slippage_of,
    worth,
)

DOLLAR = Side("USDC", 6, 10**12)
DECIMALS = st.integers(0, 18)
PICO = st.integers(10**6, 10**17)
SIDES = st.builds(Side, st.sampled_from(["ETH", "USDT", "STRK"]), DECIMALS, PICO)
MICRO = st.integers(0, 10**12)


@given(st.integers(1, 10**24), SIDES, SIDES, MICRO, MICRO, MICRO)
def test_the_parts_add_up_to_the_total_to_the_unit(
    units: int, amount: Side, asset: Side, service: int, bridge: int, app: int
) -> None:
    costs, total = costs_of(units, amount, asset, service, bridge, app)
    assert total == converted(units, amount, asset) + costs.fees_units + costs.app_fee_units
    assert costs.total_micro_usd == worth(units, amount) + service + bridge + app


@given(st.integers(1, 10**24), SIDES, SIDES, MICRO, MICRO, MICRO)
def test_the_deposit_is_always_worth_the_amount_and_every_fee(
    units: int, amount: Side, asset: Side, service: int, bridge: int, app: int
) -> None:
    costs, total = costs_of(units, amount, asset, service, bridge, app)
    assert worth(costs.fees_units, asset) >= service + bridge
    assert worth(costs.app_fee_units, asset) >= app
    if amount.symbol != asset.symbol:
        assert worth(total, asset) >= costs.total_micro_usd


@given(st.integers(0, 10**24), SIDES, SIDES)
def test_converting_never_shorts_the_receiver(units: int, source: Side, target: Side) -> None:
    if source.symbol != target.symbol:
        assert worth(converted(units, source, target), target) >= worth(units, source)


@given(st.integers(0, 10**24), DECIMALS, DECIMALS)
def test_one_symbol_on_two_chains_only_changes_its_decimals(
    units: int, decimals: int, others: int
) -> None:
    source, target = Side("USDT", decimals, 999 * 10**9), Side("USDT", others, 999 * 10**9)
    assert converted(units, source, target) * 10**decimals >= units * 10**others


@given(MICRO, DECIMALS)
def test_usdc_is_the_dollar_whatever_its_decimals(micro_usd: int, decimals: int) -> None:
    side = Side("USDC", decimals, 10**12)
    assert for_usd(micro_usd, side) * 10**6 >= micro_usd * 10**decimals
    assert for_usd(worth(micro_usd, DOLLAR), DOLLAR) == micro_usd


def test_the_service_fee_is_a_cent_and_a_share_rounded_up() -> None:
    assert ServiceFee().on(10**9) == 10_000
    assert ServiceFee(basis_points=3).on(1) == 10_001
    assert ServiceFee(flat_micro_usd=0, basis_points=25).on(100_000_000) == 250_000


def test_the_app_fee_stops_at_its_cap() -> None:
    assert app_fee(100_000_000, 100, None) == 1_000_000
    assert app_fee(100_000_000, 100, 400_000) == 400_000
    assert app_fee(100_000_000, 0, 400_000) == 0


def test_slippage_is_nothing_within_a_symbol_and_between_dollar_stablecoins() -> None:
    assert slippage_of("ETH", "ETH") == "0"
    assert slippage_of("USDT", "USDC") == "0"
    assert slippage_of("ETH", "USDC") == "0.5"
    assert slippage_of("EURC", "USDC") == "0.5"
    assert "EURC" not in DOLLARS
