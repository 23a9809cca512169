"""Passkeys of staff: challenges, adding and removing one, and signing in with one."""

import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound, Unauthorized
from crossway.domain.second_factors import (
    MAX_PASSKEYS,
    Passkey,
    RelyingParty,
    parse_passkey_name,
)
from crossway.domain.staff import AuthMethod
from crossway.ports.second_factors import InvalidPasskey, PasskeyVerifier
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.second_factors import change_own_factors, require_member
from crossway.usecases.staff.sessions import ActiveSession, start_session
from crossway.usecases.staff.sign_in import record_failure
from crossway.usecases.staff.step_up import require_step_up

CHALLENGE_SECONDS = 600.0
_CHALLENGE_BYTES, _MAX_CHALLENGES = 32, 10_000
_SIGN_IN = "sign in"
_NOT_VERIFIED = "The passkey could not be verified: try again, or sign in another way"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PasskeyRequest:
    """What the browser is asked for: the options as JSON. Its challenge is answered once."""

    challenge: bytes
    options: str


def begin_registration(
    services: Services, active: ActiveSession, site: RelyingParty
) -> PasskeyRequest:
    """Ask the signed-in person's browser for a new passkey. Raises `InvalidStatus` where they have
    too many, and `StepUpRequired`."""
    member = require_member(active)
    require_step_up(services, active.session)
    with services.store.read() as unit:
        existing = unit.second_factors.get(member.id).passkeys
    if len(existing) >= MAX_PASSKEYS:
        raise InvalidStatus(f"A person has at most {MAX_PASSKEYS} passkeys: remove one first")
    challenge = _new_challenge(services, f"register {member.id}")
    handle = bytes.fromhex(services.vault.blind_index(f"passkeys of staff {member.id}"))
    verifier = get_verifier(services)
    options = verifier.registration_options(site, challenge, handle, member.name, existing)
    return PasskeyRequest(challenge, options)


def add_passkey(
    services: Services,
    active: ActiveSession,
    site: RelyingParty,
    challenge: bytes,
    response: str,
    name: object,
) -> tuple[str, ...]:
    """Store the passkey that the browser made. Returns the recovery codes that come with the first
    second factor. Raises `InvalidInput`, `Unauthorized` and `StepUpRequired`."""
    member, parsed_name = require_member(active), parse_passkey_name(name)
    _take_challenge(services, challenge, f"register {member.id}")
    try:
        new = get_verifier(services).verify_registration(site, challenge, response)
    except InvalidPasskey as error:
        _log.warning("A new passkey could not be verified: %s", error)
        raise Unauthorized(_NOT_VERIFIED) from error
    passkey = Passkey(
        0,
        member.id,
        new.credential_id,
        new.public_key,
        new.sign_count,
        parsed_name,
        services.clock.now(),
    )

    def add(unit: UnitOfWork) -> None:
        if unit.second_factors.add_passkey(passkey) is None:
            raise InvalidInput("passkey is known already")

    return change_own_factors(services, active, "passkey added", add, parsed_name)


def remove_passkey(services: Services, active: ActiveSession, passkey_id: int) -> None:
    """Remove one of the signed-in person's passkeys. Raises `NotFound`, `InvalidStatus` where it is
    the last second factor and their role requires one, and `StepUpRequired`."""
    member = require_member(active)
    with services.store.read() as unit:
        passkeys = unit.second_factors.get(member.id).passkeys
    passkey = next((passkey for passkey in passkeys if passkey.id == passkey_id), None)
    if passkey is None:
        raise NotFound("Passkey not found")
    change_own_factors(
        services,
        active,
        "passkey removed",
        lambda unit: unit.second_factors.delete_passkey(passkey.id),
        passkey.name,
    )


def begin_sign_in(services: Services, site: RelyingParty) -> PasskeyRequest:
    """Ask a visitor's browser for any passkey of this site."""
    challenge = _new_challenge(services, _SIGN_IN)
    options = get_verifier(services).authentication_options(site, challenge, ())
    return PasskeyRequest(challenge, options)


def sign_in_with_passkey(
    services: Services, site: RelyingParty, challenge: bytes, response: str
) -> str:
    """Start a session for the owner of a passkey and return its token: a passkey counts as two
    factors, the device and what unlocks it. Raises `Unauthorized`."""
    _take_challenge(services, challenge, _SIGN_IN)
    passkey = _find_passkey(services, response)
    with services.store.read() as unit:
        member = unit.staff.get(passkey.member_id)
    try:
        use = _verify(services, site, challenge, response, passkey)
        if member is None or not member.active:
            raise Unauthorized(_NOT_VERIFIED)
        return start_session(services, member, AuthMethod.PASSKEY, None, use)
    except Unauthorized:
        record_failure(services, member, AuthMethod.PASSKEY)
        raise


def begin_proof(services: Services, active: ActiveSession, site: RelyingParty) -> PasskeyRequest:
    """Ask the signed-in person's browser for one of their own passkeys."""
    member = require_member(active)
    with services.store.read() as unit:
        passkeys = unit.second_factors.get(member.id).passkeys
    challenge = _new_challenge(services, f"prove {active.session.id}")
    options = get_verifier(services).authentication_options(site, challenge, passkeys)
    return PasskeyRequest(challenge, options)


def verify_proof(
    services: Services, active: ActiveSession, site: RelyingParty, challenge: bytes, response: str
) -> Callable[[UnitOfWork], str]:
    """Verify the answer to `begin_proof`; what is returned uses the passkey in a transaction.
    Raises `Unauthorized`."""
    member = require_member(active)
    _take_challenge(services, challenge, f"prove {active.session.id}")
    passkey = _find_passkey(services, response)
    if passkey.member_id != member.id:
        raise Unauthorized(_NOT_VERIFIED)
    return _verify(services, site, challenge, response, passkey)


def has_passkeys(services: Services) -> bool:
    """Whether anybody has a passkey, so that the sign-in page offers it."""
    with services.store.read() as unit:
        return unit.second_factors.has_passkeys()


def get_verifier(services: Services) -> PasskeyVerifier:
    """The port that verifies passkeys."""
    assert services.passkeys is not None, "this service was built without passkeys"
    return services.passkeys


def _find_passkey(services: Services, response: str) -> Passkey:
    """The passkey that an answer names. Unknown ones are not audited: anybody can invent them."""
    try:
        credential_id = get_verifier(services).credential_id(response)
    except InvalidPasskey as error:
        raise Unauthorized(_NOT_VERIFIED) from error
    with services.store.read() as unit:
        passkey = unit.second_factors.find_passkey(credential_id)
    if passkey is None:
        raise Unauthorized("This passkey is not known here: it was removed, or never added")
    return passkey


def _verify(
    services: Services, site: RelyingParty, challenge: bytes, response: str, passkey: Passkey
) -> Callable[[UnitOfWork], str]:
    verifier = get_verifier(services)
    try:
        sign_count = verifier.verify_authentication(site, challenge, response, passkey)
    except InvalidPasskey as error:
        _log.warning("Passkey %s of staff %s: %s", passkey.id, passkey.member_id, error)
        raise Unauthorized(_NOT_VERIFIED) from error
    return partial(_use, services, passkey, sign_count)


def _use(services: Services, passkey: Passkey, sign_count: int, unit: UnitOfWork) -> str:
    if not unit.second_factors.use_passkey(passkey, sign_count, services.clock.now()):
        raise Unauthorized(_NOT_VERIFIED)
    return f"passkey {passkey.name}"


def _new_challenge(services: Services, purpose: str) -> bytes:
    """A challenge that is kept here until it is answered; of too many, the oldest are dropped."""
    cache, challenge = services.process.sessions, secrets.token_bytes(_CHALLENGE_BYTES)
    with cache.lock:
        while len(cache.challenges) >= _MAX_CHALLENGES:
            del cache.challenges[next(iter(cache.challenges))]
        cache.challenges[challenge] = purpose, time.monotonic() + CHALLENGE_SECONDS
    return challenge


def _take_challenge(services: Services, challenge: bytes, purpose: str) -> None:
    """Use up a challenge; raises `Unauthorized` where it was used, is too old, or for another
    purpose."""
    cache = services.process.sessions
    with cache.lock:
        kept_purpose, expires_at = cache.challenges.pop(challenge, ("", 0.0))
    if kept_purpose != purpose or expires_at < time.monotonic():
        raise Unauthorized("The request for your passkey is too old: try again")
