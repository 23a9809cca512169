"""The columns that a list offers, and which of them somebody sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from crossway.dashboard.views.cells import Cell, Column, Row

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ListColumn(Generic[T]):
    """A column and what it shows of a record. The first one of a list is always shown; the others
    can be chosen, and are shown by default unless `on_request`."""

    column: Column
    cell: Callable[[T], Cell]
    on_request: bool = False


def choose(offered: Sequence[ListColumn[T]], names: Sequence[str]) -> tuple[ListColumn[T], ...]:
    """The first column and those with these names, in the order of the list; without names, the
    usual ones. Names that the list does not know are left out, as a later version may have other
    columns."""
    first, *others = offered
    known = {one.column.name for one in others} & set(names)
    if not known:
        return (first, *(one for one in others if not one.on_request))
    return (first, *(one for one in others if one.column.name in known))


def of_rows(columns: Sequence[Column]) -> tuple[ListColumn[Row], ...]:
    """The named columns of a small list whose rows are built whole: each shows its own cell."""
    return tuple(ListColumn(one, partial(_cell_at, at)) for at, one in enumerate(columns))


def _cell_at(at: int, row: Row) -> Cell:
    return row.cells[at]


def without(chosen: Sequence[ListColumn[T]], name: str) -> tuple[ListColumn[T], ...]:
    """The columns but for one, which says the same of every row."""
    return tuple(one for one in chosen if one.column.name != name)


def columns_of(chosen: Sequence[ListColumn[T]]) -> tuple[Column, ...]:
    """The headers."""
    return tuple(one.column for one in chosen)


def cells_of(chosen: Sequence[ListColumn[T]], record: T) -> tuple[Cell, ...]:
    """The cells of one record."""
    return tuple(one.cell(record) for one in chosen)


def describe_choice(
    offered: Sequence[ListColumn[T]], chosen: Sequence[ListColumn[T]]
) -> list[dict[str, Any]]:
    """What the columns menu shows: each column that can be chosen, and whether it is shown."""
    names = {one.column.name for one in chosen}
    return [
        {
            "name": one.column.name,
            "title": one.column.title,
            "shown": one.column.name in names,
            "usual": not one.on_request,
        }
        for one in offered[1:]
    ]
