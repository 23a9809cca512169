"""Shared by all commands: the service they work on, and errors as one sentence."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from crossway import bootstrap
from crossway.bootstrap import Service
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import DomainError, SigningRefused, Unreachable
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from crossway.storage.backup import BackupError

P = ParamSpec("P")
ACTOR = "command line"


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print errors of a command as one sentence and exit with code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except FileExistsError as error:
            _fail(f"{error.filename2 or error.filename} already exists and was not changed")
        except (DomainError, SigningRefused, SetupError, BackupError, OSError) as error:
            _fail(str(error))
        except Unreachable as error:
            _fail(str(error) or "no response: the outcome is unknown; try again")
        except ValidationError as error:
            _fail("; ".join(setting_errors(error)))
        except SQLAlchemyError as error:
            _fail(f"database error: {getattr(error, 'orig', None) or error}")

    return run


@contextmanager
def open_service() -> Iterator[Service]:
    """The service of this installation, closed after the block."""
    service = bootstrap.build(Settings())
    try:
        yield service
    finally:
        service.close()


def cli_principal() -> Principal:
    """The principal of the command line: an admin."""
    return staff_principal(ACTOR)


def setting_errors(error: ValidationError) -> list[str]:
    """One sentence for each invalid setting."""
    return [
        f"CROSSWAY_{'_'.join(map(str, problem['loc'])).upper()}: {problem['msg']}"
        for problem in error.errors()
    ]


def _fail(sentence: str) -> None:
    typer.echo(f"crossway: {sentence}", err=True)
    sys.exit(1)
