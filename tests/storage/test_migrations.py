"""The migrations create the tables of the code, once, also with concurrent starts."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, MetaData, create_engine, inspect, text

from crossway.adapters.chains.simulated.blocks.tables import METADATA as SIMULATED
from crossway.adapters.ramps.sandbox.tables import METADATA as SANDBOX
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.storage.all_tables import METADATA, is_unique
from crossway.storage.migrate import FOLDER, UnknownVersion, upgrade
from crossway.storage.store import SqlStore, open_store
from crossway.storage.webhook_tables import PARTITIONED_BY
from tests.databases import new_postgres
from tests.processes import PATIENCE_SECONDS
from tests.storage.records import BASE, HUGE, NOW, a_posting, store_intent

ALL = (METADATA, SIMULATED, SANDBOX)
START = """
import sys
from crossway.storage.migrate import upgrade
from crossway.storage.store import open_store
store = open_store(sys.argv[1])
sys.stdin.read(1)
upgrade(store.writer)
store.close()
"""


@pytest.fixture
def empty_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    with new_postgres(request.getfixturevalue("postgres_url"), empty=True) as database_url:
        yield database_url


def partitions(engine: Engine) -> set[str]:
    """The tables that are parts of another; where a row belongs is the other's business."""
    if engine.dialect.name == "sqlite":
        return set()
    with engine.connect() as db:
        parts = text("SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'")
        return set(db.execute(parts).scalars())


def described(engine: Engine) -> dict[str, Any]:
    """Columns, keys and indexes of every table as the database sees them."""
    result = inspect(engine)
    tables = sorted(set(result.get_table_names()) - {"alembic_version"} - partitions(engine))
    return {
        name: (
            [
                (c["name"], str(c["type"]), c["nullable"], c.get("default"))
                for c in result.get_columns(name)
            ],
            sorted(result.get_pk_constraint(name)["constrained_columns"]),
            sorted(
                (
                    str(i["column_names"]),
                    i["unique"],
                    str(i["dialect_options"].get(f"{engine.dialect.name}_where", "")),
                )
                for i in result.get_indexes(name)
            ),
            sorted(str(u["column_names"]) for u in result.get_unique_constraints(name)),
            sorted(
                (str(f["constrained_columns"]), f["referred_table"])
                for f in result.get_foreign_keys(name)
            ),
        )
        for name in tables
    }


def test_migrations_leave_nothing_to_be_drafted(store: SqlStore) -> None:
    parts = partitions(store.reader)

    def is_compared(thing: Any, name: str, type_: str, is_stored: bool, *_: object) -> bool:
        """What is unique within each partition is not seen at the table that is partitioned."""
        table = thing if type_ == "table" else thing.table
        partitioned = bool(parts) and PARTITIONED_BY in table.info
        return table.name not in parts and not (partitioned and is_unique(thing))

    with store.reader.connect() as db:
        options = {"compare_type": True, "include_object": is_compared}
        context = MigrationContext.configure(db, opts=options)
        whole = MetaData()
        for metadata in ALL:
            for table in metadata.tables.values():
                table.to_metadata(whole)
        assert compare_metadata(context, whole) == []


def test_migrated_tables_are_those_of_the_code(store: SqlStore, empty_url: str) -> None:
    engine = create_engine(empty_url)
    for metadata in ALL:
        metadata.create_all(engine)
    assert described(store.writer) == described(engine)
    if engine.dialect.name == "sqlite":
        with engine.connect() as created, store.reader.connect() as migrated:
            rowless = text("SELECT name, wr FROM pragma_table_list WHERE name NOT LIKE 'alembic%'")
            assert sorted(created.execute(rowless).all()) == sorted(migrated.execute(rowless).all())
    engine.dispose()


def test_no_two_tables_of_the_product_share_a_name() -> None:
    names = [name for metadata in ALL for name in metadata.tables]
    assert len(names) == len(set(names))


def test_an_upgrade_that_was_done_is_done_again_without_effect(store: SqlStore) -> None:
    before = described(store.writer)
    upgrade(store.writer)
    assert described(store.writer) == before
    with store.read() as unit:
        assert len(unit.api_keys.list_clients()) == 1


def test_an_upgrade_that_breaks_leaves_no_half_of_it(empty_url: str) -> None:
    store = open_store(empty_url)
    with store.writer.begin() as db:
        db.execute(text("CREATE TABLE sim_transactions (in_the_way INTEGER)"))
    with pytest.raises(Exception, match="already exists"):
        upgrade(store.writer)
    assert inspect(store.writer).get_table_names() == ["sim_transactions"]
    with store.writer.begin() as db:
        db.execute(text("DROP TABLE sim_transactions"))
    upgrade(store.writer)
    assert set(inspect(store.writer).get_table_names()) > set(METADATA.tables)
    store.close()


def test_running_balances_are_filled_from_the_postings_that_are_there(store: SqlStore) -> None:
    first, second = store_intent(store), store_intent(store)
    held = {"debit": Account.HELD, "credit": Account.PAYER}
    batch = [
        a_posting(first, HUGE, **held),
        a_posting(first, 7, token="eurc", **held),
        a_posting(first, 2, token="eurc", debit=Account.DUST, credit=Account.HELD),
        a_posting(second, 3, **held),
        a_posting(second, 3, debit=Account.ESCROW, credit=Account.HELD),
        Posting(NO_INTENT, BASE, "usdc-base", Account.INVENTORY, Account.EQUITY, 9, "manual"),
    ]
    store.write(lambda unit: unit.ledger.post(batch, NOW))
    rows = text("SELECT * FROM address_balances ORDER BY intent_id, token")
    with store.reader.connect() as db:
        before = [tuple(row) for row in db.execute(rows)]
    [migration] = FOLDER.glob("versions/*_running_balances_of_deposit_addresses.py")
    earlier = re.search(r'^down_revision = "(.*)"$', migration.read_text(), re.M)
    assert earlier is not None
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with store.writer.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, earlier[1])
    upgrade(store.writer)
    with store.reader.connect() as db:
        assert [tuple(row) for row in db.execute(rows)] == before
    assert [row[2:5] for row in before] == [
        ("eurc", "5", "2"),
        ("usdc-base", str(HUGE), "0"),
        ("usdc-base", "0", "0"),
    ]


@pytest.mark.slow
def test_processes_that_start_together_migrate_once(empty_url: str) -> None:
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", START, empty_url],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    for process in begun:
        assert process.stdin is not None
        process.stdin.write(b"g")
        process.stdin.flush()
    for process in begun:
        _, errors = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, errors.decode()
    store = open_store(empty_url)
    assert set(inspect(store.reader).get_table_names()) > set(METADATA.tables)
    store.close()


def test_a_database_of_an_unknown_version_is_refused_and_left_alone(store: SqlStore) -> None:
    with store.writer.begin() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    before = described(store.writer)
    remedy = (
        "Move the file" if store.writer.dialect.name == "sqlite" else "Create an empty database"
    )
    with pytest.raises(UnknownVersion, match=f"of migration 0003, .*{remedy}.* start again"):
        upgrade(store.writer)
    assert described(store.writer) == before
    (sentence,) = store.ping()
    assert remedy in sentence


@pytest.mark.slow
def test_no_command_works_on_a_database_of_an_unknown_version(url: str, tmp_path: Path) -> None:
    store = open_store(url)
    with store.writer.begin() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '0003'"))
    store.close()
    environment = {"CROSSWAY_DATABASE_URL": url, "CROSSWAY_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(
        [sys.executable, "-c", "from crossway.cli import main; main()", "clients", "list"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("crossway: the database is of migration 0003, which this version")
