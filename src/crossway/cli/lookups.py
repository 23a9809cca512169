"""`crossway chains`, `search` and `whoami`: chains, tokens and balances, resources by an
identifier, and the client of the key."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.api_client import api_json, open_client, report_api_errors
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway_client.records.chains import Token, TokenBalance
from crossway_client.records.search import SearchResult

chains = typer.Typer(no_args_is_help=True, help="Chains and tokens of a running service.")
Network = Annotated[str | None, typer.Option(help="mainnet or testnet.")]
_TOKENS: Final[Mapping[str, Callable[[Token], object]]] = {
    "symbol": lambda token: token.symbol,
    "address": lambda token: token.address,
    "decimals": lambda token: token.decimals,
    "name": lambda token: token.name,
}
_BALANCES: Final[Mapping[str, Callable[[tuple[str, TokenBalance]], object]]] = {
    "chain": lambda row: row[0],
    "token": lambda row: row[1].symbol,
    "balance": lambda row: f"{row[1].formatted:f}",
    "address": lambda row: row[1].address,
}
_RESULTS: Final[Mapping[str, Callable[[SearchResult], object]]] = {
    "type": lambda result: result.type,
    "id": lambda result: result.id,
    "what": lambda result: result.title,
    "matches": lambda result: result.matched_field,
    "url": lambda result: result.url,
}


@chains.command("list")
@report_api_errors
@prints
def listed(network: Network = None) -> ListOutput[str]:
    """List the available chains."""
    with open_client() as crossway:
        found = crossway.chains.list(network)
    return ListOutput(found, {"chain": str}, "No chain is available.", str)


@chains.command("tokens")
@report_api_errors
@prints
def tokens(
    chain: Annotated[str, typer.Argument(help="Such as BASE_MAINNET.")],
) -> ListOutput[Token]:
    """List the tokens of a chain."""
    with open_client() as crossway:
        found = crossway.chains.tokens(chain)
    return ListOutput(found, _TOKENS, "No token is available.", api_json)


@chains.command("balances")
@report_api_errors
@prints
def balances(
    address: Annotated[str, typer.Argument(help="A wallet.")], network: Network = None
) -> ListOutput[tuple[str, TokenBalance]]:
    """List what a wallet holds on every chain whose addresses have its form."""
    with open_client() as crossway:
        found = crossway.chains.balances(address, network=network)
    for chain in found.missing:
        typer.echo(f"{chain} gave no answer", err=True)
    rows = [(chain, one) for chain, held in found.by_chain.items() for one in held]
    return ListOutput(
        rows, _BALANCES, "It holds nothing.", lambda row: {"chain": row[0], **api_json(row[1])}
    )


@report_api_errors
@prints
def search(
    text: Annotated[str, typer.Argument(help="An address, transaction, reference, id or e-mail.")],
) -> ListOutput[SearchResult]:
    """Find payments, orders, links, webhooks and events by anything that is known of them."""
    with open_client() as crossway:
        found = crossway.search.find(text)
    return ListOutput(found.results, _RESULTS, "Nothing of yours matches.", api_json)


@report_api_errors
@prints
def whoami() -> RecordOutput:
    """Show the client of the key, and what the key may do."""
    with open_client() as crossway:
        info = crossway.client_info()
    facts = {
        "client": info.client_id,
        "mode": info.mode,
        "scopes": list(info.scopes),
        "requests": f"{info.requests_per_minute} a minute",
        "addresses": list(info.allowed_addresses) or "any",
        "ends": info.ends_at or "never",
    }
    return RecordOutput(f"This is a {info.mode} key of {info.name}", facts, api_json(info))
