"""`crossway keys`: create, list, change, rotate and revoke API keys."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.numbers import finite, record_number
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway.domain.clients import ApiKey, Mode, Scope
from crossway.usecases.developers import api_keys, clients

group = typer.Typer(no_args_is_help=True, help="API keys.")
Number = Annotated[int, record_number("The number printed by `list`.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print the key and nothing else.")]
Scopes = Annotated[list[Scope] | None, typer.Option("--scope", help="A scope; by default all.")]
Rate = Annotated[
    int | None, typer.Option("--rate", help="Requests per minute; 0 for the client's rate.")
]
Addresses = Annotated[
    list[str] | None,
    typer.Option("--address", help="An allowed network, such as 203.0.113.0/24."),
]


Overlap = Annotated[
    float,
    typer.Option(help="Hours for which the old key still works.", min=0, max=720, callback=finite),
]


@group.command("create")
@report_errors
@prints
def create_key(
    client: Annotated[str, typer.Option(help="The client's name; created if it does not exist.")],
    mode: Annotated[Mode, typer.Option(help="A live key works with main networks only.")],
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    quiet: Quiet = False,
) -> RecordOutput:
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
    return _once(created, f"A {mode} key of {owner.name}", quiet)


def _once(created: api_keys.CreatedApiKey, what: str, quiet: bool) -> RecordOutput:
    """A new key with its secret, which is stored nowhere."""
    said = created.secret if quiet else f"{what}, shown this once:\n{created.secret}"
    return RecordOutput(said, data={"id": created.key.id, "key": created.secret})


@group.command("list")
@report_errors
@prints
def list_keys() -> ListOutput[ApiKey]:
    """List keys without their secrets."""
    with open_service() as service:
        names = {client.id: client.name for client in clients.list_clients(service.services)}
        key_list = api_keys.list_api_keys(service.services)
        now = service.services.clock.now()
    columns: dict[str, Callable[[ApiKey], object]] = {
        "id": lambda key: key.id,
        "key": lambda key: f"{key.display_prefix}…",
        "client": lambda key: names[key.client_id],
        "scopes": lambda key: sorted(key.scopes),
        "per_minute": lambda key: key.requests_per_minute,
        "addresses": lambda key: list(key.addresses),
        "state": lambda key: _state(key, now),
        "until": lambda key: key.revoked_at or key.expires_at,
        "last_used": lambda key: key.last_used_at or "never",
    }
    empty = "No keys yet: crossway keys create --client NAME --mode test"
    return ListOutput(key_list, columns, empty)


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at:
        return "revoked"
    if key.expires_at:
        return "expired" if key.is_expired(now) else "expires"
    return "active"


@group.command("change")
@report_errors
@prints
def change_key(
    key_id: Number,
    scope: Scopes = None,
    rate: Rate = None,
    address: Addresses = None,
    anywhere: Annotated[
        bool, typer.Option("--anywhere", help="Allow every address again.")
    ] = False,
) -> RecordOutput:
    """Change scopes, rate limit or allowed addresses; applies within five seconds."""
    networks = () if anywhere else tuple(address) if address else None
    change = api_keys.ApiKeyUpdate(frozenset(scope) if scope else None, rate, networks)
    with open_service() as service:
        api_keys.update_api_key(service.services, key_id, change, cli_principal())
    return RecordOutput(f"Key {key_id} is changed")


@group.command("rotate")
@report_errors
@prints
def rotate_key(
    key_id: Number,
    overlap: Overlap = 24,
    quiet: Quiet = False,
) -> RecordOutput:
    """Replace a key by a new one with the same permissions; the old one expires later."""
    with open_service() as service:
        created = api_keys.rotate_api_key(
            service.services, key_id, cli_principal(), timedelta(hours=overlap)
        )
    return _once(created, f"The key that replaces key {key_id}", quiet)


@group.command("revoke")
@report_errors
@prints
def revoke_key(key_id: Number) -> RecordOutput:
    """Revoke a key; running services apply it within five seconds."""
    with open_service() as service:
        api_keys.revoke_api_key(service.services, key_id, cli_principal())
    return RecordOutput(f"Key {key_id} is revoked")
