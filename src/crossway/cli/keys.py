"""`crossway keys`: make, list, change, replace and end API keys."""

from datetime import timedelta
from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.domain.clients import Key, Mode, Scope
from crossway.usecases.developers import clients, keys

group = typer.Typer(no_args_is_help=True, help="API keys.")
Number = Annotated[int, typer.Argument(help="The number that `list` shows.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")]
Scopes = Annotated[
    list[Scope] | None, typer.Option("--scope", help="What it may do; by default everything.")
]
Rate = Annotated[
    int | None, typer.Option("--rate", help="Requests a minute; 0 for the rate of its client.")
]
Addresses = Annotated[
    list[str] | None,
    typer.Option("--address", help="Where it may be used from, such as 203.0.113.0/24."),
]


@group.command("create")
@in_words
def create_key(
    client: Annotated[str, typer.Option(help="The client; made if there is none of this name.")],
    mode: Annotated[Mode, typer.Option(help="A live key works with main networks only.")],
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    quiet: Quiet = False,
) -> None:
    """Make a new key: this is the only time it is shown."""
    with built() as service:
        services = service.services
        owner = clients.named(services, client) or clients.create(services, client, operator())
        scopes = frozenset(scope or Scope)
        made = keys.make(
            services, owner.id, mode, operator(), scopes,
            requests_per_minute=rate, addresses=address or (),
        )  # fmt: skip
    if not quiet:
        typer.echo(f"A {mode} key of {owner.name}, shown this once:")
    typer.echo(made.secret)


@group.command("list")
@in_words
def list_keys() -> None:
    """All keys, without their secrets."""
    with built() as service:
        names = {client.id: client.name for client in clients.every(service.services)}
        found = keys.every(service.services)
        now = service.services.clock.now()
    for key in found:
        state = "active"
        if key.revoked_at:
            state = f"revoked {key.revoked_at:%Y-%m-%d}"
        elif key.ends_at:
            word = "ended" if key.ended(now) else "ends"
            state = f"{word} {key.ends_at:%Y-%m-%d %H:%M} UTC"
        used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "unused"
        parts = [str(key.id), f"{key.shown}…", names[key.client_id], *_rights(key), state, used]
        typer.echo("\t".join(parts))
    if not found:
        typer.echo("No keys yet: crossway keys create --client NAME --mode test")


def _rights(key: Key) -> list[str]:
    """Scopes, and what else is unusual about a key."""
    rights = [",".join(sorted(key.scopes))]
    if key.requests_per_minute is not None:
        rights.append(f"{key.requests_per_minute} a minute")
    if key.addresses:
        rights.append(f"from {','.join(key.addresses)}")
    return rights


@group.command("change")
@in_words
def change_key(
    key_id: Number,
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Let it be used from any address again.")
    ] = False,
) -> None:
    """Change what a key may do, how often and from where; in force within five seconds."""
    networks = () if anywhere else tuple(address) if address else None
    wanted = keys.KeyChange(frozenset(scope) if scope else None, rate, networks)
    with built() as service:
        keys.change(service.services, key_id, wanted, operator())
    typer.echo(f"Key {key_id} is changed")


@group.command("rotate")
@in_words
def rotate_key(
    key_id: Number,
    overlap: Annotated[
        float, typer.Option(help="Hours for which the old key still works, at most 720.")
    ] = 24,
    quiet: Quiet = False,
) -> None:
    """Replace a key by a new one with the same rights; the old one ends after the overlap."""
    with built() as service:
        made = keys.rotate(service.services, key_id, operator(), timedelta(hours=overlap))
    if not quiet:
        typer.echo(f"The key that replaces key {key_id}, shown this once:")
    typer.echo(made.secret)


@group.command("revoke")
@in_words
def revoke_key(key_id: Number) -> None:
    """End a key; running services follow within five seconds."""
    with built() as service:
        keys.revoke(service.services, key_id, operator())
    typer.echo(f"Key {key_id} is revoked")
