"""SQL of a list by number that is limited to a period of creation."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, func, select

from crossway.storage.row_mapper import to_micros


def created_between(
    number: Column[Any],
    created_at: Column[Any],
    start: datetime | None,
    end: datetime | None,
    own: Sequence[ColumnElement[bool]] = (),
) -> list[ColumnElement[bool]]:
    """The conditions of a period; `own` are those that its index has before the time.

    Their numbers bound those of the list: newer and older rows are not read, and the list is still
    read in the order of its numbers, which need not be that of time.
    """
    # Adding 0 keeps the planner from sorting what the index of creation finds, and from looking for
    # the first and last number along the table.
    bounds = [created_at >= to_micros(start)] if start is not None else []
    tests = [created_at + 0 >= to_micros(start)] if start is not None else []
    if end is not None:
        bounds.append(created_at < to_micros(end))
        tests.append(created_at + 0 < to_micros(end))
    first, last = (
        select(of(number + 0)).where(*own, *bounds).correlate(None).scalar_subquery()
        for of in (func.min, func.max)
    )
    # A period without a start or an end has no rows to leave out on that side, and finding its
    # first or last number there would read all of it.
    edges = [number >= first] if start is not None else []
    return [*edges, *([number <= last] if end is not None else []), *tests]
