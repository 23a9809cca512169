"""`crossway reconcile`: compare the books with on-chain balances."""

from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.usecases.money.reconciliation_runs import run_and_wait
from crossway.usecases.operating import overview


@report_errors
def compare(
    acknowledge: Annotated[
        bool,
        typer.Option(
            "--acknowledge", help="Resolve the alerts about the transactions listed here."
        ),
    ] = False,
) -> None:
    """Compare the books with the chains; prints one line per difference."""
    with open_service() as service:
        caller = cli_principal()
        report = run_and_wait(service.services, caller)
        if acknowledge:
            overview.resolve_alerts_of_kind(service.services, caller, "outside")
    for line in report.sentences():
        typer.echo(line)
    if report.missing_opening_balances:
        typer.echo("Record the opening balances on the page Reconcile.")
    found = (report.differences, report.unknown_txs, report.unavailable)
    if any(found) or report.missing_opening_balances:
        raise typer.Exit(1)
