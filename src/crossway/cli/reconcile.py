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
        found = run_and_wait(service.services, caller)
        if acknowledge:
            overview.resolve_alerts_of_kind(service.services, caller, "outside")
    for line in found.sentences():
        typer.echo(line)
    if found.missing_opening_balances:
        typer.echo(
            f"The books lack {len(found.missing_opening_balances)} relayer balances: adopt them "
            "on the page Reconcile."
        )
    if found.differences or found.unknown_txs or found.unavailable:
        raise typer.Exit(1)
