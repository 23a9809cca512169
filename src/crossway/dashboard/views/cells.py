"""Building blocks of pages: cells, rows, badges, details, steps and timeline entries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

Color = Literal["gray", "blue", "green", "orange", "yellow", "red", "violet"]
TimeAs = Literal["ago", "left", "exact", "countdown", "clock"]


@dataclass(frozen=True, slots=True)
class Badge:
    """A label with a colour and an icon; colour alone never carries the meaning."""

    text: str
    color: Color = "gray"
    icon: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value: `marks` stand before it (views/marks.py), `copy` is the text of its copy button,
    `href` a link to a block explorer or to a page of the dashboard, `at` a time in epoch
    milliseconds, `share` the length of a bar from 0 to 100 per cent. `order` is what a sorted table
    compares, by default the time or the text."""

    text: str = ""
    sub: str = ""
    badges: tuple[Badge, ...] = ()
    at: int | None = None
    as_: TimeAs = "ago"
    copy: str = ""
    value_name: str = ""
    href: str = ""
    mono: bool = False
    tone: str = ""
    hint: str = ""
    share: float | None = None
    marks: tuple[str, ...] = ()
    order: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column header; a `wide` column is hidden on narrow screens. `name` identifies a column that
    people can sort by or choose; `sorts_all` if the database sorts the whole list by it, where
    others sort the page."""

    title: str
    align: Literal["", "right"] = ""
    hint: str = ""
    wide: bool = False
    name: str = ""
    sorts_all: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One table row; `href` makes it a link, `label` is its accessible name."""

    key: str
    cells: tuple[Cell, ...]
    href: str = ""
    label: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class RowAction:
    """What can be done with the selected rows of a list. `name` identifies it; with a `download`,
    it is a file at that URL, to which the keys of the rows are added."""

    name: str
    label: str
    icon: str
    primary: bool = False
    download: str = ""


@dataclass(frozen=True, slots=True)
class Detail:
    """A label and its value."""

    label: str
    cell: Cell
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a payment's or an order's progress."""

    title: str
    status: Literal["done", "now", "todo", "failed"]
    at: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class LinkButton:
    """A link to another page, drawn as a button; a `primary` one is filled. A `download` is saved
    as a file and does not leave the page."""

    label: str
    href: str
    icon: str = ""
    primary: bool = False
    download: bool = False


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One event of a timeline; `tx` is its transaction, `raw` its record as JSON."""

    key: str
    title: str
    at: int
    note: str = ""
    icon: str = "circle"
    color: Color = "gray"
    tx: Cell | None = None
    raw: str = ""


def to_json(
    value: Cell | Row | Detail | Step | TimelineEntry | Column | LinkButton | RowAction,
) -> dict[str, Any]:
    """The JSON form of a building block, without empty fields."""
    result: dict[str, Any] = {}
    for name, json_name in _FIELD_NAMES[type(value)]:
        field = getattr(value, name)
        if field is None or field is False or field == "":
            continue
        if isinstance(field, tuple):
            if field or name == "cells":
                result[json_name] = [
                    to_json(item) if _is_building_block(item) else item for item in field
                ]
        else:
            result[json_name] = to_json(field) if _is_building_block(field) else field
    return result


def _is_building_block(value: object) -> bool:
    return type(value) in _FIELD_NAMES


# The field names of each building block in Python and in JSON. Computed once because every cell of
# every open page is serialised with them; `dataclasses.asdict` takes three times as long.
_FIELD_NAMES: Final[Mapping[type, Sequence[tuple[str, str]]]] = {
    kind: [(field.name, field.name.rstrip("_")) for field in fields(kind)]
    for kind in (Badge, Cell, Column, Row, RowAction, Detail, Step, LinkButton, TimelineEntry)
}
