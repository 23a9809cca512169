"""No statement uses what CockroachDB or YugabyteDB lack, but for the exceptions that are named."""

from collections.abc import Iterator

import pytest

from crossway.bootstrap import Service
from tests.api.conftest import Api, new_key, new_service, new_test_client
from tests.databases import new_postgres
from tests.distributed_databases import (
    StatementLog,
    find_exceptions,
    find_lacking,
    find_offences,
    load,
)


@pytest.fixture(scope="module")
def log(postgres_url: str) -> Iterator[tuple[str, StatementLog]]:
    with new_postgres(postgres_url, empty=True) as url:
        yield url, StatementLog(url)


@pytest.fixture(scope="module")
def service(
    log: tuple[str, StatementLog], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"), database_url=log[0])
    yield service
    service.close()


@pytest.fixture(scope="module")
def executed(log: tuple[str, StatementLog], service: Service) -> list[str]:
    """All that reaches the database from an empty one to a completed and a refunded payment."""
    api = Api(new_test_client(service.services), service, *new_key(service))
    paid = api.create().json()
    short = api.create().json()
    for intent, amount in ((paid, "exact"), (short, "1000000")):
        api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": amount})
    service.store.stamp()
    for _ in range(8):
        api.post("/sandbox/clock", {"advanceSeconds": 5})
        api.tick()
    api.post("/sandbox/clock", {"advanceSeconds": 30 * 86_400})
    api.tick(4)
    assert api.get(f"/intents/{paid['id']}").json()["intent_status"] == "COMPLETED"
    return log[1].read()


def test_migrations_api_and_engine_use_nothing_that_they_lack(executed: list[str]) -> None:
    assert any(statement.startswith("CREATE TABLE") for statement in executed)
    assert any(statement.startswith("INSERT INTO postings") for statement in executed)
    assert not find_offences(executed)


def test_each_exception_is_still_executed(executed: list[str]) -> None:
    used = {name for statement in executed for name in find_exceptions(statement)}
    assert used == {entry["lacking"] for entry in load()["exception"]}


@pytest.mark.parametrize("entry", load()["lacking"], ids=lambda entry: str(entry["name"]))
def test_an_example_of_what_is_lacking_is_found(entry: dict[str, str]) -> None:
    assert find_lacking(entry["example"]) == [entry["name"]]
    assert not find_exceptions("EXPLAIN " + entry["example"])
    assert entry["cockroachdb"]
    assert entry["yugabytedb"]


def test_texts_in_a_statement_may_say_anything() -> None:
    assert not find_lacking("SELECT 'LISTEN; it''s xmin', id FROM intents")
    assert find_offences(["SELECT pg_advisory_xact_lock(1)"])
