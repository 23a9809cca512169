"""Webhooks over HTTP: made, changed, tested and replayed; the secret is told once."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope
from tests.api.conftest import Api, new_key
from tests.receivers import Receiver, running_receiver

HOOK = "http://127.0.0.1:9/hook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as found:
        yield found


def deliver(api: Api) -> None:
    while api.service.dispatcher.run_once():
        pass


def made(api: Api, url: str = HOOK, **more: Any) -> Any:
    answer = api.post("/webhooks", {"url": url, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def patched(api: Api, webhook: Any, **changes: Any) -> Any:
    path = f"/api/v1/webhooks/{webhook['id']}"
    return api.http.patch(path, json=changes, headers=api.headers())


def test_a_secret_is_told_at_creation_and_rotation_alone(api: Api) -> None:
    webhook = made(api, events=["intent_funded"], description="Orders")
    assert webhook["secret"].startswith("whsec_")
    shown = api.get(f"/webhooks/{webhook['id']}").json()
    assert {**shown, "secret": webhook["secret"]} == webhook
    rotated = api.post(f"/webhooks/{webhook['id']}/rotate-secret").json()
    assert rotated["secret"] not in ("", webhook["secret"])
    assert rotated["oldSecretUntil"] is not None
    [listed] = api.get("/webhooks").json()["webhooks"]
    assert "secret" not in listed


def test_a_secret_stands_nowhere_in_the_database_as_it_is(api: Api) -> None:
    answer = api.post("/webhooks", {"url": HOOK}, Idempotency_Key="once")
    again = api.post("/webhooks", {"url": HOOK}, Idempotency_Key="once")
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == answer.json()
    secret = answer.json()["secret"].encode()
    folder = api.service.store.writer.url.database
    assert folder is not None
    for suffix in ("", "-wal"):
        with open(folder + suffix, "rb") as file:
            assert secret not in file.read()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "url is required"),
        ({"url": 7}, "url must be a text"),
        ({"url": "ftp://shop.example/"}, "url must begin with https://"),
        ({"url": "https://user:pw@shop.example/"}, "url must not contain a user name"),
        ({"url": "https://10.0.0.1/"}, "url must resolve to a public address"),
        ({"url": "http://192.0.2.1/"}, "url must resolve to a public address"),
        ({"url": "https://2130706433/"}, "url must write an address as four decimal numbers"),
        ({"url": "https://[::ffff:10.0.0.1]/"}, "url must resolve to a public address"),
        ({"url": f"{HOOK}?{'x' * 2048}"}, "url must have at most 2048 characters"),
        ({"url": HOOK, "events": []}, "events must be a list"),
        ({"url": HOOK, "events": ["intent_paid"]}, "events: intent_paid is none of"),
        ({"url": HOOK, "enabled": "yes"}, "enabled must be true or false"),
        ({"url": HOOK, "description": "x" * 501}, "description must be a text of at most 500"),
        ({"url": HOOK, "secret": "mine"}, "secret is not a known field"),
    ],
)
def test_a_webhook_that_cannot_be_is_refused_with_words(
    api: Api, body: dict[str, Any], complaint: str
) -> None:
    answer = api.post("/webhooks", body)
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]


def test_a_client_has_at_most_twenty_webhooks(api: Api) -> None:
    for _ in range(20):
        made(api)
    answer = api.post("/webhooks", {"url": HOOK})
    assert answer.status_code == 400
    assert answer.json()["message"] == "A client has at most 20 webhooks"


def test_nobody_sees_or_touches_another_clients_webhooks(
    api: Api, http: TestClient, service: Service
) -> None:
    webhook = made(api)
    other = Api(http, service, *new_key(service))
    path = f"/webhooks/{webhook['id']}"
    assert other.get("/webhooks").json() == {"webhooks": []}
    for answer in (
        other.get(path),
        patched(other, webhook, enabled=False),
        http.delete(f"/api/v1{path}", headers=other.headers()),
        other.post(f"{path}/test"),
        other.post(f"{path}/rotate-secret"),
        other.get(f"{path}/deliveries"),
        other.post(f"{path}/replay", {"from": "2026-11-21T10:00:00Z"}),
    ):
        assert answer.status_code == 404
        assert answer.json()["message"] == "Webhook not found"


def test_reading_needs_the_scope_read_and_changing_write(
    http: TestClient, service: Service
) -> None:
    reader = Api(http, service, *new_key(service, Mode.TEST, frozenset({Scope.READ})))
    assert reader.get("/webhooks").status_code == 200
    assert reader.post("/webhooks", {"url": HOOK}).status_code == 403


def test_a_change_is_in_force_and_a_deleted_webhook_is_gone(api: Api, http: TestClient) -> None:
    webhook = made(api)
    changed = patched(api, webhook, enabled=False, events=["intent_failed", "intent_created"])
    assert changed.status_code == 200
    assert changed.json()["disabledReason"] == "Disabled manually"
    assert changed.json()["events"] == ["intent_created", "intent_failed"]
    assert patched(api, webhook, url="https://127.1/").status_code == 400
    on = patched(api, webhook, enabled=True).json()
    assert (on["enabled"], on["disabledReason"]) == (True, None)
    path = f"/api/v1/webhooks/{webhook['id']}"
    assert http.delete(path, headers=api.headers()).status_code == 204
    assert http.get(path, headers=api.headers()).status_code == 404


def test_a_delivery_shows_its_request_and_its_answer(api: Api, receiver: Receiver) -> None:
    webhook = made(api, receiver.url)
    intent = api.create().json()
    deliver(api)
    page = api.get(f"/webhooks/{webhook['id']}/deliveries").json()
    [shown] = page["deliveries"]
    assert (shown["type"], shown["state"]) == ("intent_created", "delivered")
    assert shown["resource"] == {"kind": "intent", "id": intent["id"]}
    seen = api.get(f"/webhooks/deliveries/{shown['id']}").json()
    assert seen["payload"] == receiver.arrived[0].event
    read = api.get(f"/intents/{intent['id']}").json()
    # Where the payer's page is depends on where one asks: an event tells it to nobody.
    assert seen["payload"]["data"] == {k: v for k, v in read.items() if k != "payment_url"}
    [attempt] = seen["attempts"]
    assert (attempt["status"], attempt["response"]) == (200, "thank you")
    assert attempt["requestHeaders"]["webhook-id"] == shown["eventId"]


def test_a_test_event_arrives_and_can_be_replayed(api: Api, receiver: Receiver) -> None:
    webhook = made(api, receiver.url, events=["intent_failed"])
    sent = api.post(f"/webhooks/{webhook['id']}/test")
    assert (sent.status_code, sent.json()["type"]) == (202, "webhook_test")
    deliver(api)
    again = api.post(f"/webhooks/deliveries/{sent.json()['id']}/replay")
    assert again.json()["replayOf"] == sent.json()["id"]
    deliver(api)
    first, second = (one.verified(webhook["secret"]) for one in receiver.arrived)
    assert first == second


def test_the_events_of_a_time_are_replayed_in_order(api: Api, receiver: Receiver) -> None:
    before = api.create().json()
    webhook = made(api, receiver.url)
    deliver(api)
    assert receiver.arrived == []
    path = f"/webhooks/{webhook['id']}/replay"
    assert api.post(path, {"from": before["created_at"]}).json() == {"replayed": 1}
    deliver(api)
    assert receiver.events[0]["data"]["id"] == before["id"]
    backwards = {"from": "2026-11-21T10:00:00Z", "to": "2026-11-20T10:00:00Z"}
    assert api.post(path, backwards).json()["message"] == "from must be before to"
    assert "from must be an instant" in api.post(path, {}).json()["message"]
    assert "since is not a known field" in api.post(path, {"since": 1}).json()["message"]


def test_a_list_of_deliveries_walks_on_and_filters(api: Api, receiver: Receiver) -> None:
    webhook = made(api, receiver.url)
    for _ in range(3):
        api.post(f"/webhooks/{webhook['id']}/test")
    path = f"/webhooks/{webhook['id']}/deliveries"
    first = api.get(path, limit=2).json()
    rest = api.get(path, limit=2, cursor=first["nextCursor"]).json()
    ids = [one["id"] for one in first["deliveries"] + rest["deliveries"]]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == 3
    assert rest["nextCursor"] is None
    assert api.get(path, state="failed").json()["deliveries"] == []
    assert len(api.get(path, state="due").json()["deliveries"]) == 3
    assert api.get(path, state="sent").status_code == 400
    assert api.get(path, cursor="x").status_code == 400
    deliver(api)


def test_what_is_switched_off_is_not_replayed(api: Api) -> None:
    webhook = made(api, enabled=False)
    answer = api.post(f"/webhooks/{webhook['id']}/test")
    assert answer.status_code == 400
    assert answer.json()["message"] == "The webhook is disabled: enable it first"
