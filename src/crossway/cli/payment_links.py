"""`crossway links`: payment links of a running service and the payments made with them."""

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
    report_api_errors,
)
from crossway.cli.output import Limit, ListOutput, RecordOutput, prints, take
from crossway_client import PaymentLink
from crossway_client.records.payment_links import LinkUse

group = typer.Typer(no_args_is_help=True, help="Payment links, over the API of a running service.")
Which = Annotated[str, typer.Argument(metavar="LINK", help="The link's id, such as pl_5f89….")]
_COLUMNS: Final[Mapping[str, Callable[[PaymentLink], object]]] = {
    "id": lambda link: link.id,
    "state": lambda link: _state(link),
    "title": lambda link: link.title,
    "amount": lambda link: link.amount or "open",
    "uses": lambda link: link.uses if link.max_uses is None else f"{link.uses} of {link.max_uses}",
    "to": lambda link: link.destination_chain,
    "url": lambda link: link.url,
}
_USES: Final[Mapping[str, Callable[[LinkUse], object]]] = {
    "payment": lambda use: use.intent_id,
    "status": lambda use: use.intent_status,
    "deposit": lambda use: use.total_amount_in_asset_token,
    "token": lambda use: use.asset_token_symbol,
    "from": lambda use: use.source_chain,
    "created": lambda use: use.created_at,
}


@group.command("list")
@report_api_errors
@prints
def listed(since: Since = None, until: Until = None, limit: Limit = 20) -> ListOutput[PaymentLink]:
    """List payment links, newest first. Amounts are in the smallest unit of the link's token."""
    with open_client() as crossway:
        found = crossway.payment_links.list(
            created_after=in_utc(since),
            created_before=in_utc(until),
            page_size=page_size(limit),
        )
        empty = "No payment links: crossway links create"
        return ListOutput(take(found, limit), _COLUMNS, empty, api_json)


@group.command("create")
@report_api_errors
@prints
def create(
    title: Annotated[str, typer.Option(help="What is paid, as payers see it.")],
    destination_chain: Annotated[str, typer.Option(help="Destination chain.")],
    recipient: Annotated[str, typer.Option(help="Wallet of the recipient.")],
    amount: Annotated[
        int | None, typer.Option(help="In the smallest unit; by default each payer chooses.")
    ] = None,
    token_out: Annotated[
        str | None, typer.Option(help="Token address on the destination chain.")
    ] = None,
    reference: Annotated[str | None, typer.Option(help="Your own reference.")] = None,
    max_uses: Annotated[int | None, typer.Option(help="Payments that it takes.")] = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Create a payment link that any number of payers can pay."""
    with open_client() as crossway:
        created = crossway.payment_links.create(
            title=title,
            destination_chain=destination_chain,
            recipient=recipient,
            amount=amount,
            token_out=token_out,
            reference=reference,
            max_uses=max_uses,
            idempotency_key=idempotency_key,
        )
    return _describe(created)


@group.command("show")
@report_api_errors
@prints
def show(link: Which) -> RecordOutput:
    """Show one payment link."""
    with open_client() as crossway:
        return _describe(crossway.payment_links.get(link))


@group.command("uses")
@report_api_errors
@prints
def uses(link: Which, limit: Limit = 20) -> ListOutput[LinkUse]:
    """List the payments made with a link, newest first."""
    with open_client() as crossway:
        found = crossway.payment_links.uses(link, page_size=page_size(limit))
        return ListOutput(take(found, limit), _USES, "Nobody has paid with it yet.", api_json)


def _state(link: PaymentLink) -> str:
    return "on" if link.active else "off"


def _describe(link: PaymentLink) -> RecordOutput:
    facts = {"url": link.url, "to": f"{link.recipient} on {link.destination_chain}"}
    return RecordOutput(f"Payment link {link.id} is {_state(link)}", facts, api_json(link))
