"""`crossway books`: export the books, statements and the journal, and check that they balance."""

import shutil
import sys
import tempfile
from datetime import datetime
from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import RecordOutput, checked, prints
from crossway.domain.errors import InvalidInput
from crossway.usecases.money import books, books_export, journal
from crossway.usecases.money import statement as statements
from crossway.usecases.money.sheets import Sheet, stream_csv

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


_FORMAT = Annotated[str, typer.Option("--format", help="csv or xlsx.")]


@group.command("statement")
@report_errors
def statement(
    month: Annotated[str, typer.Option(help="Such as 2026-11.")],
    file_format: _FORMAT = "csv",
    testnets: Annotated[bool, typer.Option("--testnets", help="Of test networks.")] = False,
) -> None:
    """Print a month's statement: result in USD, its parts, and balances around it."""
    with open_service() as service:
        caller = cli_principal()
        made = statements.make_statement(service.services, caller, month, testnets)
        _print(statements.make_sheets(service.services, made), file_format)


@group.command("journal")
@report_errors
def print_journal(
    first: Annotated[datetime, typer.Option("--from", formats=["%Y-%m-%d"], help="First day.")],
    last: Annotated[
        datetime, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day (UTC), included.")
    ],
    file_format: _FORMAT = "csv",
) -> None:
    """Print two balanced lines for each posting of these days, with the rate of its hour."""
    with open_service() as service:
        sheet = journal.make_journal(service.services, cli_principal(), first.date(), last.date())
        _print([sheet], file_format)


def _print(sheets: list[Sheet], file_format: str) -> None:
    if file_format == "csv":
        sys.stdout.writelines(stream_csv(sheets))
        return
    if file_format != "xlsx":
        raise InvalidInput("format must be one of csv, xlsx")
    # Slow to import, and needed by nothing else.
    from crossway.dashboard.spreadsheets import write_workbook

    # A workbook is written in pieces that refer to one another, and printed when it is complete.
    with tempfile.TemporaryFile() as file:
        write_workbook(sheets, file)
        file.seek(0)
        shutil.copyfileobj(file, sys.stdout.buffer)


@group.command("check")
@report_errors
@prints
def check() -> RecordOutput:
    """Check that debits equal credits for every token."""
    with open_service() as service:
        services = service.services
        trial = books.get_trial_balance(services, cli_principal())
        findings = []
        for (chain, token), units in trial.imbalances.items():
            money = books.get_denomination(services, chain, token)
            findings.append(f"{chain}: out by {money.format(units)} {money.symbol}")
    balanced = f"The books balance: {len(trial.balances)} accounts with a balance."
    return checked(findings, balanced)
