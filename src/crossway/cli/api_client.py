"""Shared by commands that use a running service's API: its client, its errors and its records."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from shlex import quote
from typing import Annotated, Any, Final, ParamSpec

import typer

from crossway.cli.connection import CONNECTION, LOCAL
from crossway.cli.exit_codes import FAILED, UNKNOWN, WRONG_USE
from crossway_client import (
    APIConnectionError,
    ApiError,
    Crossway,
    CrosswayError,
    InvalidArgument,
)
from crossway_client.records.base import Record

P = ParamSpec("P")
_NO_ANSWER_YET: Final = (409, 502, 504)
_DAY: list[str] = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
Since = Annotated[
    datetime | None,
    typer.Option("--since", formats=_DAY, help="Created on or after this day or time (UTC)."),
]
Until = Annotated[
    datetime | None,
    typer.Option("--until", formats=_DAY, help="Created before this day or time (UTC)."),
]
Key = Annotated[
    str | None,
    typer.Option("--idempotency-key", help="Repeating the command with it does nothing twice."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def report_api_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print API errors as one sentence, and exit with the code of their kind."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except InvalidArgument as error:
            _fail(str(error), WRONG_USE)
        except CrosswayError as error:
            sentence = error.message if isinstance(error, ApiError) else str(error)
            if not _is_outcome_unknown(error):
                _fail(sentence, FAILED)
            if "idempotency_key" in kwargs and error.idempotency_key is not None:
                # Without the option the client has made a key, which nobody knows yet.
                again = f"repeat the command with --idempotency-key {quote(error.idempotency_key)}"
                sentence = f"{sentence.rstrip('.')}; {again}"
            _fail(sentence, UNKNOWN)

    return run


def _is_outcome_unknown(error: CrosswayError) -> bool:
    """Whether a request may have been executed: no answer came, a proxy gave one, or an earlier
    attempt is still in progress."""
    if isinstance(error, ApiError):
        return error.status in _NO_ANSWER_YET
    return isinstance(error, APIConnectionError)


@contextmanager
def open_client() -> Iterator[Crossway]:
    """An API client with the connection options; exits when they are unusable."""
    with Crossway(*check_connection()) as client:
        yield client


def check_connection() -> tuple[str, str]:
    """The API key and the URL; exits when they are unusable."""
    key, url = CONNECTION.get()
    if not key:
        _fail(
            "set CROSSWAY_API_KEY to one of your keys "
            "(crossway keys create --client NAME --mode test)",
            WRONG_USE,
        )
    if not url.startswith(("http://", "https://")):
        _fail(f"CROSSWAY_API_URL must be a URL such as {LOCAL}", WRONG_USE)
    return key, url


def api_json(record: Record) -> Any:
    """A record as the API's own JSON."""
    return record.response_json


def parse_object(text: str | None, option: str) -> dict[str, Any] | None:
    """The JSON object of an option; None without one."""
    if text is None:
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise typer.BadParameter(f'{option} must be a JSON object such as {{"order": "A-1"}}')
    return parsed


def parse_pairs(texts: list[str] | None, expected: str) -> dict[str, str] | None:
    """The values of an option that is given as NAME=VALUE, by name; None without one. `expected`
    says what would be right."""
    pairs = [text.partition("=") for text in texts or ()]
    if not all(name and separator for name, separator, _ in pairs):
        raise typer.BadParameter(expected)
    return {name: value for name, _, value in pairs} or None


def page_size(limit: int) -> int:
    """How many records a request brings for a list that prints `limit` of them: one more tells
    that there are more, and the API gives at most 100 at a time."""
    return min(limit + 1, 100)


def in_utc(at: datetime | None) -> datetime | None:
    """A time of an option, which is in UTC."""
    return None if at is None else at.replace(tzinfo=UTC)


def require_consent(yes: bool, question: str) -> None:
    """Ask before something that cannot be undone; without a terminal, `--yes` is needed."""
    if yes:
        return
    if not sys.stdin.isatty():
        _fail(f"{question} Say --yes to do it", WRONG_USE)
    typer.confirm(question, abort=True)


def _fail(sentence: str, code: int) -> None:
    typer.echo(f"crossway: {sentence}", err=True)
    raise typer.Exit(code)
