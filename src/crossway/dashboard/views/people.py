"""The installation's people on their screen: who they are, what they may do, when they came."""

from collections.abc import Mapping
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import time_cell
from crossway.dashboard.views.links import link
from crossway.domain.clients import Caller
from crossway.domain.roles import Role
from crossway.domain.staff import Member, Way
from crossway.ports.services import Services
from crossway.usecases.people import staff

COLUMNS: Final = (
    Column("Person"),
    Column("Role"),
    Column("State"),
    Column("Signs in by", wide=True),
    Column("Last seen"),
)
ROLES: Final[Mapping[Role, Chip]] = {
    Role.VIEWER: Chip("Viewer", "gray", "visibility", "Sees everything, changes nothing"),
    Role.OPERATOR: Chip(
        "Operator", "blue", "support_agent",
        "Works on payments and orders, sends refunds, switches routes off and on",
    ),
    Role.TREASURER: Chip(
        "Treasurer", "violet", "account_balance",
        "As an operator, and sends money where no payment's terms send it",
    ),
    Role.ADMIN: Chip(
        "Admin", "orange", "shield_person",
        "As a treasurer, and manages people, clients, keys and webhooks",
    ),
}  # fmt: skip
WAYS: Final[Mapping[Way, str]] = {
    Way.PASSWORD: "Password",
    Way.PROVIDER: "Another provider",
    Way.FIRST: "The installation's password",
}
SHUT: Final = (
    "Nobody can sign in here yet, and this network moves real money. Add the first admin on the "
    "machine: `crossway people add NAME --role admin`"
)
ALONE: Final = (
    "Whoever opens this dashboard may do everything. Once you add the "
    "first person, an admin, everybody must sign in."
)


def rows(services: Services, caller: Caller) -> tuple[Row, ...]:
    """Everybody, oldest first."""
    return tuple(_row(services, member) for member in staff.every(services, caller))


def chosen(services: Services, caller: Caller, text: str) -> Member | None:
    """The person whose number is in the address of the screen."""
    found = staff.every(services, caller)
    return next((member for member in found if str(member.id) == text), None)


def role_words(role: Role) -> str:
    """A role with what it may do, to choose from."""
    return f"{ROLES[role].text}: {ROLES[role].hint[0].lower()}{ROLES[role].hint[1:]}"


def _row(services: Services, member: Member) -> Row:
    state = Chip("Active", "green", "check_circle")
    if not member.active:
        state = Chip("Disabled", "red", "block", "Cannot sign in")
    seen = Cell("Never") if member.seen_at is None else time_cell(member.seen_at)
    ways = [WAYS[Way.PASSWORD]] if member.password_hash else []
    ways += [WAYS[Way.PROVIDER]] if member.email_sealed else []
    return Row(
        key=str(member.id),
        cells=(
            Cell(member.name, sub=staff.email_of(services, member)),
            Cell(chips=(ROLES[member.role],)),
            Cell(chips=(state,)),
            Cell(", ".join(ways)),
            seen,
        ),
        href=link("people", id=str(member.id)),
        label=f"{member.name}, {ROLES[member.role].text}",
    )
