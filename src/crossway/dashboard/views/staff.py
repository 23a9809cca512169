"""Staff on screen: members, roles, sign-in methods and last activity."""

from collections.abc import Mapping
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import time_cell
from crossway.dashboard.views.links import page_href
from crossway.domain.clients import Principal
from crossway.domain.roles import Role
from crossway.domain.second_factors import SecondFactors
from crossway.domain.staff import AuthMethod, StaffMember
from crossway.ports.services import Services
from crossway.usecases.staff import members
from crossway.usecases.staff.second_factors import list_factors
from crossway.usecases.staff.sessions import needs_second_factor

COLUMNS: Final = (
    Column("Name"),
    Column("Role"),
    Column("Status"),
    Column("Sign-in methods", wide=True),
    Column("Last seen"),
)
ROLES: Final[Mapping[Role, Badge]] = {
    Role.VIEWER: Badge("Viewer", "gray", "visibility", "Read-only access to everything"),
    Role.OPERATOR: Badge(
        "Operator", "blue", "support_agent",
        "Manages payments and orders, sends refunds, enables and disables routes",
    ),
    Role.TREASURER: Badge(
        "Treasurer", "violet", "account_balance",
        "Operator permissions, plus transfers outside of payment terms",
    ),
    Role.ADMIN: Badge(
        "Admin", "orange", "shield_person",
        "Treasurer permissions, plus staff, merchants, keys and webhooks",
    ),
}  # fmt: skip
AUTH_METHODS: Final[Mapping[AuthMethod, str]] = {
    AuthMethod.PASSWORD: "Password",
    AuthMethod.IDENTITY_PROVIDER: "Single sign-on",
    AuthMethod.PASSKEY: "Passkey",
    AuthMethod.INSTALLATION_PASSWORD: "Installation password",
}
OPEN_ACCESS: Final = (
    "Whoever uses this machine has full access. Once you add the first person, an admin, everyone "
    "must sign in."
)


def build_rows(services: Services, caller: Principal) -> tuple[Row, ...]:
    """Rows of all members, oldest first."""
    staff = members.list_members(services, caller)
    factors = list_factors(services, caller)
    return tuple(_row(services, member, factors[member.id]) for member in staff)


def find_member(services: Services, caller: Principal, text: str) -> StaffMember | None:
    """The member whose id is in the query string, if any."""
    members_list = members.list_members(services, caller)
    return next((member for member in members_list if str(member.id) == text), None)


def describe_role(role: Role) -> str:
    """A role with its description, for a selection."""
    return f"{ROLES[role].text}: {ROLES[role].hint[0].lower()}{ROLES[role].hint[1:]}"


def describe_factors(factors: SecondFactors) -> str:
    """A person's second factors in words; empty without one."""
    count = len(factors.passkeys)
    passkeys = [f"{count} passkey{'' if count == 1 else 's'}"] if count else []
    return ", ".join((["authenticator app"] if factors.authenticator else []) + passkeys)


def _row(services: Services, member: StaffMember, factors: SecondFactors) -> Row:
    status = Badge("Active", "green", "check_circle")
    if not member.active:
        status = Badge("Disabled", "red", "block", "Cannot sign in")
    last_seen = Cell("Never") if member.last_seen_at is None else time_cell(member.last_seen_at)
    methods = [AUTH_METHODS[AuthMethod.PASSWORD]] if member.password_hash else []
    methods += [AUTH_METHODS[AuthMethod.IDENTITY_PROVIDER]] if member.encrypted_email else []
    return Row(
        key=str(member.id),
        cells=(
            Cell(member.name, sub=members.get_masked_email(services, member)),
            Cell(badges=(ROLES[member.role],)),
            Cell(badges=(status,)),
            Cell(", ".join(methods), sub=_describe_second_factor(services, member, factors)),
            last_seen,
        ),
        href=page_href("staff", id=str(member.id)),
        label=f"{member.name}, {ROLES[member.role].text}",
    )


def _describe_second_factor(services: Services, member: StaffMember, factors: SecondFactors) -> str:
    if factors.any:
        return describe_factors(factors).capitalize()
    required = needs_second_factor(services, member.role)
    return "Second factor at the next sign-in" if required else "No second factor"
