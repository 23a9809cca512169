"""Signing in: by name and password, by what a provider vouches for, by the first password."""

import hmac
import secrets
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.domain.identity import read_email
from crossway.domain.staff import FIRST, Member, Stay, Way, name_key
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.people.staff import passwords_of
from crossway.usecases.people.stays import Door, door, subject_of, token_hash
from crossway.usecases.people.tries import count, forgive

SOMEBODY = "Somebody"
WRONG = "The name or the password is wrong"
WRONG_FIRST = "That is not the password"
# Of a provider only a sign-in of just now counts: it must not outlive what ends here.
FRESH_PROOF = timedelta(minutes=10)
KEPT_STAYS = timedelta(days=30)
_TOKEN_BYTES = 32


class UsedProof(Unauthorized):
    """What a provider said lets in no more: it is old, or has let in before."""


def by_password(services: Services, name: str, password: str, address: str) -> str:
    """The token of a new stay. Raises `Unauthorized`, in the same time and words whatever was
    wrong, and `TooManyRequests`."""
    count(services, name, address)
    with services.store.read() as unit:
        member = unit.staff.named(name_key(name))
    passwords = passwords_of(services)
    known = member.password_hash if member is not None and member.active else ""
    fits = passwords.fits(known, password)
    if member is None or not fits:
        _note_failure(services, member, Way.PASSWORD)
        raise Unauthorized(WRONG)
    if passwords.outdated(known):
        _renew(services, member, passwords.hash_of(password))
    token = _let_in(services, member, Way.PASSWORD, None)
    forgive(services, name, address)
    return token


def by_provider(
    services: Services, email: object, verified: bool, issued_at: datetime, proof: str
) -> str:
    """The token of a new stay for whom a trusted provider vouches by e-mail address. `proof` tells
    this sign-in there from every other: each lets in once, and only for ten minutes.

    Raises `Unauthorized`, of which `UsedProof` is one.
    """
    now = services.clock.machine()
    if not now - FRESH_PROOF <= issued_at <= now + FRESH_PROOF:
        raise UsedProof("Your sign-in is too old: sign in again")
    try:
        index = services.vault.index(read_email(email))
    except InvalidInput as error:
        raise Unauthorized("Your provider has not told your e-mail address") from error
    if not verified:
        raise Unauthorized("Your provider has not verified your e-mail address")
    with services.store.read() as unit:
        member = unit.staff.of_email(index)
    if member is None or not member.active:
        _note_failure(services, member, Way.PROVIDER)
        raise Unauthorized(
            "Nobody here has the e-mail address that you signed in with: ask an admin to add you"
        )
    return _let_in(services, member, Way.PROVIDER, sha256(proof.encode()).hexdigest())


def by_first_password(services: Services, typed: str, known: str, address: str) -> str:
    """The token of a new stay by the installation's password, before there are people."""
    count(services, FIRST, address)
    fits = hmac.compare_digest(typed.encode(), known.encode())
    if not known or not fits or door(services, True) is not Door.FIRST:
        _note_failure(services, None, Way.FIRST)
        raise Unauthorized(WRONG_FIRST)
    token = _let_in(services, None, Way.FIRST, None)
    forgive(services, FIRST, address)
    return token


def _let_in(services: Services, member: Member | None, way: Way, proof: str | None) -> str:
    token, now = secrets.token_urlsafe(_TOKEN_BYTES), services.clock.machine()
    stay = Stay(0, member.id if member else None, way, now, now)
    at, who = services.clock.now(), member.name if member else FIRST

    def work(unit: Unit) -> bool:
        unit.staff.forget_stays(now - KEPT_STAYS)
        current = unit.staff.get(member.id) if member else None
        if member is not None and (current is None or not current.active):
            return False
        if not unit.staff.begin(stay, token_hash(token), proof):
            return False
        if member is not None:
            unit.staff.came(member.id, way, now)
        unit.network.audit(who, "signed in", {"by": way.value}, at, subject_of(member))
        return True

    if not services.store.write(work):
        raise UsedProof("This sign-in was used already: sign in again")
    return token


def _renew(services: Services, member: Member, hashed: str) -> None:
    """Keep a password in today's way of hashing, unless it was changed meanwhile."""

    def work(unit: Unit) -> None:
        current = unit.staff.get(member.id)
        if current is not None and current.password_hash == member.password_hash:
            unit.staff.change(replace(current, password_hash=hashed))

    services.store.write(work)


def _note_failure(services: Services, member: Member | None, way: Way) -> None:
    """Written down by the name of whom it was tried for; what was typed may be a password."""
    who, now = member.name if member else SOMEBODY, services.clock.now()
    subject = subject_of(member)
    services.store.write(
        lambda unit: unit.network.audit(who, "sign-in failed", {"by": way.value}, now, subject)
    )
