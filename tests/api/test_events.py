"""Events as a stream: as they happen, resumed where one stopped, and for their client alone."""

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
from crossway.domain.clients import Mode, staff_principal
from crossway.domain.webhooks import OutboxEvent
from crossway.engine.fan_out import fan_out
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import api_keys
from tests.api.conftest import Api, new_key
from tests.processes import free_port, wait_until


@pytest.fixture(scope="module")
def base(service: Service) -> Iterator[str]:
    """The API behind a real server, as streams need one."""
    with serving(service.services) as found:
        yield found


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
        """The fields of the next event; comments are passed over."""
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


def created(api: Api) -> dict[str, Any]:
    """A new intent whose event has its place."""
    made: dict[str, Any] = api.create().json()
    fan_out(api.service.services)
    return made


def test_an_event_comes_as_it_happens(base: str, api: Api) -> None:
    first = created(api)
    with streaming(base, api) as stream:
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        made: list[dict[str, Any]] = []
        came = threading.Event()

        def keep_creating() -> None:
            while not came.wait(0.2):
                made.append(created(api))

        thread = threading.Thread(target=keep_creating)
        thread.start()
        got = stream.next()
        came.set()
        thread.join()
    event = json.loads(got["data"])
    assert got["event"] == event["type"] == "intent_created"
    assert got["id"] == event["id"]
    assert event["data"]["id"] in [one["id"] for one in made]
    assert event["data"]["id"] != first["id"]


def test_a_stream_goes_on_behind_the_last_event_that_was_read(base: str, api: Api) -> None:
    made = [created(api) for _ in range(5)]
    with api.service.store.read() as unit:
        told = unit.outbox.list_after(0, [api.client_id], unit.outbox.last_position(), 10)
    with streaming(base, api, Last_Event_ID=told[1].event_id) as stream:
        found = [json.loads(stream.next()["data"]) for _ in range(3)]
        late = created(api)
        assert json.loads(stream.next()["data"])["data"]["id"] == late["id"]
    assert [one["data"]["id"] for one in found] == [one["id"] for one in made[2:]]


def test_nobody_streams_another_clients_events(
    base: str, api: Api, http: TestClient, service: Service
) -> None:
    other = Api(http, service, *new_key(service))
    own = created(api)
    with api.service.store.read() as unit:
        [told] = unit.outbox.list_after(0, [api.client_id], unit.outbox.last_position(), 10)
    created(other)
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()
    with streaming(base, other, Last_Event_ID=told.event_id) as stream:
        assert stream.response.status_code == 400
        assert "Last-Event-ID" in json.loads(stream.response.read())["message"]
    with streaming(base, api, Last_Event_ID=told.event_id) as stream:
        api.post(f"/webhooks/{webhook['id']}/test")
        fan_out(service.services)
        got = json.loads(stream.next()["data"])
    assert got["type"] == "webhook_test"
    assert own["client_id"] == api.client_id


def test_a_client_has_so_many_streams_and_no_more(base: str, api: Api) -> None:
    with httpx.Client(timeout=20) as client:
        opened = []
        for _ in range(MAX_STREAMS_PER_CLIENT):
            request = client.build_request("GET", f"{base}/events", headers=api.headers())
            response = client.send(request, stream=True)
            lines = response.iter_lines()
            next(lines)
            opened.append((response, lines))  # letting go of the lines would close the response
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


def test_a_stream_ends_with_its_key_and_goes_on_with_another_one(base: str, api: Api) -> None:
    services = api.service.services
    spare = api_keys.create_api_key(services, api.client_id, Mode.TEST, staff_principal("test"))
    with streaming(base, api) as ended, streaming(base, api_with(api, spare.secret)) as other:
        next(ended._lines)
        api_keys.revoke_api_key(services, api.key_id, staff_principal("test"))
        with pytest.raises(AssertionError, match="the stream ended"):
            ended.next()
        made = created(api_with(api, spare.secret))
        assert json.loads(other.next()["data"])["data"]["id"] == made["id"]


def api_with(api: Api, secret: str) -> Api:
    return replace(api, secret=secret)


def test_an_event_that_cannot_be_drawn_stops_no_stream(service: Service, api: Api) -> None:
    made = [created(api)["id"] for _ in range(3)]

    def draw(unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        if any(one.resource_id == made[1] for one in events):
            raise ValueError("a defect")
        return render_events(unit, events)

    outgoing = service.services.webhooks
    assert outgoing is not None
    broken = replace(service.services, webhooks=replace(outgoing, render_events=draw))
    with serving(broken) as base, api.service.store.read() as unit:
        first = unit.outbox.list_after(0, [api.client_id], unit.outbox.last_position(), 10)[0]
        with streaming(base, api, Last_Event_ID=first.event_id) as stream:
            assert json.loads(stream.next()["data"])["data"]["id"] == made[2]


def test_a_stream_needs_a_key(base: str) -> None:
    assert httpx.get(f"{base}/events").status_code == 401
