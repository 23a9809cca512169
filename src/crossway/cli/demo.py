"""`crossway demo`: fill the simulated environment with demo data, or remove all data."""

from typing import Annotated

import typer

from crossway import bootstrap
from crossway.cli.errors import report_errors
from crossway.domain.clients import staff_principal
from crossway.ports.demo import DemoProgress
from crossway.usecases.operating import demo

ACTOR = "Command line"


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
            demo.reset_simulation(services, staff_principal(ACTOR), confirmed=yes)
            typer.echo("All data except staff, clients, API keys and the audit log was removed")
            return
        result = demo.fill_demo(services, staff_principal(ACTOR), payments, yes, _show_progress)
        typer.echo(
            f"\rCreated {result.payments:,} payments, {result.orders:,} ramp orders and their "
            "books. Start the service with: make run"
        )
    finally:
        bootstrap.stop()


def _show_progress(progress: DemoProgress) -> None:
    text = f"{progress.done:,} of {progress.total:,} payments: {progress.step}"
    typer.echo(f"\r{progress.share:4.0%}  {text:60}", nl=False)
