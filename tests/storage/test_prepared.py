"""Statements that are built once do the same on both databases as SQLAlchemy executes them."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, bindparam, insert, select, update

from crossway.domain.errors import StorageUnavailable
from crossway.sql.in_values import within
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.prepared import execute, execute_each, fetch
from crossway.storage.service_tables import cursors, leases
from crossway.storage.store import SqlStore, open_store
from crossway.storage.tables import intents
from tests.databases import new_sqlite
from tests.storage.records import store_intent

_ADD = per_dialect(lambda put: put(leases).on_conflict_do_nothing())
_AMONG = select(leases).where(within(leases.c.name, "names")).order_by(leases.c.name)
_FREE = (
    update(leases)
    .where(leases.c.name == bindparam("of"), leases.c.owner == "me")
    .values(owner="", until=bindparam("at"))
)


def add(db: Connection, name: str) -> int:
    row = {"name": name, "owner": "me", "until": 5, "epoch": 1}
    return execute(db, _ADD[db.dialect.name], row)


def test_rows_are_those_that_sqlalchemy_returns(store: SqlStore) -> None:
    with store.writer.begin() as db:
        assert [add(db, name) for name in ("a", "b", "a")] == [1, 1, 0]
        for names in (["a", "b"], ["b"], []):
            expected = [tuple(row) for row in db.execute(_AMONG, {"names": names})]
            assert [tuple(row) for row in fetch(db, _AMONG, {"names": names})] == expected
            assert len(expected) == len(names)


def test_values_have_the_types_of_their_columns(store: SqlStore) -> None:
    intent = store_intent(store)
    query = select(intents.c.id, intents.c.relayer_claimed, intents.c.metadata)
    with store.reader.connect() as db:
        [row] = fetch(db, query)
        assert tuple(row) == tuple(db.execute(query).one())
    assert row[0] == intent.id
    assert row[1] is False


def test_each_row_of_parameters_is_executed_with_the_fixed_values(store: SqlStore) -> None:
    with store.writer.begin() as db:
        for name in ("a", "b", "c"):
            add(db, name)
        rows: list[dict[str, Any]] = [{"of": name, "at": 9} for name in ("a", "c", "a")]
        assert execute_each(db, _FREE, rows) == 2, "the second time, nobody has it"
        assert execute_each(db, _FREE, []) == 0
        assert execute(db, _FREE, {"of": "b", "at": 7}) == 1
        states = select(leases.c.name, leases.c.owner, leases.c.until).order_by(leases.c.name)
        assert [tuple(row) for row in fetch(db, states)] == [
            ("a", "", 9),
            ("b", "", 7),
            ("c", "", 9),
        ]


def test_a_read_sees_one_state_of_the_database(tmp_path: Path) -> None:
    store, names = open_store(new_sqlite(tmp_path)), select(leases.c.name)
    with store.reader.connect() as db:
        assert fetch(db, names) == []
        with store.writer.begin() as writer:
            add(writer, "a")
        assert fetch(db, names) == []
    with store.reader.connect() as db:
        assert fetch(db, names) == [("a",)]
    store.close()


def test_a_database_that_cannot_be_used_is_said_to_be_so(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path))
    with store.writer.begin() as db:
        pages = db.exec_driver_sql("PRAGMA page_count").scalar()
        db.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        rows = [{"chain": f"{n:0500}", "height": n, "block_hash": "x" * 500} for n in range(900)]
        with pytest.raises(StorageUnavailable, match="The disk of the database is full"):
            execute_each(db, insert(cursors), rows)
    store.close()
