"""`crossway intents`: create, list, show and watch payments of a running service."""

import json
from itertools import islice
from typing import Annotated

import typer

from crossway.cli.api_client import (
    AsJson,
    open_client,
    print_records,
    print_table,
    report_api_errors,
    to_json,
)
from crossway_client import Intent

group = typer.Typer(no_args_is_help=True, help="Payments of a running service, over its API.")
Which = Annotated[str, typer.Argument(help="A payment's number or deposit address.")]


@group.command("create")
@report_api_errors
def create(
    amount: Annotated[int, typer.Option(help="Amount in the smallest unit, such as 25000000.")],
    token_in: Annotated[str, typer.Option(help="Token address on the source chain.")],
    source_chain: Annotated[str, typer.Option(help="Source chain.")],
    destination_chain: Annotated[str, typer.Option(help="Destination chain.")],
    recipient: Annotated[str, typer.Option(help="Wallet of the recipient.")],
    refund_address: Annotated[str | None, typer.Option(help="Wallet for refunds.")] = None,
    amount_symbol: Annotated[
        str | None, typer.Option(help="Token of the amount; USDC by default.")
    ] = None,
    token_out: Annotated[
        str | None, typer.Option(help="Token address on the destination chain.")
    ] = None,
    metadata: Annotated[str | None, typer.Option(help="Your own data, as a JSON object.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a payment with its own deposit address."""
    with open_client() as crossway:
        created = crossway.intents.create(
            amount=amount,
            token_in=token_in,
            source_chain=source_chain,
            destination_chain=destination_chain,
            recipient=recipient,
            refund_address=refund_address,
            amount_symbol=amount_symbol,
            token_out=token_out,
            metadata=_object(metadata),
        )
    print_records(created, as_json, lambda: _print_intent(created))


@group.command("list")
@report_api_errors
def listed(
    status: Annotated[
        str | None, typer.Option(help="pending, processing, completed or failed.")
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of payments.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest payments."""
    with open_client() as crossway:
        payments = list(islice(crossway.intents.list(status=status), limit))
    head = ("#", "status", "deposit", "from", "to", "address", "created")
    print_records(
        payments, as_json, lambda: print_table(head, [_row(payment) for payment in payments])
    )


@group.command("show")
@report_api_errors
def shown(intent: Which, as_json: AsJson = False) -> None:
    """Show one payment."""
    with open_client() as crossway:
        payments = crossway.intents.get(intent)
    print_records(payments, as_json, lambda: _print_intent(payments))


@group.command("watch")
@report_api_errors
def watch(intent: Which, as_json: AsJson = False) -> None:
    """Follow a payment until it is final; exit code 0 only if it is COMPLETED."""
    last: Intent | None = None
    with open_client() as crossway:
        for last in crossway.intents.watch(intent):
            line = f"{last.updated_at:%H:%M:%S}  {last.intent_status}  {last.tx_hash or ''}"
            typer.echo(to_json(last.response_json) if as_json else line.rstrip())
    if last is None or last.intent_status != "COMPLETED":
        raise typer.Exit(1)


def _object(text: str | None) -> dict[str, object] | None:
    if text is None:
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise typer.BadParameter('metadata must be a JSON object such as {"order": "A-1"}')
    return parsed


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


def _print_intent(intent: Intent) -> None:
    typer.echo(f"Payment {intent.id} is {intent.intent_status}")
    typer.echo(f"  send     {intent.amount_to_deposit:f} {intent.asset_token_symbol}")
    typer.echo(f"  on       {intent.source_chain}")
    typer.echo(f"  to       {intent.intent_address}")
    typer.echo(f"  until    {intent.expires_at:%Y-%m-%d %H:%M} UTC")
    typer.echo(f"  pays     {intent.recipient} on {intent.destination_chain}")
