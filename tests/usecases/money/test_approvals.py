"""Approvals: never the person who asked, whatever they are called; once; in time; carried out in
the same transaction or not at all."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.approvals import Approval, ApprovalKind, ApprovalState, NewApproval
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Role
from crossway.engine.outgoing_monitor import check_controls
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money import approvals
from crossway.usecases.staff.step_up import StepUpRequired
from tests.processes import PATIENCE_SECONDS
from tests.staff_world import MACHINE, StaffWorld

KIND = ApprovalKind.REFUND_ELSEWHERE
S = ApprovalState
OPERATOR = staff_principal("Operator")


@pytest.fixture
def world(tmp_path: Path) -> StaffWorld:
    built = StaffWorld(tmp_path)
    built.add("Bob", "treasurer")
    built.add("Otto", "operator")
    return built


def as_person(world: StaffWorld, name: str) -> Principal:
    return world.principal(world.enter(name))


def ask(world: StaffWorld, caller: Principal, kind: ApprovalKind = KIND) -> Approval:
    now = world.services.clock.now()
    new = NewApproval(
        kind, "intent:7", 5, approvals.actor_of(caller), now, now + timedelta(hours=1), {"n": 1}
    )
    return world.store.write(lambda unit: approvals.request(unit, world.services, new))


def refuse(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    unit.kill_switches.set("chain:HALF", True, "half of it", "test", services.clock.now())
    raise InvalidStatus("No refund of this intent has failed")


def state_of(world: StaffWorld, approval: Approval) -> ApprovalState:
    with world.store.read() as unit:
        found = unit.approvals.get(approval.id)
    assert found is not None
    return found.state


def test_a_second_person_agrees_and_it_is_carried_out(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    done: list[Approval] = []

    def carry_out(unit: UnitOfWork, services: Services, approval: Approval) -> None:
        done.append(approval)

    bob = as_person(world, "Bob")
    ended = approvals.approve(world.services, bob, asked.id, {KIND: carry_out})
    assert (ended.state, ended.decided_by.name) == (S.CARRIED_OUT, "Bob")
    assert [(one.id, one.detail) for one in done] == [(asked.id, {"n": 1})]
    assert approvals.list_open(world.services, bob) == []
    assert [one.id for one in approvals.list_ended(world.services, bob)] == [asked.id]
    assert world.actions()[-3:] == ["approval requested", "signed in", "approval given"]
    with world.store.read() as unit:
        assert unit.alerts.list_active() == []


@pytest.mark.parametrize("name", ["Ada", "Otto"])
def test_neither_the_same_person_nor_an_operator_approves(world: StaffWorld, name: str) -> None:
    asked = ask(world, as_person(world, "Ada"))
    with pytest.raises(Forbidden):
        approvals.approve(world.services, as_person(world, name), asked.id, {})
    assert state_of(world, asked) is S.REQUESTED


def test_a_second_session_and_another_name_are_the_same_person(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    second = as_person(world, "Ada")
    renamed = replace(second, client=replace(second.client, name="Grace"), role=Role.TREASURER)
    for caller in (second, renamed):
        with pytest.raises(Forbidden, match="yourself"):
            approvals.approve(world.services, caller, asked.id, {})


def test_an_account_made_for_the_purpose_does_not_count(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    world.machine.seconds += 1
    world.add("Puppet", "treasurer")
    with pytest.raises(Forbidden, match="younger than this"):
        approvals.approve(world.services, as_person(world, "Puppet"), asked.id, {})


def test_the_command_line_counts_as_a_person_but_not_as_two(world: StaffWorld) -> None:
    by_hand = ask(world, MACHINE)
    with pytest.raises(Forbidden, match="yourself"):
        approvals.approve(world.services, MACHINE, by_hand.id, {})
    approvals.approve(world.services, as_person(world, "Ada"), by_hand.id, {KIND: _nothing})
    by_ada = ask(world, as_person(world, "Ada"))
    approvals.approve(world.services, MACHINE, by_ada.id, {KIND: _nothing})
    # A dashboard that asks nobody to sign in is one person, whoever sits before it.
    open_screen = ask(world, OPERATOR)
    with pytest.raises(Forbidden, match="yourself"):
        approvals.approve(world.services, OPERATOR, open_screen.id, {})
    approvals.approve(world.services, MACHINE, open_screen.id, {KIND: _nothing})


def _nothing(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    pass


def test_a_merchant_s_key_approves_nothing(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    for use_case in (
        lambda: approvals.approve(world.services, world.caller, asked.id, {}),
        lambda: approvals.decline(world.services, world.caller, asked.id, "no"),
        lambda: approvals.list_open(world.services, world.caller),
    ):
        with pytest.raises(Forbidden):
            use_case()


def test_what_cannot_be_carried_out_leaves_all_as_it_was(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    bob = as_person(world, "Bob")
    with pytest.raises(InvalidStatus, match="has failed"):
        approvals.approve(world.services, bob, asked.id, {KIND: refuse})
    assert state_of(world, asked) is S.REQUESTED
    with world.store.read() as unit:
        assert unit.kill_switches.list_all() == []
    assert "approval given" not in world.actions()


def test_after_its_end_nobody_agrees_and_it_may_be_asked_for_again(world: StaffWorld) -> None:
    ada = as_person(world, "Ada")
    asked = ask(world, ada)
    world.machine.seconds += 3600
    assert approvals.list_open(world.services, ada) == []
    with pytest.raises(InvalidStatus, match="too long ago"):
        approvals.approve(world.services, as_person(world, "Bob"), asked.id, {KIND: _nothing})
    again = ask(world, ada)
    assert (state_of(world, asked), state_of(world, again)) == (S.EXPIRED, S.REQUESTED)


def test_the_engine_ends_what_nobody_decided(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    assert check_controls(world.services) == 0
    world.machine.seconds += 3600
    assert check_controls(world.services) == 1
    assert state_of(world, asked) is S.EXPIRED
    with world.store.read() as unit:
        assert [alert.kind for alert in unit.alerts.list_active() if alert.kind == "approval"] == []


def test_it_is_declined_by_another_and_taken_back_by_who_asked(world: StaffWorld) -> None:
    ada, bob = as_person(world, "Ada"), as_person(world, "Bob")
    first = ask(world, ada)
    with pytest.raises(InvalidInput, match="reason"):
        approvals.decline(world.services, bob, first.id, " ")
    assert approvals.decline(world.services, bob, first.id, "never heard of").state is S.DECLINED
    second = ask(world, ada)
    assert approvals.decline(world.services, ada, second.id, "a mistake").state is S.CANCELLED
    for ended in (first, second):
        with pytest.raises(InvalidStatus, match="nobody any more"):
            approvals.approve(world.services, bob, ended.id, {KIND: _nothing})
    with pytest.raises(NotFound):
        approvals.approve(world.services, bob, 99, {})


def test_the_same_is_asked_for_once(world: StaffWorld) -> None:
    ask(world, as_person(world, "Ada"))
    with pytest.raises(InvalidStatus, match="waits for its approval already"):
        ask(world, as_person(world, "Bob"))


def test_both_decisions_ask_for_a_proof_from_the_last_five_minutes(world: StaffWorld) -> None:
    asked = ask(world, as_person(world, "Ada"))
    bob = as_person(world, "Bob")
    world.machine.seconds += 301
    for decide in (
        lambda: approvals.approve(world.services, bob, asked.id, {}),
        lambda: approvals.decline(world.services, bob, asked.id, "no"),
    ):
        with pytest.raises(StepUpRequired):
            decide()


def test_of_two_who_agree_at_once_one_carries_it_out(world: StaffWorld) -> None:
    world.add("Eve", "treasurer")
    asked = ask(world, as_person(world, "Ada"))
    callers = [as_person(world, "Bob"), as_person(world, "Eve"), MACHINE]
    start, results = threading.Barrier(len(callers)), list[str]()

    def count(unit: UnitOfWork, services: Services, approval: Approval) -> None:
        unit.audit_log.record("test", "carried out", {}, services.clock.now())

    def agree(caller: Principal) -> None:
        start.wait(PATIENCE_SECONDS)
        results.append(_outcome(lambda: approvals.approve(
            world.services, caller, asked.id, {KIND: count}
        )))  # fmt: skip

    threads = [threading.Thread(target=agree, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(results) == ["CARRIED_OUT", "InvalidStatus", "InvalidStatus"]
    assert world.actions().count("carried out") == 1


def _outcome(work: Callable[[], Approval]) -> str:
    try:
        return work().state
    except InvalidStatus:
        return "InvalidStatus"


@pytest.mark.parametrize(
    ("limit", "value", "needed"),
    [(None, 10**15, False), (10, 10, False), (10, 11, True), (10, None, True), (0, 1, True)],
)
def test_a_second_person_is_needed_above_the_limit(
    world: StaffWorld, limit: int | None, value: int | None, needed: bool
) -> None:
    policy = world.services.policy
    controls = replace(policy.controls, second_person_micro_usd=limit)
    services = replace(world.services, policy=replace(policy, controls=controls))
    assert approvals.needs_second_person(services, value) is needed
