"""Every test of the store runs on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from crossway.storage.store import SqlStore, open_store
from tests.databases import fast, new_postgres, new_sqlite
from tests.distributed_databases import only_what_all_have
from tests.storage.records import VAULT, a_client


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which database a test runs on."""
    return str(request.param)


@pytest.fixture
def url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated database of this test's own."""
    if kind == "sqlite":
        yield new_sqlite(tmp_path)
        return
    with new_postgres(request.getfixturevalue("postgres_url")) as database_url:
        yield database_url


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    """A store that knows one client."""
    opened = open_store(fast(url))
    opened.unlock(VAULT)
    opened.write(lambda unit: unit.api_keys.add_client(a_client()))
    with closing(opened), only_what_all_have(opened.writer, opened.reader):
        yield opened
