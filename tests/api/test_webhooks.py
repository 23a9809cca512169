"""Webhooks over HTTP: created, changed, tested and replayed; the secret is returned once."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope
from crossway.domain.public_ids import RecordKind
from tests.api.conftest import Api, new_key
from tests.receivers import Receiver, running_receiver
from tests.record_numbers import record_id

HOOK = "http://127.0.0.1:9/hook"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as found:
        yield found


def deliver_all(api: Api) -> None:
    while api.service.dispatcher.run_once():
        pass


def create_webhook(api: Api, url: str = HOOK, **more: Any) -> Any:
    answer = api.post("/webhooks", {"url": url, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def patch_webhook(api: Api, webhook: Any, **changes: Any) -> Any:
    path = f"/api/v1/webhooks/{webhook['id']}"
    return api.http.patch(path, json=changes, headers=api.headers())


def test_a_secret_is_returned_only_at_creation_and_rotation(api: Api) -> None:
    webhook = create_webhook(api, events=["intent_funded"], description="Orders")
    assert webhook["secret"].startswith("whsec_")
    body = api.get(f"/webhooks/{webhook['id']}").json()
    assert {**body, "secret": webhook["secret"]} == webhook
    rotated = api.post(f"/webhooks/{webhook['id']}/rotate-secret").json()
    assert rotated["secret"] not in ("", webhook["secret"])
    assert rotated["old_secret_until"] is not None
    [listed] = api.get("/webhooks").json()["webhooks"]
    assert "secret" not in listed


@pytest.mark.parametrize("host", ["no-such-host.invalid", "shop.example", "10.0.0.1"])
def test_a_url_must_resolve_to_a_public_address(api: Api, host: str) -> None:
    """wire.md §6, Management."""
    answer = api.post("/webhooks", {"url": f"https://{host}/hook"})
    assert answer.status_code == 400, answer.text
    if host.endswith(("invalid", "example")):
        problem = "must name a host that resolves: nothing was found under its name"
        assert answer.json()["message"] == f"url {problem}"
        webhook = create_webhook(api)
        assert patch_webhook(api, webhook, url=f"https://{host}/hook").status_code == 400


def test_a_secret_is_encrypted_in_the_database(api: Api) -> None:
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
def test_an_invalid_webhook_is_rejected_with_the_reason(
    api: Api, body: dict[str, Any], complaint: str
) -> None:
    answer = api.post("/webhooks", body)
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]


def test_a_client_has_at_most_twenty_webhooks(api: Api) -> None:
    for _ in range(20):
        create_webhook(api)
    answer = api.post("/webhooks", {"url": HOOK})
    assert answer.status_code == 400
    assert answer.json()["message"] == "A client has at most 20 webhooks in each mode"


def test_clients_cannot_read_or_change_webhooks_of_others(
    api: Api, http: TestClient, service: Service
) -> None:
    webhook = create_webhook(api)
    other = Api(http, service, *new_key(service))
    path = f"/webhooks/{webhook['id']}"
    assert other.get("/webhooks").json()["webhooks"] == []
    for answer in (
        other.get(path),
        patch_webhook(other, webhook, enabled=False),
        http.delete(f"/api/v1{path}", headers=other.headers()),
        other.post(f"{path}/test"),
        other.post(f"{path}/rotate-secret"),
        other.get(f"{path}/deliveries"),
        other.post(f"{path}/replay", {"from": "2026-11-21T10:00:00Z"}),
    ):
        assert answer.status_code == 404
        assert answer.json()["message"] == "Webhook not found"


def test_reading_needs_the_read_scope_and_changing_the_write_scope(
    http: TestClient, service: Service
) -> None:
    reader = Api(http, service, *new_key(service, Mode.TEST, frozenset({Scope.READ})))
    assert reader.get("/webhooks").status_code == 200
    assert reader.post("/webhooks", {"url": HOOK}).status_code == 403


def test_changes_apply_and_a_deleted_webhook_is_not_found(api: Api, http: TestClient) -> None:
    webhook = create_webhook(api)
    changed = patch_webhook(api, webhook, enabled=False, events=["intent_failed", "intent_created"])
    assert changed.status_code == 200
    assert changed.json()["disabled_reason"] == "Disabled manually"
    assert changed.json()["events"] == ["intent_created", "intent_failed"]
    assert patch_webhook(api, webhook, url="https://127.1/").status_code == 400
    on = patch_webhook(api, webhook, enabled=True).json()
    assert (on["enabled"], on["disabled_reason"]) == (True, None)
    path = f"/api/v1/webhooks/{webhook['id']}"
    assert http.delete(path, headers=api.headers()).status_code == 204
    assert http.get(path, headers=api.headers()).status_code == 404


def test_a_delivery_shows_its_request_and_response(api: Api, receiver: Receiver) -> None:
    webhook = create_webhook(api, receiver.url)
    intent = api.create().json()
    deliver_all(api)
    page = api.get(f"/webhooks/{webhook['id']}/deliveries").json()
    [delivery] = page["deliveries"]
    assert (delivery["type"], delivery["state"]) == ("intent_created", "delivered")
    assert delivery["resource"] == {"kind": "intent", "id": intent["id"]}
    body = api.get(f"/webhooks/deliveries/{delivery['id']}").json()
    assert body["payload"] == receiver.requests[0].event
    read = api.get(f"/intents/{intent['id']}").json()
    # What a payer keeps is read by them: events leave it out.
    del read["self_service"]
    # Without a public URL, events name this machine: they are made where there is no request.
    page = read["payment_url"].replace("http://crossway.test/", "http://localhost:8600/")
    assert body["payload"]["data"] == {**read, "payment_url": page}
    [attempt] = body["attempts"]
    assert (attempt["status"], attempt["response"]) == (200, "thank you")
    assert attempt["request_headers"]["webhook-id"] == delivery["event_id"]


def test_a_test_event_arrives_and_can_be_replayed(api: Api, receiver: Receiver) -> None:
    webhook = create_webhook(api, receiver.url, events=["intent_failed"])
    sent = api.post(f"/webhooks/{webhook['id']}/test")
    assert (sent.status_code, sent.json()["type"]) == (202, "webhook_test")
    deliver_all(api)
    again = api.post(f"/webhooks/deliveries/{sent.json()['id']}/replay")
    assert again.json()["replay_of"] == sent.json()["id"]
    deliver_all(api)
    first, second = (request.verify(webhook["secret"]) for request in receiver.requests)
    assert first == second


def test_events_of_a_period_are_replayed_in_order(api: Api, receiver: Receiver) -> None:
    before = api.create().json()
    webhook = create_webhook(api, receiver.url)
    deliver_all(api)
    assert receiver.requests == []
    path = f"/webhooks/{webhook['id']}/replay"
    replayed = api.post(path, {"from": before["created_at"]}).json()
    assert (replayed["replayed"], replayed["already_queued"]) == (1, 0)
    assert replayed["start"] == before["created_at"] < replayed["end"]
    again = api.post(path, {"from": before["created_at"]}).json()
    assert (again["replayed"], again["already_queued"]) == (0, 1)
    stored = api.post(path, {"from": "2020-01-01", "to": "2020-01-02"}).json()
    assert (stored["replayed"], stored["start"]) == (0, stored["end"])
    deliver_all(api)
    assert receiver.events[0]["data"]["id"] == before["id"]
    backwards = {"from": "2026-11-21T10:00:00Z", "to": "2026-11-20T10:00:00Z"}
    assert api.post(path, backwards).json()["message"] == "from must be before to"
    assert api.post(path, {}).json()["message"] == "from is required"
    assert "from must be an instant" in api.post(path, {"from": "now"}).json()["message"]
    assert "since is not a known field" in api.post(path, {"since": 1}).json()["message"]


def test_webhooks_are_paged(api: Api) -> None:
    made = [create_webhook(api, description=name)["id"] for name in "abc"]
    first = api.get("/webhooks", limit=2).json()
    last = api.get("/webhooks", limit=2, cursor=first["next_cursor"]).json()
    assert [one["id"] for one in first["webhooks"] + last["webhooks"]] == made
    assert last["next_cursor"] is None
    assert api.get("/webhooks", limit=101).status_code == 400


def test_deliveries_are_paged_and_filtered(api: Api, receiver: Receiver) -> None:
    webhook = create_webhook(api, receiver.url)
    for _ in range(3):
        api.post(f"/webhooks/{webhook['id']}/test")
    path = f"/webhooks/{webhook['id']}/deliveries"
    first = api.get(path, limit=2).json()
    rest = api.get(path, limit=2, cursor=first["next_cursor"]).json()
    ids = [
        record_id(api.service.services, RecordKind.DELIVERY, delivery["id"])
        for delivery in first["deliveries"] + rest["deliveries"]
    ]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == 3
    assert rest["next_cursor"] is None
    assert api.get(path, state="failed").json()["deliveries"] == []
    assert len(api.get(path, state="due").json()["deliveries"]) == 3
    assert api.get(path, state="sent").status_code == 400
    assert api.get(path, cursor="x").status_code == 400
    deliver_all(api)


def test_a_disabled_webhook_gets_tests_and_nothing_else(api: Api, receiver: Receiver) -> None:
    webhook = create_webhook(api, receiver.url, enabled=False)
    api.create()
    answer = api.post(f"/webhooks/{webhook['id']}/test")
    assert answer.status_code == 202
    assert answer.json()["webhook_enabled"] is False
    deliver_all(api)
    assert [event["type"] for event in receiver.events] == ["webhook_test"]
    delivered = api.get(f"/webhooks/deliveries/{answer.json()['id']}").json()
    assert delivered["state"] == "delivered"
    after = api.get(f"/webhooks/{webhook['id']}").json()
    assert (after["enabled"], after["failing_since"]) == (False, None)
    for path in ("replay-missed", "replay"):
        body = {"from": "2026-01-01"} if path == "replay" else None
        refused = api.post(f"/webhooks/{webhook['id']}/{path}", body)
        assert refused.status_code == 400
        assert refused.json()["message"] == "The webhook is disabled: enable it first"


def test_a_test_that_fails_leaves_a_disabled_webhook_as_it_is(api: Api) -> None:
    webhook = create_webhook(api, "http://127.0.0.1:9/", enabled=False)
    api.post(f"/webhooks/{webhook['id']}/test")
    for _ in range(3):
        deliver_all(api)
        api.post("/sandbox/clock", {"advanceSeconds": 600})
    [delivery] = api.get(f"/webhooks/{webhook['id']}/deliveries").json()["deliveries"]
    assert delivery["tries"] > 1
    assert api.get(f"/webhooks/{webhook['id']}").json()["failing_since"] is None


def test_missed_events_are_replayed_once(api: Api, receiver: Receiver) -> None:
    receiver.status_for = lambda _: 500
    webhook = create_webhook(api, receiver.url, events=["intent_created"])
    made = api.create().json()["id"]
    for _ in range(9):
        deliver_all(api)
        api.post("/sandbox/clock", {"advanceSeconds": 90_000})
    path = f"/webhooks/{webhook['id']}/deliveries"
    assert [one["state"] for one in api.get(path).json()["deliveries"]] == ["failed"]
    receiver.status_for = lambda _: 200
    patch_webhook(api, webhook, enabled=True)
    received = len(receiver.events)
    missed = f"/webhooks/{webhook['id']}/replay-missed"
    assert api.post(missed).json() == {"replayed": 1}
    assert api.post(missed).json() == {"replayed": 0}
    deliver_all(api)
    [event] = receiver.events[received:]
    assert event["data"]["id"] == made
