"""The installation's people: adding them, their roles and passwords, letting them in no more."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.identity import masked, read_email
from crossway.domain.roles import Right, Role
from crossway.domain.staff import Member, read_name, read_password, read_role
from crossway.ports.passwords import Passwords
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.complaints import Complaints

LOCK = "staff"
WAY_IN = "password or email must be given, or they cannot sign in"


@dataclass(frozen=True, slots=True)
class NewMember:
    """Whom to add, as it was typed. Somebody without a password comes in by the e-mail address,
    through the provider that the installation trusts."""

    name: object
    role: object
    password: object = None
    email: object = None


def add(services: Services, caller: Caller, asked: NewMember) -> Member:
    """Somebody new. The first of all must be an admin."""
    caller.must(Right.MANAGE)
    complaints = Complaints()
    name = complaints.read(lambda: read_name(asked.name)) or ""
    role = complaints.read(lambda: read_role(asked.role))
    hashed, email = "", None
    if asked.password:
        # A name that cannot be used was complained of already.
        typed = complaints.read(lambda: read_password(asked.password, name or "?"))
    else:
        typed = None
    if asked.email:
        email = complaints.read(lambda: read_email(asked.email))
    if not asked.password and not asked.email:
        complaints.add(WAY_IN)
    complaints.refuse()
    assert role is not None
    if typed:
        hashed = passwords_of(services).hash_of(typed)
    now = services.clock.now()
    sealed = None if email is None else services.vault.seal(email.encode())
    member = Member(0, name, role, now, hashed, sealed)
    index = None if email is None else services.vault.index(email)

    def work(unit: Unit) -> Member:
        unit.network.lock(LOCK)
        if role is not Role.ADMIN and not unit.staff.known():
            raise InvalidInput("role: the first person must be an admin, who can add the others")
        made = unit.staff.add(member, index)
        if made is None:
            raise InvalidInput("name or email: it is another person's already")
        _note(unit, services, caller, "person added", made, None, _told(made))
        return made

    made = services.store.write(work)
    forget(services)
    return made


def every(services: Services, caller: Caller) -> list[Member]:
    """Everybody, oldest first."""
    caller.must(Right.MANAGE)
    with services.store.read() as unit:
        return unit.staff.every()


def named(services: Services, caller: Caller, name: str) -> Member:
    """The person of a name, in any spelling of its case."""
    found = [one for one in every(services, caller) if one.name.casefold() == name.casefold()]
    if not found:
        raise NotFound(f"There is nobody called {name}")
    return found[0]


def set_role(services: Services, caller: Caller, member_id: int, role: object) -> Member:
    """Give somebody another role, in force at once, also where they are signed in."""
    wanted = read_role(role)
    return _changed(
        services, caller, member_id, "role changed", lambda known: replace(known, role=wanted)
    )


def set_password(services: Services, caller: Caller, member_id: int, password: object) -> Member:
    """Give somebody another password; wherever they are signed in, that ends."""
    caller.must(Right.MANAGE)
    name = _get(services, member_id).name
    hashed = passwords_of(services).hash_of(read_password(password, name))
    return _changed(
        services, caller, member_id, "password changed",
        lambda known: replace(known, password_hash=hashed), ends=True,
    )  # fmt: skip


def set_email(services: Services, caller: Caller, member_id: int, email: object) -> Member:
    """Give somebody another e-mail address to come in by; an empty one takes it away."""
    caller.must(Right.MANAGE)
    read = read_email(email) if email else None
    sealed = None if read is None else services.vault.seal(read.encode())
    index = None if read is None else services.vault.index(read)

    def work(unit: Unit) -> Member:
        unit.network.lock(LOCK)
        known = _known(unit, member_id)
        if read is None and not known.password_hash:
            raise WrongState(f"{known.name} has no password: give them one first")
        if not unit.staff.readdress(member_id, sealed, index):
            raise InvalidInput("email: it is another person's already")
        _note(unit, services, caller, "e-mail address changed", known, None, None)
        unit.staff.end([stay.id for stay in unit.staff.stays_of(member_id)], _machine(services))
        return _known(unit, member_id)

    changed = services.store.write(work)
    forget(services)
    return changed


def disable(services: Services, caller: Caller, member_id: int) -> Member:
    """Let somebody in no more, and out at once wherever they are signed in."""
    now = services.clock.now()
    return _changed(
        services, caller, member_id, "person disabled",
        lambda known: replace(known, disabled_at=known.disabled_at or now), ends=True,
    )  # fmt: skip


def enable(services: Services, caller: Caller, member_id: int) -> Member:
    """Let somebody in again."""
    return _changed(
        services, caller, member_id, "person enabled",
        lambda known: replace(known, disabled_at=None),
    )  # fmt: skip


def email_of(services: Services, member: Member) -> str:
    """Somebody's e-mail address as others may see it; empty where none is known."""
    sealed = member.email_sealed
    return "" if sealed is None else masked(services.vault.open(sealed).decode())


def passwords_of(services: Services) -> Passwords:
    """The port that keeps passwords."""
    assert services.passwords is not None, "this service was built without passwords"
    return services.passwords


def forget(services: Services) -> None:
    """Let this process look up anew who is signed in, and as what."""
    services.sign_in.epoch = object()
    services.sign_in.seen.clear()


def _changed(
    services: Services,
    caller: Caller,
    member_id: int,
    what: str,
    act: Callable[[Member], Member],
    ends: bool = False,
) -> Member:
    """Change somebody, unless no admin were left; `ends` wherever they are signed in."""
    caller.must(Right.MANAGE)

    def work(unit: Unit) -> Member:
        unit.network.lock(LOCK)
        known = _known(unit, member_id)
        changed = act(known)
        if _is_admin(known) and not _is_admin(changed) and len(_admins(unit)) == 1:
            raise WrongState(f"{known.name} is the last admin: make somebody else one first")
        if changed == known:
            return known
        unit.staff.change(changed)
        if ends:
            open_ones = [stay.id for stay in unit.staff.stays_of(member_id)]
            unit.staff.end(open_ones, _machine(services))
        _note(unit, services, caller, what, known, _told(known), _told(changed))
        return changed

    changed = services.store.write(work)
    forget(services)
    return changed


def _is_admin(member: Member) -> bool:
    return member.active and member.role is Role.ADMIN


def _admins(unit: Unit) -> list[Member]:
    return [member for member in unit.staff.every() if _is_admin(member)]


def _get(services: Services, member_id: int) -> Member:
    with services.store.read() as unit:
        return _known(unit, member_id)


def _known(unit: Unit, member_id: int) -> Member:
    member = unit.staff.get(member_id)
    if member is None:
        raise NotFound("Person not found")
    return member


def _machine(services: Services) -> Any:
    """Stays are timed by the machine's clock: nobody is signed out by moving the simulated one."""
    return services.clock.machine()


def _told(member: Member) -> dict[str, Any]:
    """What the audit log tells of somebody."""
    return {"role": member.role.value, "disabled": not member.active}


def _note(
    unit: Unit,
    services: Services,
    caller: Caller,
    what: str,
    member: Member,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
) -> None:
    detail, now = {"person": member.name}, services.clock.now()
    unit.network.audit(caller.who, what, detail, now, f"staff:{member.id}", before, after)
