"""Rows are mapped to dataclasses by the names and types of fields and columns."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import pytest
from sqlalchemy import BigInteger, Column, MetaData, Table, Text, create_engine, insert, select

from crossway.storage.row_mapper import RowMapper


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Size:
    width: int
    at: datetime


@dataclass(frozen=True)
class Thing:
    id: int
    size: Size
    colour: Colour
    spare: Colour | None
    words: tuple[str, ...]
    limit: int | None
    more: dict[str, int]


# The order of the columns is not that of the fields.
THINGS = Table(
    "things",
    MetaData(),
    Column("more", Text, nullable=False),
    Column("limit", Text),
    Column("words", Text, nullable=False),
    Column("spare", Text, nullable=False),
    Column("colour", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("breadth", Text, nullable=False),
    Column("id", BigInteger, primary_key=True),
)
NOW = datetime(2026, 11, 21, 12, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "thing",
    [
        Thing(1, Size(2**200, NOW), Colour.RED, None, (), None, {}),
        Thing(2, Size(0, NOW), Colour.RED, Colour.RED, ("a", "b"), 2**90, {"a": 1}),
    ],
)
def test_a_record_is_read_as_it_was_written(thing: Thing) -> None:
    mapper = RowMapper(Thing, THINGS, {"size.width": "breadth"})
    engine = create_engine("sqlite://")
    THINGS.metadata.create_all(engine)
    with engine.begin() as db:
        db.execute(insert(THINGS), mapper.encode(thing))
        assert mapper.decode(db.execute(select(THINGS)).one()) == thing
    assert set(mapper.encode(thing)) - set(mapper.encode_new(thing)) == {"id"}
    assert mapper.encoder(only=("breadth",))(thing) == {"breadth": str(thing.size.width)}


def test_a_field_without_a_column_is_an_error_when_the_mapper_is_built() -> None:
    with pytest.raises(LookupError, match=r"things has no column for Size.size.width"):
        RowMapper(Thing, THINGS)
