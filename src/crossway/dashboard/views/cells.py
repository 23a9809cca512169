"""The shapes a screen is made of: cells and rows, facts, steps and items of a timeline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

Color = Literal["gray", "blue", "green", "orange", "yellow", "red", "violet"]
TimeAs = Literal["ago", "left", "exact", "countdown", "clock"]


@dataclass(frozen=True, slots=True)
class Chip:
    """A word with its colour and its icon: the colour is never the only sign."""

    text: str
    color: Color = "gray"
    icon: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value: `copy` is what its copy button yields, `href` its place in an explorer,
    `at` an instant in epoch milliseconds, `share` a bar of 0 to 100 per cent."""

    text: str = ""
    sub: str = ""
    chips: tuple[Chip, ...] = ()
    at: int | None = None
    as_: TimeAs = "ago"
    copy: str = ""
    what: str = ""
    href: str = ""
    mono: bool = False
    tone: str = ""
    hint: str = ""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; a `wide` one is left out where there is little room."""

    title: str
    align: Literal["", "right"] = ""
    hint: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One line; `href` makes it a link that opens `key`, `label` is what is read out of it."""

    key: str
    cells: tuple[Cell, ...]
    href: str = ""
    label: str = ""
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and its value."""

    label: str
    cell: Cell
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a payment's life."""

    title: str
    stands: Literal["done", "now", "todo", "failed"]
    at: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A link to another screen, drawn as a button; the `main` one is filled. A `file` is fetched
    and kept by the browser, which stays where it is."""

    label: str
    href: str
    icon: str = ""
    main: bool = False
    file: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that happened; `tx` is the transaction that shows it, `raw` its record as JSON."""

    key: str
    title: str
    at: int
    note: str = ""
    icon: str = "circle"
    color: Color = "gray"
    tx: Cell | None = None
    raw: str = ""


def plain(value: Cell | Row | Fact | Step | Item | Column | Way) -> dict[str, Any]:
    """A shape as JSON can carry it, without what is empty."""
    lean: dict[str, Any] = {}
    for name, told in _NAMES[type(value)]:
        field = getattr(value, name)
        if field is None or field is False or field == "":
            continue
        if isinstance(field, tuple):
            if field or name == "cells":
                lean[told] = [plain(one) if _is_shape(one) else one for one in field]
        else:
            lean[told] = plain(field) if _is_shape(field) else field
    return lean


def _is_shape(value: object) -> bool:
    return type(value) in _NAMES


# The fields of each shape here and in JSON. Every cell of every screen that is open is drawn by
# them: `dataclasses.asdict` takes three times as long.
_NAMES: Final[Mapping[type, Sequence[tuple[str, str]]]] = {
    kind: [(field.name, field.name.rstrip("_")) for field in fields(kind)]
    for kind in (Chip, Cell, Column, Row, Fact, Step, Way, Item)
}
