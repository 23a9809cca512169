"""Staff members: adding them, changing roles, passwords and e-mail addresses, disabling them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.kyc_fields import mask_email, parse_email
from crossway.domain.roles import Permission, Role
from crossway.domain.staff import StaffMember, parse_name, parse_role
from crossway.domain.staff_passwords import parse_password
from crossway.ports.passwords import PasswordHasher
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.staff.step_up import require_step_up
from crossway.usecases.validation_errors import ValidationErrors

LOCK = "staff"
NO_SIGN_IN_METHOD = "password or email must be given, or they cannot sign in"


@dataclass(frozen=True, slots=True)
class NewStaffMember:
    """The raw fields of a new staff member. Without a password they sign in with their e-mail
    address through the trusted identity provider."""

    name: object
    role: object
    password: object = None
    email: object = None


def add_member(
    services: Services, caller: Principal, request: NewStaffMember, must_be_first: bool = False
) -> StaffMember:
    """Add a staff member. The first one must be an admin. Raises `InvalidInput`, and
    `InvalidStatus` where they `must_be_first` and are not."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    member, email_index = _parse_member(services, request)

    def work(unit: UnitOfWork) -> StaffMember:
        unit.leases.lock(LOCK)
        is_first = not unit.staff.has_any()
        if must_be_first and not is_first:
            raise InvalidStatus("Somebody was added meanwhile: sign in, or ask them to add you")
        if member.role is not Role.ADMIN and is_first:
            raise InvalidInput("role: the first person must be an admin, who can add the others")
        added = unit.staff.add(member, email_index)
        if added is None:
            raise InvalidInput("name or email: it is another person's already")
        _audit(unit, services, caller, "person added", added, None, _audit_fields(added))
        return added

    added = services.store.write(work)
    clear_session_cache(services)
    return added


def _parse_member(services: Services, request: NewStaffMember) -> tuple[StaffMember, str | None]:
    """The new member, and the index by which their e-mail address is found."""
    errors = ValidationErrors()
    name = errors.collect(parse_name, request.name) or ""
    role = errors.collect(parse_role, request.role)
    password_hash, email = "", None
    if request.password:
        # An invalid name has its own error already.
        parsed_password = errors.collect(parse_password, request.password, name or "?")
    else:
        parsed_password = None
    if request.email:
        email = errors.collect(parse_email, request.email, "email")
    if not request.password and not request.email:
        errors.add(NO_SIGN_IN_METHOD)
    errors.raise_if_any()
    assert role is not None
    if parsed_password:
        password_hash = get_passwords(services).hash(parsed_password)
    now = services.clock.now()
    encrypted = None if email is None else services.vault.encrypt(email.encode())
    member = StaffMember(0, name, role, now, password_hash, encrypted)
    return member, None if email is None else services.vault.blind_index(email)


def list_members(services: Services, caller: Principal) -> list[StaffMember]:
    """All staff members, oldest first."""
    caller.require_permission(Permission.MANAGE)
    with services.store.read() as unit:
        return unit.staff.list_all()


def get_member_by_name(services: Services, caller: Principal, name: str) -> StaffMember:
    """The staff member with this name, ignoring case. Raises `NotFound`."""
    matches = [
        member
        for member in list_members(services, caller)
        if member.name.casefold() == name.casefold()
    ]
    if not matches:
        raise NotFound(f"There is no staff member named {name}")
    return matches[0]


def set_role(services: Services, caller: Principal, member_id: int, role: object) -> StaffMember:
    """Change a member's role. Takes effect immediately, also in open sessions."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    parsed_role = parse_role(role)
    return _update_member(
        services,
        caller,
        member_id,
        "role changed",
        lambda current: replace(current, role=parsed_role),
    )


def set_password(
    services: Services, caller: Principal, member_id: int, password: object
) -> StaffMember:
    """Change a member's password and end all their sessions."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    name = _get_member(services, member_id).name
    password_hash = get_passwords(services).hash(parse_password(password, name))
    return _update_member(
        services,
        caller,
        member_id,
        "password changed",
        lambda current: replace(current, password_hash=password_hash),
        end_sessions=True,
    )


def set_email(services: Services, caller: Principal, member_id: int, email: object) -> StaffMember:
    """Change a member's e-mail address and end all their sessions; an empty one removes it."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    parsed_email = parse_email(email, "email") if email else None
    encrypted = None if parsed_email is None else services.vault.encrypt(parsed_email.encode())
    email_index = None if parsed_email is None else services.vault.blind_index(parsed_email)

    def work(unit: UnitOfWork) -> StaffMember:
        unit.leases.lock(LOCK)
        current = _require_member(unit, member_id)
        if parsed_email is None and not current.password_hash:
            raise InvalidStatus(f"{current.name} has no password: give them one first")
        if not unit.staff.update_email(member_id, encrypted, email_index):
            raise InvalidInput("email: it is another person's already")
        _audit(unit, services, caller, "e-mail address changed", current, None, None)
        unit.staff.end_sessions(
            [session.id for session in unit.staff.list_open_sessions(member_id)],
            services.clock.machine(),
        )
        return _require_member(unit, member_id)

    changed = services.store.write(work)
    clear_session_cache(services)
    return changed


def disable_member(services: Services, caller: Principal, member_id: int) -> StaffMember:
    """Disable a member and end all their sessions. Taking access away asks for no step-up."""
    now = services.clock.now()
    return _update_member(
        services,
        caller,
        member_id,
        "person disabled",
        lambda current: replace(current, disabled_at=current.disabled_at or now),
        end_sessions=True,
    )


def enable_member(services: Services, caller: Principal, member_id: int) -> StaffMember:
    """Enable a disabled member again."""
    caller.require_permission(Permission.MANAGE)
    require_step_up(services, caller.session)
    return _update_member(
        services,
        caller,
        member_id,
        "person enabled",
        lambda current: replace(current, disabled_at=None),
    )


def get_masked_email(services: Services, member: StaffMember) -> str:
    """A member's masked e-mail address; empty without one."""
    encrypted = member.encrypted_email
    return "" if encrypted is None else mask_email(services.vault.decrypt(encrypted).decode())


def get_passwords(services: Services) -> PasswordHasher:
    """The port that hashes and verifies passwords."""
    assert services.passwords is not None, "this service was built without passwords"
    return services.passwords


def clear_session_cache(services: Services) -> None:
    """Make this process load sessions and members from the database again."""
    services.process.sessions.epoch = object()
    services.process.sessions.by_token_hash.clear()


def _update_member(
    services: Services,
    caller: Principal,
    member_id: int,
    action: str,
    change: Callable[[StaffMember], StaffMember],
    end_sessions: bool = False,
) -> StaffMember:
    """Update a member, and end their sessions if asked. Raises `InvalidStatus` when no active
    admin would remain."""
    caller.require_permission(Permission.MANAGE)

    def work(unit: UnitOfWork) -> StaffMember:
        unit.leases.lock(LOCK)
        current = _require_member(unit, member_id)
        changed = change(current)
        if _is_admin(current) and not _is_admin(changed) and len(_admins(unit)) == 1:
            raise InvalidStatus(f"{current.name} is the last admin: make somebody else one first")
        if changed == current:
            return current
        unit.staff.update(changed)
        if end_sessions:
            open_session_ids = [session.id for session in unit.staff.list_open_sessions(member_id)]
            unit.staff.end_sessions(open_session_ids, services.clock.machine())
        _audit(
            unit, services, caller, action, current, _audit_fields(current), _audit_fields(changed)
        )
        return changed

    changed = services.store.write(work)
    clear_session_cache(services)
    return changed


def _is_admin(member: StaffMember) -> bool:
    return member.active and member.role is Role.ADMIN


def _admins(unit: UnitOfWork) -> list[StaffMember]:
    return [member for member in unit.staff.list_all() if _is_admin(member)]


def _get_member(services: Services, member_id: int) -> StaffMember:
    with services.store.read() as unit:
        return _require_member(unit, member_id)


def _require_member(unit: UnitOfWork, member_id: int) -> StaffMember:
    member = unit.staff.get(member_id)
    if member is None:
        raise NotFound("Person not found")
    return member


def _audit_fields(member: StaffMember) -> dict[str, Any]:
    """The fields of a member that the audit log records."""
    return {"role": member.role.value, "disabled": not member.active}


def _audit(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    action: str,
    member: StaffMember,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
) -> None:
    detail, now = {"member": member.name}, services.clock.now()
    unit.audit_log.record(
        caller.actor_name, action, detail, now, f"staff:{member.id}", before, after
    )
