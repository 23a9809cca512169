"""Limits of what is signed within an hour: above one, nothing is signed and the stop is pressed."""

from pathlib import Path
from typing import Any

import pytest

from crossway.domain.approvals import ApprovalKind
from crossway.domain.clients import staff_principal
from crossway.domain.intent import Intent, State
from crossway.ports.policy import ControlsPolicy
from crossway.ports.records import KillSwitch
from crossway.usecases.money import approvals, emergency_stop
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
ADA, MACHINE = staff_principal("Operator"), staff_principal("command line")
USD = 10**6


def new_world(folder: Path, over_bridges: tuple[str, ...] = (), **controls: Any) -> Harness:
    return Harness(
        f"sqlite:///{folder / 'w.db'}",
        chains=(BASE, ARBITRUM),
        over_bridges=over_bridges,
        controls=ControlsPolicy(**controls),
    )


def pay(world: Harness, name: str, usdc: int = 25) -> Intent:
    recipient = world.wallet(ARBITRUM, name)
    intent = world.create_intent(recipient=recipient, amount=str(usdc * USD))
    world.deposit(intent)
    return intent


def stop_of(world: Harness) -> KillSwitch | None:
    return emergency_stop.get_stop(world.services, MACHINE)


def release(world: Harness) -> None:
    asked = emergency_stop.request_release(world.services, ADA, "all of it is right")
    carry_out = {ApprovalKind.STOP_RELEASE: emergency_stop.release}
    approvals.approve(world.services, MACHINE, asked.id, carry_out)


def paid(world: Harness, name: str) -> int:
    token = world.services.catalogue.tokens[ARBITRUM, "USDC"].address
    address = world.wallet(ARBITRUM, name)
    return world.services.chains[ARBITRUM].balances([address], token)[address]


def test_above_the_hourly_limit_nothing_is_signed_until_two_release_it(tmp_path: Path) -> None:
    world = new_world(tmp_path, hourly_limit_micro_usd=60 * USD)
    for name in ("a", "b"):
        world.wait_for_state(pay(world, name), State.COMPLETED)
    assert stop_of(world) is None
    third = pay(world, "c")
    world.pass_time(60)
    stop = stop_of(world)
    assert stop is not None
    assert stop.by == "Crossway"
    assert "would have left Arbitrum" in stop.reason
    assert stop.reason.endswith("within this hour, and the limit is 60.00 USD")
    assert paid(world, "c") == 0
    # Two people have seen it: within this hour it goes on, however much it is.
    release(world)
    world.wait_for_state(third, State.COMPLETED)
    world.wait_for_state(pay(world, "d", 500), State.COMPLETED)
    world.pass_time(60)
    assert stop_of(world) is None
    check_invariants(world)
    assert nothing_outstanding(world)


def test_the_next_hour_begins_at_nothing(tmp_path: Path) -> None:
    world = new_world(tmp_path, hourly_limit_micro_usd=60 * USD)
    for hour in range(3):
        for name in ("a", "b"):
            world.wait_for_state(pay(world, f"{name}{hour}"), State.COMPLETED)
        world.pass_time(3_600, 300)
    assert stop_of(world) is None


def test_what_a_bridge_carries_counts_where_it_leaves(tmp_path: Path) -> None:
    world = new_world(tmp_path, ("CCTP",), hourly_limit_micro_usd=30 * USD)
    pay(world, "a")
    world.pass_time(30)
    assert stop_of(world) is None
    pay(world, "b")
    world.pass_time(30)
    stop = stop_of(world)
    assert stop is not None
    assert "would have left Base" in stop.reason


def test_refunds_count_and_a_burst_of_them_is_held(tmp_path: Path) -> None:
    world = new_world(tmp_path, hourly_limit_micro_usd=30 * USD)
    first, second = (world.create_intent() for _ in range(2))
    for intent in (first, second):
        world.deposit(intent, str(20 * USD))
    world.pass_time(3_900, 100)
    stop = stop_of(world)
    assert stop is not None
    assert "would have left Base" in stop.reason
    states = {world.reload(intent).state for intent in (first, second)}
    assert State.EXPIRED in states


@pytest.mark.parametrize(("usdc", "stopped"), [(990, False), (1_500, True)])
def test_far_above_the_usual_it_is_held(tmp_path: Path, usdc: int, stopped: bool) -> None:
    """The busiest hour had 300 USD: three times that is 900, and below 1,000 nothing is unusual."""
    world = new_world(tmp_path, usual_factor=3)
    world.wait_for_state(pay(world, "a", 300), State.COMPLETED)
    world.pass_time(3_600, 300)
    pay(world, "b", usdc)
    world.pass_time(60)
    assert (stop_of(world) is not None) is stopped
    if stopped:
        found = stop_of(world)
        assert found is not None
        assert "more than 3 times the" in found.reason


def test_without_a_past_nothing_is_unusual_and_without_limits_nothing_is_counted(
    tmp_path: Path,
) -> None:
    world = new_world(tmp_path, usual_factor=2)
    world.wait_for_state(pay(world, "a", 5_000), State.COMPLETED)
    assert stop_of(world) is None
    (tmp_path / "free").mkdir()
    free = new_world(tmp_path / "free")
    free.wait_for_state(pay(free, "a", 5_000), State.COMPLETED)
    with free.store.read() as unit:
        assert unit.outgoing_controls.find_most_outgoing(ARBITRUM, 0, 10**9) == 0
