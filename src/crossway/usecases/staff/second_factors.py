"""A person's second factors: authenticator app, recovery codes, and an admin's reset."""

from collections.abc import Callable
from dataclasses import dataclass, field

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.roles import Permission
from crossway.domain.second_factors import (
    Authenticator,
    SecondFactors,
    generate_recovery_codes,
    hash_recovery_code,
)
from crossway.domain.staff import StaffMember
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.codes import get_authenticator_codes
from crossway.usecases.staff.members import LOCK, clear_session_cache
from crossway.usecases.staff.sessions import ActiveSession, audit_subject, needs_second_factor
from crossway.usecases.staff.step_up import require_step_up


@dataclass(frozen=True, slots=True)
class AuthenticatorEnrolment:
    """The secret of a new authenticator app, and the URI of its QR code; stored once a code of it
    was entered."""

    secret: str = field(repr=False)
    uri: str = field(repr=False)


def get_own_factors(services: Services, active: ActiveSession) -> SecondFactors:
    """The signed-in person's second factors."""
    member = require_member(active)
    with services.store.read() as unit:
        return unit.second_factors.get(member.id)


def list_factors(services: Services, caller: Principal) -> dict[int, SecondFactors]:
    """The second factors of all staff by their ids. Their secrets are never shown."""
    caller.require_permission(Permission.MANAGE)
    with services.store.read() as unit:
        return unit.second_factors.list_by_members([member.id for member in unit.staff.list_all()])


def begin_authenticator(services: Services, active: ActiveSession) -> AuthenticatorEnrolment:
    """A new secret for the signed-in person's authenticator app. Raises `StepUpRequired`."""
    member = require_member(active)
    require_step_up(services, active.session)
    codes = get_authenticator_codes(services)
    secret = codes.new_secret()
    return AuthenticatorEnrolment(secret, codes.enrolment_uri(secret, member.name))


def confirm_authenticator(
    services: Services, active: ActiveSession, enrolment: AuthenticatorEnrolment, code: str
) -> tuple[str, ...]:
    """Store an authenticator app that shows the right code, in place of an earlier one.

    Returns the recovery codes that come with the first second factor. Raises `InvalidInput` for a
    wrong code, and `StepUpRequired`.
    """
    member, secret = require_member(active), enrolment.secret
    digits, now = "".join(code.split()), services.clock.machine()
    step = get_authenticator_codes(services).find_step(secret, digits, now)
    if step is None:
        raise InvalidInput("code is wrong: enter the six digits that the app shows now")
    encrypted = services.vault.encrypt(secret.encode())
    authenticator = Authenticator(member.id, encrypted, step, services.clock.now())
    return change_own_factors(
        services,
        active,
        "authenticator app added",
        lambda unit: unit.second_factors.set_authenticator(authenticator),
    )


def remove_authenticator(services: Services, active: ActiveSession) -> None:
    """Remove the signed-in person's authenticator app. Raises `InvalidStatus` where it is the last
    second factor and their role requires one, and `StepUpRequired`."""
    member = require_member(active)
    change_own_factors(
        services,
        active,
        "authenticator app removed",
        lambda unit: unit.second_factors.delete_authenticator(member.id),
    )


def renew_recovery_codes(services: Services, active: ActiveSession) -> tuple[str, ...]:
    """New recovery codes for the signed-in person; the earlier ones no longer work. Raises
    `InvalidStatus` without a second factor, and `StepUpRequired`."""
    member, codes = require_member(active), generate_recovery_codes()

    def renew(unit: UnitOfWork) -> None:
        if not unit.second_factors.get(member.id).any:
            raise InvalidStatus("Recovery codes come with a second factor: add one first")
        _store_recovery_codes(unit, member, codes)

    change_own_factors(services, active, "recovery codes renewed", renew)
    return codes


def change_own_factors(
    services: Services,
    active: ActiveSession,
    action: str,
    change: Callable[[UnitOfWork], None],
    detail: str = "",
) -> tuple[str, ...]:
    """Change the signed-in person's second factors; audited, and ends their other sessions.

    Recovery codes come with the first second factor, and are returned then; they go with the last.
    """
    member, codes = require_member(active), generate_recovery_codes()
    require_step_up(services, active.session)

    def work(unit: UnitOfWork) -> tuple[str, ...]:
        unit.leases.lock(LOCK)
        before = unit.second_factors.get(member.id)
        change(unit)
        after = unit.second_factors.get(member.id)
        if not after.any and before.any and needs_second_factor(services, member.role):
            raise InvalidStatus("Your role requires a second factor: add another one first")
        is_first = after.any and not before.any
        if is_first or not after.any:
            _store_recovery_codes(unit, member, codes if is_first else ())
        end_other_sessions(services, unit, active)
        described = {"name": detail} if detail else {}
        now, subject = services.clock.now(), audit_subject(member)
        unit.audit_log.record(member.name, action, described, now, subject)
        return codes if is_first else ()

    shown = services.store.write(work)
    clear_session_cache(services)
    return shown


def reset_second_factors(services: Services, caller: Principal, member_id: int) -> StaffMember:
    """Remove a person's second factors and recovery codes, and end their sessions; audited. Raises
    `NotFound` and `StepUpRequired`."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)

    def work(unit: UnitOfWork) -> StaffMember:
        unit.leases.lock(LOCK)
        member = unit.staff.get(member_id)
        if member is None:
            raise NotFound("Person not found")
        unit.second_factors.delete_all(member.id)
        open_ids = [session.id for session in unit.staff.list_open_sessions(member.id)]
        unit.staff.end_sessions(open_ids, services.clock.machine())
        detail, now = {"member": member.name}, services.clock.now()
        action, subject = "second factor reset", audit_subject(member)
        unit.audit_log.record(caller.actor_name, action, detail, now, subject)
        return member

    member = services.store.write(work)
    clear_session_cache(services)
    return member


def require_member(active: ActiveSession) -> StaffMember:
    """The signed-in person. Raises `InvalidStatus` for the installation's password."""
    if active.member is None:
        raise InvalidStatus("The installation's password has no account: add a staff member first")
    return active.member


def end_other_sessions(services: Services, unit: UnitOfWork, active: ActiveSession) -> int:
    """End all sessions of a person but this one; returns how many."""
    open_sessions = unit.staff.list_open_sessions(active.session.member_id)
    others = [session.id for session in open_sessions if session.id != active.session.id]
    unit.staff.end_sessions(others, services.clock.machine())
    return len(others)


def _store_recovery_codes(unit: UnitOfWork, member: StaffMember, codes: tuple[str, ...]) -> None:
    hashes = [hash_recovery_code(member.id, code) for code in codes]
    unit.second_factors.replace_recovery_codes(member.id, hashes)
