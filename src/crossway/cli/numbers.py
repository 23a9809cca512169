"""Numbers on the command line: those of records, and those that a calculation takes."""

import math
from typing import Any

import typer

from crossway.domain.public_ids import MAX_PUBLIC_ID


def record_number(meaning: str) -> Any:
    """The argument: no record has a number beyond these, and the database takes no larger one."""
    return typer.Argument(help=meaning, min=1, max=MAX_PUBLIC_ID)


def finite(value: float | None) -> float | None:
    """The value of an option; `nan` and `inf`, which are numbers to Python, are refused."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter("not a number")
    return value
