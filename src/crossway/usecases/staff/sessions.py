"""Staff sessions: whether signing in is required, starting, resolving and ending them.

Sessions use the machine's clock, so that moving the simulated clock does not affect them.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256

from crossway.domain.errors import Unauthorized
from crossway.domain.roles import Role, is_at_least
from crossway.domain.staff import (
    INSTALLATION_OPERATOR,
    AuthMethod,
    StaffMember,
    StaffSession,
    describe_browser,
)
from crossway.ports.process import CachedSession
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.members import clear_session_cache

# Holds the token in the person's browser.
COOKIE = "crossway_session"
FRESH_SECONDS = 1.0
WRITE_ACTIVITY_EVERY = timedelta(seconds=20)
SESSION_RETENTION = timedelta(days=30)
_TOKEN_BYTES = 32
_MAX_CACHED = 10_000


class ReplayedAssertion(Unauthorized):
    """An identity provider's assertion is too old or was used before."""


class SignInRequirement(StrEnum):
    """What a visitor needs to open the dashboard. CLOSED: nobody can sign in yet."""

    NONE = "open"
    INSTALL_PASSWORD = "the installation's password"
    CLOSED = "shut"
    STAFF = "people"


@dataclass(frozen=True, slots=True)
class ActiveSession:
    """A signed-in person; without a `member` they used the installation's password.

    Those who `must_enrol` may only add the second factor that their role requires.
    """

    session: StaffSession
    member: StaffMember | None
    must_enrol: bool = False

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
    """The active session of a token; None when it ended, or as long as the person must enrol.
    Changes by other processes are visible within `FRESH_SECONDS`, changes by this process
    immediately."""
    active = get_own_session(services, token)
    return None if active is None or active.must_enrol else active


def get_own_session(services: Services, token: str) -> ActiveSession | None:
    """As `get_active_session`, but also for a person who must enrol: for their own account."""
    token_hash = hash_token(token)
    found = _load_session(services, token_hash)
    session, member = found.session, found.member
    if session is None or session.is_expired(
        services.clock.machine(), _idle_timeout(services), _last_active(services, token_hash)
    ):
        return None
    if member is None:
        # The installation's password is valid only while there is no staff.
        return None if session.member_id or _has_staff(services) else ActiveSession(session, None)
    must_enrol = needs_second_factor(services, member.role) and not found.has_second_factor
    return ActiveSession(session, member, must_enrol) if member.active else None


def needs_second_factor(services: Services, role: Role) -> bool:
    """Whether the installation requires a second factor of a role."""
    lowest = services.policy.sessions.second_factor_from
    return lowest is not None and is_at_least(role, lowest)


def start_session(
    services: Services,
    member: StaffMember | None,
    auth_method: AuthMethod,
    assertion_id: str | None = None,
    use_second_factor: Callable[[UnitOfWork], str] | None = None,
) -> str:
    """Start a session and return its token. Its second factor is used up in the same transaction.

    Raises `ReplayedAssertion` where the identity provider's assertion was used before or the member
    was disabled meanwhile, and what `use_second_factor` raises.
    """
    token, now = secrets.token_urlsafe(_TOKEN_BYTES), services.clock.machine()
    session = StaffSession(0, member.id if member else None, auth_method, now, now, None, now)
    at, actor = services.clock.now(), member.name if member else INSTALLATION_OPERATOR

    def work(unit: UnitOfWork) -> bool:
        unit.staff.delete_sessions_before(now - SESSION_RETENTION)
        current = unit.staff.get(member.id) if member else None
        if member is not None and (current is None or not current.active):
            return False
        if not unit.staff.start_session(session, hash_token(token), assertion_id):
            return False
        detail = {"by": auth_method.value}
        if use_second_factor is not None:
            detail["second factor"] = use_second_factor(unit)
        if member is not None:
            unit.staff.record_sign_in(member.id, auth_method, now)
        unit.audit_log.record(actor, "signed in", detail, at, audit_subject(member))
        return True

    if not services.store.write(work):
        raise ReplayedAssertion("This sign-in was used already: sign in again")
    return token


def record_activity(services: Services, token: str) -> None:
    """Record activity of a session: in memory immediately, in the database every 20 seconds."""
    token_hash, now = hash_token(token), services.clock.machine()
    active = get_own_session(services, token)
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


def record_browser(services: Services, token: str, user_agent: str) -> None:
    """Record the browser of a new session, by which its person recognises it."""
    browser, token_hash = describe_browser(user_agent), hash_token(token)
    services.store.write(lambda unit: unit.staff.record_browser(token_hash, browser))


def sign_out(services: Services, token: str) -> None:
    """Sign out."""
    active, token_hash = get_own_session(services, token), hash_token(token)
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
    found = _load_session(services, token_hash)
    session, member = found.session, found.member
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


def _load_session(services: Services, token_hash: str) -> CachedSession:
    cache, read_at = services.process.sessions, time.monotonic()
    epoch, cached = cache.epoch, cache.by_token_hash.get(token_hash)
    if cached is not None and cached.epoch is epoch and read_at - cached.read_at <= FRESH_SECONDS:
        return cached
    with services.store.read() as unit:
        session = unit.staff.get_session(token_hash)
        member_id = None if session is None else session.member_id
        member = None if member_id is None else unit.staff.get(member_id)
        # Only asked where it matters: most installations require no second factor.
        required = member is not None and needs_second_factor(services, member.role)
        has_second_factor = (
            member is not None and required and unit.second_factors.get(member.id).any
        )
    if len(cache.by_token_hash) > _MAX_CACHED:
        cache.by_token_hash.clear()
    found = CachedSession(epoch, read_at, session, member, has_second_factor)
    cache.by_token_hash[token_hash] = found
    return found


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
