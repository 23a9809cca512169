"""What every command shares: the service it works on, and refusals in words."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import typer
from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError

from crossway import bootstrap
from crossway.bootstrap import Service, SetupError
from crossway.domain.clients import Caller, insider
from crossway.domain.errors import Refusal, Unreachable
from crossway.settings import Settings
from crossway.storage.files import NotUsable

P = ParamSpec("P")
BY = "command line"


def in_words(command: Callable[P, None]) -> Callable[P, None]:
    """Turn what a command refuses into a sentence and exit code 1."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except FileExistsError as error:
            _fail(f"{error.filename2 or error.filename} is there already and is left alone")
        except (Refusal, SetupError, NotUsable, OSError) as error:
            _fail(str(error))
        except Unreachable as error:
            _fail(str(error) or "nothing answered: it is unknown, not failed; try again")
        except ValidationError as error:
            _fail("; ".join(setting_complaints(error)))
        except SQLAlchemyError as error:
            _fail(f"the database refused: {getattr(error, 'orig', None) or error}")

    return run


@contextmanager
def built() -> Iterator[Service]:
    """The service of this set-up, put away after the block."""
    service = bootstrap.build(Settings())
    try:
        yield service
    finally:
        service.close()


def operator() -> Caller:
    """Whoever may run commands here is an admin."""
    return insider(BY)


def setting_complaints(error: ValidationError) -> list[str]:
    """Which settings cannot be used, one sentence each."""
    return [
        f"CROSSWAY_{'_'.join(map(str, one['loc'])).upper()}: {one['msg']}" for one in error.errors()
    ]


def _fail(sentence: str) -> None:
    typer.echo(f"crossway: {sentence}", err=True)
    sys.exit(1)
