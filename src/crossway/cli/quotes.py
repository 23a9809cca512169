"""`crossway quotes` and `crossway ramps`: quotes of payments and fiat ramps, and ramp orders."""

from itertools import islice
from typing import Annotated

import typer

from crossway.cli.api_client import (
    AsJson,
    open_client,
    print_records,
    print_table,
    report_api_errors,
)

ramps = typer.Typer(no_args_is_help=True, help="Fiat ramps, over the API of a running service.")


@report_api_errors
def quotes(
    destination_chain: Annotated[str, typer.Option(help="Destination chain.")],
    token_out: Annotated[str, typer.Option(help="Token address on the destination chain.")],
    amount: Annotated[str, typer.Option(help="Decimal amount, such as 25.50.")],
    as_json: AsJson = False,
) -> None:
    """Quote a payment from every chain, cheapest first. Custody: until the payout, contracts of a
    bridge alone decide where the money goes, or the payer trusts the operator. Estimates come last:
    they are shown for bridges that give no quote now, and no payment is created at them."""
    with open_client() as crossway:
        result = crossway.quotes.multi_source(
            destination_chain=destination_chain, amount=amount, token_out=token_out
        )
    rows = [
        (
            option.source_chain,
            option.bridge or "same chain",
            f"{option.total_fee_formatted:f}{' (estimate)' if option.estimated else ''}",
            f"{option.estimated_fill_seconds} s",
            option.custody.lower(),
            ", ".join(source.token for source in option.payment_options),
        )
        for option in result.quotes
    ]
    head = ("from", "by", "fee", "time", "custody", "pay with")
    print_records(result, as_json, lambda: print_table(head, rows))


@ramps.command("quotes")
@report_api_errors
def ramp_quotes(
    fiat_currency: Annotated[str, typer.Option(help="ISO 4217, such as NGN.")],
    crypto_amount: Annotated[str, typer.Option(help="Such as 25.")],
    chain: Annotated[
        str, typer.Option(help="Destination chain of an on-ramp, source chain of an off-ramp.")
    ],
    type: Annotated[str, typer.Option(help="on-ramp or off-ramp.")] = "on-ramp",
    symbol: Annotated[str | None, typer.Option(help="Token symbol; USDC by default.")] = None,
    country: Annotated[
        str | None, typer.Option(help="ISO 3166-1 code, for currencies of several countries.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Quote every provider, cheapest first."""
    on = type == "on-ramp"
    with open_client() as crossway:
        result = crossway.ramps.quotes(
            type=type,
            fiat_currency=fiat_currency,
            crypto_amount=crypto_amount,
            destination_chain=chain if on else None,
            source_chain=None if on else chain,
            amount_symbol=symbol,
            country_code=country,
        )
    rows = [
        (
            quote.provider,
            f"{quote.fiat_amount:f} {quote.fiat_currency}",
            f"{quote.total_fees_fiat:f}",
            quote.ramp_chain,
            ", ".join(channel.name for channel in quote.payment_channels),
        )
        for quote in result.quotes
    ]
    paid = "the user pays" if on else "the user gets"
    head = ("provider", paid, "all fees", "its chain", "channels")
    print_records(result, as_json, lambda: print_table(head, rows))


@ramps.command("orders")
@report_api_errors
def ramp_orders(
    status: Annotated[str | None, typer.Option(help="Such as INITIATED.")] = None,
    type: Annotated[str | None, typer.Option(help="on-ramp or off-ramp.")] = None,
    provider: Annotated[str | None, typer.Option(help="Such as YELLOW_CARD.")] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of orders.")] = 20,
    as_json: AsJson = False,
) -> None:
    """The newest orders."""
    with open_client() as crossway:
        orders = crossway.ramp_orders.list(status=status, type=type, provider=provider)
        newest = list(islice(orders, limit))
    rows = [
        (
            order.id,
            order.type,
            order.provider,
            order.status,
            f"{order.fiat_amount:f} {order.fiat_currency}",
            f"{order.crypto_amount:f} {order.crypto_currency}",
            f"{order.created_at:%Y-%m-%d %H:%M}",
        )
        for order in newest
    ]
    head = ("#", "type", "provider", "status", "local money", "crypto", "created")
    print_records(newest, as_json, lambda: print_table(head, rows))
