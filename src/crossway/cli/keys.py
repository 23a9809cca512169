"""`crossway keys`: make, list and end API keys."""

from typing import Annotated

import typer

from crossway.cli.words import BY, built, in_words
from crossway.domain.clients import Mode
from crossway.usecases import access

group = typer.Typer(no_args_is_help=True, help="API keys.")


@group.command("create")
@in_words
def create_key(
    client: Annotated[str, typer.Option(help="The client; made if there is none of this name.")],
    mode: Annotated[Mode, typer.Option(help="A live key works with main networks only.")],
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")] = False,
) -> None:
    """Make a new key: this is the only time it is shown."""
    with built() as service:
        found = access.client_named(service.services, client)
        owner = found or access.create_client(service.services, client, BY)
        made = access.make_key(service.services, owner.id, mode, BY)
    if not quiet:
        typer.echo(f"A {mode} key of {owner.name}, shown this once:")
    typer.echo(made.secret)


@group.command("list")
@in_words
def list_keys() -> None:
    """All keys, without their secrets."""
    with built() as service:
        names = {client.id: client.name for client in access.clients(service.services)}
        found = access.keys(service.services)
    for key in found:
        state = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "active"
        used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "unused"
        scopes = ",".join(sorted(key.scopes))
        typer.echo(f"{key.id}\t{key.shown}…\t{names[key.client_id]}\t{scopes}\t{state}\t{used}")
    if not found:
        typer.echo("No keys yet: crossway keys create --client NAME --mode test")


@group.command("revoke")
@in_words
def revoke_key(
    key_id: Annotated[int, typer.Argument(help="The number that `list` shows.")],
) -> None:
    """End a key; running services follow within five seconds."""
    with built() as service:
        access.revoke(service.services, key_id, BY)
    typer.echo(f"Key {key_id} is revoked")
