"""A SQLite database is backed up while in use, and restored while not in use."""

import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crossway.storage import backup
from crossway.storage.backup import BackupError, DatabaseInUse
from crossway.storage.store import SqlStore, open_store
from tests.databases import new_sqlite
from tests.storage.records import a_client

AT = datetime(2026, 11, 21, 12, 0, 5, tzinfo=UTC)
ASIDE = "crossway.db.before-20261121T120005"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(new_sqlite(tmp_path).removeprefix("sqlite:///"))


def used(database: Path, work: Callable[[SqlStore], object]) -> None:
    store = open_store(f"sqlite:///{database}")
    work(store)
    store.close()


def add(name: str) -> Callable[[SqlStore], object]:
    client = replace(a_client(), id=name, name=name)
    return lambda store: store.write(lambda unit: unit.api_keys.add_client(client))


def names(database: Path) -> set[str]:
    result: set[str] = set()

    def look(store: SqlStore) -> None:
        with store.read() as unit:
            result.update(client.name for client in unit.api_keys.list_clients())

    used(database, look)
    return result


def test_a_backup_is_complete_and_private_to_its_owner(database: Path, tmp_path: Path) -> None:
    used(database, add("first"))
    copy = tmp_path / "copies" / "one.db"
    copy.parent.mkdir()
    assert backup.back_up(database, copy) == copy.stat().st_size
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    head = backup.audit_head_file(copy)
    assert {path.name for path in copy.parent.iterdir()} == {"one.db", "one.db.audit.json"}
    assert head.stat().st_mode & 0o777 == 0o600
    assert names(copy) == {"first"}


def test_a_backup_during_writes_contains_whole_transactions(database: Path, tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{database}")
    ended = threading.Event()

    def write() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            pair = [replace(a_client(), id=f"{number}{x}", name=f"{number}{x}") for x in "ab"]
            store.write(lambda unit, p=pair: [unit.api_keys.add_client(c) for c in p])  # type: ignore[misc]

    writers = [threading.Thread(target=write)]
    for writer in writers:
        writer.start()
    try:
        for number in range(5):
            copy = tmp_path / f"copy-{number}.db"
            backup.back_up(database, copy)
            copied_names = names(copy)
            assert {name[:-1] + "a" for name in copied_names} == {
                n for n in copied_names if n.endswith("a")
            }
            assert len(copied_names) % 2 == 0
    finally:
        ended.set()
        for writer in writers:
            writer.join()
        store.close()


def test_a_file_that_exists_is_never_overwritten(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("precious")
    with pytest.raises(BackupError, match=r"copy\.db is there already: give another name"):
        backup.back_up(database, copy)
    assert copy.read_text() == "precious"
    with pytest.raises(BackupError, match="There is no folder"):
        backup.back_up(database, tmp_path / "nowhere" / "copy.db")
    with pytest.raises(BackupError, match="There is no database"):
        backup.back_up(tmp_path / "none.db", tmp_path / "other.db")


def test_a_damaged_database_is_not_backed_up(database: Path, tmp_path: Path) -> None:
    used(database, add("first"))
    content = bytearray(database.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\x55" * 4096 * 3
    database.write_bytes(content)
    with pytest.raises(BackupError):
        backup.back_up(database, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_restore_keeps_the_replaced_database(database: Path, tmp_path: Path) -> None:
    used(database, add("first"))
    copy = tmp_path / "copy.db"
    backup.back_up(database, copy)
    used(database, add("second"))
    assert backup.restore(copy, database, AT) == database.with_name(ASIDE)
    assert names(database) == {"first"}
    assert names(database.with_name(ASIDE)) == {"first", "second"}
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert names(copy) == {"first"}


def test_the_wal_of_the_old_database_is_moved_aside_with_it(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    backup.back_up(database, copy)
    with closing(sqlite3.connect(database)) as killed:
        killed.execute("PRAGMA journal_mode=WAL")
        killed.execute("PRAGMA wal_autocheckpoint=0")
        killed.execute("CREATE TABLE late (x)")
        killed.commit()
        content = {e: Path(f"{database}{e}").read_bytes() for e in ("", "-wal")}
    for ending, left in content.items():
        Path(f"{database}{ending}").write_bytes(left)
    backup.restore(copy, database, AT)
    with closing(sqlite3.connect(database.with_name(ASIDE))) as db:
        assert db.execute("SELECT count(*) FROM late").fetchone() == (0,)
    assert names(database) == set()


def test_a_restore_creates_a_missing_database(database: Path, tmp_path: Path) -> None:
    used(database, add("first"))
    fresh = tmp_path / "fresh" / "crossway.db"
    assert backup.restore(database, fresh, AT) is None
    assert names(fresh) == {"first"}


def test_a_new_database_is_private_to_its_owner(tmp_path: Path) -> None:
    made = tmp_path / "crossway.db"
    use = DatabaseInUse(made)
    store = open_store(f"sqlite:///{made}")
    with store.read():
        beside = list(tmp_path.glob("crossway.db*"))
        assert len(beside) > 1
        assert {stat.S_IMODE(file.stat().st_mode) for file in beside} == {0o600}
    store.close()
    use.end()


def test_a_database_in_use_is_not_replaced(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    backup.back_up(database, copy)
    first, second = DatabaseInUse(database), DatabaseInUse(database)
    first.end()
    with pytest.raises(BackupError, match=r"A service runs on .*: stop it first"):
        backup.restore(copy, database, AT)
    second.end()
    backup.restore(copy, database, AT)


@pytest.mark.parametrize("content", [b"", b"no database at all" * 1_000])
def test_a_file_that_is_not_a_database_is_not_restored(
    database: Path, tmp_path: Path, content: bytes
) -> None:
    strange = tmp_path / "strange.db"
    strange.write_bytes(content)
    with pytest.raises(BackupError):
        backup.restore(strange, database, AT)
    assert names(database) == set()
    assert not database.with_name(ASIDE).exists()
    with pytest.raises(BackupError, match="There is no file"):
        backup.restore(tmp_path / "none.db", database, AT)


def test_a_foreign_database_or_one_of_another_version_is_not_restored(
    database: Path, tmp_path: Path
) -> None:
    other, newer = tmp_path / "other.db", tmp_path / "newer.db"
    with closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE notes (x)")
    with pytest.raises(BackupError, match="no database of Crossway"):
        backup.restore(other, database, AT)
    backup.back_up(database, newer)
    with closing(sqlite3.connect(newer)) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.commit()
    with pytest.raises(BackupError, match="of another version"):
        backup.restore(newer, database, AT)
