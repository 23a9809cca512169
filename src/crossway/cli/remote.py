"""What the commands that speak to a running service share: its key and URL, tables and JSON."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, ParamSpec

import typer
from pydantic import BaseModel

from crossway.client import LOCAL, Crossway
from crossway.client.errors import CrosswayError

P = ParamSpec("P")
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


@contextmanager
def connected() -> Iterator[Crossway]:
    """A client of the service that CROSSWAY_API_URL names, with the key in CROSSWAY_API_KEY."""
    key = os.environ.get("CROSSWAY_API_KEY", "")
    if not key:
        typer.echo(
            "crossway: set CROSSWAY_API_KEY to one of your keys "
            "(crossway keys create --client NAME --mode test)",
            err=True,
        )
        raise typer.Exit(2)
    with Crossway(key, os.environ.get("CROSSWAY_API_URL", LOCAL)) as client:
        yield client


def show(record: BaseModel | Sequence[BaseModel], as_json: bool, words: Callable[[], None]) -> None:
    """Print a record or a list of them as JSON with the names of the API, else in words."""
    if not as_json:
        words()
        return
    many = [record] if isinstance(record, BaseModel) else record
    printed: list[Any] = [one.model_dump(mode="json", by_alias=True) for one in many]
    typer.echo(json.dumps(printed[0] if isinstance(record, BaseModel) else printed, indent=2))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns as wide as what is in them."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo(line.rstrip())
