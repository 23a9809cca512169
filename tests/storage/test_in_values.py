"""A condition on many values: the same rows wherever it stands, found by an index of SQLite."""

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    create_engine,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from crossway.sql.in_values import in_values, within
from tests.databases import new_postgres

METADATA = MetaData()
ITEMS = Table("items", METADATA, Column("id", Integer, primary_key=True), Column("size", Integer))
OTHERS = Table("others", METADATA, Column("id", Integer, primary_key=True))


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest) -> Iterator[Connection]:
    if request.param == "sqlite":
        yield from connected("sqlite://")
    else:
        with new_postgres(request.getfixturevalue("postgres_url")) as url:
            yield from connected(url)


def connected(url: str) -> Iterator[Connection]:
    engine = create_engine(url)
    METADATA.drop_all(engine)
    METADATA.create_all(engine)
    with engine.begin() as connection:
        connection.execute(insert(ITEMS), [{"id": n, "size": n * 10} for n in range(5)])
        connection.execute(insert(OTHERS), [{"id": 2}, {"id": 3}])
        yield connection
    engine.dispose()


def ids(db: Connection, condition: object) -> list[int]:
    query = select(ITEMS.c.id).where(condition).order_by(ITEMS.c.id)  # type: ignore[arg-type]
    return list(db.scalars(query))


def test_it_selects_what_is_listed_also_negated_and_combined(db: Connection) -> None:
    assert ids(db, in_values(ITEMS.c.id, [1, 3, 99])) == [1, 3]
    assert ids(db, in_values(ITEMS.c.id, [])) == []
    assert ids(db, ~in_values(ITEMS.c.id, [1, 3])) == [0, 2, 4]
    either = or_(in_values(ITEMS.c.id, [0]), in_values(ITEMS.c.size, [40]))
    assert ids(db, either) == [0, 4]


def test_each_execution_binds_its_own_values(db: Connection) -> None:
    assert [ids(db, in_values(ITEMS.c.id, [n])) for n in range(4)] == [[0], [1], [2], [3]]


def test_a_statement_that_is_built_once_takes_other_values_each_time(db: Connection) -> None:
    query = select(ITEMS.c.id).where(within(ITEMS.c.size, "sizes")).order_by(ITEMS.c.id)
    assert list(db.scalars(query, {"sizes": [0, 40]})) == [0, 4]
    assert list(db.scalars(query, {"sizes": {10: "a dict's keys"}})) == [1]
    assert list(db.scalars(query, {"sizes": ()})) == []


def test_it_names_the_tables_that_it_needs(db: Connection) -> None:
    joined = in_values(OTHERS.c.id, [2]) & (OTHERS.c.id == ITEMS.c.id)
    assert ids(db, joined) == [2]
    inner = exists().where(in_values(OTHERS.c.id, [3]), OTHERS.c.id == ITEMS.c.id)
    assert ids(db, inner) == [3]
    alias = ITEMS.alias()
    assert list(db.scalars(select(alias.c.id).where(in_values(alias.c.id, [4])))) == [4]


def test_it_limits_updates_and_deletions(db: Connection) -> None:
    changed = update(ITEMS).values(size=0).where(in_values(ITEMS.c.id, [1, 2]))
    assert db.execute(changed).rowcount == 2
    assert db.execute(delete(ITEMS).where(in_values(ITEMS.c.id, [2]))).rowcount == 1
    assert ids(db, in_values(ITEMS.c.size, [0])) == [0, 1]


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_it_is_found_by_an_index(db: Connection) -> None:
    listed = in_values(ITEMS.c.id, [1, 2])
    for statement in (
        select(ITEMS.c.size).where(listed),
        select(ITEMS.c.size).where(listed, ITEMS.c.size > 5),
        update(ITEMS).values(size=0).where(listed, ITEMS.c.size > 5),
        delete(ITEMS).where(listed).returning(ITEMS.c.size),
    ):
        compiled = statement.compile(db.engine)
        values = [compiled.params[name] for name in compiled.positiontup or ()]
        bound = tuple(json.dumps(one) if isinstance(one, list) else one for one in values)
        plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", bound)
        steps = [str(row[3]) for row in plan]
        assert "SEARCH items USING INTEGER PRIMARY KEY (rowid=?)" in steps, steps
