"""`crossway books`: export the books, and check that they balance."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.usecases.money import books, books_export

group = typer.Typer(no_args_is_help=True, help="The double-entry books.")


@group.command("export")
@report_errors
def export(
    first: Annotated[
        datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First day (UTC).")
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, included.")
    ] = None,
    file_format: Annotated[str, typer.Option("--format", help="csv or json.")] = "csv",
) -> None:
    """Print opening balances, every posting and closing balances of these days."""
    days = (first.date() if first else None, last.date() if last else None)
    with open_service() as service:
        for chunk in books_export.export_file(
            service.services, cli_principal(), file_format, *days
        ):
            sys.stdout.write(chunk)


@group.command("check")
@report_errors
def check() -> None:
    """Check that debits equal credits for every token."""
    with open_service() as service:
        trial = books.get_trial_balance(service.services, cli_principal())
        for (chain, token), units in trial.imbalances.items():
            money = books.get_denomination(service.services, chain, token)
            typer.echo(f"{chain}: out by {money.format(units)} {money.symbol}")
    if trial.imbalances:
        raise typer.Exit(1)
    typer.echo(f"The books balance: {len(trial.balances)} accounts with a balance.")
