"""What is remembered of requests: written apart, masked, and each client's own."""

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
from crossway.ports.process import RequestLogBuffer, RequestLogEntry
from crossway.usecases.developers import request_log
from tests.api.conftest import INTENT, Api, new_key, served


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
    """The client's requests, newest first, once all are written."""
    request_log.write_batch(api.service.services)
    return request_log.list_requests(
        api.service.services, caller_of(api), RequestFilter(**wanted), 100
    )


def test_a_request_is_remembered_with_its_route_its_answer_and_who_asked(api: Api) -> None:
    made = api.create()
    api.get(f"/intents/{made.json()['id']}")
    read, created = logged(api)
    assert (read.method, read.path, read.status) == ("GET", "/v1/intents/{id}", 200)
    assert (created.method, created.path, created.status) == ("POST", "/v1/intents", 201)
    assert created.request_id == made.headers["x-request-id"]
    assert (created.client_id, created.key_prefix) == (api.client_id, api.secret[:12])
    assert 0 < created.microseconds < 10_000_000
    age = api.service.services.clock.now() - created.at
    assert 0 <= age.total_seconds() < 60


def test_bodies_are_kept_of_writes_and_failures_alone(api: Api) -> None:
    made = api.create(metadata={"customer": "Ada Lovelace"})
    api.get(f"/intents/{made.json()['id']}")
    api.get("/intents/999999")
    missing, read, created = logged(api)
    assert (read.request_body, read.response_body) == (None, None)
    assert json.loads(missing.response_body or "") == {
        "statusCode": 404,
        "message": "Intent not found",
    }
    assert json.loads(created.request_body or "") == {**INTENT, "metadata": "…"}
    answered = json.loads(created.response_body or "")
    assert answered["intent_address"] == made.json()["intent_address"]
    assert answered["metadata"] == "…"
    assert "Lovelace" not in str(created)


def test_no_secret_and_no_e_mail_address_is_remembered(api: Api) -> None:
    email = "ada.lovelace@mail.example"
    body = {**INTENT, "userEmail": email, "amount": email, "recipient": api.secret}
    api.post("/intents", body)
    api.get("/ramp/kyc", provider="FONBNK", userEmail=email)
    api.post("/ramp/orders", {"userEmail": email, "fields": {"phoneNumber": "+254711000000"}})
    whole = str(logged(api))
    for private in (email, api.secret, "+254711000000", "%40", "Bearer"):
        assert private not in whole


def test_a_request_without_a_good_key_is_the_operators_to_see(
    http: TestClient, service: Service, api: Api, operator: Principal
) -> None:
    http.get("/api/v1/intents/5", headers={"X-Request-Id": "guess-1"})
    assert logged(api, request_id="guess-1") == []
    wanted = RequestFilter(request_id="guess-1")
    (one,) = request_log.list_requests(service.services, operator, wanted, 10)
    assert (one.status, one.path, one.client_id) == (401, "/v1/intents/{id}", None)
    with pytest.raises(NotFound):
        request_log.get_request(service.services, caller_of(api), one.id)
    assert request_log.get_request(service.services, operator, one.id) == one


def test_a_client_sees_its_own_requests_alone_page_by_page(
    api: Api, http: TestClient, service: Service
) -> None:
    other = Api(http, service, *new_key(service))
    for _ in range(5):
        api.get("/chains")
        other.get("/chains")
    found = logged(api)
    assert len(found) == 5
    services, caller = service.services, caller_of(api)
    first = request_log.list_requests(services, caller, RequestFilter(), 2)
    rest = request_log.list_requests(services, caller, RequestFilter(before_id=first[-1].id), 10)
    assert first + rest == found
    with pytest.raises(InvalidInput, match="limit must be from 1 to 200"):
        request_log.list_requests(services, caller, RequestFilter(), 201)
    with pytest.raises(Forbidden):
        request_log.list_requests(services, replace(caller, scopes=frozenset()), RequestFilter(), 1)


def test_a_clients_wrong_path_is_remembered_without_what_it_held(api: Api) -> None:
    api.get(f"/nowhere/{api.secret}")
    (one,) = logged(api)
    assert (one.path, one.status) == ("(no such path)", 404)
    assert api.secret not in str(one)


def test_what_is_refused_for_coming_too_often_without_a_key_is_not_remembered(
    service: Service, operator: Principal
) -> None:
    with served(service.services) as http:
        statuses = [http.get("/api/v1/chains").status_code for _ in range(70)]
    assert statuses.count(429) == 10
    while request_log.write_batch(service.services):
        pass
    wanted = RequestFilter(status=429)
    assert request_log.list_requests(service.services, operator, wanted, 10) == []


def test_probes_and_pages_are_not_remembered(http: TestClient, service: Service) -> None:
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


def heard(**more: Any) -> RequestLogEntry:
    facts: dict[str, Any] = {
        "at": 0.0, "request_id": "r", "method": "POST", "path": "/v1/x", "status": 200,
        "microseconds": 1, "client_id": None, "key_prefix": None,
        "request_body": b"{}", "response_body": b"{}",
    }  # fmt: skip
    return RequestLogEntry(**(facts | more))


def test_what_waits_is_bounded_and_bodies_go_first(service: Service) -> None:
    services = replace(
        service.services, process=replace(service.services.process, request_log=RequestLogBuffer())
    )
    request_log.enqueue(services, heard(request_body=b"x" * (request_log.MAX_BODY_BYTES + 1)))
    assert services.process.request_log.entries[0].request_body is None
    for _ in range(30_000):
        request_log.enqueue(services, heard())
    waiting = services.process.request_log.entries
    assert len(waiting) == 20_000
    assert waiting[-1].request_body is None


def test_a_database_that_refuses_costs_the_requests_that_wait_and_nothing_else(
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
    request_log.enqueue(services, heard())
    logging.getLogger("crossway").propagate = True
    with caplog.at_level(logging.ERROR):
        request_log.RequestLogWriter(services).stop()
    assert "requests could not be written" in caplog.text
    assert not services.process.request_log.entries
