"""The names of merchants beside records, read once for all rows of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.links import client_href
from crossway.dashboard.views.list_columns import ListColumn

MERCHANT_COLUMN: Final = "merchant"
T = TypeVar("T")


def merchant_cell(names: Mapping[str, str], client_id: str | None, sub: str = "") -> Cell:
    """The name of a merchant, which leads to its page; a dash where nobody is named."""
    if not client_id:
        return Cell("–", sub=sub)
    return Cell(names.get(client_id, client_id), sub=sub, href=client_href(client_id))


def name_cell(names: Mapping[str, str], client_id: str | None, sub: str = "") -> Cell:
    """The name of a merchant in a row, which leads to its record and so to the merchant."""
    return replace(merchant_cell(names, client_id, sub), href="")


def offer_columns(
    names: Mapping[str, str], offered: Sequence[ListColumn[T]]
) -> tuple[ListColumn[T], ...]:
    """The columns of a list: that of the merchant only on request where there is one merchant."""
    alone = len(names) < 2
    return tuple(
        replace(one, on_request=True) if alone and one.column.name == MERCHANT_COLUMN else one
        for one in offered
    )


def drop_lone_merchant(
    names: Mapping[str, str], columns: Sequence[Column], rows: Sequence[Row]
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """A table with fixed columns: without that of the merchant where there is only one."""
    if len(names) < 2:
        return drop_merchant(columns, rows)
    return tuple(columns), tuple(rows)


def drop_merchant(
    columns: Sequence[Column], rows: Sequence[Row]
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """The columns and rows of a table without the merchant, which is the same in each."""
    kept = [n for n, column in enumerate(columns) if column.name != MERCHANT_COLUMN]
    return tuple(columns[n] for n in kept), tuple(
        replace(row, cells=tuple(row.cells[n] for n in kept)) for row in rows
    )
