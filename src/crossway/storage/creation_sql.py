"""SQL of a list that is limited to a period of creation: by these times, or by number.

Numbers follow the times of creation but for the clocks of several machines, so that only an index
of times knows where a period begins and ends. A page is read by time, and rows of the same time by
number; an export, which reads all, by number.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, func, select, true, tuple_

from crossway.storage.row_mapper import to_micros


def created_within(
    created_at: Column[Any], start: datetime | None, end: datetime | None
) -> list[ColumnElement[bool]]:
    """The conditions of a period."""
    conditions = [created_at >= to_micros(start)] if start is not None else []
    return [*conditions, created_at < to_micros(end)] if end is not None else conditions


def sort(number: Column[Any], created_at: Column[Any], oldest_first: bool) -> list[Any]:
    """The order of the list."""
    columns = created_at, number
    return [one.asc() if oldest_first else one.desc() for one in columns]


def behind(
    number: Column[Any], created_at: Column[Any], last: int | None, oldest_first: bool
) -> ColumnElement[bool]:
    """The condition of what comes behind the row with a number. A row that is gone was created when
    its predecessor was."""
    if last is None:
        return true()
    table = number.table.alias()
    at = select(table.c[created_at.name]).where(table.c[number.name] <= last)
    at = at.order_by(table.c[number.name].desc()).limit(1)
    here, there = tuple_(created_at, number), tuple_(at.scalar_subquery(), last)
    return here > there if oldest_first else here < there


def created_between(
    number: Column[Any],
    created_at: Column[Any],
    start: datetime | None,
    end: datetime | None,
    own: Sequence[ColumnElement[bool]] = (),
) -> list[ColumnElement[bool]]:
    """The conditions of a period for a list by number; `own` are those that its index has before
    the time. The first and last number are looked for in the whole period: newer and older rows are
    not read."""
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
