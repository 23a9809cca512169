"""`crossway clients`: list, create and change API clients."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway.domain.clients import Client
from crossway.domain.errors import InvalidInput, NotFound
from crossway.usecases.developers import clients

group = typer.Typer(no_args_is_help=True, help="API clients and their settings.")


_COLUMNS: Final[Mapping[str, Callable[[Client], object]]] = {
    "id": lambda client: client.id,
    "name": lambda client: client.name,
    "fee_bps": lambda client: client.app_fee_bps,
    "requests_per_minute": lambda client: client.requests_per_minute,
    "refund_addresses": lambda client: [
        f"{kind}={text}" for kind, text in client.refund_addresses.items()
    ],
    "display_name": lambda client: client.public_profile.display_name,
}


@group.command("list")
@report_errors
@prints
def list_clients() -> ListOutput[Client]:
    """List clients, oldest first."""
    with open_service() as service:
        all_clients = clients.list_clients(service.services)
    return ListOutput(all_clients, _COLUMNS, "No clients yet: crossway clients create NAME")


@group.command("create")
@report_errors
@prints
def create_client(
    name: Annotated[str, typer.Argument(help="A unique name.")],
) -> RecordOutput:
    """Create a client without API keys."""
    with open_service() as service:
        client = clients.create_client(service.services, name, cli_principal())
    data = {"id": client.id, "name": client.name}
    return RecordOutput(f"{client.name} is client {client.id}", data=data)


@group.command("change")
@report_errors
@prints
def change_client(
    name: Annotated[str, typer.Argument(help="The client's name.")],
    new_name: Annotated[str | None, typer.Option(help="The new name.")] = None,
    app_fee: Annotated[int | None, typer.Option(help="The client's fee in basis points.")] = None,
    app_fee_cap: Annotated[
        int | None, typer.Option(help="Cap of that fee in micro-USD; -1 for none.")
    ] = None,
    rate: Annotated[int | None, typer.Option(help="Requests per minute of each key.")] = None,
    refund: Annotated[
        list[str] | None,
        typer.Option(
            help="Default refund address, FAMILY=ADDRESS such as evm=0x…; FAMILY= for none."
        ),
    ] = None,
    display_name: Annotated[str | None, typer.Option(help="The name that payers see.")] = None,
    logo_url: Annotated[str | None, typer.Option(help="Its logo, an https URL.")] = None,
    colour: Annotated[str | None, typer.Option(help="Its brand colour, #rrggbb.")] = None,
) -> RecordOutput:
    """Change a client; running services apply it within five seconds."""
    change = clients.ClientUpdate(
        new_name, app_fee, app_fee_cap, rate, _by_kind(refund), display_name, logo_url, colour
    )
    with open_service() as service:
        client = clients.find_client_by_name(service.services, name)
        if client is None:
            raise NotFound(f"There is no client {name}")
        clients.update_client(service.services, client.id, change, cli_principal())
    return RecordOutput(f"{name} is changed")


def _by_kind(refunds: list[str] | None) -> dict[str, str] | None:
    pairs = [text.partition("=") for text in refunds or ()]
    if not all(middle for _, middle, _ in pairs):
        raise InvalidInput("refund must be KIND=ADDRESS, such as evm=0x52908400…")
    return {kind: address for kind, _, address in pairs} if refunds else None
