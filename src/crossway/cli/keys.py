"""`crossway keys`: create, list, change, rotate and revoke API keys."""

from datetime import timedelta
from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.domain.clients import ApiKey, Mode, Scope
from crossway.usecases.developers import api_keys, clients

group = typer.Typer(no_args_is_help=True, help="API keys.")
Number = Annotated[int, typer.Argument(help="The number printed by `list`.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")]
Scopes = Annotated[list[Scope] | None, typer.Option("--scope", help="A scope; by default all.")]
Rate = Annotated[
    int | None, typer.Option("--rate", help="Requests per minute; 0 for the client's rate.")
]
Addresses = Annotated[
    list[str] | None,
    typer.Option("--address", help="An allowed network, such as 203.0.113.0/24."),
]


@group.command("create")
@report_errors
def create_key(
    client: Annotated[str, typer.Option(help="The client's name; created if it does not exist.")],
    mode: Annotated[Mode, typer.Option(help="A live key works with main networks only.")],
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    quiet: Quiet = False,
) -> None:
    """Create a key; it is shown only this once."""
    with open_service() as service:
        services = service.services
        owner = clients.find_client_by_name(services, client) or clients.create_client(
            services, client, cli_principal()
        )
        scopes = frozenset(scope or Scope)
        created = api_keys.create_api_key(
            services,
            owner.id,
            mode,
            cli_principal(),
            scopes,
            requests_per_minute=rate,
            addresses=address or (),
        )
    if not quiet:
        typer.echo(f"A {mode} key of {owner.name}, shown this once:")
    typer.echo(created.secret)


@group.command("list")
@report_errors
def list_keys() -> None:
    """List all keys without their secrets."""
    with open_service() as service:
        names = {client.id: client.name for client in clients.list_clients(service.services)}
        key_list = api_keys.list_api_keys(service.services)
        now = service.services.clock.now()
    for key in key_list:
        state = "active"
        if key.revoked_at:
            state = f"revoked {key.revoked_at:%Y-%m-%d}"
        elif key.expires_at:
            word = "expired" if key.is_expired(now) else "expires"
            state = f"{word} {key.expires_at:%Y-%m-%d %H:%M} UTC"
        used = f"last used {key.last_used_at:%Y-%m-%d %H:%M} UTC" if key.last_used_at else "unused"
        parts = [
            str(key.id),
            f"{key.display_prefix}…",
            names[key.client_id],
            *_restrictions(key),
            state,
            used,
        ]
        typer.echo("\t".join(parts))
    if not key_list:
        typer.echo("No keys yet: crossway keys create --client NAME --mode test")


def _restrictions(key: ApiKey) -> list[str]:
    """Scopes and restrictions of a key."""
    restrictions = [",".join(sorted(key.scopes))]
    if key.requests_per_minute is not None:
        restrictions.append(f"{key.requests_per_minute} per minute")
    if key.addresses:
        restrictions.append(f"from {','.join(key.addresses)}")
    return restrictions


@group.command("change")
@report_errors
def change_key(
    key_id: Number,
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Allow every address again.")
    ] = False,
) -> None:
    """Change scopes, rate limit or allowed addresses; applies within five seconds."""
    networks = () if anywhere else tuple(address) if address else None
    change = api_keys.ApiKeyUpdate(frozenset(scope) if scope else None, rate, networks)
    with open_service() as service:
        api_keys.update_api_key(service.services, key_id, change, cli_principal())
    typer.echo(f"Key {key_id} is changed")


@group.command("rotate")
@report_errors
def rotate_key(
    key_id: Number,
    overlap: Annotated[
        float, typer.Option(help="Hours for which the old key still works, up to 720.")
    ] = 24,
    quiet: Quiet = False,
) -> None:
    """Replace a key by a new one with the same permissions; the old one expires later."""
    with open_service() as service:
        created = api_keys.rotate_api_key(
            service.services, key_id, cli_principal(), timedelta(hours=overlap)
        )
    if not quiet:
        typer.echo(f"The key that replaces key {key_id}, shown this once:")
    typer.echo(created.secret)


@group.command("revoke")
@report_errors
def revoke_key(key_id: Number) -> None:
    """Revoke a key; running services apply it within five seconds."""
    with open_service() as service:
        api_keys.revoke_api_key(service.services, key_id, cli_principal())
    typer.echo(f"Key {key_id} is revoked")
