"""What the commands that speak to a running service share: its key and URL, tables and JSON."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Annotated, Any, ParamSpec

import typer

from crossway.client import LOCAL, Crossway
from crossway.client.errors import CrosswayError
from crossway.client.records import Record

P = ParamSpec("P")
_WHERE = ContextVar("_WHERE", default=("", LOCAL))
# The standard library writes no exact decimal: it is written between two marks, then unmarked.
_MARK = "\0"
_MARKED = re.compile(r'"\\u0000([0-9.Ee+-]+)\\u0000"')
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def in_client_words(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what the service refuses into a sentence and exit code 1; Ctrl-C just ends."""

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


def where(
    api_key: Annotated[
        str, typer.Option(envvar="CROSSWAY_API_KEY", help="Your key.", show_default=False)
    ] = "",
    api_url: Annotated[
        str, typer.Option(envvar="CROSSWAY_API_URL", help="Where the service runs.")
    ] = LOCAL,
) -> None:
    """Crossway's commands. The two options are for intents, quotes, ramps and webhooks, which ask a
    running service over its API."""
    _WHERE.set((api_key, api_url))


@contextmanager
def connected() -> Iterator[Crossway]:
    """A client of the service that was named, with the key that was given."""
    key, url = _WHERE.get()
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


def show(record: Record | Sequence[Record], as_json: bool, words: Callable[[], None]) -> None:
    """Print a record or a list of them as JSON, as the API answered it, else in words."""
    if not as_json:
        words()
        return
    typer.echo(json_of(record.answered if isinstance(record, Record) else _all(record), indent=2))


def json_of(answered: Any, indent: int | None = None) -> str:
    """An answer as JSON, every digit of its numbers kept."""
    text = json.dumps(answered, indent=indent, default=lambda number: f"{_MARK}{number}{_MARK}")
    return _MARKED.sub(r"\1", text)


def _all(records: Sequence[Record]) -> list[Any]:
    return [one.answered for one in records]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns as wide as what is in them."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo(line.rstrip())
