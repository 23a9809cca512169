"""Signing in with name and password, with an identity provider, or with the installation's
password."""

import hmac
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.kyc_fields import parse_email
from crossway.domain.staff import (
    INSTALLATION_OPERATOR,
    AuthMethod,
    StaffMember,
    StaffSession,
    name_key,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.login_throttle import clear_attempts, record_attempt
from crossway.usecases.staff.members import get_passwords
from crossway.usecases.staff.sessions import (
    SignInRequirement,
    audit_subject,
    get_sign_in_requirement,
    hash_token,
)

UNKNOWN_ACTOR = "Somebody"
WRONG_CREDENTIALS = "The name or the password is wrong"
WRONG_INSTALL_PASSWORD = "That is not the password"
# A provider's assertion must be recent, so that it cannot be used after access was revoked here.
MAX_ASSERTION_AGE = timedelta(minutes=10)
SESSION_RETENTION = timedelta(days=30)
_TOKEN_BYTES = 32


class ReplayedAssertion(Unauthorized):
    """An identity provider's assertion is too old or was used before."""


def sign_in_with_password(services: Services, name: str, password: str, address: str) -> str:
    """Start a session and return its token. Raises `Unauthorized`, with the same message and
    timing whatever was wrong, and `TooManyRequests`."""
    record_attempt(services, name, address)
    with services.store.read() as unit:
        member = unit.staff.find_by_name(name_key(name))
    passwords = get_passwords(services)
    password_hash = member.password_hash if member is not None and member.active else ""
    matches = passwords.verify(password_hash, password)
    if member is None or not matches:
        _record_failure(services, member, AuthMethod.PASSWORD)
        raise Unauthorized(WRONG_CREDENTIALS)
    if passwords.needs_rehash(password_hash):
        _rehash_password(services, member, passwords.hash(password))
    token = _start_session(services, member, AuthMethod.PASSWORD, None)
    clear_attempts(services, name, address)
    return token


def sign_in_with_provider(
    services: Services, email: object, verified: bool, issued_at: datetime, proof: str
) -> str:
    """Start a session for the staff member whose e-mail address a trusted provider asserts, and
    return its token. `proof` identifies the assertion: it is accepted once, within ten minutes.

    Raises `Unauthorized`, or its subclass `ReplayedAssertion`.
    """
    now = services.clock.machine()
    if not now - MAX_ASSERTION_AGE <= issued_at <= now + MAX_ASSERTION_AGE:
        raise ReplayedAssertion("Your sign-in is too old: sign in again")
    try:
        index = services.vault.blind_index(parse_email(email))
    except InvalidInput as error:
        raise Unauthorized("Your provider did not send your e-mail address") from error
    if not verified:
        raise Unauthorized("Your provider has not verified your e-mail address")
    with services.store.read() as unit:
        member = unit.staff.find_by_email(index)
    if member is None or not member.active:
        _record_failure(services, member, AuthMethod.IDENTITY_PROVIDER)
        raise Unauthorized(
            "No staff member has the e-mail address you signed in with: ask an admin to add you"
        )
    return _start_session(
        services, member, AuthMethod.IDENTITY_PROVIDER, sha256(proof.encode()).hexdigest()
    )


def sign_in_with_install_password(
    services: Services, password: str, install_password: str, address: str
) -> str:
    """Start a session with the installation's password and return its token. Allowed only before
    there is any staff."""
    record_attempt(services, INSTALLATION_OPERATOR, address)
    matches = hmac.compare_digest(password.encode(), install_password.encode())
    if (
        not install_password
        or not matches
        or get_sign_in_requirement(services, True) is not SignInRequirement.INSTALL_PASSWORD
    ):
        _record_failure(services, None, AuthMethod.INSTALLATION_PASSWORD)
        raise Unauthorized(WRONG_INSTALL_PASSWORD)
    token = _start_session(services, None, AuthMethod.INSTALLATION_PASSWORD, None)
    clear_attempts(services, INSTALLATION_OPERATOR, address)
    return token


def _start_session(
    services: Services, member: StaffMember | None, auth_method: AuthMethod, proof: str | None
) -> str:
    token, now = secrets.token_urlsafe(_TOKEN_BYTES), services.clock.machine()
    session = StaffSession(0, member.id if member else None, auth_method, now, now)
    at, actor = services.clock.now(), member.name if member else INSTALLATION_OPERATOR

    def work(unit: UnitOfWork) -> bool:
        unit.staff.delete_sessions_before(now - SESSION_RETENTION)
        current = unit.staff.get(member.id) if member else None
        if member is not None and (current is None or not current.active):
            return False
        if not unit.staff.start_session(session, hash_token(token), proof):
            return False
        if member is not None:
            unit.staff.record_sign_in(member.id, auth_method, now)
        unit.audit_log.record(
            actor, "signed in", {"by": auth_method.value}, at, audit_subject(member)
        )
        return True

    if not services.store.write(work):
        raise ReplayedAssertion("This sign-in was used already: sign in again")
    return token


def _rehash_password(services: Services, member: StaffMember, password_hash: str) -> None:
    """Store a password with the current hash parameters, unless it was changed meanwhile."""

    def work(unit: UnitOfWork) -> None:
        current = unit.staff.get(member.id)
        if current is not None and current.password_hash == member.password_hash:
            unit.staff.update(replace(current, password_hash=password_hash))

    services.store.write(work)


def _record_failure(
    services: Services, member: StaffMember | None, auth_method: AuthMethod
) -> None:
    """Record a failed sign-in under the member's name only: the typed name may be a password."""
    actor, now = member.name if member else UNKNOWN_ACTOR, services.clock.now()
    subject = audit_subject(member)
    services.store.write(
        lambda unit: unit.audit_log.record(
            actor, "sign-in failed", {"by": auth_method.value}, now, subject
        )
    )
