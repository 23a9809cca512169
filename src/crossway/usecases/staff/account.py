"""The signed-in person's own account: their password and where they are signed in."""

from dataclasses import replace
from datetime import timedelta

from crossway.domain.errors import InvalidStatus
from crossway.domain.staff import StaffSession
from crossway.domain.staff_passwords import parse_password
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.identity_proofs import verify_password
from crossway.usecases.staff.members import LOCK, clear_session_cache, get_passwords
from crossway.usecases.staff.second_factors import end_other_sessions, require_member
from crossway.usecases.staff.sessions import ActiveSession, audit_subject
from crossway.usecases.staff.step_up import require_step_up


def change_password(
    services: Services, active: ActiveSession, current: str, new: object, address: str
) -> None:
    """Change the person's own password, and end their other sessions; audited.

    The current password is asked for, and step-up where they have a second factor. Raises
    `InvalidInput`, `InvalidStatus` where they have no password, `StepUpRequired`, `Unauthorized`
    and `TooManyRequests`.
    """
    member = require_member(active)
    if not member.password_hash:
        raise InvalidStatus("You sign in through your identity provider: you have no password here")
    parsed = parse_password(new, member.name)
    with services.store.read() as unit:
        has_second_factor = unit.second_factors.get(member.id).any
    if has_second_factor:
        require_step_up(services, active.session)
    verify_password(services, active, current, address)
    password_hash = get_passwords(services).hash(parsed)

    def work(unit: UnitOfWork) -> None:
        unit.leases.lock(LOCK)
        latest = unit.staff.get(member.id)
        if latest is None or latest.password_hash != member.password_hash:
            raise InvalidStatus("Your password was changed meanwhile: sign in again")
        unit.staff.update(replace(latest, password_hash=password_hash))
        end_other_sessions(services, unit, active)
        now, subject = services.clock.now(), audit_subject(member)
        unit.audit_log.record(member.name, "own password changed", {}, now, subject)

    services.store.write(work)
    clear_session_cache(services)


def list_sessions(services: Services, active: ActiveSession) -> list[StaffSession]:
    """The person's active sessions, newest first."""
    member = require_member(active)
    idle, now = timedelta(seconds=services.policy.sessions.idle_seconds), services.clock.machine()
    with services.store.read() as unit:
        found = unit.staff.list_open_sessions(member.id)
    return [session for session in reversed(found) if not session.is_expired(now, idle)]


def sign_out_elsewhere(services: Services, active: ActiveSession) -> int:
    """End the person's other sessions; audited. Returns how many."""
    member = require_member(active)

    def work(unit: UnitOfWork) -> int:
        ended = end_other_sessions(services, unit, active)
        now, subject = services.clock.now(), audit_subject(member)
        action = "signed out elsewhere"
        unit.audit_log.record(member.name, action, {"sessions": ended}, now, subject)
        return ended

    ended = services.store.write(work)
    clear_session_cache(services)
    return ended
