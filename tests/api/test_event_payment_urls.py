"""wire.md §6, Payload: every event of an intent has the URL of its checkout page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.bootstrap import Service
from crossway.engine.fan_out import fan_out
from tests.api.conftest import Api, new_key, new_service, new_test_client
from tests.api.test_events import serving, streaming
from tests.api.test_webhooks import create_webhook, deliver_all
from tests.receivers import Receiver, running_receiver

PUBLIC = "https://pay.shop.example"


@pytest.fixture(params=[PUBLIC, ""])
def public_url(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def service(tmp_path: Path, public_url: str) -> Iterator[Service]:
    service = new_service(tmp_path, public_url=public_url, port=8765)
    yield service
    service.close()


@pytest.fixture
def api(service: Service) -> Iterator[Api]:
    with new_test_client(service.services) as http:
        yield Api(http, service, *new_key(service))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as found:
        yield found


def test_every_event_has_the_payment_url(api: Api, receiver: Receiver, public_url: str) -> None:
    """Where no public URL is configured, events have that of this machine, as they are made where
    there is no request; they are the same bytes whichever process sends them."""
    webhook = create_webhook(api, receiver.url)
    intent = api.create().json()
    api.post("/sandbox/deposits", {"address": intent["intent_address"], "amount": "exact"})
    api.post("/sandbox/clock", {"advanceSeconds": 30})
    api.tick(3)
    deliver_all(api)
    api.post(f"/webhooks/{webhook['id']}/replay", {"from": intent["created_at"]})
    deliver_all(api)
    assert len(receiver.requests) >= 4
    page = intent["payment_url"].partition("/pay/")[2]
    expected = f"{public_url or 'http://localhost:8765'}/pay/{page}"
    [first, *_] = deliveries = api.get(f"/webhooks/{webhook['id']}/deliveries").json()["deliveries"]
    payloads = [api.get(f"/webhooks/deliveries/{d['id']}").json()["payload"] for d in deliveries]
    seen = [request.event for request in receiver.requests] + payloads
    assert {event["data"]["payment_url"] for event in seen} == {expected}
    if public_url:
        assert api.get(f"/intents/{intent['id']}").json()["payment_url"] == expected
    assert first["state"] == "delivered"


def test_the_stream_has_the_payment_url(api: Api, service: Service, public_url: str) -> None:
    for _ in range(2):
        page = api.create().json()["payment_url"].partition("/pay/")[2]
    fan_out(service.services)
    with service.store.read() as unit:
        first, _ = unit.outbox.list_after(0, api.owner, 1_000, 2)
    with (
        serving(service.services) as base,
        streaming(base, api, Last_Event_ID=first.event_id) as stream,
    ):
        event = stream.next()
    assert f'"{public_url or "http://localhost:8765"}/pay/{page}"' in event["data"]
