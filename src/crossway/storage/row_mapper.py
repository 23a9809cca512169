"""Mapping of table rows to dataclasses: derived once from the fields and the columns."""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import (
    Any,
    Final,
    Generic,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from sqlalchemy import Column, LargeBinary, Table, Text

from crossway.storage.sealing import SEALED, Seal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)
Converter = Callable[[Any], Any]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_COMPACT: Final = json.JSONEncoder(separators=(",", ":"))


def to_micros(at: datetime) -> int:
    """An instant as whole microseconds since 1970."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


# The rows of a pass have few different times.
@lru_cache(maxsize=4_096)
def from_micros(value: int) -> datetime:
    """The UTC instant of a number of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=value)


def to_micros_or_none(at: datetime | None) -> int | None:
    """As `to_micros`, keeping None."""
    return None if at is None else to_micros(at)


def from_micros_or_none(value: int | None) -> datetime | None:
    """As `from_micros`, keeping None."""
    return None if value is None else from_micros(value)


class Encoder(Protocol[T_contra]):
    """Returns some columns of a record's row; `seal` encrypts the sealed ones."""

    def __call__(self, record: T_contra, seal: Seal | None = None) -> dict[str, Any]: ...


class Decoder(Protocol[T_co]):
    """Returns the record of a row; `open_text` decrypts the sealed columns."""

    def __call__(self, row: Any, open_text: Seal | None = None) -> T_co: ...


@dataclass(frozen=True, slots=True)
class _Field:
    """One column of a record: the attribute path to its value and the two conversions."""

    path: str
    column: Column[Any]
    decode: Converter | None
    encode: Converter | None


class RowMapper(Generic[T]):
    """Converts whole rows of a table to a dataclass and back.

    Each field has the column of the same name, or the one that `renamed` gives by the field's
    path. A dataclass without a column of its own is mapped by its fields. Types decide how a
    value is stored: integers in text columns, instants as microseconds, enums by their value,
    mappings as JSON, tuples and sets as text separated by spaces. None in a NOT NULL text column is
    an empty string. Values of sealed columns pass through a function that encrypts or decrypts
    them, which their mapper must be given. Raises `LookupError` for a field without a column.
    """

    def __init__(self, record: type[T], table: Table, renamed: Mapping[str, str] = {}) -> None:
        self._positions = {column.name: i for i, column in enumerate(table.columns)}
        self._mapped: list[_Field] = []
        # What the expressions below refer to by name.
        self._names: dict[str, Any] = {"pass_through": _pass_through}
        build = self._collect(record, table, renamed, "")
        # The record of a row that begins with all columns of the table, in their order.
        self.decode: Decoder[T] = eval(f"lambda row, open_text=None: {build}", self._names)
        # The row of a record by column name, and without the id that the database assigns.
        self.encode = self.encoder()
        self.encode_new = self.encoder(without=("id",))

    def encoder(
        self, only: Collection[str] | None = None, without: Collection[str] = ()
    ) -> Encoder[T]:
        """A function that returns some columns of a record's row, by name."""
        columns = ", ".join(
            f"{field.column.name!r}: {self._encode(field)}"
            for field in self._mapped
            if (only is None or field.column.name in only) and field.column.name not in without
        )
        encode: Encoder[T] = eval(f"lambda record, seal=None: {{{columns}}}", self._names)
        return encode

    def _collect(self, record: Any, table: Table, renamed: Mapping[str, str], prefix: str) -> str:
        """Map the fields of a record; returns the expression that builds it from a row. Compiled
        once, it takes a fraction of the time of a loop over the fields."""
        hints = get_type_hints(record)
        values: list[str] = []
        for field in fields(record):
            path, hint = f"{prefix}{field.name}", hints[field.name]
            name = renamed.get(path, field.name)
            if name in table.columns:
                column = table.columns[name]
                self._mapped.append(mapped := _Field(path, column, *_converters(hint, column)))
                values.append(self._decode(mapped))
            elif isinstance(hint, type) and is_dataclass(hint):
                values.append(self._collect(hint, table, renamed, f"{path}."))
            else:
                raise LookupError(f"{table.name} has no column for {record.__name__}.{path}")
        return f"{self._name(record)}({', '.join(values)})"

    def _decode(self, field: _Field) -> str:
        """The expression of a field's value in a row."""
        value = f"row[{self._positions[field.column.name]}]"
        if SEALED in field.column.info:
            value = f"pass_through(open_text, {value})"
        return f"{self._name(field.decode)}({value})" if field.decode else value

    def _encode(self, field: _Field) -> str:
        """The expression of a column's value of a record."""
        value = f"record.{field.path}"
        if field.encode:
            value = f"{self._name(field.encode)}({value})"
        return f"pass_through(seal, {value})" if SEALED in field.column.info else value

    def _name(self, thing: object) -> str:
        name = f"_{len(self._names)}"
        self._names[name] = thing
        return name


def _pass_through(function: Seal | None, text: str | None) -> str | None:
    if function is None:
        raise TypeError("a sealed column needs a function that encrypts or decrypts it")
    return None if text is None else function(text)


def _converters(hint: Any, column: Column[Any]) -> tuple[Converter | None, Converter | None]:
    """How values of a type are read from a column and written to it; None for as they are."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    types = [option for option in options if option is not NoneType]
    decode, encode = _codec(types[0], column)
    if len(types) == len(options):
        return decode, encode
    if isinstance(column.type, Text) and not column.nullable:
        return _unless("", decode), lambda value: "" if value is None else (encode or str)(value)
    return decode and _unless(None, decode), encode and _unless(None, encode)


def _unless(nothing: object, convert: Converter | None) -> Converter:
    """The conversion, with None for `nothing`."""
    converted = convert or (lambda value: value)
    if nothing is None:
        return lambda value: None if value is None else converted(value)
    return lambda value: None if value == nothing else converted(value)


def _codec(hint: Any, column: Column[Any]) -> tuple[Converter | None, Converter | None]:
    kind = get_origin(hint) or hint
    if isinstance(column.type, LargeBinary):
        return bytes, None
    if kind is datetime:
        return from_micros, to_micros
    if not isinstance(column.type, Text) or not isinstance(kind, type) or kind is str:
        return None, None
    if kind is int:
        return int, str
    if issubclass(kind, Enum):
        return {member.value: member for member in kind}.__getitem__, attrgetter("_value_")
    if issubclass(kind, Mapping):
        return _from_json, to_json
    if is_dataclass(kind):
        return lambda text: kind(**json.loads(text)), lambda value: to_json(asdict(value))
    if issubclass(kind, tuple | frozenset):
        return _list_codec(kind, get_args(hint)[0])
    raise TypeError(f"{column} cannot store {hint}")


def _list_codec(kind: Any, item: type[Any]) -> tuple[Converter, Converter]:
    """Several values in one text, separated by spaces; those of a set are sorted."""
    if issubclass(item, Enum):
        return (
            lambda text: kind(item(value) for value in text.split()),
            lambda values: " ".join(sorted(value.value for value in values)),
        )
    return lambda text: kind(text.split()), " ".join


def _from_json(text: str) -> Any:
    return json.loads(text) if text != "{}" else {}


def to_json(value: Mapping[str, Any]) -> str:
    """A mapping as compact JSON."""
    return _COMPACT.encode(dict(value))
