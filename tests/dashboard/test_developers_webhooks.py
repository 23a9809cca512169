"""Webhooks and their deliveries on screen: added, tested, inspected and resent."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crossway.dashboard.views import deliveries as view
from crossway.domain.errors import InvalidInput
from crossway.domain.webhooks import DISABLE_AFTER, DISABLED_REASON, DeliveryState
from crossway.usecases.developers import deliveries
from crossway.usecases.developers.webhooks import WebhookUpdate, update_webhook
from tests.dashboard.conftest import Screen
from tests.dashboard.webhook_dashboard import opened
from tests.engine.webhook_world import WebhookWorld
from tests.receivers import Receiver, running_receiver

Shown = tuple[Screen, WebhookWorld]


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Shown]:
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as found:
        yield found


def badges(row: dict[str, object], column: int) -> list[str]:
    cells = row["cells"]
    assert isinstance(cells, list)
    return [badge["text"] for badge in cells[column].get("badges", ())]


def text_of(screen: Screen, key: str) -> str:
    return json.dumps(screen.widget(key), ensure_ascii=False)


def test_a_webhook_is_added_and_its_secret_verifies_the_test_event(
    shown: Shown, receiver: Receiver
) -> None:
    screen, world = shown
    assert "No webhooks yet" in screen.open("webhooks").words
    screen.at.text_input(key="new_webhook_url").set_value(receiver.url)
    screen.press("Add a webhook")
    secret = next(code.value for code in screen.at.code if code.value.startswith("whsec_"))
    (row,) = screen.widget("webhooks")["rows"]
    assert (row["href"], badges(row, 1)) == ("webhook?id=1", ["Enabled"])
    screen.press("I have saved it")
    assert "whsec_" not in screen.words
    screen.open("webhook", id="1").press("Send a test event")
    world.deliver()
    assert receiver.arrived[0].verified(secret)["type"] == "webhook_test"
    (one,) = screen.again().widget("deliveries")["rows"]
    assert (one["cells"][0]["sub"], badges(one, 1)) == ("Webhook test", ["Delivered"])
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert [row["cells"][n]["text"] for n in (3, 4, 5)] == ["1", "0", "0"]


def test_an_address_inside_is_refused_in_words(shown: Shown) -> None:
    screen, _ = shown
    screen.open("webhooks").at.text_input(key="new_webhook_url").set_value("https://10.0.0.1/x")
    screen.press("Add a webhook")
    assert "Url" in screen.words
    assert "public" in screen.words


def test_a_failing_endpoint_says_so_with_its_answer_and_its_next_try(
    shown: Shown, receiver: Receiver
) -> None:
    screen, world = shown
    receiver.answer = lambda arrived: 500
    made = world.webhook(receiver.url, description="Orders")
    deliveries.send_test_event(world.services, world.caller, made.endpoint.id)
    world.deliver()
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert (row["cells"][0]["sub"], badges(row, 1)) == ("A shop · Orders", ["Failing"])
    (one,) = screen.open("webhook", id="1").widget("deliveries")["rows"]
    assert (badges(one, 1), one["cells"][3]["text"]) == (["Retrying"], "500")
    assert one["cells"][4]["at"]
    assert "Failing since" in text_of(screen, "webhook_facts")


def test_an_endpoint_that_was_switched_off_says_why_and_can_be_switched_on(
    shown: Shown, receiver: Receiver
) -> None:
    screen, world = shown
    receiver.answer = lambda arrived: 500
    made = world.webhook(receiver.url)
    deliveries.send_test_event(world.services, world.caller, made.endpoint.id)
    world.deliver()
    world.later(DISABLE_AFTER.total_seconds())
    (row,) = screen.open("webhooks").widget("webhooks")["rows"]
    assert (badges(row, 1), row["cells"][1]["sub"]) == (["Disabled"], DISABLED_REASON)
    screen.open("webhook", id="1")
    test = next(b for b in screen.at.button if b.label == "Send a test event")
    assert test.disabled
    screen.press("Enable")
    assert world.endpoint(1).enabled


def test_deliveries_are_filtered_by_state_and_by_event(shown: Shown, receiver: Receiver) -> None:
    screen, world = shown
    world.webhook(receiver.url)
    world.pay()
    deliveries.send_test_event(world.services, world.caller, 1)
    world.deliver()
    screen.open("webhook", id="1").at.selectbox(key="event").set_value("intent_created")
    rows = screen.again().widget("deliveries")["rows"]
    assert [row["cells"][2]["text"] for row in rows] == ["Payment #1"]
    screen.at.session_state["show"] = "Failed"
    assert "No matching deliveries" in screen.again().words


def test_a_long_list_of_deliveries_turns_its_pages(shown: Shown, receiver: Receiver) -> None:
    screen, world = shown
    world.webhook(receiver.url)
    for _ in range(27):
        deliveries.send_test_event(world.services, world.caller, 1)
    screen.open("webhook", id="1")
    assert [int(row["key"]) for row in screen.widget("deliveries")["rows"]] == [*range(27, 2, -1)]
    screen.press("Older")
    assert [int(row["key"]) for row in screen.widget("deliveries")["rows"]] == [2, 1]
    screen.press("Newer")
    assert len(screen.widget("deliveries")["rows"]) == 25


def test_one_delivery_shows_what_was_sent_and_answered_and_is_sent_again(
    shown: Shown, receiver: Receiver
) -> None:
    screen, world = shown
    receiver.text = b"got it, thanks"
    world.webhook(receiver.url)
    intent = world.pay()
    world.deliver()
    screen.open("delivery", id="1")
    (sent,) = (json.loads(code.value) for code in screen.at.code)
    assert (sent["type"], sent["data"]["id"]) == ("intent_created", intent.id)
    (item,) = screen.widget("tries")["entries"]
    assert item["title"] == "Attempt 1: 200"
    assert "got it, thanks" in item["raw"]
    assert "webhook-signature: (not stored)" in item["raw"]
    assert "webhook-id: evt_" in item["raw"]
    screen.press("Resend")
    world.deliver()
    assert [one.event["id"] for one in receiver.arrived] == [sent["id"], sent["id"]]
    hrefs = [way["href"] for way in screen.widget("delivery_ways")["links"]]
    assert hrefs == ["webhook?id=1", "intent?id=1", "delivery?id=2"]
    assert "#1" in text_of(screen.open("delivery", id="2"), "delivery_facts")


def test_a_webhook_is_changed_on_its_screen(shown: Shown, receiver: Receiver) -> None:
    screen, world = shown
    world.webhook(receiver.url)
    screen.open("webhook", id="1").at.multiselect(key="webhook_1_events").set_value(
        ["intent_funded", "intent_completed"]
    )
    screen.press("Save")
    assert world.endpoint(1).events == ("intent_funded", "intent_completed")
    assert "Payment funded, Payment completed" in text_of(screen, "webhook_facts")


def test_webhooks_of_one_client_are_shown_alone(shown: Shown, receiver: Receiver) -> None:
    screen, world = shown
    world.webhook(receiver.url)
    assert screen.open("webhooks", client="c-1").widget("webhooks")["rows"]
    update_webhook(world.services, world.caller, 1, WebhookUpdate(enabled=False))
    assert not screen.open("webhooks", client="nobody").at.exception


@pytest.mark.parametrize("number", ["", "9", "x", "9" * 30])
def test_an_unknown_webhook_or_delivery_is_answered_in_words(shown: Shown, number: str) -> None:
    screen, _ = shown
    for name in ("webhook", "delivery"):
        words = screen.open(name, id=number).words.casefold()
        assert f"no {name}" in words or f"{name} not found" in words


def test_the_time_to_replay_is_a_span_or_lies_between_two_instants() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    found = view.resend_period(now, "Last hour", None, None)
    assert found == {"from": "2026-11-21T11:00:00+00:00", "to": "2026-11-21T12:00:00+00:00"}
    naive = now.replace(tzinfo=None)
    found = view.resend_period(now, view.CUSTOM_PERIOD, naive - timedelta(days=1), naive)
    assert found["from"] == "2026-11-20T12:00:00+00:00"
    with pytest.raises(InvalidInput, match="From and To"):
        view.resend_period(now, view.CUSTOM_PERIOD, naive, None)


def test_no_state_of_a_delivery_lacks_its_word() -> None:
    assert set(view.STATES) == set(DeliveryState)
