"""A database that is full, locked or read-only raises one error of the domain, and recovers."""

import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event, text

from crossway.domain.errors import StorageUnavailable
from crossway.settings import Settings
from crossway.startup_checks import unusable, upgrade_when_free
from crossway.storage.store import SqlStore, open_store
from tests.databases import new_sqlite
from tests.storage.records import a_client
from tests.storage.test_commit_counter import add_clients, limit_pages


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    opened = open_store(new_sqlite(tmp_path))
    yield opened
    opened.close()


def write(store: SqlStore, name: str) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client(name)))


def fill_disk(store: SqlStore) -> None:
    limit_pages(store)
    with pytest.raises(StorageUnavailable, match="The disk of the database is full"):
        add_clients(store, 1_000)


def free_disk(store: SqlStore) -> None:
    with store.writer.connect() as db:
        db.execute(text("PRAGMA max_page_count=1000000"))


def shorten_patience(store: SqlStore) -> None:
    """Do not wait long for a lock."""
    for engine in (store.writer, store.reader):
        event.listen(
            engine,
            "engine_connect",
            lambda db: db.connection.driver_connection.execute("PRAGMA busy_timeout=50"),
        )


def test_a_full_disk_is_named_and_red_until_a_write_succeeds(store: SqlStore) -> None:
    write(store, "before")
    assert store.ping() == []
    fill_disk(store)
    with store.read() as unit:
        names = {client.id for client in unit.api_keys.list_clients()}
    assert "before" in names, "what is there can be read"
    free_disk(store)
    # Nobody has written meanwhile: the probe itself finds out.
    assert store.ping() == []
    write(store, "after")


def test_a_locked_database_is_named_and_red_while_it_is_locked(
    store: SqlStore, tmp_path: Path
) -> None:
    shorten_patience(store)
    with closing(sqlite3.connect(tmp_path / "crossway.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable, match="locked by another program"):
            write(store, "c-1")
        assert store.ping() == ["the database is locked by another program"]
        other.execute("ROLLBACK")
    assert store.ping() == []
    write(store, "c-1")


def test_all_that_wait_for_one_commit_learn_that_it_failed(store: SqlStore, tmp_path: Path) -> None:
    shorten_patience(store)
    outcomes: list[str] = []

    def attempt(number: int) -> None:
        try:
            write(store, f"c-{number}")
        except StorageUnavailable as error:
            outcomes.append(str(error))

    with closing(sqlite3.connect(tmp_path / "crossway.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        threads = [threading.Thread(target=attempt, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.execute("ROLLBACK")
    assert outcomes == ["The database is locked by another program"] * 6
    with store.read() as unit:
        assert {c.id for c in unit.api_keys.list_clients()} & {f"c-{n}" for n in range(6)} == set()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "crossway.db"
    file.write_bytes(b"not a database " * 1_000)
    store = open_store(f"sqlite:///{file}")
    assert store.ping() == ["the file of the database is damaged: restore a backup"]
    store.close()


def test_engines_at_the_address_of_one_that_is_gone_name_their_errors(tmp_path: Path) -> None:
    """SQLAlchemy keeps listeners by an engine's address in memory, and addresses are used again."""
    file = tmp_path / "crossway.db"
    file.write_bytes(b"not a database " * 1_000)
    command = [sys.executable, "-m", "tests.storage.engines_at_one_address", f"sqlite:///{file}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "The file of the database is damaged: restore a backup"


class OnMessage(logging.Handler):
    """Does something at the first message."""

    def __init__(self, do: Callable[[], None]) -> None:
        super().__init__()
        self.do, self.messages = do, list[str]()

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        if len(self.messages) == 1:
            self.do()


@pytest.fixture
def impatient(store: SqlStore) -> SqlStore:
    """A store that waits only a moment for a lock."""
    with store.writer.connect() as db:
        db.exec_driver_sql("PRAGMA busy_timeout=20")
    return store


def test_a_start_waits_while_a_frozen_process_keeps_the_database_locked(
    impatient: SqlStore,
) -> None:
    holder = sqlite3.connect(str(impatient.writer.url.database))
    holder.execute("BEGIN IMMEDIATE")
    released = OnMessage(holder.rollback)
    logger = logging.getLogger("crossway")
    logger.addHandler(released)
    try:
        upgrade_when_free(impatient)
    finally:
        logger.removeHandler(released)
        holder.close()
    assert released.messages[0] == "The database is locked by another program; waiting for it."


def test_a_start_ends_with_a_sentence_where_the_lock_stays(impatient: SqlStore) -> None:
    file = Path(str(impatient.writer.url.database))
    with closing(sqlite3.connect(file)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable) as caught:
            upgrade_when_free(impatient, seconds=0)
    settings = Settings(data_dir=file.parent, database_url=f"sqlite:///{file}")
    assert str(unusable(settings, caught.value)) == (
        f"The database is locked by another program: end the program that holds {file}, which may "
        "be a stopped process of Crossway, a backup or a database tool; then start again"
    )
