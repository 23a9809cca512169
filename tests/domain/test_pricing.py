"""Fees and totals: parts sum exactly, and the deposit always covers them."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.clients import Client
from crossway.domain.pricing import (
    PricedToken,
    ServiceFee,
    amount_for_usd,
    calculate_costs,
    convert,
    usd_value,
)

DOLLAR = PricedToken("USDC", 6, 10**12)
DECIMALS = st.integers(0, 18)
PICO = st.integers(10**6, 10**17)
SIDES = st.builds(PricedToken, st.sampled_from(["ETH", "USDT", "STRK"]), DECIMALS, PICO)
MICRO = st.integers(0, 10**12)


def client_with_fee(basis_points: int, cap_micro_usd: int | None) -> Client:
    return Client(
        "client", "Client", basis_points, cap_micro_usd, 250, datetime(2026, 1, 1, tzinfo=UTC)
    )


@given(st.integers(1, 10**24), SIDES, SIDES, MICRO, MICRO, MICRO)
def test_the_parts_sum_exactly_to_the_total(
    units: int, amount: PricedToken, asset: PricedToken, service: int, bridge: int, app: int
) -> None:
    costs, total = calculate_costs(units, amount, asset, service, bridge, app, bridge)
    assert total == convert(units, amount, asset) + costs.fees_units + costs.app_fee_units
    assert costs.total_micro_usd == usd_value(units, amount) + service + bridge + app


@given(st.integers(1, 10**24), SIDES, SIDES, MICRO, MICRO, MICRO)
def test_the_deposit_always_covers_the_amount_and_all_fees(
    units: int, amount: PricedToken, asset: PricedToken, service: int, bridge: int, app: int
) -> None:
    costs, total = calculate_costs(units, amount, asset, service, bridge, app, bridge // 2)
    assert costs.network_fee_units <= costs.fees_units
    assert usd_value(costs.fees_units, asset) >= service + bridge
    assert usd_value(costs.app_fee_units, asset) >= app
    if amount.symbol != asset.symbol:
        assert usd_value(total, asset) >= costs.total_micro_usd


@given(st.integers(0, 10**24), SIDES, SIDES)
def test_converting_never_shorts_the_receiver(
    units: int, source: PricedToken, target: PricedToken
) -> None:
    if source.symbol != target.symbol:
        assert usd_value(convert(units, source, target), target) >= usd_value(units, source)


@given(st.integers(0, 10**24), DECIMALS, DECIMALS)
def test_one_symbol_on_two_chains_only_changes_its_decimals(
    units: int, decimals: int, others: int
) -> None:
    source, target = (
        PricedToken("USDT", decimals, 999 * 10**9),
        PricedToken("USDT", others, 999 * 10**9),
    )
    assert convert(units, source, target) * 10**decimals >= units * 10**others


@given(MICRO, DECIMALS)
def test_usdc_is_the_dollar_whatever_its_decimals(micro_usd: int, decimals: int) -> None:
    side = PricedToken("USDC", decimals, 10**12)
    assert amount_for_usd(micro_usd, side) * 10**6 >= micro_usd * 10**decimals
    assert amount_for_usd(usd_value(micro_usd, DOLLAR), DOLLAR) == micro_usd


def test_the_service_fee_is_a_cent_and_a_share_rounded_up() -> None:
    assert ServiceFee().calculate(10**9) == 10_000
    assert ServiceFee(basis_points=3).calculate(1) == 10_001
    assert ServiceFee(flat_micro_usd=0, basis_points=25).calculate(100_000_000) == 250_000


def test_the_app_fee_stops_at_its_cap() -> None:
    assert client_with_fee(100, None).app_fee(100_000_000) == 1_000_000
    assert client_with_fee(100, 400_000).app_fee(100_000_000) == 400_000
    assert client_with_fee(0, 400_000).app_fee(100_000_000) == 0
