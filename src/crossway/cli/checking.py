"""Whether the books are what the chains hold."""

from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.usecases.money.reconciling import run_now
from crossway.usecases.operating import operations


@in_words
def compare(
    seen: Annotated[
        bool, typer.Option("--seen", help="End the alarms about transactions listed here.")
    ] = False,
) -> None:
    """Compare the books with the chains, one line a difference."""
    with built() as service:
        caller = operator()
        found = run_now(service.services, caller)
        if seen:
            operations.acknowledge(service.services, caller, "outside")
    for line in found.sentences():
        typer.echo(line)
    if found.unopened:
        typer.echo(
            f"The books do not know {len(found.unopened)} stocks of the relayer yet: take them in "
            "on the page Reconcile."
        )
    if found.differences or found.unknown or found.silent:
        raise typer.Exit(1)
