"""The service behind PgBouncer, whose connections to PostgreSQL change with every transaction."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from crossway.bootstrap import Service
from crossway.storage.store import SqlStore, open_store
from tests.api.conftest import INTENT, Api, new_key, new_service, new_test_client
from tests.databases import new_postgres
from tests.harness import SECRET_KEY
from tests.pgbouncer import running_pgbouncer
from tests.ports import free_port
from tests.postgres import PostgresMissing
from tests.processes import new_installation, wait_until
from tests.test_processes import Api as RemoteApi
from tests.test_processes import seen_from_here

CONNECTIONS, AT_ONCE, EACH = 4, 12, 4


@pytest.fixture
def direct(postgres_url: str) -> Iterator[str]:
    with new_postgres(postgres_url) as url:
        yield url


@pytest.fixture
def through(direct: str) -> Iterator[str]:
    try:
        with running_pgbouncer(direct, CONNECTIONS) as url:
            yield url
    except PostgresMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def service(through: str, tmp_path: Path) -> Iterator[Service]:
    service = new_service(tmp_path, database_url=through)
    yield service
    service.close()


@pytest.fixture
def store(through: str) -> Iterator[SqlStore]:
    opened = open_store(through)
    yield opened
    opened.close()


def count_connections(direct: str) -> int:
    """How many connections PostgreSQL has on a database, other than this one."""
    with psycopg.connect(direct.replace("+psycopg", "")) as db:
        row = db.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_more_requests_than_connections_create_and_complete_payments(
    service: Service, direct: str
) -> None:
    api = Api(new_test_client(service.services), service, *new_key(service))

    def create(number: int) -> list[int]:
        keys = [f"{number}-{n}" for n in range(EACH)]
        return [api.post("/intents", INTENT, Idempotency_Key=key).status_code for key in keys]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = [status for some in pool.map(create, range(AT_ONCE)) for status in some]
    assert statuses == [201] * AT_ONCE * EACH
    # Creates that come together share a transaction, so that fewer may have been needed.
    assert 1 <= count_connections(direct) <= CONNECTIONS
    for intent in api.get("/intents", limit=100).json()["intents"]:
        api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
    for _ in range(10):
        api.post("/sandbox/clock", {"advanceSeconds": 5})
        api.tick()
    page = api.get("/intents", status="completed", limit=100).json()
    assert page["total"] == AT_ONCE * EACH


def test_readers_see_one_moment_and_cannot_write_and_writers_can(store: SqlStore) -> None:
    mark = text("INSERT INTO leases (name, owner, until, epoch) VALUES (:name, '', 0, 0)")
    count = text("SELECT count(*) FROM leases")
    for number in range(CONNECTIONS * 3):
        with store.reader.connect() as reader, pytest.raises(DBAPIError, match="read-only"):
            reader.execute(mark, {"name": f"reader {number}"})
        with store.reader.connect() as reader:
            before = reader.execute(count).scalar_one()
            with store.writer.begin() as writer:
                writer.execute(mark, {"name": f"writer {number}"})
            assert reader.execute(count).scalar_one() == before
    with store.reader.connect() as reader:
        assert reader.execute(count).scalar_one() == CONNECTIONS * 3


def test_statements_are_prepared_only_without_a_pooler(store: SqlStore, direct: str) -> None:
    plain = open_store(direct)
    try:
        for opened, prepares in ((store, False), (plain, True)):
            for engine in (opened.writer, opened.reader):
                with engine.connect() as db:
                    driver = db.connection.driver_connection
                    assert driver is not None
                    assert (driver.prepare_threshold is not None) is prepares
    finally:
        plain.close()


def test_processes_complete_payments(through: str, direct: str, tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_bytes(SECRET_KEY)
    (tmp_path / "secret.key").chmod(0o600)
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with new_installation(through, tmp_path) as installation:
        installation.start("api", "crossway", "api", "--port", str(port))
        installation.start("engine 1", "crossway", "engine")
        installation.start("engine 2", "crossway", "engine")
        wait_until("the API answers", lambda: installation.responds("api", f"{base}/api/readyz"))
        with seen_from_here(direct) as world, RemoteApi(base, world) as api:
            intents = [api.pay(number) for number in range(8)]
            for intent in intents:
                api.deposit(intent["intent_address"])
            wait_until("all are completed", lambda: api.statuses()["COMPLETED"] == len(intents))
