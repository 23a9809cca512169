"""How a signed-in person proves again who they are, for `step_up`."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from crossway.domain.errors import Unauthorized
from crossway.domain.second_factors import RelyingParty
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff import passkeys
from crossway.usecases.staff.codes import WrongCode, has_recovery_code, use_code
from crossway.usecases.staff.login_throttle import (
    Guess,
    GuessKind,
    clear_attempts,
    record_attempt,
)
from crossway.usecases.staff.members import clear_session_cache, get_passwords
from crossway.usecases.staff.second_factors import require_member
from crossway.usecases.staff.sessions import ActiveSession, audit_subject

_WRONG_PASSWORD = "The password is wrong"


@dataclass(frozen=True, slots=True)
class ProofMethods:
    """How a person can prove who they are: with a second factor where they have one, else with
    their password. With none of these, they sign in again at their identity provider."""

    password: bool
    code: bool
    authenticator: bool
    passkey: bool


def get_proof_methods(services: Services, active: ActiveSession) -> ProofMethods:
    """How the signed-in person can prove who they are."""
    if active.member is None:
        return ProofMethods(password=True, code=False, authenticator=False, passkey=False)
    with services.store.read() as unit:
        factors = unit.second_factors.get(active.member.id)
    return ProofMethods(
        password=bool(active.member.password_hash) and not factors.any,
        code=factors.authenticator is not None or factors.recovery_codes_left > 0,
        authenticator=factors.authenticator is not None,
        passkey=bool(factors.passkeys),
    )


def verify_password(
    services: Services,
    active: ActiveSession,
    password: str,
    address: str,
    install_password: str = "",
) -> None:
    """Check the signed-in person's password; `install_password` is the installation's, for those
    who signed in with it. Raises `Unauthorized`, audited, and `TooManyRequests`."""
    guess = Guess(GuessKind.PASSWORD, active.name, address)
    record_attempt(services, guess)
    if active.member is None:
        matches = bool(install_password) and hmac.compare_digest(
            password.encode(), install_password.encode()
        )
    else:
        matches = get_passwords(services).verify(active.member.password_hash, password)
    if not matches:
        _record_failure(services, active, "password")
        raise Unauthorized(_WRONG_PASSWORD)
    clear_attempts(services, guess)


def prove_with_password(
    services: Services,
    active: ActiveSession,
    password: str,
    address: str,
    install_password: str = "",
) -> None:
    """Prove with the password, where the person has no second factor. Raises `Unauthorized` and
    `TooManyRequests`."""
    if not get_proof_methods(services, active).password:
        raise Unauthorized("Confirm with your second factor")
    verify_password(services, active, password, address, install_password)
    _store_proof(services, active, lambda unit: "password")


def prove_with_code(services: Services, active: ActiveSession, code: str, address: str) -> None:
    """Prove with a code of the authenticator app or a recovery code. Raises `Unauthorized` and
    `TooManyRequests`."""
    member = require_member(active)
    guess = Guess(GuessKind.CODE, member.name, address)
    with services.store.read() as unit:
        has_code = has_recovery_code(unit, member, code)
    record_attempt(services, guess, has_code)
    try:
        _store_proof(services, active, partial(use_code, services, member, code))
    except WrongCode:
        _record_failure(services, active, "code")
        raise
    clear_attempts(services, guess)


def prove_with_passkey(
    services: Services, active: ActiveSession, site: RelyingParty, challenge: bytes, response: str
) -> None:
    """Prove with the answer to `passkeys.begin_proof`. Raises `Unauthorized`."""
    try:
        use = passkeys.verify_proof(services, active, site, challenge, response)
        _store_proof(services, active, use)
    except Unauthorized:
        _record_failure(services, active, "passkey")
        raise


def _store_proof(
    services: Services, active: ActiveSession, use: Callable[[UnitOfWork], str]
) -> None:
    at, now, subject = services.clock.now(), services.clock.machine(), audit_subject(active.member)

    def work(unit: UnitOfWork) -> None:
        detail = {"by": use(unit)}
        unit.staff.record_proof(active.session.id, now)
        unit.audit_log.record(active.name, "identity confirmed", detail, at, subject)

    services.store.write(work)
    clear_session_cache(services)


def _record_failure(services: Services, active: ActiveSession, by: str) -> None:
    at, subject = services.clock.now(), audit_subject(active.member)
    action = "identity not confirmed"
    services.store.write(
        lambda unit: unit.audit_log.record(active.name, action, {"by": by}, at, subject)
    )
