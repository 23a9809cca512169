"""Approvals: asking for what a second person must agree to, agreeing, declining and their lists."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.approvals import (
    Actor,
    Approval,
    ApprovalEvent,
    ApprovalKind,
    ApprovalState,
    NewApproval,
)
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.second_person import identity_of, require_second_person
from crossway.usecases.staff.step_up import require_step_up

CarryOut = Callable[[UnitOfWork, Services, Approval], None]
"""Carries out what was agreed to, in the unit of work that stores the agreement. What it raises
leaves the approval as it was."""

VALID_FOR: Final = timedelta(hours=24)
MAX_SHOWN: Final = 200
MAX_REASON_CHARACTERS: Final = 500
SYSTEM: Final = Actor("Crossway", "crossway")
"""Who acts where no person does."""
APPROVAL_ALERT: Final = "approval"
TITLES: Final[Mapping[ApprovalKind, str]] = {
    ApprovalKind.STOP_RELEASE: "Release of the emergency stop",
    ApprovalKind.REFUND_ELSEWHERE: "Refund to another address",
    ApprovalKind.MANUAL_RETURN: "Return of a deposit by hand",
    ApprovalKind.TREASURY_ADDRESS: "New address in the address book",
    ApprovalKind.TRANSFER_CAP: "Daily cap raised or removed",
}


def actor_of(caller: Principal) -> Actor:
    """Who a caller is, by name and identity."""
    return Actor(caller.actor_name, identity_of(caller))


def needs_second_person(services: Services, micro_usd: int | None) -> bool:
    """Whether a manual transfer of this value must be approved; always if its value is unknown."""
    limit = services.policy.controls.second_person_micro_usd
    return limit is not None and (micro_usd is None or micro_usd > limit)


def request(unit: UnitOfWork, services: Services, new: NewApproval) -> Approval:
    """Ask for an approval, in the caller's unit of work; audited, with an alert until somebody
    decides. Raises `InvalidStatus` where the same has been asked for and is open."""
    stale = unit.approvals.find_open(new.kind, new.subject)
    if stale is not None and stale.is_overdue(services.clock.now()):
        _expire(unit, services, stale)
    stored = unit.approvals.add(new)
    if stored is None:
        raise InvalidStatus(f"{TITLES[new.kind]}: this waits for its approval already")
    _audit(unit, services, stored, new.requested_by, "approval requested")
    message = f"{TITLES[new.kind]}, asked for by {new.requested_by.name}, waits for a second person"
    now = services.clock.now()
    key = f"{APPROVAL_ALERT}:{stored.id}"
    alert = Alert(key, APPROVAL_ALERT, str(stored.id), f"{message}.", now, now, None)
    unit.alerts.raise_alert(alert)
    return stored


def approve(
    services: Services,
    caller: Principal,
    approval_id: int,
    carry_out: Mapping[ApprovalKind, CarryOut],
) -> Approval:
    """Agree to what another person asked for, and carry it out in the same database transaction, as
    `carry_out` does its kind; audited. Raises `Forbidden` for the person who asked and for accounts
    younger than the request, `InvalidStatus` if it is not open any more."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    person = actor_of(caller)

    def work(unit: UnitOfWork) -> Approval:
        now = services.clock.now()
        approval = _lock_requested(unit, approval_id, now)
        require_second_person(unit, caller, approval.requested_by.identity, approval.requested_at)
        approval = approval.after(ApprovalEvent.APPROVE, person, now)
        # Before anything is audited: the lock of the audit log is the last that is taken.
        carry_out[approval.kind](unit, services, approval)
        _audit(unit, services, approval, person, "approval given")
        _end(unit, services, approval)
        return approval

    approved = services.store.write(work)
    services.process.kill_switches.epoch = object()
    services.process.wake()
    return approved


def decline(services: Services, caller: Principal, approval_id: int, reason: str) -> Approval:
    """Decline what was asked for, or take it back as the person who asked; audited."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    if not reason.strip() or len(reason) > MAX_REASON_CHARACTERS:
        raise InvalidInput(f"reason must have 1 to {MAX_REASON_CHARACTERS} characters")
    person = actor_of(caller)

    def work(unit: UnitOfWork) -> Approval:
        now = services.clock.now()
        approval = _lock_requested(unit, approval_id, now)
        own = approval.requested_by.identity == person.identity
        event = ApprovalEvent.CANCEL if own else ApprovalEvent.DECLINE
        ended = approval.after(event, person, now, reason.strip())
        action = "approval taken back" if own else "approval declined"
        _audit(unit, services, ended, person, action)
        _end(unit, services, ended)
        return ended

    return services.store.write(work)


def cancel(unit: UnitOfWork, services: Services, approval: Approval, by: Actor, why: str) -> None:
    """Take an open approval back, as its subject has gone; audited."""
    ended = approval.after(ApprovalEvent.CANCEL, by, services.clock.now(), why)
    _audit(unit, services, ended, by, "approval taken back")
    _end(unit, services, ended)


def expire_overdue(services: Services) -> int:
    """End the approvals whose time is over; returns how many."""
    with services.store.read() as unit:
        overdue = unit.approvals.list_overdue(services.clock.now(), MAX_SHOWN)

    def work(unit: UnitOfWork) -> None:
        for one in overdue:
            locked = unit.approvals.lock(one.id)
            if locked is not None and locked.is_overdue(services.clock.now()):
                _expire(unit, services, locked)

    if overdue:
        services.store.write(work)
    return len(overdue)


def list_open(services: Services, caller: Principal) -> list[Approval]:
    """What waits for a second person, oldest first."""
    caller.require_permission(Permission.VIEW)
    now = services.clock.now()
    with services.store.read() as unit:
        return [one for one in unit.approvals.list_open(MAX_SHOWN) if not one.is_overdue(now)]


def list_ended(services: Services, caller: Principal, limit: int = MAX_SHOWN) -> list[Approval]:
    """What was decided, ran out or was taken back, newest first."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.approvals.list_ended(limit)


def _lock_requested(unit: UnitOfWork, approval_id: int, now: datetime) -> Approval:
    approval = unit.approvals.lock(approval_id)
    if approval is None:
        raise NotFound("There is no such approval")
    if approval.state is not ApprovalState.REQUESTED:
        state = approval.state.lower().replace("_", " ")
        raise InvalidStatus(f"This waits for nobody any more: it is {state}")
    if approval.is_overdue(now):
        raise InvalidStatus("This was asked for too long ago: it has to be asked for again")
    return approval


def _expire(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    now = services.clock.now()
    ended = approval.after(ApprovalEvent.EXPIRE, SYSTEM, now, "Nobody agreed to it in time.")
    _audit(unit, services, ended, SYSTEM, "approval expired")
    _end(unit, services, ended)


def _end(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    unit.approvals.update(approval)
    unit.alerts.resolve([f"{APPROVAL_ALERT}:{approval.id}"], services.clock.now())


def _audit(
    unit: UnitOfWork, services: Services, approval: Approval, by: Actor, action: str
) -> None:
    detail = {"approval": approval.id, "kind": approval.kind.value, **approval.detail}
    if approval.micro_usd is not None:
        detail["micro_usd"] = approval.micro_usd
    if approval.reason:
        detail["reason"] = approval.reason
    unit.audit_log.record(by.name, action, detail, services.clock.now(), approval.subject)
