"""The service on PostgreSQL, with several processes and concurrent callers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import quote

import pytest

from crossway.bootstrap import Service
from crossway.ports.process import ApiKeyCache
from crossway.usecases.developers import api_keys, clients
from tests.api.conftest import INTENT, Api, new_key, new_service, new_test_client


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"), database_url=postgres_url)
    yield service
    service.close()


def test_concurrently_started_processes_create_one_first_client(service: Service) -> None:
    with ThreadPoolExecutor(5) as pool:
        created = list(
            pool.map(lambda _: api_keys.create_first_client(service.services, "start"), range(5))
        )
    assert sum(bool(keys) for keys in created) == 1
    assert len(clients.list_clients(service.services)) == 1


def test_one_idempotency_key_in_two_processes_creates_one_intent(service: Service) -> None:
    key = new_key(service)
    processes = [
        Api(
            new_test_client(
                replace(
                    service.services,
                    process=replace(service.services.process, api_keys=ApiKeyCache()),
                )
            ),
            service,
            *key,
        )
        for _ in range(2)
    ]

    def create(n: int) -> int:
        answer = processes[n % 2].post("/intents", INTENT, Idempotency_Key="order-1")
        return int(answer.status_code)

    with ThreadPoolExecutor(10) as pool:
        statuses = set(pool.map(create, range(20)))
    assert 201 in statuses
    assert statuses <= {201, 409}
    assert processes[0].get("/intents").json()["total"] == 1
    assert processes[1].post("/intents", INTENT, Idempotency_Key="order-1").status_code == 201


def test_a_payment_completes(service: Service) -> None:
    api = Api(new_test_client(service.services), service, *new_key(service))
    intent = api.create(metadata={"text": "\u0000 é"}).json()
    assert intent["metadata"] == {"text": "\u0000 é"}
    api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
    for _ in range(8):
        api.post("/sandbox/clock", {"advanceSeconds": 5})
        api.tick()
    assert api.get(f"/intents/{intent['id']}").json()["intent_status"] == "COMPLETED"


@pytest.mark.parametrize("value", ["a\u0000b", "\ud7ff", "' OR 1=1 --", "%_\\"])
def test_unusual_text_causes_no_server_error(service: Service, value: str) -> None:
    api = Api(new_test_client(service.services), service, *new_key(service))
    for changes in ({"payment_link_id": value}, {"sender": value}, {"metadata": {value: value}}):
        assert api.create(**changes).status_code in (201, 400)
    for path in ("/intents/address/", "/intents/user/", "/chains/balances/", "/sandbox/balances/"):
        assert api.get(path + quote(value, safe="")).status_code in (200, 400, 404), path
    for name in ("status", "cursor", "source_chain"):
        assert api.get("/intents", **{name: value}).status_code == 400
    assert api.post("/intents", INTENT, Idempotency_Key="plain").status_code == 201
