"""`crossway clients`: list and change the clients of the service."""

from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.domain.errors import InvalidInput, NotFound
from crossway.usecases.developers import clients

group = typer.Typer(no_args_is_help=True, help="Clients: fees, rates, refunds, how they look.")


@group.command("list")
@in_words
def list_clients() -> None:
    """All clients, oldest first."""
    with built() as service:
        found = clients.every(service.services)
    for client in found:
        refunds = " ".join(f"{kind}={text}" for kind, text in client.refund_addresses.items())
        parts = [client.id, client.name, f"{client.app_fee_bps} bps"]
        parts += [f"{client.requests_per_minute} a minute", refunds, client.brand.display_name]
        typer.echo("\t".join(part for part in parts if part))


@group.command("create")
@in_words
def create_client(
    name: Annotated[str, typer.Argument(help="Its name, which no other has.")],
) -> None:
    """Make a client without keys."""
    with built() as service:
        made = clients.create(service.services, name, operator())
    typer.echo(f"{made.name} is client {made.id}")


@group.command("change")
@in_words
def change_client(
    name: Annotated[str, typer.Argument(help="The client's name.")],
    new_name: Annotated[str | None, typer.Option(help="What it shall be called.")] = None,
    app_fee: Annotated[int | None, typer.Option(help="Its own fee in basis points.")] = None,
    app_fee_cap: Annotated[
        int | None, typer.Option(help="Cap of that fee in micro-USD; -1 for none.")
    ] = None,
    rate: Annotated[int | None, typer.Option(help="Requests a minute of each key.")] = None,
    refund: Annotated[
        list[str] | None,
        typer.Option(help="Where refunds go, KIND=ADDRESS such as evm=0x…; KIND= for nowhere."),
    ] = None,
    display_name: Annotated[str | None, typer.Option(help="The name that payers see.")] = None,
    logo_url: Annotated[str | None, typer.Option(help="Its logo, an https URL.")] = None,
    colour: Annotated[str | None, typer.Option(help="Its colour, #rrggbb.")] = None,
) -> None:
    """Change a client; running services follow within five seconds."""
    wanted = clients.ClientChange(
        new_name, app_fee, app_fee_cap, rate, _by_kind(refund), display_name, logo_url, colour
    )
    with built() as service:
        client = clients.named(service.services, name)
        if client is None:
            raise NotFound(f"There is no client {name}")
        clients.change(service.services, client.id, wanted, operator())
    typer.echo(f"{name} is changed")


def _by_kind(refunds: list[str] | None) -> dict[str, str] | None:
    pairs = [text.partition("=") for text in refunds or ()]
    if not all(middle for _, middle, _ in pairs):
        raise InvalidInput("refund must be KIND=ADDRESS, such as evm=0x52908400…")
    return {kind: address for kind, _, address in pairs} if refunds else None
