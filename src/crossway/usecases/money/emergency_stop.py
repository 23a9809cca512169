"""The emergency stop: one person holds all signing of outgoing money, and two people release it."""

from datetime import datetime
from typing import Final

from crossway.domain.approvals import Actor, Approval, ApprovalKind, NewApproval
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, PaymentsStopped
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.roles import Permission
from crossway.ports.records import Alert, KillSwitch
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import STOPPED, active_kill_switches
from crossway.usecases.money import approvals, outgoing_pace
from crossway.usecases.money.approvals import actor_of
from crossway.usecases.staff.step_up import require_step_up

STOP_ALERT: Final = "stop"
MAX_REASON_CHARACTERS: Final = 500
_LOCK: Final = "signing"
# A nonce that is skipped moves nothing, and later transactions of its account wait for it.
_MOVES_NOTHING: Final = frozenset({OutboundTxKind.SKIP_NONCE})


def is_held(kind: OutboundTxKind) -> bool:
    """Whether the stop holds the first signature of an outbound transaction of this kind. What is
    signed is replaced with higher fees as ever: that pays nobody more, and held back it would keep
    the later nonces of its account waiting."""
    return kind not in _MOVES_NOTHING


def find_stop(unit: UnitOfWork) -> KillSwitch | None:
    """Why, by whom and since when nothing is signed; None while signing goes on."""
    return unit.kill_switches.get(STOPPED)


def find_stop_before_signing(unit: UnitOfWork) -> KillSwitch | None:
    """As `find_stop`, and it cannot be pressed until this unit of work ends: once pressing it has
    returned, nothing more is signed anywhere."""
    unit.leases.lock_shared(_LOCK)
    return find_stop(unit)


def describe_hold(stop: KillSwitch) -> str:
    """Why a transaction waits, as its reason says it."""
    return f"All outgoing money has been stopped by {stop.by}: {stop.reason.rstrip('.')}."


def get_stop(services: Services, caller: Principal) -> KillSwitch | None:
    """Why, by whom and since when nothing is signed."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return find_stop(unit)


def require_not_stopped(services: Services) -> None:
    """Raise `PaymentsStopped` while the stop is pressed: what payers sent would only wait."""
    if STOPPED in active_kill_switches(services):
        raise PaymentsStopped(
            "Payments are stopped by the operator: nothing is paid out now, so no new payment is "
            "taken. Please try again later."
        )


def press(services: Services, caller: Principal, reason: str) -> None:
    """Hold all signing of outgoing money until two people release it; audited, and asks for no
    second factor. Pressed again, it takes back every request to release it."""
    caller.require_permission(Permission.STOP)
    why = reason.strip()
    if not why or len(why) > MAX_REASON_CHARACTERS:
        raise InvalidInput(f"reason must have 1 to {MAX_REASON_CHARACTERS} characters")
    person = actor_of(caller)
    services.store.write(lambda unit: stop_signing(unit, services, person, why))
    services.process.kill_switches.epoch = object()


def stop_signing(unit: UnitOfWork, services: Services, by: Actor, reason: str) -> None:
    """Hold all signing once this unit of work is stored; who pressed first stays named."""
    now = services.clock.now()
    release = unit.approvals.find_open(ApprovalKind.STOP_RELEASE, STOPPED)
    unit.leases.lock(_LOCK)
    if find_stop(unit) is None:
        unit.kill_switches.set(STOPPED, True, reason, by.name, now)
        message = f"All outgoing money has been stopped by {by.name}: {reason.rstrip('.')}."
        unit.alerts.raise_alert(Alert(STOP_ALERT, STOP_ALERT, "", message, now, now, None))
    if release is not None:
        approvals.cancel(unit, services, release, by, "The stop was pressed again.")
    unit.audit_log.record(by.name, "emergency stop pressed", {"reason": reason}, now, STOPPED)


def request_release(
    services: Services, caller: Principal, note: str, expected_since: datetime | None = None
) -> Approval:
    """Ask for the release of the stop, which another person has to approve; audited. Raises
    `InvalidStatus` where it is not pressed or its release is asked for already.

    `expected_since` is when the stop that the caller saw was pressed."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    if not note.strip():
        raise InvalidInput("reason must say why money may go out again")

    def work(unit: UnitOfWork) -> Approval:
        now, stop = services.clock.now(), find_stop(unit)
        if stop is None or expected_since not in (None, stop.at):
            raise InvalidStatus("Nothing is stopped, or it was stopped again: look at it anew")
        detail = {
            "stopped": stop.reason,
            "stopped_by": stop.by,
            "since": stop.at.isoformat(),
            "note": note.strip(),
        }
        new = NewApproval(
            ApprovalKind.STOP_RELEASE,
            STOPPED,
            None,
            actor_of(caller),
            now,
            now + approvals.VALID_FOR,
            detail,
        )
        return approvals.request(unit, services, new)

    return services.store.write(work)


def release(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    """Let signing go on, as two people agreed to; for `approvals.approve`. Raises `InvalidStatus`
    if the stop is not the one that they agreed to release."""
    unit.leases.lock(_LOCK)
    stop = find_stop(unit)
    if stop is None or stop.at.isoformat() != approval.detail["since"]:
        raise InvalidStatus("This stop was released, or it was pressed again")
    now = services.clock.now()
    unit.kill_switches.set(STOPPED, False, "", "", now)
    if stop.by == approvals.SYSTEM.name:
        outgoing_pace.release_hour(unit, services)
    unit.alerts.resolve([STOP_ALERT], now)
    by = f"{approval.requested_by.name} and {approval.decided_by.name}"
    detail = {"released_by": by, "stopped": stop.reason, "stopped_by": stop.by}
    unit.audit_log.record(approval.decided_by.name, "emergency stop released", detail, now, STOPPED)
