"""`crossway ramp orders`: list, show, create, confirm and cancel orders of fiat ramps."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.api_client import (
    Key,
    Since,
    Until,
    api_json,
    in_utc,
    open_client,
    page_size,
    parse_pairs,
    report_api_errors,
)
from crossway.cli.output import Limit, ListOutput, RecordOutput, prints, take
from crossway_client import RampOrder

orders = typer.Typer(no_args_is_help=True, help="Orders of fiat ramps.")
Number = Annotated[int, typer.Argument(metavar="ORDER", help="The order's number.")]
_COLUMNS: Final[Mapping[str, Callable[[RampOrder], object]]] = {
    "id": lambda order: order.id,
    "type": lambda order: order.type,
    "provider": lambda order: order.provider,
    "status": lambda order: order.status,
    "local money": lambda order: f"{order.fiat_amount:f} {order.fiat_currency}",
    "crypto": lambda order: f"{order.crypto_amount:f} {order.crypto_currency}",
    "created": lambda order: order.created_at,
}


@orders.command("list")
@report_api_errors
@prints
def listed(
    status: Annotated[str | None, typer.Option(help="Such as INITIATED.")] = None,
    type: Annotated[str | None, typer.Option(help="on-ramp or off-ramp.")] = None,
    provider: Annotated[str | None, typer.Option(help="Such as YELLOW_CARD.")] = None,
    since: Since = None,
    until: Until = None,
    limit: Limit = 20,
) -> ListOutput[RampOrder]:
    """List orders, newest first."""
    with open_client() as crossway:
        found = crossway.ramp_orders.list(
            status=status,
            type=type,
            provider=provider,
            created_after=in_utc(since),
            created_before=in_utc(until),
            page_size=page_size(limit),
        )
        return ListOutput(take(found, limit), _COLUMNS, "No such orders.", api_json)


@orders.command("show")
@report_api_errors
@prints
def show(order: Number) -> RecordOutput:
    """Show one order."""
    with open_client() as crossway:
        return _describe(crossway.ramp_orders.get(order))


@orders.command("create")
@report_api_errors
@prints
def create(
    provider: Annotated[str, typer.Option(help="Such as YELLOW_CARD.")],
    fiat_currency: Annotated[str, typer.Option(help="ISO 4217, such as NGN.")],
    crypto_amount: Annotated[str, typer.Option(help="Such as 25.")],
    chain: Annotated[
        str, typer.Option(help="Destination chain of an on-ramp, source chain of an off-ramp.")
    ],
    wallet: Annotated[str, typer.Option(help="The user's wallet on that chain.")],
    type: Annotated[str, typer.Option(help="on-ramp or off-ramp.")] = "on-ramp",
    symbol: Annotated[str | None, typer.Option(help="Token symbol; USDC by default.")] = None,
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 code.")] = None,
    user_email: Annotated[str | None, typer.Option(help="The user's e-mail address.")] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="What the channel asks for, KEY=VALUE.")
    ] = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Create an order with a provider."""
    on = type == "on-ramp"
    fields = parse_pairs(field, "--field must be KEY=VALUE, such as accountNumber=0123456789")
    with open_client() as crossway:
        created = crossway.ramp_orders.create(
            type=type,
            provider=provider,
            fiat_currency=fiat_currency,
            crypto_amount=crypto_amount,
            destination_chain=chain if on else None,
            source_chain=None if on else chain,
            recipient_address=wallet if on else None,
            sender_address=None if on else wallet,
            amount_symbol=symbol,
            country_code=country,
            user_email=user_email,
            fields=fields,
            idempotency_key=idempotency_key,
        )
    return _describe(created)


@orders.command("confirm")
@report_api_errors
@prints
def confirm(order: Number, idempotency_key: Key = None) -> RecordOutput:
    """Say that the user has paid."""
    with open_client() as crossway:
        return _describe(crossway.ramp_orders.confirm(order, idempotency_key=idempotency_key))


@orders.command("cancel")
@report_api_errors
@prints
def cancel(order: Number, idempotency_key: Key = None) -> RecordOutput:
    """Cancel an order that the user has not paid."""
    with open_client() as crossway:
        return _describe(crossway.ramp_orders.cancel(order, idempotency_key=idempotency_key))


def _describe(order: RampOrder) -> RecordOutput:
    facts = {
        "type": f"{order.type} with {order.provider}",
        "local money": f"{order.fiat_amount:f} {order.fiat_currency}",
        "crypto": f"{order.crypto_amount:f} {order.crypto_currency}",
        "chain": order.destination_chain if order.type == "on-ramp" else order.source_chain,
        "pay at": order.widget_url,
        "failed": order.failure_reason,
        "until": f"{order.expires_at:%Y-%m-%d %H:%M} UTC",
    }
    facts = {name: value for name, value in facts.items() if value is not None}
    return RecordOutput(f"Order {order.id} is {order.status}", facts, api_json(order))
