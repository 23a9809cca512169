"""`crossway books`: the books as files for accountants, and whether they balance."""

import sys
from datetime import datetime
from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.usecases.money import books, books_files

group = typer.Typer(no_args_is_help=True, help="The double-entry books.")


@group.command("export")
@in_words
def export(
    first: Annotated[
        datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First day (UTC).")
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day, included.")
    ] = None,
    form: Annotated[str, typer.Option(help="csv or json.")] = "csv",
) -> None:
    """Opening balances, every posting and closing balances of these days, to standard output."""
    days = (first.date() if first else None, last.date() if last else None)
    with built() as service:
        for piece in books_files.pieces(service.services, operator(), form, *days):
            sys.stdout.write(piece)


@group.command("check")
@in_words
def check() -> None:
    """Say whether debits equal credits for every token."""
    with built() as service:
        trial = books.trial(service.services, operator())
        for (chain, token), units in trial.out.items():
            money = books.money_of(service.services, chain, token)
            typer.echo(f"{chain}: out by {money.formatted(units)} {money.symbol}")
    if trial.out:
        raise typer.Exit(1)
    typer.echo(f"The books balance: {len(trial.lines)} accounts with something in them.")
