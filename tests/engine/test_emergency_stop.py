"""The emergency stop: nothing that moves money is signed while it is pressed, wherever a payment
is, and two people release it."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.approvals import Approval, ApprovalKind
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import (
    Forbidden,
    InvalidInput,
    InvalidStatus,
    PaymentsStopped,
    SigningRefused,
)
from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import InventoryTransferKind, InventoryTransferState
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.roles import Role
from crossway.engine.loop import Engine
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import STOPPED, set_kill_switch
from crossway.usecases.money import approvals, emergency_stop
from crossway.usecases.payments.signing_policy import SigningPolicy
from tests.engine.funding_world import DEPOSIT, MINT, TRANSFER
from tests.engine.rebalancing_world import RebalancingWorld, planned
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
ADA, MACHINE = staff_principal("Operator"), staff_principal("command line")
OTTO = staff_principal("Operator", Role.OPERATOR)
RELEASE = {ApprovalKind.STOP_RELEASE: emergency_stop.release}
WHY = "The relayer's key may be known to others"


def new_world(folder: Path, **more: Any) -> Harness:
    return Harness(f"sqlite:///{folder / 'w.db'}", chains=(BASE, ARBITRUM), **more)


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return new_world(tmp_path)


def press(world: Harness, caller: Principal = OTTO, reason: str = WHY) -> None:
    emergency_stop.press(world.services, caller, reason)


def ask_release(world: Harness, caller: Principal = ADA) -> Approval:
    return emergency_stop.request_release(world.services, caller, "the key was replaced")


def release(world: Harness) -> None:
    approvals.approve(world.services, MACHINE, ask_release(world).id, RELEASE)


def sent(world: Harness, intent: Intent) -> list[tuple[str, str]]:
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
    return [(tx.kind.value, tx.state.value) for tx in txs]


def signatures(world: Harness) -> int:
    """How many transactions were ever signed."""
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents(range(-100, 100))
        return len(unit.outbound_txs.list_attempts([tx.id for tx in txs]))


def test_nothing_starts_while_it_is_pressed_and_all_goes_on_after(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    press(world)
    world.pass_time(60)
    assert world.reload(intent).state is State.FUNDED
    assert sent(world, intent) == [("START", "DUE")]
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([intent.id])
    assert start.reason == f"All outgoing money has been stopped by Operator: {WHY}."
    release(world)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(120)
    check_invariants(world)
    assert nothing_outstanding(world)


@pytest.mark.parametrize("kind", ["START", "FILL", "REIMBURSE"])
def test_pressed_between_two_steps_it_holds_the_next(tmp_path: Path, kind: str) -> None:
    """Pressed as soon as a step is signed: that one is confirmed, and nothing follows it."""
    pressed: list[str] = []

    def reached(step: str) -> None:
        if step == f"signed:{kind}" and not pressed:
            pressed.append(step)
            press(world)

    world = new_world(tmp_path, reached=reached)
    intent = world.create_intent()
    world.deposit(intent)
    world.pass_time(90)
    assert pressed
    before = signatures(world)
    states = dict(sent(world, intent))
    assert states[kind] in ("CONFIRMED", "FINAL")
    following = {"START": ["FILL"], "FILL": ["REIMBURSE"], "REIMBURSE": []}[kind]
    assert [name for name, state in states.items() if state == "DUE"] == following
    world.pass_time(60)
    assert signatures(world) == before
    release(world)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(120)
    check_invariants(world)
    assert nothing_outstanding(world)


def test_refunds_wait_too_and_are_sent_after_the_release(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    press(world)
    world.pass_time(3700, step=60)
    assert world.reload(intent).state is State.EXPIRED
    assert ("REFUND", "DUE") in sent(world, intent)
    assert signatures(world) == 0
    release(world)
    world.wait_for_state(intent, State.REFUNDED)
    world.pass_time(120)
    check_invariants(world)
    assert nothing_outstanding(world)


def test_a_payout_held_beyond_its_deadline_is_refunded_after_the_release(tmp_path: Path) -> None:
    def reached(step: str) -> None:
        if step == "signed:START":
            press(world)

    world = new_world(tmp_path, reached=reached)
    intent = world.create_intent()
    world.deposit(intent)
    world.pass_time(30)
    assert ("FILL", "DUE") in sent(world, intent)
    world.pass_time(2 * 3600 + 120, step=60)
    world.pass_time(120)
    assert world.reload(intent).state is State.FAILED
    assert signatures(world) == 1
    release(world)
    world.wait_for_state(intent, State.REFUNDED)
    world.pass_time(120)
    check_invariants(world)
    assert nothing_outstanding(world)


def refusal(world: Harness, intent: Intent) -> str:
    """Why the policy refuses to sign the start of a payment; empty where it does not."""
    chain = world.services.chains[BASE]
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
        stored = unit.intents.get_many([intent.id])[intent.id]
    call = build_outbound_call(start, stored, chain.accounts)

    def work(unit: UnitOfWork) -> str:
        try:
            SigningPolicy(unit, world.services, chain, [start]).require_signable(start, call)
        except SigningRefused as refused:
            return str(refused)
        return ""

    return world.store.write(work)


def test_the_policy_refuses_what_the_planner_would_let_through(tmp_path: Path) -> None:
    refusals: list[str] = []

    def reached(step: str) -> None:
        if step == "before-sign" and not refusals:
            press(world)
            refusals.append(refusal(world, intent))
            release(world)
        if step == "signed:START":
            press(world)
            refusals.append(refusal(world, intent))

    world = new_world(tmp_path, reached=reached)
    intent = world.create_intent()
    world.deposit(intent)
    world.pass_time(30)
    before, after = refusals
    assert before == f"Not signed: All outgoing money has been stopped by Operator: {WHY}."
    # Replacing the fee of what was signed before pays nobody more.
    assert after == ""
    assert emergency_stop.is_held(OutboundTxKind.SKIP_NONCE) is False


def test_two_engines_and_a_restart_hold_it_alike(world: Harness, tmp_path: Path) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    press(world)
    other = Harness(world.url, chains=(BASE, ARBITRUM))
    other.machine = world.machine
    for engine in (Engine(other.services, "second"), world.engine, Engine(world.services, "third")):
        for _ in range(5):
            world.machine.seconds += 2
            engine.tick()
    assert signatures(world) == 0


def test_no_payment_is_taken_while_it_is_pressed(world: Harness) -> None:
    press(world)
    with pytest.raises(PaymentsStopped, match="Payments are stopped by the operator"):
        world.create_intent()
    release(world)
    assert world.create_intent().state is State.PENDING


def test_any_operator_presses_it_and_no_viewer_or_merchant_does(world: Harness) -> None:
    for caller in (staff_principal("Vic", Role.VIEWER), world.caller):
        with pytest.raises(Forbidden):
            press(world, caller)
    with pytest.raises(InvalidInput, match="reason"):
        press(world, OTTO, " ")
    press(world)
    found = emergency_stop.get_stop(world.services, OTTO)
    assert found is not None
    assert (found.by, found.reason) == ("Operator", WHY)
    with world.store.read() as unit:
        assert [(a.kind, a.message) for a in unit.alerts.list_active()] == [
            ("stop", f"All outgoing money has been stopped by Operator: {WHY}.")
        ]


def test_a_treasurer_asks_for_the_release_and_another_person_approves_it(world: Harness) -> None:
    with pytest.raises(InvalidStatus, match="Nothing is stopped"):
        ask_release(world)
    press(world)
    with pytest.raises(Forbidden):
        ask_release(world, OTTO)
    asked = ask_release(world)
    with pytest.raises(Forbidden, match="yourself"):
        approvals.approve(world.services, ADA, asked.id, RELEASE)
    assert emergency_stop.get_stop(world.services, ADA) is not None
    approvals.approve(world.services, MACHINE, asked.id, RELEASE)
    assert emergency_stop.get_stop(world.services, ADA) is None
    with world.store.read() as unit:
        assert unit.alerts.list_active() == []
        actions = [action for _, _, action, _ in unit.audit_log.list_recent(10)][::-1]
    assert actions == [
        "emergency stop pressed", "approval requested", "emergency stop released", "approval given",
    ]  # fmt: skip


def test_pressed_again_it_takes_back_the_request_to_release_it(world: Harness) -> None:
    press(world)
    asked = ask_release(world)
    since = emergency_stop.get_stop(world.services, ADA)
    world.machine.seconds += 5
    press(world, ADA, "Not yet")
    with pytest.raises(InvalidStatus, match="nobody any more"):
        approvals.approve(world.services, MACHINE, asked.id, RELEASE)
    # It stays as it was pressed first.
    assert emergency_stop.get_stop(world.services, ADA) == since


def test_a_release_is_of_the_stop_that_was_seen(world: Harness) -> None:
    press(world)
    seen = emergency_stop.get_stop(world.services, ADA)
    assert seen is not None
    release(world)
    world.machine.seconds += 5
    press(world)
    with pytest.raises(InvalidStatus, match="stopped again"):
        emergency_stop.request_release(world.services, ADA, "fine", seen.at)
    emergency_stop.request_release(world.services, ADA, "fine", seen.at + timedelta(seconds=5))


def test_nobody_releases_it_as_a_kill_switch(world: Harness) -> None:
    press(world)
    with pytest.raises(InvalidInput):
        set_kill_switch(world.services, ADA, STOPPED, False, "")
    assert emergency_stop.get_stop(world.services, ADA) is not None


@pytest.mark.parametrize("kind", [TRANSFER, MINT, DEPOSIT])
def test_inventory_stays_where_it_is(tmp_path: Path, kind: InventoryTransferKind) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI" if kind is TRANSFER else "GATEWAY")
    started = world.start(planned(kind))
    press(world)
    world.pass_time(120)
    assert world.carried_by(started).state is InventoryTransferState.PLANNED
    assert world.carried_by(started).commitment == b""
    assert signatures(world) == 0
    release(world)
    assert world.wait_ended(started).state is InventoryTransferState.CLOSED


@pytest.mark.parametrize("step", ["inventory-committed", "inventory-agreed"])
def test_what_a_bridge_agreed_to_is_not_sent(tmp_path: Path, step: str) -> None:
    pressed: list[str] = []

    def reached(here: str) -> None:
        if here == step and not pressed:
            pressed.append(here)
            press(world)

    world = RebalancingWorld(tmp_path, "GATEWAY", reached=reached)
    started = world.start(planned(MINT))
    world.pass_time(120)
    assert pressed
    assert signatures(world) == 0
    release(world)
    world.wait_ended(started, 900)
    world.pass_time(60)
    assert world.stored(started).state in ("ARRIVED", "REFUSED")
