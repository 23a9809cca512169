"""`crossway people`: who may sign in to the dashboard, and as what."""

import sys
from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Role
from crossway.usecases.people import staff

group = typer.Typer(no_args_is_help=True, help="People who sign in to the dashboard.")
Name = Annotated[str, typer.Argument(help="Their name, by which they sign in.")]
Email = Annotated[
    str | None, typer.Option(help="By which they sign in with the installation's provider.")
]


@group.command("add")
@in_words
def add_person(
    name: Name,
    role: Annotated[Role, typer.Option(help="What they may do.")],
    email: Email = None,
    by_email_alone: Annotated[
        bool, typer.Option("--no-password", help="They sign in by their e-mail address alone.")
    ] = False,
) -> None:
    """Add somebody. The password is asked for, or read from the first line of the input."""
    password = None if by_email_alone else _asked(f"Password of {name}")
    with built() as service:
        made = staff.add(service.services, operator(), staff.NewMember(name, role, password, email))
    typer.echo(f"{made.name} can sign in as {made.role}")


@group.command("list")
@in_words
def list_people() -> None:
    """Everybody, oldest first."""
    with built() as service:
        found = staff.every(service.services, operator())
        emails = {one.id: staff.email_of(service.services, one) for one in found}
    for one in found:
        seen = f"last seen {one.seen_at:%Y-%m-%d %H:%M} UTC" if one.seen_at else "never seen"
        parts = [one.name, one.role, emails[one.id], "" if one.active else "disabled", seen]
        typer.echo("\t".join(part for part in parts if part))
    if not found:
        typer.echo("Nobody yet: crossway people add NAME --role admin")


@group.command("role")
@in_words
def change_role(
    name: Name, role: Annotated[Role, typer.Argument(help="What they may do from now on.")]
) -> None:
    """Give somebody another role; running dashboards follow within a second."""
    with built() as service:
        known = staff.named(service.services, operator(), name)
        staff.set_role(service.services, operator(), known.id, role)
    typer.echo(f"{known.name} is now {role}")


@group.command("reset")
@in_words
def reset_password(name: Name) -> None:
    """Give somebody a new password; wherever they are signed in, that ends."""
    with built() as service:
        known = staff.named(service.services, operator(), name)
        password = _asked(f"New password of {known.name}")
        staff.set_password(service.services, operator(), known.id, password)
    typer.echo(f"{known.name} has a new password")


@group.command("disable")
@in_words
def disable_person(
    name: Name,
    again: Annotated[bool, typer.Option("--undo", help="Let them sign in again.")] = False,
) -> None:
    """Let somebody in no more; running dashboards follow within a second."""
    with built() as service:
        known = staff.named(service.services, operator(), name)
        (staff.enable if again else staff.disable)(service.services, operator(), known.id)
    typer.echo(f"{known.name} {'can sign in again' if again else 'cannot sign in any more'}")


def _asked(prompt: str) -> str:
    """A password, typed twice unseen; where nobody types, the first line of the input."""
    if sys.stdin.isatty():
        typed: str = typer.prompt(prompt, hide_input=True, confirmation_prompt=True)
        return typed
    line = sys.stdin.readline().rstrip("\n")
    if not line:
        raise InvalidInput("password must be given on the first line of the input")
    return line
