"""Shared by all commands: the service they work on, and errors as one sentence."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from crossway import bootstrap
from crossway.bootstrap import Service
from crossway.cli.exit_codes import FAILED, UNKNOWN, WRONG_USE
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import DomainError, SigningRefused, Unreachable
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from crossway.storage.backup import BackupError

P = ParamSpec("P")
ACTOR = "command line"


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Print errors of a command as one sentence, and exit with the code of their kind."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except FileExistsError as error:
            _fail(f"{error.filename2 or error.filename} already exists and was not changed")
        except (DomainError, SigningRefused, SetupError, BackupError) as error:
            _fail(str(error))
        except BrokenPipeError:
            # Who reads the output has enough, as `head` does.
            raise
        except OSError as error:
            _fail(_file_error(error))
        except Unreachable as error:
            _fail(str(error) or "no response: the outcome is unknown; try again", UNKNOWN)
        except ValidationError as error:
            _fail("; ".join(setting_errors(error)), WRONG_USE)
        except SQLAlchemyError as error:
            _fail(f"the database refused: {getattr(error, 'orig', None) or error}")

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
        f"CROSSWAY_{'_'.join(map(str, problem['loc'])).upper()}: {_setting_error(problem)}"
        for problem in error.errors()
    ]


def _setting_error(problem: Any) -> str:
    """What a setting must be, in our words."""
    context = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return "is required"
        case "int_parsing" | "int_type" | "int_from_float":
            return "must be a whole number"
        case "float_parsing" | "decimal_parsing":
            return "must be a number"
        case "bool_parsing":
            return "must be true or false"
        case "literal_error" | "enum":
            return f"must be {context['expected']}"
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "less_than_equal":
            return f"must be at most {context['le']}"
        case "value_error":
            return str(context["error"])
        case _:
            return f"is not right: {problem['msg']}"


def _file_error(error: OSError) -> str:
    """What is wrong with a file, without the number of the operating system."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{error.filename}: {error.strerror.lower()}"


def _fail(sentence: str, code: int = FAILED) -> None:
    typer.echo(f"crossway: {sentence}", err=True)
    sys.exit(code)
