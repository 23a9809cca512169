"""Staff sessions: whether signing in is required, resolving tokens, activity and signing out.

Sessions use the machine's clock, so that moving the simulated clock does not affect them.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import TypeVar

from crossway.domain.roles import Role
from crossway.domain.staff import INSTALLATION_OPERATOR, StaffMember, StaffSession
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.members import clear_session_cache

FRESH_SECONDS = 1.0
WRITE_ACTIVITY_EVERY = timedelta(seconds=20)
_MAX_CACHED = 10_000
T = TypeVar("T")


class SignInRequirement(StrEnum):
    """What a visitor needs to open the dashboard. CLOSED: nobody can sign in yet."""

    NONE = "open"
    INSTALL_PASSWORD = "the installation's password"
    CLOSED = "shut"
    STAFF = "people"


@dataclass(frozen=True, slots=True)
class ActiveSession:
    """A signed-in person; without a `member` they used the installation's password."""

    session: StaffSession
    member: StaffMember | None

    @property
    def name(self) -> str:
        """The actor's name in the audit log."""
        return INSTALLATION_OPERATOR if self.member is None else self.member.name

    @property
    def role(self) -> Role:
        """Their role. The installation's password grants the admin role, to add staff."""
        return Role.ADMIN if self.member is None else self.member.role


def get_sign_in_requirement(services: Services, has_password: bool) -> SignInRequirement:
    """The current sign-in requirement. Once there is staff, they sign in; before that, the
    installation's password is required if one is set. Without one, only a simulated environment
    is open."""
    if _has_staff(services):
        return SignInRequirement.STAFF
    if has_password:
        return SignInRequirement.INSTALL_PASSWORD
    return (
        SignInRequirement.NONE if services.environment == "simulated" else SignInRequirement.CLOSED
    )


def get_active_session(services: Services, token: str) -> ActiveSession | None:
    """The active session of a token; None when it ended. Changes by other processes are visible
    within `FRESH_SECONDS`, changes by this process immediately."""
    token_hash = hash_token(token)
    session, member = _load_session(services, token_hash)
    if session is None or session.is_expired(
        services.clock.machine(), _idle_timeout(services), _last_active(services, token_hash)
    ):
        return None
    if member is None:
        # The installation's password is valid only while there is no staff.
        return None if session.member_id or _has_staff(services) else ActiveSession(session, None)
    return ActiveSession(session, member) if member.active else None


def record_activity(services: Services, token: str) -> None:
    """Record activity of a session: in memory immediately, in the database every 20 seconds."""
    token_hash, now = hash_token(token), services.clock.machine()
    active = get_active_session(services, token)
    if active is None:
        return
    cache = services.process.sessions
    if len(cache.last_active) > _MAX_CACHED:
        cache.last_active.clear()
    cache.last_active[token_hash] = now
    if now - active.session.last_seen_at >= WRITE_ACTIVITY_EVERY:

        def work(unit: UnitOfWork) -> None:
            unit.staff.touch_session(token_hash, now)
            if active.member is not None:
                unit.staff.record_sign_in(active.member.id, active.session.auth_method, now)

        services.store.write(work)
        cache.by_token_hash.pop(token_hash, None)


def sign_out(services: Services, token: str) -> None:
    """Sign out."""
    active, token_hash = get_active_session(services, token), hash_token(token)
    if active is None:
        return
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        unit.staff.end_sessions([active.session.id], services.clock.machine())
        unit.audit_log.record(active.name, "signed out", {}, now, audit_subject(active.member))

    services.store.write(work)
    services.process.sessions.last_active.pop(token_hash, None)
    clear_session_cache(services)


def explain_sign_out(services: Services, token: str) -> str:
    """Why the session of a token ended, for its owner; empty for an unknown token."""
    token_hash = hash_token(token)
    session, member = _load_session(services, token_hash)
    if session is None:
        return ""
    now, last_active = (
        services.clock.machine(),
        _last_active(services, token_hash) or session.last_seen_at,
    )
    if session.ended_at is None and now - max(last_active, session.last_seen_at) > _idle_timeout(
        services
    ):
        minutes = services.policy.sessions.idle_seconds // 60
        return f"You were signed out after {minutes} minutes without activity."
    if member is not None and not member.active:
        return "You were signed out: an admin has disabled your account."
    return "You are signed out."


def hash_token(token: str) -> str:
    """The hash by which a session token is stored."""
    return sha256(token.encode()).hexdigest()


def audit_subject(member: StaffMember | None) -> str:
    """The subject of a member's entries in the audit log."""
    return "staff:0" if member is None else f"staff:{member.id}"


def _load_session(
    services: Services, token_hash: str
) -> tuple[StaffSession | None, StaffMember | None]:
    cache, now_monotonic = services.process.sessions, time.monotonic()
    epoch, cached = cache.epoch, cache.by_token_hash.get(token_hash)
    if cached is not None and cached[0] is epoch and now_monotonic - cached[1] <= FRESH_SECONDS:
        return cached[2], cached[3]
    with services.store.read() as unit:
        session = unit.staff.get_session(token_hash)
        member_id = None if session is None else session.member_id
        member = None if member_id is None else unit.staff.get(member_id)
    if len(cache.by_token_hash) > _MAX_CACHED:
        cache.by_token_hash.clear()
    cache.by_token_hash[token_hash] = (epoch, now_monotonic, session, member)
    return session, member


def _has_staff(services: Services) -> bool:
    cache, now_monotonic = services.process.sessions, time.monotonic()
    epoch, cached = cache.epoch, cache.has_staff
    if cached is not None and cached[0] is epoch and now_monotonic - cached[1] <= FRESH_SECONDS:
        return cached[2]
    with services.store.read() as unit:
        has_staff = unit.staff.has_any()
    cache.has_staff = epoch, now_monotonic, has_staff
    return has_staff


def _last_active(services: Services, token_hash: str) -> datetime | None:
    return services.process.sessions.last_active.get(token_hash)


def _idle_timeout(services: Services) -> timedelta:
    return timedelta(seconds=services.policy.sessions.idle_seconds)
