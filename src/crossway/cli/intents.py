"""`crossway intents`: create, list, show and watch payments of a running service."""

import json
from itertools import islice
from typing import Annotated

import typer

from crossway.cli.remote import AsJson, connected, in_client_words, json_of, show, table
from crossway.client.records import Intent

group = typer.Typer(no_args_is_help=True, help="Payments of a running service, over its API.")
Which = Annotated[str, typer.Argument(help="A payment's number or deposit address.")]


@group.command("create")
@in_client_words
def create(
    amount: Annotated[int, typer.Option(help="In the smallest unit, such as 25000000.")],
    token_in: Annotated[str, typer.Option(help="Token address on the source chain.")],
    source_chain: Annotated[str, typer.Option(help="Where the payer pays.")],
    destination_chain: Annotated[str, typer.Option(help="Where the recipient is paid.")],
    recipient: Annotated[str, typer.Option(help="Wallet of the recipient.")],
    refund_address: Annotated[str | None, typer.Option(help="Where money goes back to.")] = None,
    amount_symbol: Annotated[str | None, typer.Option(help="Unit of the amount: USDC.")] = None,
    token_out: Annotated[str | None, typer.Option(help="Token address at the destination.")] = None,
    metadata: Annotated[str | None, typer.Option(help="Your own data, as a JSON object.")] = None,
    as_json: AsJson = False,
) -> None:
    """A new payment with its own deposit address."""
    with connected() as crossway:
        made = crossway.intents.create(
            amount=amount, token_in=token_in, source_chain=source_chain,
            destination_chain=destination_chain, recipient=recipient,
            refund_address=refund_address, amount_symbol=amount_symbol, token_out=token_out,
            metadata=_object(metadata),
        )  # fmt: skip
    show(made, as_json, lambda: _tell(made))


@group.command("list")
@in_client_words
def listed(
    status: Annotated[
        str | None, typer.Option(help="pending, processing, completed or failed.")
    ] = None,
    most: Annotated[int, typer.Option(help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """The newest payments."""
    with connected() as crossway:
        found = list(islice(crossway.intents.list(status=status), most))
    head = ("#", "status", "deposit", "from", "to", "address", "created")
    show(found, as_json, lambda: table(head, [_row(one) for one in found]))


@group.command("show")
@in_client_words
def shown(intent: Which, as_json: AsJson = False) -> None:
    """One payment."""
    with connected() as crossway:
        found = crossway.intents.get(intent)
    show(found, as_json, lambda: _tell(found))


@group.command("watch")
@in_client_words
def watch(intent: Which, as_json: AsJson = False) -> None:
    """Follow a payment until it has ended; exit code 0 only where it is COMPLETED."""
    last: Intent | None = None
    with connected() as crossway:
        for last in crossway.intents.watch(intent):
            line = f"{last.updated_at:%H:%M:%S}  {last.intent_status}  {last.tx_hash or ''}"
            typer.echo(json_of(last.answered) if as_json else line.rstrip())
    if last is None or last.intent_status != "COMPLETED":
        raise typer.Exit(1)


def _object(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise typer.BadParameter('metadata must be a JSON object such as {"order": "A-1"}')
    return found


def _row(intent: Intent) -> tuple[object, ...]:
    return (
        intent.id,
        intent.intent_status,
        f"{intent.amount_to_deposit:f} {intent.asset_token_symbol}",
        intent.source_chain,
        intent.destination_chain,
        intent.intent_address,
        f"{intent.created_at:%Y-%m-%d %H:%M}",
    )


def _tell(intent: Intent) -> None:
    typer.echo(f"Payment {intent.id} is {intent.intent_status}")
    typer.echo(f"  send     {intent.amount_to_deposit:f} {intent.asset_token_symbol}")
    typer.echo(f"  on       {intent.source_chain}")
    typer.echo(f"  to       {intent.intent_address}")
    typer.echo(f"  until    {intent.expires_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(f"  pays     {intent.recipient} on {intent.destination_chain}")
