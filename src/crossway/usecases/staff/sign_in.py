"""Signing in with name and password, with an identity provider, or with the installation's
password."""

import hmac
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256

from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.kyc_fields import parse_email
from crossway.domain.second_factors import SecondFactors
from crossway.domain.staff import (
    INSTALLATION_OPERATOR,
    AuthMethod,
    StaffMember,
    name_key,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.codes import WrongCode, has_recovery_code, use_code
from crossway.usecases.staff.login_throttle import (
    Guess,
    GuessKind,
    clear_attempts,
    record_attempt,
)
from crossway.usecases.staff.members import get_passwords
from crossway.usecases.staff.sessions import (
    ReplayedAssertion,
    SignInRequirement,
    audit_subject,
    get_sign_in_requirement,
    start_session,
)

UNKNOWN_ACTOR = "Somebody"
WRONG_CREDENTIALS = "The name or the password is wrong"
WRONG_INSTALL_PASSWORD = "That is not the password"
# A provider's assertion must be recent, so that it cannot be used after access was revoked here.
MAX_ASSERTION_AGE = timedelta(minutes=10)
MAX_PENDING_AGE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class PendingSignIn:
    """A sign-in whose first factor was right; it waits ten minutes for the second one."""

    member: StaffMember
    factors: SecondFactors
    auth_method: AuthMethod
    assertion_id: str | None
    started_at: datetime


class SecondFactorRequired(Unauthorized):
    """The first factor was right; `pending` is completed by `complete_sign_in`, or by a passkey."""

    def __init__(self, pending: PendingSignIn) -> None:
        super().__init__("Confirm your sign-in with your second factor")
        self.pending = pending


def sign_in_with_password(
    services: Services, name: str, password: str, address: str, recovery_code: str = ""
) -> str:
    """Start a session and return its token. Raises `Unauthorized`, with the same message and
    timing whatever was wrong, `SecondFactorRequired`, and `TooManyRequests`.

    A recovery code stands in for the second factor, and admits people whose name others tried too
    often.
    """
    guess = Guess(GuessKind.PASSWORD, name, address)
    with services.store.read() as unit:
        member = unit.staff.find_by_name(name_key(name))
        has_code = has_recovery_code(unit, member, recovery_code)
    record_attempt(services, guess, has_code)
    passwords = get_passwords(services)
    password_hash = member.password_hash if member is not None and member.active else ""
    matches = passwords.verify(password_hash, password)
    if member is None or not matches or (recovery_code.strip() and not has_code):
        record_failure(services, member, AuthMethod.PASSWORD)
        raise Unauthorized(WRONG_CREDENTIALS)
    if passwords.needs_rehash(password_hash):
        _rehash_password(services, member, passwords.hash(password))
    clear_attempts(services, guess)
    if has_code:
        use = partial(use_code, services, member, recovery_code)
        return start_session(services, member, AuthMethod.PASSWORD, None, use)
    return _start_or_ask(services, member, AuthMethod.PASSWORD, None)


def complete_sign_in(services: Services, pending: PendingSignIn, code: str, address: str) -> str:
    """Start the session that waits for a second factor, and return its token. The code is one of
    the authenticator app or a recovery code. Raises `Unauthorized` and `TooManyRequests`."""
    member = _require_pending(services, pending)
    guess = Guess(GuessKind.CODE, member.name, address)
    with services.store.read() as unit:
        has_code = has_recovery_code(unit, member, code)
    record_attempt(services, guess, has_code)
    use = partial(use_code, services, member, code)
    try:
        token = start_session(services, member, pending.auth_method, pending.assertion_id, use)
    except WrongCode:
        record_failure(services, member, pending.auth_method, "code")
        raise
    clear_attempts(services, guess)
    return token


def sign_in_with_provider(
    services: Services, email: object, verified: bool, issued_at: datetime, proof: str
) -> str:
    """Start a session for the staff member whose e-mail address a trusted provider asserts, and
    return its token. `proof` identifies the assertion: it is accepted once, within ten minutes.

    Raises `Unauthorized`, or its subclasses `ReplayedAssertion` and `SecondFactorRequired`.
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
        record_failure(services, member, AuthMethod.IDENTITY_PROVIDER)
        raise Unauthorized(
            "No staff member has the e-mail address you signed in with: ask an admin to add you"
        )
    assertion_id = sha256(proof.encode()).hexdigest()
    return _start_or_ask(services, member, AuthMethod.IDENTITY_PROVIDER, assertion_id)


def sign_in_with_install_password(
    services: Services, password: str, install_password: str, address: str
) -> str:
    """Start a session with the installation's password and return its token. Allowed only before
    there is any staff."""
    guess = Guess(GuessKind.PASSWORD, INSTALLATION_OPERATOR, address)
    record_attempt(services, guess)
    matches = hmac.compare_digest(password.encode(), install_password.encode())
    if (
        not install_password
        or not matches
        or get_sign_in_requirement(services, True) is not SignInRequirement.INSTALL_PASSWORD
    ):
        record_failure(services, None, AuthMethod.INSTALLATION_PASSWORD)
        raise Unauthorized(WRONG_INSTALL_PASSWORD)
    clear_attempts(services, guess)
    return start_session(services, None, AuthMethod.INSTALLATION_PASSWORD)


def record_failure(
    services: Services, member: StaffMember | None, auth_method: AuthMethod, second_factor: str = ""
) -> None:
    """Record a failed sign-in under the member's name only: the typed name may be a password."""
    actor, now = member.name if member else UNKNOWN_ACTOR, services.clock.now()
    detail = {"by": auth_method.value} | ({"second factor": second_factor} if second_factor else {})
    subject = audit_subject(member)
    services.store.write(
        lambda unit: unit.audit_log.record(actor, "sign-in failed", detail, now, subject)
    )


def _start_or_ask(
    services: Services, member: StaffMember, auth_method: AuthMethod, assertion_id: str | None
) -> str:
    """Start a session, unless a second factor must be given first (`SecondFactorRequired`)."""
    with services.store.read() as unit:
        factors = unit.second_factors.get(member.id)
    if factors.any:
        now = services.clock.machine()
        raise SecondFactorRequired(PendingSignIn(member, factors, auth_method, assertion_id, now))
    return start_session(services, member, auth_method, assertion_id)


def _require_pending(services: Services, pending: PendingSignIn) -> StaffMember:
    """The member of a pending sign-in that is still valid; raises `Unauthorized`."""
    with services.store.read() as unit:
        member = unit.staff.get(pending.member.id)
    is_late = services.clock.machine() - pending.started_at > MAX_PENDING_AGE
    if (
        is_late
        or member is None
        or not member.active
        # Another password or address was set meanwhile: the first factor is no longer right.
        or member.password_hash != pending.member.password_hash
        or member.encrypted_email != pending.member.encrypted_email
    ):
        raise Unauthorized("Your sign-in took too long or was changed: start again")
    return member


def _rehash_password(services: Services, member: StaffMember, password_hash: str) -> None:
    """Store a password with the current hash parameters, unless it was changed meanwhile."""

    def work(unit: UnitOfWork) -> None:
        current = unit.staff.get(member.id)
        if current is not None and current.password_hash == member.password_hash:
            unit.staff.update(replace(current, password_hash=password_hash))

    services.store.write(work)
