"""Shared by commands that use a running service's API: its client, tables and JSON."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, ParamSpec

import typer

from crossway.cli.connection import CONNECTION, LOCAL
from crossway_client import Crossway, CrosswayError
from crossway_client.records.base import Record

P = ParamSpec("P")
# `json` cannot write exact decimals: they are written as marked strings, then unquoted.
_MARK = "\0"
_MARKED = re.compile(r'"\\u0000([0-9.Ee+-]+)\\u0000"')
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def report_api_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print API errors as one sentence and exit with code 1; Ctrl-C exits with code 0."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CrosswayError as error:
            typer.echo(f"crossway: {error}", err=True)
            raise typer.Exit(1) from error
        except KeyboardInterrupt:
            raise typer.Exit(0) from None

    return run


@contextmanager
def open_client() -> Iterator[Crossway]:
    """An API client with the connection options; exits with code 2 when they are unusable."""
    key, url = CONNECTION.get()
    if not key:
        typer.echo(
            "crossway: set CROSSWAY_API_KEY to one of your keys "
            "(crossway keys create --client NAME --mode test)",
            err=True,
        )
        raise typer.Exit(2)
    if not url.startswith(("http://", "https://")):
        typer.echo(f"crossway: CROSSWAY_API_URL must be a URL such as {LOCAL}", err=True)
        raise typer.Exit(2)
    with Crossway(key, url) as client:
        yield client


def print_records(
    record: Record | Sequence[Record], as_json: bool, print_text: Callable[[], None]
) -> None:
    """Print records as the API's JSON, or call `print_text`."""
    if not as_json:
        print_text()
        return
    typer.echo(
        to_json(record.response_json if isinstance(record, Record) else _all(record), indent=2)
    )


def to_json(response: Any, indent: int | None = None) -> str:
    """A response as JSON with exact numbers."""
    text = json.dumps(response, indent=indent, default=lambda number: f"{_MARK}{number}{_MARK}")
    return _MARKED.sub(r"\1", text)


def _all(records: Sequence[Record]) -> list[Any]:
    return [record.response_json for record in records]


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in aligned columns."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo(text.rstrip())
