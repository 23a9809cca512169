"""Who is signed in: whether anybody must be, as whom a token acts, and when that ends."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import TypeVar

from crossway.domain.roles import Role
from crossway.domain.staff import FIRST, Member, Stay
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.people.staff import forget

FRESH_SECONDS = 1.0
WRITE_ACTIVITY_EVERY = timedelta(seconds=20)
_MOST_SEEN = 10_000
T = TypeVar("T")


class Door(StrEnum):
    """What stands between a visitor and the dashboard."""

    OPEN = "open"
    FIRST = "the installation's password"
    SHUT = "shut"
    PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Present:
    """Somebody who is signed in; without a `member` by the installation's own password."""

    stay: Stay
    member: Member | None

    @property
    def name(self) -> str:
        """What the audit log calls them."""
        return FIRST if self.member is None else self.member.name

    @property
    def role(self) -> Role:
        """What they may do. Whoever knows the installation's password may add its people."""
        return Role.ADMIN if self.member is None else self.member.role


def door(services: Services, has_password: bool) -> Door:
    """Who is asked for what. Where there are people, they sign in; before, the installation's
    password lets in where it has one. A network of real money is never open to everybody."""
    if _people_known(services):
        return Door.PEOPLE
    if has_password:
        return Door.FIRST
    return Door.OPEN if services.network == "simulated" else Door.SHUT


def present(services: Services, token: str) -> Present | None:
    """As whom a token acts, None when it does so no more. What another process changes is seen
    here within `FRESH_SECONDS`, our own changes at once."""
    hashed = token_hash(token)
    stay, member = _looked_up(services, hashed)
    if stay is None or stay.over(_now(services), _idle(services), _active(services, hashed)):
        return None
    if member is None:
        # The installation's password counts as long as there are no people.
        return None if stay.member_id or _people_known(services) else Present(stay, None)
    return Present(stay, member) if member.active else None


def touch(services: Services, token: str) -> None:
    """Whoever this is does something. Written seldom, remembered here at once."""
    hashed, now = token_hash(token), _now(services)
    found = present(services, token)
    if found is None:
        return
    memory = services.sign_in
    if len(memory.active) > _MOST_SEEN:
        memory.active.clear()
    memory.active[hashed] = now
    if now - found.stay.seen_at >= WRITE_ACTIVITY_EVERY:

        def work(unit: Unit) -> None:
            unit.staff.touch(hashed, now)
            if found.member is not None:
                unit.staff.came(found.member.id, found.stay.way, now)

        services.store.write(work)
        memory.seen.pop(hashed, None)


def leave(services: Services, token: str) -> None:
    """Sign out."""
    found, hashed = present(services, token), token_hash(token)
    if found is None:
        return
    now = services.clock.now()

    def work(unit: Unit) -> None:
        unit.staff.end([found.stay.id], _now(services))
        unit.network.audit(found.name, "signed out", {}, now, subject_of(found.member))

    services.store.write(work)
    services.sign_in.active.pop(hashed, None)
    forget(services)


def why_out(services: Services, token: str) -> str:
    """Why a token acts no more, for whoever had it; empty where it never did."""
    hashed = token_hash(token)
    stay, member = _looked_up(services, hashed)
    if stay is None:
        return ""
    now, seen = _now(services), _active(services, hashed) or stay.seen_at
    if stay.ended_at is None and now - max(seen, stay.seen_at) > _idle(services):
        minutes = services.vigilance.idle_seconds // 60
        return f"You were signed out after {minutes} minutes without activity."
    if member is not None and not member.active:
        return "You were signed out: an admin has disabled your account."
    return "You are signed out."


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return sha256(token.encode()).hexdigest()


def subject_of(member: Member | None) -> str:
    """What the audit log files somebody under."""
    return "staff:0" if member is None else f"staff:{member.id}"


def _looked_up(services: Services, hashed: str) -> tuple[Stay | None, Member | None]:
    memory, asked_at = services.sign_in, time.monotonic()
    epoch, known = memory.epoch, memory.seen.get(hashed)
    if known is not None and known[0] is epoch and asked_at - known[1] <= FRESH_SECONDS:
        return known[2], known[3]
    with services.store.read() as unit:
        stay = unit.staff.stay(hashed)
        asks_for = None if stay is None else stay.member_id
        member = None if asks_for is None else unit.staff.get(asks_for)
    if len(memory.seen) > _MOST_SEEN:
        memory.seen.clear()
    memory.seen[hashed] = (epoch, asked_at, stay, member)
    return stay, member


def _people_known(services: Services) -> bool:
    memory, asked_at = services.sign_in, time.monotonic()
    epoch, known = memory.epoch, memory.known
    if known is not None and known[0] is epoch and asked_at - known[1] <= FRESH_SECONDS:
        return known[2]
    with services.store.read() as unit:
        found = unit.staff.known()
    memory.known = epoch, asked_at, found
    return found


def _active(services: Services, hashed: str) -> datetime | None:
    return services.sign_in.active.get(hashed)


def _idle(services: Services) -> timedelta:
    return timedelta(seconds=services.vigilance.idle_seconds)


def _now(services: Services) -> datetime:
    """Stays are timed by the machine's clock: nobody is signed out by moving the simulated one."""
    return services.clock.machine()
