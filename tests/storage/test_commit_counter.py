"""Commits that were acknowledged and are gone are noticed at the next start."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from crossway.domain.errors import StorageUnavailable
from crossway.storage.commit_counter import find_lost_commits
from crossway.storage.store import SqlStore, open_store
from tests.databases import new_sqlite
from tests.statements import recorded
from tests.storage.records import a_client

ENDINGS = ("", "-wal", "-shm", ".mark")


@pytest.fixture
def killed(tmp_path: Path) -> Iterator[Path]:
    """The files of a database as a killed process leaves them, after some commits."""
    running = tmp_path / "running"
    running.mkdir()
    store = open_store(new_sqlite(running))
    for number in range(5):
        add_client(store, f"c-{number}")
    left = tmp_path / "left"
    left.mkdir()
    for ending in ENDINGS:
        shutil.copy(running / f"crossway.db{ending}", left)
    yield left / "crossway.db"
    store.close()


def add_client(store: SqlStore, name: str) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client(name)))


def lost_at_start(database: Path) -> int:
    store = open_store(f"sqlite:///{database}")
    try:
        # A start commits before it looks, and when it reports.
        add_client(store, f"c-{os.urandom(4).hex()}")
        lost = find_lost_commits(store.writer)
        add_client(store, f"c-{os.urandom(4).hex()}")
        return lost
    finally:
        store.close()


def test_nothing_is_missing_after_a_kill(killed: Path) -> None:
    assert lost_at_start(killed) == 0


def test_a_lost_wal_is_noticed_once(killed: Path) -> None:
    Path(f"{killed}-wal").unlink()
    Path(f"{killed}-shm").unlink()
    assert lost_at_start(killed) == 5
    assert lost_at_start(killed) == 0


def test_a_loss_is_noticed_again_if_the_start_dies_before_it_reports(killed: Path) -> None:
    Path(f"{killed}-wal").unlink()
    Path(f"{killed}-shm").unlink()
    store = open_store(f"sqlite:///{killed}")
    add_client(store, "c-first")
    store.close()
    assert lost_at_start(killed) == 4, "one commit has followed"


def test_an_older_copy_in_its_place_is_noticed(killed: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{killed}")
    assert store.ping() == []
    store.close()  # One file.
    shutil.copy(killed, tmp_path / "older.db")
    later = open_store(f"sqlite:///{killed}")
    for number in range(3):
        add_client(later, f"later-{number}")
    later.close()
    shutil.copy(tmp_path / "older.db", killed)
    assert lost_at_start(killed) == 3


def test_a_wal_of_an_earlier_time_is_noticed(killed: Path, tmp_path: Path) -> None:
    shutil.copy(f"{killed}-wal", tmp_path / "earlier-wal")
    store = open_store(f"sqlite:///{killed}")
    for number in range(3):
        add_client(store, f"later-{number}")
    for ending in ENDINGS:
        shutil.copy(f"{killed}{ending}", tmp_path / f"copy.db{ending}")
    store.close()
    shutil.copy(tmp_path / "earlier-wal", tmp_path / "copy.db-wal")
    (tmp_path / "copy.db-shm").unlink()
    assert lost_at_start(tmp_path / "copy.db") == 3


def test_a_clean_end_leaves_nothing_to_notice(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path)
    for number in range(3):
        store = open_store(url)
        assert find_lost_commits(store.writer) == 0
        add_client(store, f"c-{number}")
        store.close()


def test_a_lost_mark_notices_nothing_and_claims_nothing(killed: Path) -> None:
    Path(f"{killed}.mark").write_text("garbage")
    assert lost_at_start(killed) == 0


def test_the_mark_is_written_before_the_caller_goes_on_and_never_for_a_failed_commit(
    tmp_path: Path,
) -> None:
    store = open_store(new_sqlite(tmp_path))
    mark = tmp_path / "crossway.db.mark"
    add_client(store, "c-1")
    first = int(mark.read_text())
    add_client(store, "c-2")
    assert int(mark.read_text()) == first + 1
    with pytest.raises(RuntimeError):
        store.write(lambda unit: _fail_after_write(unit))
    store.write(lambda unit: unit.api_keys.list_clients())
    assert int(mark.read_text()) == first + 1, "nothing was committed, or nothing changed"
    limit_pages(store)
    with pytest.raises(StorageUnavailable):
        add_clients(store, 1_000)
    last = int(mark.read_text())
    with store.reader.connect() as db:
        assert db.scalar(text("SELECT commits FROM commit_counter")) == last
    store.close()


def limit_pages(store: SqlStore) -> None:
    """SQLite refuses a further page as it does on a full disk."""
    with store.writer.connect() as db:
        pages = db.execute(text("PRAGMA page_count")).scalar_one()
        db.execute(text(f"PRAGMA max_page_count={pages}"))


def add_clients(store: SqlStore, count: int) -> None:
    for _ in range(count):
        add_client(store, f"more-{os.urandom(6).hex()}")


def _fail_after_write(unit: object) -> None:
    unit.api_keys.add_client(a_client("c-9"))  # type: ignore[attr-defined]
    raise RuntimeError


def test_a_commit_costs_one_statement_more_and_no_sync(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path))
    with recorded(store.writer) as statements:
        add_client(store, "c-1")
    assert sum("UPDATE commit_counter" in statement for statement in statements) == 1
    assert not any("PRAGMA" in statement for statement in statements)
    store.close()
