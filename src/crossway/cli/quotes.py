"""`crossway quotes`: what a payment costs from every chain, or over every bridge of one route."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Annotated, Final

import typer

from crossway.cli.api_client import api_json, open_client, report_api_errors
from crossway.cli.output import ListOutput, prints
from crossway.domain.errors import InvalidInput
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway_client.records.quotes import Quote, SourceOption

_SOURCES: Final[Mapping[str, Callable[[SourceOption], object]]] = {
    "from": lambda option: option.source_chain,
    "by": lambda option: option.bridge or "same chain",
    "fee": lambda option: _fee(option.total_fee_formatted, option.estimated),
    "seconds": lambda option: option.estimated_fill_seconds,
    "custody": lambda option: option.custody.lower(),
    "pay with": lambda option: ", ".join(source.token for source in option.payment_options),
}
_BRIDGES: Final[Mapping[str, Callable[[Quote], object]]] = {
    "by": lambda quote: quote.route.bridge or "same chain",
    "fee": lambda quote: _fee(quote.total_fee_formatted, quote.estimated),
    "deposit": lambda quote: f"{quote.deposit_amount_formatted:f} {quote.asset_token}",
    "seconds": lambda quote: quote.estimated_fill_seconds,
    "custody": lambda quote: quote.custody.lower(),
    "until": lambda quote: quote.expires_at,
}


@report_api_errors
@prints
def quotes(
    destination_chain: Annotated[str, typer.Option(help="Destination chain.")],
    token_out: Annotated[str, typer.Option(help="Token address on the destination chain.")],
    amount: Annotated[str, typer.Option(help="Decimal amount, such as 25.50.")],
    source_chain: Annotated[
        str | None, typer.Option(help="Only this source chain: its bridges side by side.")
    ] = None,
    token_in: Annotated[
        str | None, typer.Option(help="Token address on that source chain.")
    ] = None,
) -> ListOutput[SourceOption] | ListOutput[Quote]:
    """Quote a payment from every chain, cheapest first, or over every bridge of one route.

    With a source chain and its token, the amount is in US dollars. Custody: until the payout,
    contracts of a bridge alone decide where the money goes, or the payer trusts the operator.
    Estimates come last: they are shown for bridges that give no quote now, and no payment is
    created at them."""
    empty = "No bridge serves this route."
    with open_client() as crossway:
        if source_chain is None and token_in is None:
            result = crossway.quotes.multi_source(
                destination_chain=destination_chain, amount=amount, token_out=token_out
            )
            return ListOutput(result.quotes, _SOURCES, empty, api_json)
        if source_chain is None or token_in is None:
            raise typer.BadParameter("--source-chain and --token-in are given together")
        of_bridges = crossway.quotes.multiple(
            source_chain=source_chain,
            destination_chain=destination_chain,
            token_in=token_in,
            token_out=token_out,
            amount=_micro_usd(amount),
        )
    return ListOutput(of_bridges, _BRIDGES, empty, api_json)


def _micro_usd(amount: str) -> int:
    try:
        return parse_decimal("--amount", amount, MICRO_USD_DECIMALS)
    except InvalidInput as error:
        raise typer.BadParameter(str(error)) from None


def _fee(fee: Decimal, estimated: bool) -> str:
    return f"{fee:f}{' (estimate)' if estimated else ''}"
