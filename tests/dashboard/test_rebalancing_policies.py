"""Policies on screen: bars that stay readable, words for what is cut, and what is typed."""

from datetime import UTC, datetime, time

import pytest

from crossway.dashboard.rebalancing_charts import policy_bars
from crossway.dashboard.views import rebalancing_policies as view
from crossway.domain.clients import staff_principal
from crossway.domain.errors import InvalidInput
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    LocationBalance,
    RebalancingPolicy,
    RebalancingSettings,
)
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.usecases.money.rebalancing_policies import list_policies
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE

MACHINE = staff_principal("command line")
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
USDC = 10**6
BASE = ("BASE_MAINNET", CATALOGUE.tokens["BASE_MAINNET", "USDC"].address)
UNIFIED = (unified_location(testnet=False), UNIFIED_TOKEN)
SEPOLIA = ("ARBITRUM_TESTNET", CATALOGUE.tokens["ARBITRUM_TESTNET", "USDC"].address)


def balance(
    location: tuple[str, str], name: str, units: int | None, **more: int
) -> LocationBalance:
    group = ("USDC", location == SEPOLIA)
    return LocationBalance(*location, name, group, 6, 10**12, units, **more)


def policy(
    location: tuple[str, str], minimum: int, target: int, maximum: int, by: str = "Ada"
) -> RebalancingPolicy:
    amounts = (minimum * USDC, target * USDC, maximum if maximum >= NO_MAXIMUM else maximum * USDC)
    return RebalancingPolicy(*location, *amounts, 1, by, NOW)


def locations(
    balances: list[LocationBalance], policies: list[RebalancingPolicy]
) -> list[view.LocationPolicy]:
    inputs = PlanInputs(balances, policies, RebalancingSettings(), {}, NOW)
    return view.list_locations(inputs, testnets=False)


def test_a_target_is_readable_beside_a_large_balance() -> None:
    at = balance(BASE, "Base", 4_000_000 * USDC)
    (bar,) = view.build_bars(locations([at], [policy(BASE, 2_500, 5_000, 10_000)]))
    # In per cent of the target; 80,000 % is told in words, and the bar ends at the edge.
    assert (bar.there, bar.arriving, bar.minimum, bar.maximum) == (200, 0, 50, 200)
    assert (bar.more, bar.is_short) == (80_000, False)
    option = policy_bars([bar], "light")
    assert option["yAxis"]["data"] == ["Base (80,000%)"]
    assert option["xAxis"]["max"] == 200
    assert "80,000% of its target there" in view.describe_bars([bar])


def test_a_balance_that_is_a_thousand_targets_is_labelled_as_more_than_that() -> None:
    at = balance(BASE, "Base", 400_000_000 * USDC)
    (bar,) = view.build_bars(locations([at], [policy(BASE, 2_500, 5_000, 10_000)]))
    assert policy_bars([bar], "light")["yAxis"]["data"] == ["Base (over 100,000%)"]


def test_what_arrives_stands_beside_what_is_there() -> None:
    at = balance(UNIFIED, "The unified balance", 1_000 * USDC, arriving=500 * USDC)
    (bar,) = view.build_bars(locations([at], [policy(UNIFIED, 1_600, 2_000, NO_MAXIMUM)]))
    assert (bar.name, bar.there, bar.arriving) == ("Unified balance", 50, 25)
    assert (bar.minimum, bar.maximum, bar.more, bar.is_short) == (80, None, None, True)
    assert policy_bars([bar], "dark")["yAxis"]["data"] == ["Unified balance ▼ short"]


def test_rows_say_what_payouts_wait_for_and_what_is_unknown() -> None:
    waited = balance(BASE, "Base", 100 * USDC, waiting=300 * USDC, expected=50 * USDC)
    silent = balance(UNIFIED, "The unified balance", None)
    found = locations(
        [waited, silent, balance(SEPOLIA, "A test network", 5)],
        [policy(BASE, 0, 400, NO_MAXIMUM), policy(UNIFIED, 0, 100, 200, by=""),
         policy(SEPOLIA, 1, 1, 1)],
    )  # fmt: skip
    of_base, of_unified = view.build_rows(CATALOGUE, found)
    texts = [cell.text for cell in of_base.cells]
    assert texts == [
        "Base", "100.00 USDC", "-150.00 USDC", "0.00 USDC", "400.00 USDC", "none", "Ada",
    ]  # fmt: skip
    assert of_base.cells[1].sub == "50.00 USDC arriving"
    assert of_base.cells[2].sub == "payouts wait for 300.00 USDC"
    assert [of_unified.cells[i].text for i in (1, 2, 5)] == ["unknown", "unknown", "200.00 USDC"]
    assert of_unified.cells[6].sub == "follows from the target"


def test_a_location_that_nothing_is_said_of_is_left_out() -> None:
    given = [policy(BASE, 0, 0, NO_MAXIMUM, by=""), policy(UNIFIED, 0, 0, NO_MAXIMUM)]
    balances = [balance(BASE, "Base", USDC), balance(UNIFIED, "The unified balance", USDC)]
    assert [one.at.location for one in locations(balances, given)] == [UNIFIED]


def test_limits_are_told_in_sentences() -> None:
    at_night = RebalancingSettings(begins_at=time(22), ends_at=time(6, 30))
    first, second, third = view.describe_settings(at_night)
    assert "at most 20 basis points" in first
    assert "at most 100.00 USD" in first
    assert "25.00 USD to 50,000.00 USD; above 10,000.00 USD a person approves it" in second
    assert "between 22:00 and 06:30 UTC, at most 3 at a time" in third
    assert "begin at any time" in view.describe_settings(RebalancingSettings())[2]


def test_what_is_typed_is_parsed_or_named() -> None:
    assert view.parse_amount("target", " 1,250.5 ", 6, "USDC") == 1_250_500_000
    assert view.parse_maximum("  ", 6, "USDC") is None
    assert view.parse_usd("largest", "50,000") == 50_000_000_000
    assert view.parse_whole("cool_down_seconds", "1,200") == 1_200
    for parse in (view.parse_usd, view.parse_whole):
        with pytest.raises(InvalidInput, match=r"^cost must"):
            parse("cost", "a lot")


def test_a_policy_is_set_only_as_its_amounts_were_shown(screen: DashboardApp) -> None:
    screen.open("treasury")
    for field, typed in (("minimum", "500.5"), ("target", "1,250"), ("maximum", "2 000")):
        screen.at.text_input(key=f"policy_{field}").set_value(typed)
    screen.click("Set policy")
    services = screen.world.services
    assert not [policy for policy in list_policies(services, MACHINE) if policy.by]
    assert "Target: “1,250” is read as 1250. For 1.25 write 1.25" in screen.text
    assert "Maximum: = 2,000 USDC" in screen.text
    screen.at.text_input(key="policy_target").set_value("1,750")
    screen.click("Set policy")
    assert not [policy for policy in list_policies(services, MACHINE) if policy.by]
    screen.click("Set policy")
    (policy,) = [policy for policy in list_policies(services, MACHINE) if policy.by]
    assert policy.target == 1_750 * 10**6
