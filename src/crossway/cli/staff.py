"""`crossway people`: staff who sign in to the dashboard, and their roles."""

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.settings import Settings
from crossway.usecases.staff import first_admin, members, second_factors

group = typer.Typer(no_args_is_help=True, help="Staff who sign in to the dashboard.")
Name = Annotated[str, typer.Argument(help="The name with which they sign in.")]
Email = Annotated[
    str | None,
    typer.Option(help="E-mail address for sign-in through OpenID Connect."),
]


@group.command("add")
@report_errors
@prints
def add_person(
    name: Name,
    role: Annotated[Role, typer.Option(help="The person's role.")],
    email: Email = None,
    by_email_alone: Annotated[
        bool, typer.Option("--no-password", help="Sign in with OpenID Connect only.")
    ] = False,
) -> RecordOutput:
    """Add a person. The password is prompted for, or read from the first line of the input."""
    password = None if by_email_alone else _prompt_password(f"Password of {name}")
    with open_service() as service:
        member = members.add_member(
            service.services, cli_principal(), members.NewStaffMember(name, role, password, email)
        )
    return RecordOutput(f"{member.name} can sign in as {member.role}")


@group.command("setup-token")
@report_errors
@prints
def show_setup_token() -> RecordOutput:
    """Show the one-time token with which the first admin is added on the dashboard."""
    has_password = Settings().dashboard_password is not None
    with open_service() as service:
        if not first_admin.needs_first_admin(service.services, has_password):
            raise InvalidStatus("There is staff already, or a dashboard password: sign in with it")
        token = first_admin.get_setup_token(service.services)
    return RecordOutput(token, data={"setup_token": token})


@group.command("list")
@report_errors
@prints
def list_people() -> ListOutput[StaffMember]:
    """List everyone, oldest first."""
    with open_service() as service:
        staff = members.list_members(service.services, cli_principal())
        factors = second_factors.list_factors(service.services, cli_principal())
        emails = {member.id: members.get_masked_email(service.services, member) for member in staff}
    columns: dict[str, Callable[[StaffMember], object]] = {
        "name": lambda member: member.name,
        "role": lambda member: member.role,
        "email": lambda member: emails[member.id],
        "second_factor": lambda member: "yes" if factors[member.id].any else "no",
        "access": lambda member: "yes" if member.active else "disabled",
        "last_seen": lambda member: member.last_seen_at or "never",
    }
    return ListOutput(staff, columns, "No staff yet: crossway people add NAME --role admin")


@group.command("role")
@report_errors
@prints
def change_role(
    name: Name, role: Annotated[Role, typer.Argument(help="The new role.")]
) -> RecordOutput:
    """Change a person's role; running dashboards follow within a second."""
    with open_service() as service:
        member = members.get_member_by_name(service.services, cli_principal(), name)
        members.set_role(service.services, cli_principal(), member.id, role)
    return RecordOutput(f"{member.name} is now {role}")


@group.command("reset")
@report_errors
@prints
def reset_password(name: Name) -> RecordOutput:
    """Set a new password; the person is signed out everywhere."""
    with open_service() as service:
        member = members.get_member_by_name(service.services, cli_principal(), name)
        password = _prompt_password(f"New password of {member.name}")
        members.set_password(service.services, cli_principal(), member.id, password)
    return RecordOutput(f"{member.name} has a new password")


@group.command("reset-second-factor")
@report_errors
@prints
def reset_second_factor(name: Name) -> RecordOutput:
    """Remove a person's passkeys, authenticator app and recovery codes; they are signed out."""
    with open_service() as service:
        member = members.get_member_by_name(service.services, cli_principal(), name)
        second_factors.reset_second_factors(service.services, cli_principal(), member.id)
    return RecordOutput(f"{member.name} has no second factor any more")


@group.command("disable")
@report_errors
@prints
def disable_person(
    name: Name,
    undo: Annotated[bool, typer.Option("--undo", help="Restore access.")] = False,
) -> RecordOutput:
    """Revoke a person's access; running dashboards follow within a second."""
    with open_service() as service:
        member = members.get_member_by_name(service.services, cli_principal(), name)
        (members.enable_member if undo else members.disable_member)(
            service.services, cli_principal(), member.id
        )
    return RecordOutput(f"{member.name} {'can sign in again' if undo else 'can no longer sign in'}")


def _prompt_password(prompt: str) -> str:
    """A password, prompted for twice; without a terminal, the first line of the input."""
    if sys.stdin.isatty():
        typed: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=True)
        return typed
    line = sys.stdin.readline().rstrip("\n")
    if not line:
        raise InvalidInput("password must be given on the first line of the input")
    return line
