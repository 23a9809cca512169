"""Being told of events: the stream, webhooks, and what proves that one is ours."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import httpx
import pytest
from standardwebhooks import Webhook as Signer

from crossway.bootstrap import Service
from crossway.client import Crossway
from crossway.client.errors import BadRequest, NotFound, ServerError, Unauthorized
from crossway.client.events import Events
from crossway.client.webhook_records import Event
from crossway.client.webhooks import SignatureVerificationError, verify
from crossway.engine.fan_out import fan_out
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


def test_a_delivery_of_ours_is_its_event() -> None:
    event = verify(BODY, signed(), SECRET)
    assert (event.id, event.type, event.raw) == ("evt_1", "intent_funded", BODY)


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
def test_anything_else_is_forged(headers: dict[str, str]) -> None:
    with pytest.raises(SignatureVerificationError):
        verify(BODY, headers, SECRET)
    with pytest.raises(SignatureVerificationError):
        verify(b"\xff", signed(), SECRET)


def test_an_endpoint_lives_through_the_client(crossway: Crossway, service: Service) -> None:
    create(crossway)
    fan_out(service.services)
    made = crossway.webhooks.create("http://127.0.0.1:9/hook", ["intent_created"], "Orders")
    assert made.secret
    assert made.secret not in repr(made)
    assert crossway.webhooks.get(made.id).secret is None
    assert [one.id for one in crossway.webhooks.list()] == [made.id]
    changed = crossway.webhooks.change(made.id, events=["*"], description="All")
    assert (changed.events, changed.description, changed.url) == (("*",), "All", made.url)
    assert crossway.webhooks.rotate_secret(made.id).secret != made.secret
    sent = crossway.webhooks.test(made.id)
    again = crossway.webhooks.delivery(sent.id)
    assert (again.type, again.attempts) == ("webhook_test", ())
    assert again.payload
    assert [one.id for one in crossway.webhooks.deliveries(made.id)] == [sent.id]
    assert list(crossway.webhooks.deliveries(made.id, "delivered")) == []
    day = timedelta(days=1)
    assert crossway.webhooks.replay_range(made.id, datetime.now(UTC) - day) == 1
    crossway.webhooks.delete(made.id)
    with pytest.raises(NotFound):
        crossway.webhooks.get(made.id)
    with pytest.raises(BadRequest, match="url"):
        crossway.webhooks.create("ftp://shop.example")


def first_event(crossway: Crossway, service: Service) -> Event:
    """An event of this client, which the answers to a new endpoint's past name."""
    made = crossway.webhooks.create("http://127.0.0.1:9/hook")
    create(crossway)
    fan_out(service.services)
    sent = next(iter(crossway.webhooks.deliveries(made.id)))
    crossway.webhooks.delete(made.id)
    return Event.parse({"id": sent.event_id, "type": sent.type, "created_at": sent.created_at,
                     "data": {}})  # fmt: skip


def test_a_stream_goes_on_where_it_was_left(crossway: Crossway, service: Service) -> None:
    # A line separator in a text is no end of a line of the stream.
    odd = {"note": "first\u2028second\x85third", "price": "0.1"}
    seen = first_event(crossway, service)
    made = [create(crossway, metadata=odd).id for _ in range(3)]
    fan_out(service.services)
    told = list(islice(crossway.events.stream(seen.id), 3))
    assert [event.data["id"] for event in told] == made
    assert {event.type for event in told} == {"intent_created"}
    assert told[0].data["metadata"] == odd
    assert [event.id for event in islice(crossway.events.stream(told[0].id), 2)] == [
        told[1].id,
        told[2].id,
    ]


class Served:
    """Answers of a stream, one connection after another."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.resumed = list(answers), list[str | None]()

    def __call__(self, asked: httpx.Request) -> httpx.Response:
        self.resumed.append(asked.headers.get("last-event-id"))
        answer = self.answers.pop(0)
        if isinstance(answer, int):
            return httpx.Response(answer, json={"message": "later"})
        return httpx.Response(200, content=broken(answer))


def broken(events: list[str]) -> Iterator[bytes]:
    yield b"retry: 2000\n\n: alive\r\n\r\n"
    for event in events:
        yield f"id: {event}\ndata: ".encode()
        yield BODY.replace(b"evt_1", event.encode()) + b"\n"
        yield b"\n"
    raise httpx.ReadError("the connection is gone")


def test_a_stream_that_breaks_is_opened_again_behind_the_last_event() -> None:
    served = Served(["evt_1", "evt_2"], 503, [], ["evt_3"])
    waits: list[float] = []
    with httpx.Client(transport=httpx.MockTransport(served), base_url="http://x") as http:
        stream = Events(http).stream(tries=3, sleep=waits.append)
        assert [event.id for event in islice(stream, 3)] == ["evt_1", "evt_2", "evt_3"]
    assert served.resumed == [None, "evt_2", "evt_2", "evt_2"]
    assert waits == [2, 4, 2]


@pytest.mark.parametrize(("status", "kind"), [(401, Unauthorized), (503, ServerError)])
def test_a_stream_that_is_refused_ends(status: int, kind: Any) -> None:
    served = Served(status, status)
    with (
        httpx.Client(transport=httpx.MockTransport(served), base_url="http://x") as http,
        pytest.raises(kind, match="later"),
    ):
        next(Events(http).stream(tries=2, sleep=lambda seconds: None))
