"""`crossway reconcile`: compare the books with on-chain balances."""

from typing import Annotated

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import RecordOutput, checked, prints
from crossway.usecases.money.reconciliation_findings import AGREE
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
    findings, notes = report.findings(), report.notes()
    if report.missing_opening_balances:
        findings.append("Record the opening balances on the page Reconcile.")
    return checked(findings, "No difference was found." if notes else AGREE, notes)
