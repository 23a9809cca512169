"""`crossway sandbox`: deposits and the clock of the simulated network."""

from typing import Annotated

import typer

from crossway.cli.api_client import Key, api_json, open_client, report_api_errors
from crossway.cli.numbers import finite
from crossway.cli.output import RecordOutput, prints

group = typer.Typer(no_args_is_help=True, help="The simulated network of a running service.")


@group.command("deposit")
@report_api_errors
@prints
def deposit(
    address: Annotated[str, typer.Argument(help="Usually a payment's deposit address.")],
    amount: Annotated[
        str, typer.Option(help="In the smallest unit; or exact, short, over.")
    ] = "exact",
    token: Annotated[str | None, typer.Option(help="Symbol or address.")] = None,
    chain: Annotated[str | None, typer.Option(help="By default the payment's.")] = None,
    idempotency_key: Key = None,
) -> RecordOutput:
    """Send simulated tokens to an address."""
    with open_client() as crossway:
        sent = crossway.sandbox.deposit(
            address, amount, token=token, chain=chain, idempotency_key=idempotency_key
        )
    facts = {"transaction": sent.tx_hash, "block": sent.block}
    return RecordOutput(f"Sent on {sent.chain}", facts, api_json(sent))


@group.command("clock")
@report_api_errors
@prints
def clock(
    advance: Annotated[
        float | None, typer.Option(help="Seconds to advance it by.", callback=finite)
    ] = None,
    freeze: Annotated[
        bool | None, typer.Option("--freeze/--release", help="Stop it, or go on.")
    ] = None,
) -> RecordOutput:
    """Advance, stop or release the service's clock."""
    with open_client() as crossway:
        now = crossway.sandbox.set_clock(advance_seconds=advance, frozen=freeze)
    state = "stands still" if now.frozen else "runs"
    facts = {"ahead": f"{now.ahead_seconds:f} s"}
    return RecordOutput(
        f"It is {now.now:%Y-%m-%d %H:%M:%S} UTC; the clock {state}", facts, api_json(now)
    )
