"""Events for clients: the stream, webhooks, and verification of signatures."""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook as Signer

from crossway.bootstrap import Service
from crossway.engine.fan_out import fan_out
from crossway_client import (
    APIConnectionError,
    BadRequest,
    Crossway,
    Event,
    IntentEvent,
    NotFound,
    RampOrderEvent,
    ServerError,
    SignatureVerificationError,
    Unauthorized,
    verify_webhook,
)
from crossway_client.records.events import parse_event
from tests.client.test_client import create

SECRET = f"whsec_{b64encode(b'a secret of twenty-four ').decode()}"
BODY = b'{"id": "evt_1", "type": "intent_funded", "created_at": "2026-11-21T10:53:00.000Z", "data": {}}'  # noqa: E501


def signed(body: bytes = BODY, at: datetime | None = None, **changes: str) -> dict[str, str]:
    at = at or datetime.now(UTC)
    return {
        "Webhook-Id": "evt_1",
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": Signer(SECRET).sign("evt_1", at, body.decode()),
        **changes,
    }


def test_a_signed_delivery_is_parsed_into_its_event() -> None:
    event = verify_webhook(BODY, signed(), SECRET)
    assert (event.id, event.type, event.raw) == ("evt_1", "intent_funded", BODY)
    # While a secret is rotated there are two signatures.
    both = signed(**{"Webhook-Signature": f"v1,AAAA {signed()['Webhook-Signature']}"})
    assert verify_webhook(BODY, both, SECRET).id == "evt_1"


def test_a_secret_that_is_none_is_a_mistake_of_the_program() -> None:
    for secret in ("", "whsec_", "whsec_é"):
        with pytest.raises(ValueError, match="whsec_ and base64"):
            verify_webhook(BODY, signed(), secret)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("intent_completed", IntentEvent),
        ("ramp_order_updated", RampOrderEvent),
        ("webhook_test", Event),
        ("something_new", Event),
    ],
)
def test_an_event_has_the_class_of_its_type(name: str, kind: type[Event]) -> None:
    event = parse_event(BODY.replace(b"intent_funded", name.encode()))
    assert (type(event), event.type) == (kind, name)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        signed(b"{}"),
        signed(at=datetime.now(UTC) - timedelta(minutes=6)),
        signed(**{"Webhook-Id": "evt_2"}),
        signed(**{"Webhook-Signature": "v1"}),
        signed(**{"Webhook-Signature": "v1,***"}),
        signed(**{"Webhook-Timestamp": "soon"}),
    ],
)
def test_other_deliveries_fail_verification(headers: dict[str, str]) -> None:
    with pytest.raises(SignatureVerificationError):
        verify_webhook(BODY, headers, SECRET)
    with pytest.raises(SignatureVerificationError):
        verify_webhook(b"\xff", signed(), SECRET)


def test_an_endpoint_is_managed_through_the_client(crossway: Crossway, service: Service) -> None:
    create(crossway)
    fan_out(service.services)
    endpoint = crossway.webhooks.create(
        "http://127.0.0.1:9/hook", events=["intent_created"], description="Orders"
    )
    assert endpoint.secret
    assert endpoint.secret not in repr(endpoint)
    assert crossway.webhooks.get(endpoint.id).secret is None
    assert [webhook.id for webhook in crossway.webhooks.list()] == [endpoint.id]
    changed = crossway.webhooks.update(endpoint.id, events=["*"], description="All")
    assert (changed.events, changed.description, changed.url) == (("*",), "All", endpoint.url)
    assert crossway.webhooks.rotate_secret(endpoint.id).secret != endpoint.secret
    sent = crossway.webhooks.test(endpoint.id)
    again = crossway.webhooks.delivery(sent.id)
    assert (again.type, again.attempts) == ("webhook_test", ())
    assert again.payload
    assert [delivery.id for delivery in crossway.webhooks.deliveries(endpoint.id)] == [sent.id]
    assert list(crossway.webhooks.deliveries(endpoint.id, state="delivered")) == []
    day = timedelta(days=1)
    assert crossway.webhooks.replay(sent.id).event_id == sent.event_id
    since = datetime.now(UTC) - day
    assert crossway.webhooks.replay_period(endpoint.id, since).replayed == 1
    assert crossway.webhooks.replay_missed(endpoint.id).replayed == 0
    crossway.webhooks.delete(endpoint.id)
    with pytest.raises(NotFound):
        crossway.webhooks.get(endpoint.id)
    with pytest.raises(BadRequest, match="url"):
        crossway.webhooks.create("ftp://shop.example")


def first_event(crossway: Crossway, service: Service) -> Event:
    """An event of this client, taken from a delivery."""
    webhook = crossway.webhooks.create("http://127.0.0.1:9/hook")
    create(crossway)
    fan_out(service.services)
    sent = next(iter(crossway.webhooks.deliveries(webhook.id)))
    crossway.webhooks.delete(webhook.id)
    return Event.parse(
        {"id": sent.event_id, "type": sent.type, "created_at": sent.created_at, "data": {}}
    )


def test_a_stream_resumes_where_it_stopped(crossway: Crossway, service: Service) -> None:
    # A Unicode line separator does not end a line of the stream.
    odd = {"note": "first\u2028second\x85third", "price": "0.1"}
    observed = first_event(crossway, service)
    ids = [create(crossway, metadata=odd).id for _ in range(3)]
    fan_out(service.services)
    events = list(islice(crossway.events.stream(observed.id), 3))
    assert [event.data["id"] for event in events] == ids
    assert {event.type for event in events} == {"intent_created"}
    assert isinstance(events[0], IntentEvent)
    assert events[0].intent.metadata == odd
    assert events[0].data["metadata"] == odd
    assert [event.id for event in islice(crossway.events.stream(events[0].id), 2)] == [
        events[1].id,
        events[2].id,
    ]


class Served(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Responses of a stream, one connection after another."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.resumed = list(answers), list[str | None]()

    def handle_request(self, asked: httpx.Request) -> httpx.Response:
        self.resumed.append(asked.headers.get("last-event-id"))
        answer = self.answers.pop(0)
        if isinstance(answer, int):
            return httpx.Response(answer, json={"message": "later"})
        return httpx.Response(200, stream=Broken(answer))

    async def handle_async_request(self, asked: httpx.Request) -> httpx.Response:
        return self.handle_request(asked)


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that breaks after these events."""

    def __init__(self, events: list[str]) -> None:
        self.events = events

    def __iter__(self) -> Iterator[bytes]:
        yield b"retry: 2000\n\n: alive\r\n\r\n"
        for event in self.events:
            yield f"id: {event}\ndata: ".encode()
            yield BODY.replace(b"evt_1", event.encode()) + b"\n"
            yield b"\n"
        raise httpx.ReadError("the connection is gone")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


def test_a_broken_stream_reconnects_after_the_last_event(connect: Any) -> None:
    served = Served(["evt_1", "evt_2"], 503, [], ["evt_3"])
    waits: list[float] = []
    with connect("cr_test_x", transport=served, sleep=waits.append) as crossway:
        stream = crossway.events.stream(tries=3)
        assert [event.id for event in islice(stream, 3)] == ["evt_1", "evt_2", "evt_3"]
    assert served.resumed == [None, "evt_2", "evt_2", "evt_2"]
    assert waits == [2, 4, 2]


@pytest.mark.parametrize(("status", "kind"), [(401, Unauthorized), (503, ServerError)])
def test_a_rejected_stream_raises_an_error(status: int, kind: Any, connect: Any) -> None:
    with (
        connect("cr_test_x", transport=Served(status, status), sleep=[].append) as crossway,
        pytest.raises(kind, match="later"),
    ):
        next(crossway.events.stream(tries=2))


def test_a_stream_that_cannot_be_resumed_ends(connect: Any) -> None:
    with (
        connect("cr_test_x", "http://127.0.0.1:1", sleep=[].append) as crossway,
        pytest.raises(APIConnectionError, match="cannot be reached"),
    ):
        next(crossway.events.stream(tries=2))
