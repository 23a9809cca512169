"""The event stream: live, resumable, and restricted to the client's own events."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.schemas.events import render_events
from crossway.api.sse_broker import MAX_STREAMS_PER_CLIENT
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import OutboxEvent
from crossway.engine.fan_out import fan_out
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import api_keys
from tests.api.conftest import Api, new_key
from tests.ports import free_port
from tests.processes import wait_until
from tests.record_numbers import record_id


@pytest.fixture(scope="module")
def base(service: Service) -> Iterator[str]:
    """The API behind a real server, which streams require."""
    with serving(service.services) as result:
        yield result


@contextmanager
def serving(services: Services) -> Iterator[str]:
    mounted = Starlette(routes=[Mount("/api", create_api(services))])
    config = uvicorn.Config(mounted, "127.0.0.1", free_port(), log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until("the server runs", lambda: server.started)
    yield f"http://127.0.0.1:{config.port}/api/v1"
    server.should_exit = True
    thread.join()


class Stream:
    """An open stream, read event by event."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def next(self) -> dict[str, str]:
        """The fields of the next event; comments are skipped."""
        fields: dict[str, str] = {}
        for line in self._lines:
            name, _, value = line.partition(": ")
            if line and name:
                fields[name] = value
            elif not line and "data" in fields:
                return fields
            elif not line:
                fields = {}
        raise AssertionError("the stream ended")


@contextmanager
def streaming(base: str, api: Api, **headers: str) -> Iterator[Stream]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with (
        httpx.Client(timeout=20) as client,
        client.stream("GET", f"{base}/events", headers=api.headers(**named)) as response,
    ):
        yield Stream(response)


def create_intent_with_event(api: Api) -> dict[str, Any]:
    """A new intent whose event has a position in the outbox."""
    intent: dict[str, Any] = api.create().json()
    fan_out(api.service.services)
    return intent


def test_an_event_is_streamed_as_it_happens(base: str, api: Api) -> None:
    first = create_intent_with_event(api)
    with streaming(base, api) as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        created: list[dict[str, Any]] = []
        done = threading.Event()

        def keep_creating() -> None:
            while not done.wait(0.2):
                created.append(create_intent_with_event(api))

        thread = threading.Thread(target=keep_creating)
        thread.start()
        received = stream.next()
        done.set()
        thread.join()
    event = json.loads(received["data"])
    assert received["event"] == event["type"] == "intent_created"
    assert received["id"] == event["id"]
    assert event["data"]["id"] in [item["id"] for item in created]
    assert event["data"]["id"] != first["id"]


def test_a_stream_resumes_after_the_last_event_id(base: str, api: Api) -> None:
    created = [create_intent_with_event(api) for _ in range(5)]
    with api.service.store.read() as unit:
        events = unit.outbox.list_after(0, api.owner, 1_000, 10)
    with streaming(base, api, Last_Event_ID=events[1].event_id) as stream:
        body = [json.loads(stream.next()["data"]) for _ in range(3)]
        late = create_intent_with_event(api)
        assert json.loads(stream.next()["data"])["data"]["id"] == late["id"]
    assert [item["data"]["id"] for item in body] == [item["id"] for item in created[2:]]


def test_a_client_streams_only_its_own_events(
    base: str, api: Api, http: TestClient, service: Service
) -> None:
    other = Api(http, service, *new_key(service))
    own = create_intent_with_event(api)
    with api.service.store.read() as unit:
        [outbox_events] = unit.outbox.list_after(0, api.owner, 1_000, 10)
    create_intent_with_event(other)
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()
    with streaming(base, other, Last_Event_ID=outbox_events.event_id) as stream:
        assert stream.response.status_code == 400
        assert "Last-Event-ID" in json.loads(stream.response.read())["message"]
    with streaming(base, api, Last_Event_ID=outbox_events.event_id) as stream:
        api.post(f"/webhooks/{webhook['id']}/test")
        fan_out(service.services)
        body = json.loads(stream.next()["data"])
    assert body["type"] == "webhook_test"
    assert own["client_id"] == api.client_id


def test_the_number_of_streams_per_client_is_limited(base: str, api: Api) -> None:
    with httpx.Client(timeout=20) as client:
        opened = []
        for _ in range(MAX_STREAMS_PER_CLIENT):
            request = client.build_request("GET", f"{base}/events", headers=api.headers())
            response = client.send(request, stream=True)
            lines = response.iter_lines()
            next(lines)
            opened.append((response, lines))  # Releasing the iterator would close the response.
        refused = client.get(f"{base}/events", headers=api.headers())
        assert refused.status_code == 429
        for response, _ in opened:
            response.close()
        wait_until(
            "there is room again",
            lambda: _status(client, base, api) == 200,
            within=20,
        )


def _status(client: httpx.Client, base: str, api: Api) -> int:
    with client.stream("GET", f"{base}/events", headers=api.headers()) as response:
        return response.status_code


def test_a_stream_ends_when_its_key_changes_and_resumes_with_another(base: str, api: Api) -> None:
    services, operator = api.service.services, staff_principal("test")
    bound, lesser, spare = (
        api_keys.create_api_key(services, api.client_id, Mode.TEST, operator) for _ in range(3)
    )
    with (
        streaming(base, api) as revoked,
        streaming(base, api_with(api, bound.secret)) as from_elsewhere,
        streaming(base, api_with(api, lesser.secret)) as without_scope,
        streaming(base, api_with(api, spare.secret)) as other,
    ):
        next(revoked._lines)
        api_keys.revoke_api_key(services, api.key_id, operator)
        network = api_keys.ApiKeyUpdate(addresses=("203.0.113.0/24",))
        api_keys.update_api_key(services, bound.key.id, network, operator)
        scopes = api_keys.ApiKeyUpdate(scopes=frozenset({Scope.WRITE}))
        api_keys.update_api_key(services, lesser.key.id, scopes, operator)
        with pytest.raises(AssertionError, match="the stream ended"):
            revoked.next()
        # The same check has ended the others; one still open would get this event.
        created = create_intent_with_event(api_with(api, spare.secret))
        for ended in (from_elsewhere, without_scope):
            with pytest.raises(AssertionError, match="the stream ended"):
                ended.next()
        assert json.loads(other.next()["data"])["data"]["id"] == created["id"]


def api_with(api: Api, secret: str) -> Api:
    return replace(api, secret=secret)


def test_an_event_that_cannot_be_rendered_stops_no_stream(service: Service, api: Api) -> None:
    ids = [create_intent_with_event(api)["id"] for _ in range(3)]

    def draw(unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        second = record_id(service.services, RecordKind.INTENT, ids[1])
        if any(event.resource_id == second for event in events):
            raise ValueError("a defect")
        return render_events(unit, events)

    outgoing = service.services.webhooks
    assert outgoing is not None
    broken = replace(service.services, webhooks=replace(outgoing, render_events=draw))
    with serving(broken) as base, api.service.store.read() as unit:
        first = unit.outbox.list_after(0, api.owner, 1_000, 10)[0]
        with streaming(base, api, Last_Event_ID=first.event_id) as stream:
            assert json.loads(stream.next()["data"])["data"]["id"] == ids[2]


def test_a_stream_needs_a_key(base: str) -> None:
    assert httpx.get(f"{base}/events").status_code == 401
