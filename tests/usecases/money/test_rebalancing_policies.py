"""Policies and settings of rebalancing: what may be set, by whom, and what is recorded."""

from datetime import time
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput, NotFound
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import RebalancingMode, RebalancingSettings
from crossway.usecases.money import rebalancing_policies as policies
from tests.harness import CATALOGUE
from tests.staff_world import StaffWorld

UNIFIED = unified_location(testnet=False)
BASE_USDC = ("BASE_MAINNET", CATALOGUE.tokens["BASE_MAINNET", "USDC"].address)


@pytest.fixture
def world(tmp_path: Path) -> StaffWorld:
    return StaffWorld(tmp_path)


def test_a_policy_is_set_changed_and_deleted_with_a_trace(world: StaffWorld) -> None:
    ada, services = world.principal(world.enter()), world.services
    location = policies.find_location(services, "BASE", "USDC")
    assert location == BASE_USDC
    policies.set_policy(services, ada, location, 1_000, 5_000, None)
    policies.set_policy(services, ada, location, 2_000, 6_000, 9_000, 3)
    (policy,) = policies.list_policies(services, ada)
    assert (policy.minimum, policy.target, policy.maximum) == (2_000, 6_000, 9_000)
    assert (policy.priority, policy.by) == (3, "Ada")
    policies.delete_policy(services, ada, location)
    assert policies.list_policies(services, ada) == []
    with pytest.raises(NotFound):
        policies.delete_policy(services, ada, location)
    _, changed, deleted = [e for e in world.audited() if e.subject == "place:BASE_MAINNET"]
    first = {"minimum": "1000", "target": "5000", "maximum": str(10**30), "priority": 1}
    second = {"minimum": "2000", "target": "6000", "maximum": "9000", "priority": 3}
    assert (changed.before, changed.after) == (first, second)
    assert (deleted.action, deleted.before) == ("rebalancing policy deleted", second)


def test_the_unified_balance_is_a_location(world: StaffWorld) -> None:
    location = policies.find_location(world.services, UNIFIED, "USDC")
    assert location == (UNIFIED, UNIFIED_TOKEN)
    policies.set_policy(world.services, world.operator, location, 0, 1, 2)
    for chain, symbol in (("gateway:elsewhere", "USDC"), (UNIFIED, "WETH"), ("BASE", "NONE")):
        with pytest.raises(InvalidInput, match="token"):
            policies.find_location(world.services, chain, symbol)


@pytest.mark.parametrize(
    ("amounts", "named"),
    [
        ((-1, 5, 9, 1), "minimum"),
        ((6, 5, 9, 1), "target"),
        ((1, 5, 4, 1), "maximum"),
        ((1, 5, 10**31, 1), "maximum"),
        ((1, 5, 9, 0), "priority"),
    ],
)
def test_what_makes_no_sense_is_refused_by_the_name_of_the_field(
    world: StaffWorld, amounts: tuple[int, int, int, int], named: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{named} "):
        policies.set_policy(world.services, world.operator, BASE_USDC, *amounts)


def test_automatic_rebalancing_is_confirmed_by_a_sentence(world: StaffWorld) -> None:
    services, ada = world.services, world.operator
    automatic = RebalancingMode.AUTOMATIC
    for typed in ("", "yes"):
        with pytest.raises(InvalidInput, match="confirmation must be the sentence"):
            policies.set_mode(services, ada, automatic, typed)
    assert policies.get_settings(services, ada).mode is RebalancingMode.SUGGEST
    policies.set_mode(services, ada, automatic, "crossway moves our inventory by itself.")
    assert policies.get_settings(services, ada).mode is automatic
    # After a pause it is confirmed again.
    policies.pause(services, ada)
    with pytest.raises(InvalidInput, match="confirmation"):
        policies.set_mode(services, ada, automatic)


def test_limits_change_one_by_one_with_a_trace(world: StaffWorld) -> None:
    services, ada = world.services, world.operator
    changes = {"max_cost_day_micro_usd": 70_500_000, "begins_at": time(8), "ends_at": time(17, 30)}
    policies.set_limits(services, ada, changes)
    expected = RebalancingSettings(
        max_cost_day_micro_usd=70_500_000, begins_at=time(8), ends_at=time(17, 30)
    )
    assert policies.get_settings(services, ada) == expected
    entry = world.audited()[-1]
    assert entry.before == {"max_cost_day_usd": "100.00", "from": "00:00", "until": "00:00"}
    assert entry.after == {"max_cost_day_usd": "70.50", "from": "08:00", "until": "17:30"}
    with pytest.raises(InvalidInput, match="mode is not a limit"):
        policies.set_limits(services, ada, {"mode": RebalancingMode.AUTOMATIC})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_cost_bps", 1_001),
        ("max_cost_day_micro_usd", -1),
        ("smallest_micro_usd", -1),
        ("largest_micro_usd", 24_999_999),
        ("max_open_per_bridge", 0),
        ("cool_down_seconds", 86_401),
        ("approve_above_micro_usd", -1),
    ],
)
def test_settings_outside_their_range_are_refused(world: StaffWorld, name: str, value: int) -> None:
    with pytest.raises(InvalidInput, match=f"^{name} must"):
        policies.set_limits(world.services, world.operator, {name: value})


def test_every_operator_pauses_and_a_treasurer_ends_it(world: StaffWorld) -> None:
    world.add("Olaf", "operator")
    world.add("Vic", "viewer")
    olaf, vic = (world.principal(world.enter(name)) for name in ("Olaf", "Vic"))
    world.machine.seconds += 600
    # No proof of who they are is asked: it has to be fast.
    policies.pause(world.services, olaf)
    assert policies.get_settings(world.services, vic).mode is RebalancingMode.PAUSED
    with pytest.raises(Forbidden, match="role treasurer"):
        policies.set_mode(world.services, olaf, RebalancingMode.SUGGEST)
    with pytest.raises(Forbidden, match="role operator"):
        policies.pause(world.services, vic)
    with pytest.raises(Forbidden, match="role treasurer"):
        policies.set_policy(world.services, olaf, BASE_USDC, 0, 0, 0)
    ada = world.principal(world.enter())
    policies.set_mode(world.services, ada, RebalancingMode.SUGGEST)
    assert policies.get_settings(world.services, vic).mode is RebalancingMode.SUGGEST
