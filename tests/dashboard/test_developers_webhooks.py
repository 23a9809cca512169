"""Webhooks and their deliveries on screen: added, tested, inspected and resent."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from crossway.dashboard.views import deliveries as view
from crossway.domain.errors import InvalidInput
from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import DISABLE_AFTER, DISABLED_REASON, DeliveryState
from crossway.usecases.developers import deliveries
from crossway.usecases.developers.webhooks import WebhookUpdate, update_webhook
from tests.dashboard.conftest import DashboardApp, WebhookDashboard
from tests.receivers import Receiver
from tests.record_numbers import public_id


def badges(row: dict[str, object], column: int) -> list[str]:
    cells = row["cells"]
    assert isinstance(cells, list)
    return [badge["text"] for badge in cells[column].get("badges", ())]


def text_of(screen: DashboardApp, key: str) -> str:
    return json.dumps(screen.widget(key), ensure_ascii=False)


def test_a_webhook_is_added_and_its_secret_verifies_the_test_event(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    assert "No test webhooks yet" in screen.open("webhooks").text
    screen.at.text_input(key="new_webhook_url").set_value(receiver.url)
    screen.click("Add a webhook")
    secret = next(code.value for code in screen.at.code if code.value.startswith("whsec_"))
    (row,) = screen.widget("webhooks")["rows"]
    assert (row["href"], badges(row, 1)) == ("webhook?id=1", ["Enabled"])
    screen.click("I have saved it")
    assert "whsec_" not in screen.text
    screen.open("webhook", id="1").click("Send a test event")
    world.deliver()
    assert receiver.requests[0].verify(secret)["type"] == "webhook_test"
    (one,) = screen.rerun().widget("deliveries")["rows"]
    assert (one["cells"][0]["sub"], badges(one, 1)) == ("Webhook test", ["Delivered"])
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert [row["cells"][n]["text"] for n in (3, 4, 5)] == ["1", "0", "0"]


def test_an_internal_webhook_url_shows_an_error(dashboard: WebhookDashboard) -> None:
    screen, _ = dashboard
    screen.open("webhooks").at.text_input(key="new_webhook_url").set_value("https://10.0.0.1/x")
    screen.click("Add a webhook")
    assert "Url" in screen.text
    assert "public" in screen.text


def test_a_failing_endpoint_shows_its_response_and_next_attempt(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    receiver.status_for = lambda arrived: 500
    webhook = world.create_webhook(receiver.url, description="Orders")
    deliveries.send_test_event(world.services, world.caller, webhook.endpoint.id)
    world.deliver()
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert (row["cells"][0]["sub"], badges(row, 1)) == ("Orders", ["Failing"])
    (one,) = screen.open("webhook", id="1").widget("deliveries")["rows"]
    assert (badges(one, 1), one["cells"][3]["text"]) == (["Retrying"], "500")
    assert one["cells"][4]["at"]
    assert "Nothing delivered since" in text_of(screen, "webhook_facts")


def test_a_disabled_endpoint_shows_the_reason_and_can_be_enabled(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    receiver.status_for = lambda arrived: 500
    webhook = world.create_webhook(receiver.url)
    deliveries.send_test_event(world.services, world.caller, webhook.endpoint.id)
    world.deliver()
    world.advance_and_deliver(DISABLE_AFTER.total_seconds())
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert (badges(row, 1), row["cells"][1]["sub"]) == (["Disabled"], DISABLED_REASON)
    screen.open("webhook", id="1")
    test = next(b for b in screen.at.button if b.label == "Send a test event")
    assert test.disabled
    screen.click("Enable")
    assert world.get_webhook(1).enabled
    # Nothing has been delivered yet.
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert badges(row, 1) == ["Failing"]


def test_what_a_webhook_missed_is_resent_by_one_button_with_its_progress(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    receiver.status_for = lambda arrived: 500
    world.create_webhook(receiver.url, events=["intent_created"])
    world.create_intent()
    world.create_intent()
    world.deliver()
    world.advance_and_deliver(DISABLE_AFTER.total_seconds())
    screen.open("webhook", id="1")
    assert "2 events were not delivered" in screen.text
    receiver.status_for = lambda arrived: 200
    screen.click("Enable and resend 2 events")
    assert "Resent: 0 of 2 events delivered, 2 queued." in progress_texts(screen)
    world.deliver()
    assert "Resent: 2 of 2 events delivered." in progress_texts(screen.rerun())
    assert "not delivered" not in screen.text
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert badges(row, 1) == ["Enabled"]


def progress_texts(screen: DashboardApp) -> list[str]:
    return [bar.proto.text for bar in screen.at.get("progress")]


def test_deliveries_are_filtered_by_state_and_by_event(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    world.create_intent()
    deliveries.send_test_event(world.services, world.caller, 1)
    world.deliver()
    screen.open("webhook", id="1").at.selectbox(key="event").set_value("intent_created")
    rows = screen.rerun().widget("deliveries")["rows"]
    assert [row["cells"][2]["text"] for row in rows] == ["Payment #1"]
    screen.at.session_state["show"] = "Failed"
    assert "No matching deliveries" in screen.rerun().text


def test_deliveries_are_paged(dashboard: WebhookDashboard, receiver: Receiver) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    for _ in range(27):
        deliveries.send_test_event(world.services, world.caller, 1)
    screen.open("webhook", id="1")
    assert [int(row["key"]) for row in screen.widget("deliveries")["rows"]] == [*range(27, 2, -1)]
    screen.click("Older")
    assert [int(row["key"]) for row in screen.widget("deliveries")["rows"]] == [2, 1]
    screen.click("Newer")
    assert len(screen.widget("deliveries")["rows"]) == 25


def test_a_delivery_shows_request_and_response_and_is_resent(
    dashboard: WebhookDashboard, receiver: Receiver
) -> None:
    screen, world = dashboard
    receiver.response_body = b"got it, thanks"
    world.create_webhook(receiver.url)
    intent = world.create_intent()
    world.deliver()
    screen.open("delivery", id="1")
    (sent,) = (json.loads(code.value) for code in screen.at.code)
    number = public_id(world.services, RecordKind.INTENT, intent.id)
    assert (sent["type"], sent["data"]["id"]) == ("intent_created", number)
    (item,) = screen.widget("tries")["entries"]
    assert item["title"] == "Attempt 1: 200"
    assert "got it, thanks" in item["raw"]
    assert "webhook-signature: (not stored)" in item["raw"]
    assert "webhook-id: evt_" in item["raw"]
    screen.click("Resend")
    world.deliver()
    assert [request.event["id"] for request in receiver.requests] == [sent["id"], sent["id"]]
    hrefs = [link["href"] for link in screen.widget("delivery_ways")["links"]]
    assert hrefs == ["webhook?id=1", "intent?id=1", "delivery?id=2"]
    assert "#1" in text_of(screen.open("delivery", id="2"), "delivery_facts")


def test_a_webhook_is_changed_on_its_page(dashboard: WebhookDashboard, receiver: Receiver) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    screen.open("webhook", id="1").at.multiselect(key="webhook_1_events").set_value(
        ["intent_funded", "intent_completed"]
    )
    screen.click("Save")
    assert world.get_webhook(1).events == ("intent_funded", "intent_completed")
    assert "Payment funded, Payment completed" in text_of(screen, "webhook_facts")


def test_webhooks_are_filtered_by_client(dashboard: WebhookDashboard, receiver: Receiver) -> None:
    screen, world = dashboard
    world.create_webhook(receiver.url)
    assert screen.open("webhooks", client="c-1").widget("webhooks")["rows"]
    update_webhook(world.services, world.caller, 1, WebhookUpdate(enabled=False))
    assert not screen.open("webhooks", client="nobody").at.exception


@pytest.mark.parametrize("number", ["", "9", "x", "9" * 30])
def test_an_unknown_webhook_or_delivery_shows_a_message(
    dashboard: WebhookDashboard, number: str
) -> None:
    screen, _ = dashboard
    for name in ("webhook", "delivery"):
        text = screen.open(name, id=number).text.casefold()
        assert f"no {name}" in text or f"{name} not found" in text


def test_the_resend_period_is_a_duration_or_a_range() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    result = view.resend_period(now, "Last hour", None, None)
    assert result == {"from": "2026-11-21T11:00:00+00:00", "to": "2026-11-21T12:00:00+00:00"}
    naive = now.replace(tzinfo=None)
    result = view.resend_period(now, view.CUSTOM_PERIOD, naive - timedelta(days=1), naive)
    assert result["from"] == "2026-11-20T12:00:00+00:00"
    with pytest.raises(InvalidInput, match="From and To"):
        view.resend_period(now, view.CUSTOM_PERIOD, naive, None)


def test_every_delivery_state_has_a_label() -> None:
    assert set(view.STATES) == set(DeliveryState)
