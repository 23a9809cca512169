"""`crossway intents`: payments of a running service."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.api_client import (
    Key,
    Since,
    Until,
    Yes,
    api_json,
    in_utc,
    open_client,
    page_size,
    parse_object,
    report_api_errors,
    require_consent,
)
from crossway.cli.exit_codes import NOT_COMPLETED
from crossway.cli.output import Limit, ListOutput, RecordOutput, prints, take, to_json
from crossway_client import Intent
from crossway_client.records.timeline import TimelineStep

group = typer.Typer(no_args_is_help=True, help="Payments of a running service, over its API.")
Which = Annotated[str, typer.Argument(help="A payment's number or deposit address.")]
_COLUMNS: Final[Mapping[str, Callable[[Intent], object]]] = {
    "id": lambda intent: intent.id,
    "status": lambda intent: intent.intent_status,
    "deposit": lambda intent: f"{intent.amount_to_deposit:f} {intent.asset_token_symbol}",
    "from": lambda intent: intent.source_chain,
    "to": lambda intent: intent.destination_chain,
    "address": lambda intent: intent.intent_address,
    "created": lambda intent: intent.created_at,
}
_STEPS: Final[Mapping[str, Callable[[TimelineStep], object]]] = {
    "at": lambda step: f"{step.at:%Y-%m-%d %H:%M:%S}",
    "step": lambda step: step.name,
    "chain": lambda step: step.chain,
    "what": lambda step: step.sentence,
    "transaction": lambda step: step.tx,
}


@group.command("create")
@report_api_errors
@prints
def create(
    amount: Annotated[int, typer.Option(help="Amount in the smallest unit, such as 25000000.")],
    token_in: Annotated[str, typer.Option(help="Token address on the source chain.")],
    source_chain: Annotated[str, typer.Option(help="Source chain.")],
    destination_chain: Annotated[str, typer.Option(help="Destination chain.")],
    recipient: Annotated[str, typer.Option(help="Wallet of the recipient.")],
    refund_address: Annotated[str | None, typer.Option(help="Wallet for refunds.")] = None,
    sender: Annotated[str | None, typer.Option(help="Wallet of the payer.")] = None,
    amount_symbol: Annotated[
        str | None, typer.Option(help="Token of the amount; USDC by default.")
    ] = None,
    token_out: Annotated[
        str | None, typer.Option(help="Token address on the destination chain.")
    ] = None,
    metadata: Annotated[str | None, typer.Option(help="Your own data, as a JSON object.")] = None,
    payment_link_id: Annotated[str | None, typer.Option(help="Your payment link.")] = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Create a payment with its own deposit address."""
    with open_client() as crossway:
        created = crossway.intents.create(
            amount=amount,
            token_in=token_in,
            source_chain=source_chain,
            destination_chain=destination_chain,
            recipient=recipient,
            sender=sender,
            refund_address=refund_address,
            amount_symbol=amount_symbol,
            token_out=token_out,
            metadata=parse_object(metadata, "--metadata"),
            payment_link_id=payment_link_id,
            idempotency_key=idempotency_key,
        )
    return _describe(created)


@group.command("list")
@report_api_errors
@prints
def listed(
    status: Annotated[
        str | None, typer.Option(help="pending, processing, completed or failed.")
    ] = None,
    source_chain: Annotated[str | None, typer.Option(help="Source chain.")] = None,
    destination_chain: Annotated[str | None, typer.Option(help="Destination chain.")] = None,
    reference: Annotated[str | None, typer.Option(help="A value of the metadata.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
) -> ListOutput[Intent]:
    """List payments, newest first."""
    with open_client() as crossway:
        payments = crossway.intents.list(
            status=status,
            source_chain=source_chain,
            destination_chain=destination_chain,
            reference=reference,
            created_after=in_utc(since),
            created_before=in_utc(until),
            page_size=page_size(limit),
        )
        found = take(payments, limit)
    return ListOutput(found, _COLUMNS, "No payments: crossway intents create", api_json)


@group.command("show")
@report_api_errors
@prints
def show(intent: Which) -> RecordOutput:
    """Show one payment."""
    with open_client() as crossway:
        return _describe(crossway.intents.get(intent))


@group.command("timeline")
@report_api_errors
@prints
def timeline(intent: Which, limit: Limit = 100) -> ListOutput[TimelineStep]:
    """Tell what happened to a payment, step by step, and what happens next."""
    with open_client() as crossway:
        payment_timeline = crossway.intents.timeline(crossway.intents.get(intent).id)
    if payment_timeline.next_step is not None:
        typer.echo(payment_timeline.next_step.sentence, err=True)
    return ListOutput(payment_timeline.steps, _STEPS, "Nothing has happened yet.", api_json)


@group.command("trigger")
@report_api_errors
@prints
def trigger(intent: Which, idempotency_key: Key = None) -> RecordOutput:
    """Check the deposit of a payment now and start it; test networks need this."""
    with open_client() as crossway:
        address = crossway.intents.get(intent).intent_address
        triggered = crossway.intents.trigger(address, idempotency_key=idempotency_key)
    return RecordOutput(triggered.message, data=api_json(triggered))


@group.command("refund")
@report_api_errors
@prints
def refund(intent: Which, yes: Yes = False, idempotency_key: Key = None) -> RecordOutput:
    """Refund what an expired payment holds, when the automatic refund did not."""
    with open_client() as crossway:
        payment = crossway.intents.get(intent)
        require_consent(yes, f"Refund payment {payment.id} to {payment.refund_address}?")
        sent = crossway.intents.refund(payment.intent_address, idempotency_key=idempotency_key)
    return RecordOutput(sent.message, {"transaction": sent.tx_hash}, api_json(sent))


@group.command("watch")
@report_api_errors
def watch(
    intent: Which,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line a change.")] = False,
) -> None:
    """Follow a payment until it is final; the exit code is 0 only if it is COMPLETED."""
    last: Intent | None = None
    with open_client() as crossway:
        for last in crossway.intents.watch(intent):
            line = f"{last.updated_at:%H:%M:%S}  {last.intent_status}  {last.tx_hash or ''}"
            typer.echo(to_json(api_json(last)) if as_json else line.rstrip())
    if last is None or last.intent_status != "COMPLETED":
        raise typer.Exit(NOT_COMPLETED)


def _describe(intent: Intent) -> RecordOutput:
    facts = {
        "send": f"{intent.amount_to_deposit:f} {intent.asset_token_symbol}",
        "on": intent.source_chain,
        "to": intent.intent_address,
        "until": f"{intent.expires_at:%Y-%m-%d %H:%M} UTC",
        "pays": f"{intent.recipient} on {intent.destination_chain}",
        "page": intent.payment_url,
    }
    sentence = f"Payment {intent.id} is {intent.intent_status}"
    return RecordOutput(sentence, facts, api_json(intent))
