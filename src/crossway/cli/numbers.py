"""Arguments of commands that are the number of a record."""

from typing import Any

import typer

from crossway.domain.public_ids import MAX_PUBLIC_ID


def record_number(meaning: str) -> Any:
    """The argument: no record has a number beyond these, and the database takes no larger one."""
    return typer.Argument(help=meaning, min=1, max=MAX_PUBLIC_ID)
