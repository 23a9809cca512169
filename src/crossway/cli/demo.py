"""`crossway demo`: fill the simulated environment with demo data, or remove all data."""

from typing import Annotated

import typer

from crossway import bootstrap
from crossway.cli.errors import report_errors
from crossway.domain.clients import staff_principal
from crossway.usecases.operating import demo

WHO = "Command line"


@report_errors
def month(
    payments: Annotated[
        int, typer.Option(help="Approximate number of payments.")
    ] = demo.DEFAULT_PAYMENTS,
    yes: Annotated[bool, typer.Option("--yes", help="Existing data may be lost.")] = False,
    empty: Annotated[bool, typer.Option("--empty", help="Remove all data instead.")] = False,
) -> None:
    """Fill the simulated environment with a realistic month. Stop the service first."""
    services = bootstrap.start(with_engine=False)
    try:
        if empty:
            demo.reset_simulation(services, staff_principal(WHO), confirmed=yes)
            typer.echo("All data was removed except staff, clients, API keys and the audit log")
            return
        filled = demo.fill_demo(services, staff_principal(WHO), payments, yes, _tell)
        typer.echo(
            f"\r{filled.payments:,} payments, {filled.orders:,} ramp orders and their books "
            "are there: make run"
        )
    finally:
        bootstrap.stop()


def _tell(done: float, words: str) -> None:
    typer.echo(f"\r{done:4.0%}  {words:50}", nl=False)
