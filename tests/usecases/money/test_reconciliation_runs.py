"""Reconciliation runs find, explain and store each kind of difference."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidStatus
from crossway.domain.intent import State
from crossway.domain.roles import Role
from crossway.ports.treasury_repository import ReconciliationRun
from crossway.usecases.money import inventory_adjustments, reconciliation_runs
from crossway.usecases.simulator import chain_controls
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld
from tests.processes import wait_until
from tests.usecases.money.test_reconciliation import pay_with_relayer_key


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ScenarioWorld]:
    with closing(ScenarioWorld(tmp_path)) as scenario_world:
        yield scenario_world


def reconcile(world: ScenarioWorld) -> ReconciliationRun:
    """Start a reconciliation run and wait until it has ended."""
    number = reconciliation_runs.start_run(world.services, world.operator)
    ended = wait_until("it has ended", lambda: ended_run(world, number))
    assert ended is not None
    return ended


def ended_run(world: ScenarioWorld, number: int) -> ReconciliationRun | None:
    result = reconciliation_runs.get_run(world.services, world.operator, number)
    return result if result and result.ended_at else None


def balances(world: ScenarioWorld, **accounts: str) -> None:
    """Set balances of our accounts without a posting."""
    body = {"balances": {name: {"USDC": units} for name, units in accounts.items()}}
    chain_controls.inject_faults(world.services, world.operator, BASE, body)


def finish(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit()
    world.wait_for(State.COMPLETED)
    world.settle()


def test_each_kind_of_difference_is_found_with_reason_and_next_step(
    world: ScenarioWorld,
) -> None:
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    finish(world)
    assert reconcile(world).differences == 0
    assert world.alerts() == []
    chain = world.services.chains[BASE]
    usdc = world.token(BASE, "USDC")
    balance = chain.balances([chain.accounts.bridger], usdc)[chain.accounts.bridger]
    pay_with_relayer_key(world)
    balances(world, bridger=str(balance + 3_000_000), relayer="5000000")
    waits = world.create_intent()
    world.deposit("10000000", waits)
    result = reconcile(world)
    by_kind = {finding["kind"]: finding for finding in result.result["findings"]}
    assert set(by_kind) == {"address", "collecting", "inventory", "transaction"}
    assert by_kind["address"]["transient"], "a deposit that was just made is on its way"
    assert by_kind["address"]["intent"] == waits.id
    assert not by_kind["collecting"]["transient"]
    assert any(
        "holds 5 USDC; the books say" in finding["message"] for finding in result.result["findings"]
    )
    assert all(item["reason"].endswith(".") for item in by_kind.values())
    assert all(item["next_step"].endswith(".") for item in by_kind.values())
    lasting = [finding for finding in result.result["findings"] if not finding["transient"]]
    assert result.differences == len(lasting)
    (alarm,) = [alert for alert in world.alerts() if alert.kind == "reconcile"]
    assert "differ in" in alarm.message


def test_a_deposit_that_left_its_address_is_a_persistent_difference(
    world: ScenarioWorld,
) -> None:
    intent = world.create_intent()
    world.deposit("10000000")
    world.pass_time(10)
    with world.services.store.read() as unit:
        (_, posting), *_ = unit.ledger.list_by_intent(intent.id)
    # The books contain more than the chain.
    world.services.store.write(lambda unit: unit.ledger.post([posting], world.services.clock.now()))
    (findings,) = reconcile(world).result["findings"]
    assert (findings["kind"], findings["transient"]) == ("address", False)
    assert "holds 10 USDC; the books say 20 USDC" in findings["message"]
    assert "A transaction that is not in the books spent the balance" in findings["reason"]


def test_the_alert_is_resolved_by_the_first_run_without_differences(world: ScenarioWorld) -> None:
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    balances(world, relayer="5000000")
    assert reconcile(world).differences == 1
    assert [alert.kind for alert in world.alerts()] == ["reconcile"]
    relayer = world.services.chains[BASE].accounts.relayer
    (findings,) = reconciliation_runs.latest_run(world.services, world.operator).result["findings"]  # type: ignore[union-attr]
    assert relayer in findings["message"]
    units = int(findings["chain_amount"]) - int(findings["ledger_amount"])
    inventory_adjustments.book_difference(
        world.services, world.operator, BASE, findings["token"], units, "Taken out to the bank"
    )
    assert reconcile(world).differences == 0
    assert world.alerts() == []


def test_one_daily_run_starts_at_its_hour(world: ScenarioWorld) -> None:
    services = replace(world.services, policy=replace(world.services.policy, reconcile_at_hour=3))
    assert services.clock.now().hour >= 3
    assert reconciliation_runs.start_daily(services) == 0, "its engine has not run yet"
    services.process.engine.running = True
    assert reconciliation_runs.start_daily(services) == 1
    assert reconciliation_runs.start_daily(services) == 0
    wait_until("it has ended", lambda: ended_run(world, 1))
    services.process.engine.running = False
    world.pass_time(86_400, step=43_200)
    services.process.engine.running = True
    assert reconciliation_runs.start_daily(services) == 1
    wait_until("it has ended", lambda: ended_run(world, 2))
    late = replace(world.services.policy, reconcile_at_hour=23)
    assert reconciliation_runs.start_daily(replace(services, policy=late)) == 0
    assert [
        stored_run.started_by
        for stored_run in reconciliation_runs.list_runs(services, world.operator, 5)
    ] == [reconciliation_runs.DAILY_ACTOR] * 2


def test_the_first_run_of_a_live_service_waits_for_no_hour(world: ScenarioWorld) -> None:
    """It takes in the opening balances; the later ones wait for theirs."""
    late = replace(world.services.policy, reconcile_at_hour=23)
    live = replace(world.services, policy=late, sandbox=None)
    assert live.clock.now().hour < 23
    live.process.engine.running = True
    assert reconciliation_runs.start_daily(live) == 1
    wait_until("it has ended", lambda: ended_run(world, 1))
    live.process.engine.running = False
    world.pass_time(86_400, step=43_200)
    live.process.engine.running = True
    assert reconciliation_runs.start_daily(live) == 0
    live.process.engine.running = False


def test_one_run_at_a_time_and_only_with_permission(world: ScenarioWorld) -> None:
    begun = world.services.clock.now()
    world.services.store.write(lambda unit: unit.treasury.start_reconciliation("Ada", begun, 2))
    with pytest.raises(InvalidStatus, match="already running"):
        reconciliation_runs.start_run(world.services, world.operator)
    viewer = replace(world.operator, role=Role.VIEWER)
    with pytest.raises(Forbidden):
        reconciliation_runs.start_run(world.services, viewer)
    with pytest.raises(Forbidden):
        inventory_adjustments.book_opening_balances(world.services, viewer)
    assert reconciliation_runs.latest_run(world.services, viewer) is not None
