"""`crossway demo`: a month of made-up business on the simulated network, or none any more."""

from typing import Annotated

import typer

from crossway import bootstrap
from crossway.cli.words import in_words
from crossway.domain.clients import insider
from crossway.usecases.operating import demo

WHO = "Command line"


@in_words
def month(
    payments: Annotated[int, typer.Option(help="About how many payments.")] = demo.USUAL_PAYMENTS,
    yes: Annotated[bool, typer.Option("--yes", help="What there is may be lost.")] = False,
    empty: Annotated[bool, typer.Option("--empty", help="Take everything away instead.")] = False,
) -> None:
    """Fill the simulated network with a believable month that ends now; stop the service first."""
    services = bootstrap.start(with_engine=False)
    try:
        if empty:
            demo.empty(services, insider(WHO), confirmed=yes)
            typer.echo("Nothing is left but people, clients, their keys and the audit log")
            return
        filled = demo.fill(services, insider(WHO), payments, yes, _tell)
        typer.echo(f"\r{filled.payments:,} payments, {filled.orders:,} ramp orders and their books "
                   "are there: make run")  # fmt: skip
    finally:
        bootstrap.stop()


def _tell(done: float, words: str) -> None:
    typer.echo(f"\r{done:4.0%}  {words:50}", nl=False)
