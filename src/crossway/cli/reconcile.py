"""`crossway reconcile`: compare the books with on-chain balances."""

from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import RecordOutput, checked, prints
from crossway.usecases.money.reconciliation_runs import run_and_wait
from crossway.usecases.operating import overview


@report_errors
@prints
def compare(
    acknowledge: Annotated[
        bool,
        typer.Option(
            "--acknowledge", help="Resolve the alerts about the transactions listed here."
        ),
    ] = False,
) -> RecordOutput:
    """Compare the books with the chains; prints one line per difference."""
    with open_service() as service:
        caller = cli_principal()
        report = run_and_wait(service.services, caller)
        if acknowledge:
            overview.resolve_alerts_of_kind(service.services, caller, "outside")
    lines = report.sentences()
    if report.missing_opening_balances:
        lines.append("Record the opening balances on the page Reconcile.")
    found = (report.differences, report.unknown_txs, report.unavailable)
    fails = any(found) or bool(report.missing_opening_balances)
    # Balances that a first run took in are no finding.
    return checked(lines, "") if fails else checked([], "\n".join(lines))
