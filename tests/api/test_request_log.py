"""The request log: written in the background, masked, and separate for each client."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Principal, Scope
from crossway.domain.errors import Forbidden, InvalidInput, NotFound
from crossway.domain.roles import Role
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.process import MAX_LOGGED_REQUEST_BYTES, RequestLogBuffer, RequestLogEntry
from crossway.usecases.developers import request_log
from tests.api.conftest import INTENT, Api, new_key, new_test_client


@pytest.fixture(autouse=True)
def emptied(service: Service) -> None:
    while request_log.write_batch(service.services):
        pass


@pytest.fixture
def operator(service: Service) -> Iterator[Principal]:
    with service.services.store.read() as unit:
        yield Principal(
            unit.api_keys.list_clients()[0], Mode.TEST, frozenset(Scope), role=Role.ADMIN
        )


def caller_of(api: Api) -> Principal:
    with api.service.services.store.read() as unit:
        client = unit.api_keys.get_client(api.client_id)
    assert client is not None
    return Principal(client, Mode.TEST, frozenset(Scope))


def logged(api: Api, **wanted: Any) -> list[LoggedRequest]:
    """Write the buffered requests and return the client's, newest first."""
    request_log.write_batch(api.service.services)
    return request_log.list_requests(
        api.service.services, caller_of(api), RequestFilter(**wanted), 100
    )


def test_a_request_is_logged_with_route_response_and_caller(api: Api) -> None:
    intent = api.create()
    api.get(f"/intents/{intent.json()['id']}")
    read, created = logged(api)
    assert (read.method, read.path, read.status) == ("GET", "/v1/intents/{id}", 200)
    assert (created.method, created.path, created.status) == ("POST", "/v1/intents", 201)
    assert created.request_id == intent.headers["x-request-id"]
    assert (created.client_id, created.key_prefix) == (api.client_id, api.secret[:12])
    assert 0 < created.microseconds < 10_000_000
    age = api.service.services.clock.now() - created.at
    assert 0 <= age.total_seconds() < 60


def test_only_bodies_of_writes_and_failures_are_logged(api: Api) -> None:
    intent = api.create(metadata={"customer": "Ada Lovelace"})
    api.get(f"/intents/{intent.json()['id']}")
    api.get("/intents/999999")
    missing, read, created = logged(api)
    assert (read.request_body, read.response_body) == (None, None)
    assert json.loads(missing.response_body or "") == {
        "statusCode": 404,
        "message": "Intent not found",
        "code": "intent_not_found",
    }
    assert json.loads(created.request_body or "") == {**INTENT, "metadata": "…"}
    answered = json.loads(created.response_body or "")
    assert answered["intent_address"] == intent.json()["intent_address"]
    assert answered["metadata"] == "…"
    assert "Lovelace" not in str(created)


def test_no_secret_and_no_email_address_is_logged(api: Api) -> None:
    email = "ada.lovelace@mail.example"
    body = {**INTENT, "userEmail": email, "amount": email, "recipient": api.secret}
    api.post("/intents", body)
    api.get("/ramp/kyc", provider="FONBNK", userEmail=email)
    api.post("/ramp/orders", {"userEmail": email, "fields": {"phoneNumber": "+254711000000"}})
    text = str(logged(api))
    for private in (email, api.secret, "+254711000000", "%40", "Bearer"):
        assert private not in text


def test_requests_without_a_valid_key_are_visible_to_operators_only(
    http: TestClient, service: Service, api: Api, operator: Principal
) -> None:
    http.get("/api/v1/intents/5", headers={"X-Request-Id": "guess-1"})
    assert logged(api, request_id="guess-1") == []
    filters = RequestFilter(request_id="guess-1")
    (entry,) = request_log.list_requests(service.services, operator, filters, 10)
    assert (entry.status, entry.path, entry.client_id) == (401, "/v1/intents/{id}", None)
    with pytest.raises(NotFound):
        request_log.get_request(service.services, caller_of(api), entry.id)
    assert request_log.get_request(service.services, operator, entry.id) == entry


def test_a_client_pages_through_its_own_requests_only(
    api: Api, http: TestClient, service: Service
) -> None:
    other = Api(http, service, *new_key(service))
    for _ in range(5):
        api.get("/chains")
        other.get("/chains")
    entries = logged(api)
    assert len(entries) == 5
    services, caller = service.services, caller_of(api)
    first = request_log.list_requests(services, caller, RequestFilter(), 2)
    rest = request_log.list_requests(services, caller, RequestFilter(before_id=first[-1].id), 10)
    assert first + rest == entries
    with pytest.raises(InvalidInput, match="limit must be from 1 to 200"):
        request_log.list_requests(services, caller, RequestFilter(), 201)
    with pytest.raises(Forbidden):
        request_log.list_requests(services, replace(caller, scopes=frozenset()), RequestFilter(), 1)


def test_an_unknown_path_is_logged_without_its_values(api: Api) -> None:
    api.get(f"/nowhere/{api.secret}")
    (entry,) = logged(api)
    assert (entry.path, entry.status) == ("(no such path)", 404)
    assert api.secret not in str(entry)


def test_rate_limited_requests_without_a_key_are_not_logged(
    service: Service, operator: Principal
) -> None:
    with new_test_client(service.services) as http:
        statuses = [http.get("/api/v1/chains").status_code for _ in range(70)]
    assert statuses.count(429) == 10
    while request_log.write_batch(service.services):
        pass
    filters = RequestFilter(status=429)
    assert request_log.list_requests(service.services, operator, filters, 10) == []


def test_health_checks_and_pages_are_not_logged(http: TestClient, service: Service) -> None:
    for path in ("healthz", "readyz", "docs", "v1", "elsewhere"):
        http.get(f"/api/{path}")
    assert list(service.services.process.request_log.entries) == []


def test_many_requests_share_a_commit(api: Api) -> None:
    services, commits = api.service.services, 0
    for _ in range(30):
        api.get("/chains")
    assert len(services.process.request_log.entries) == 30
    while request_log.write_batch(services):
        commits += 1
    assert commits == 1


def new_entry(**more: Any) -> RequestLogEntry:
    facts: dict[str, Any] = {
        "at": 0.0, "request_id": "r", "method": "POST", "path": "/v1/x", "status": 200,
        "microseconds": 1, "client_id": None, "key_prefix": None,
        "request_body": b"{}", "response_body": b"{}",
    }  # fmt: skip
    return RequestLogEntry(**(facts | more))


def test_the_buffer_is_bounded_and_drops_bodies_first(service: Service) -> None:
    services = replace(
        service.services, process=replace(service.services.process, request_log=RequestLogBuffer())
    )
    services.process.request_log.add(new_entry(request_body=b"x" * (MAX_LOGGED_REQUEST_BYTES + 1)))
    assert services.process.request_log.entries[0].request_body is None
    for _ in range(30_000):
        services.process.request_log.add(new_entry())
    waiting = services.process.request_log.entries
    assert len(waiting) == 20_000
    assert waiting[-1].request_body is None


def test_a_failing_database_loses_only_buffered_requests(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    class Refusing:
        def write(self, work: object) -> None:
            raise OSError("disk full")

    services = replace(
        service.services,
        store=Refusing(),
        process=replace(service.services.process, request_log=RequestLogBuffer()),
    )  # type: ignore[arg-type]
    services.process.request_log.add(new_entry())
    logging.getLogger("crossway").propagate = True
    with caplog.at_level(logging.ERROR):
        request_log.RequestLogWriter(services).stop()
    assert "requests could not be written" in caplog.text
    assert not services.process.request_log.entries
