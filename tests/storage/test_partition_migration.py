"""The migration to partitions keeps every event, delivery and attempt, and may be interrupted."""

import re
from typing import Any, Final

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from crossway.storage.migrate import FOLDER, upgrade
from crossway.storage.partitions import list_partitions
from crossway.storage.store import SqlStore
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox
from tests.storage.records import store_intent
from tests.storage.test_mode_migration import downgrade
from tests.storage.test_partitions import places
from tests.storage.test_retention import add_delivery, add_event

TABLES: Final = (outbox, deliveries, delivery_attempts)
FAR_AHEAD: Final = 36_500 * 86_400.0
[MIGRATION] = FOLDER.glob("versions/*_partitions.py")
_FOUND = re.search(r'^down_revision = "(.*)"$', MIGRATION.read_text(), re.M)
BEFORE: Final = _FOUND[1] if _FOUND else ""


def fill(store: SqlStore) -> None:
    for number, at in enumerate((-FAR_AHEAD, 1.0, 2.0, FAR_AHEAD), 1):
        add_event(store, number, at, position=number)
        add_delivery(store, number, at, state="DELIVERED", event=number)
    # What is added in the usual way has the next numbers.
    if store.writer.dialect.name == "postgresql":
        with store.writer.begin() as db:
            for table in TABLES:
                db.execute(text(f"SELECT setval('{table.name}_id_seq', 4)"))


def stored(store: SqlStore) -> list[Any]:
    with store.reader.connect() as db:
        return [list(db.execute(select(table).order_by(table.c.id))) for table in TABLES]


def test_every_row_is_kept_and_numbers_go_on(store: SqlStore) -> None:
    fill(store)
    before = stored(store)
    downgrade(store, BEFORE)
    assert stored(store) == before
    upgrade(store.writer)
    assert stored(store) == before
    store_intent(store)
    with store.read() as unit:
        assert [event.id for event in unit.outbox.list_unsequenced(9)] == [5]
        assert unit.outbox.last_positions(["c-1"]) == {"c-1": 4}


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
def test_what_was_there_is_one_partition_up_to_a_midnight(store: SqlStore) -> None:
    fill(store)
    downgrade(store, BEFORE)
    upgrade(store.writer)
    for table in (outbox, deliveries):
        with store.reader.connect() as db:
            before, _ = list_partitions(db, table)
        assert before.start is None
        assert (before.end or 1) % 86_400_000_000 == 0
        # A time that a wrong clock gave is in nobody's way.
        assert places(store, table) == {
            **dict.fromkeys((1, 2, 3), f"{table.name}_before"),
            4: f"{table.name}_default",
        }
    with pytest.raises(IntegrityError):
        add_event(store, 9, 1.0, position=2)


def test_an_upgrade_that_is_interrupted_leaves_the_tables_as_they_were(store: SqlStore) -> None:
    fill(store)
    downgrade(store, BEFORE)
    before = stored(store)
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with store.writer.connect() as db:
        begun = db.begin()
        config.attributes["connection"] = db
        command.upgrade(config, "head")
        begun.rollback()
    assert stored(store) == before
    with pytest.raises(IntegrityError):
        add_event(store, 1, 5.0, position=9)
    upgrade(store.writer)
    assert stored(store) == before
