"""A webhook is cured by a delivery, and what it missed is sent again once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from crossway.domain.clients import Mode, Scope
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.webhooks import (
    DISABLE_AFTER,
    RETRY_AFTER,
    DeliveryAttempt,
    DeliveryState,
)
from crossway.engine.delivery_queue import QueuedDelivery
from crossway.engine.fan_out import fan_out
from crossway.engine.webhook_sender import SentDelivery, record_attempts
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers import deliveries, missed_events
from crossway.usecases.developers.webhooks import WebhookUpdate, update_webhook
from tests.engine.webhook_world import WebhookWorld
from tests.receivers import Receiver, running_receiver
from tests.statements import plan_of, recorded

ENABLE, DISABLE = WebhookUpdate(enabled=True), WebhookUpdate(enabled=False)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebhookWorld]:
    built = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=1)
    yield built
    built.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as receiver:
        yield receiver


def webhook_alerts(world: WebhookWorld) -> list[str]:
    with world.store.read() as unit:
        return [alert.message for alert in unit.alerts.list_active(kind="webhook")]


def fail_for_a_week(world: WebhookWorld, receiver: Receiver) -> None:
    """Two events fail until the webhook is disabled; a third happens while it is."""
    receiver.status_for = lambda _: 500
    world.create_webhook(receiver.url, events=["intent_created"])
    world.create_intent()
    world.create_intent()
    world.deliver()
    world.advance_and_deliver(DISABLE_AFTER.total_seconds())
    world.create_intent()
    world.deliver()


def test_enabling_does_not_cure_a_webhook_and_a_delivery_does(
    world: WebhookWorld, receiver: Receiver
) -> None:
    fail_for_a_week(world, receiver)
    assert webhook_alerts(world) == [
        "Every delivery failed for 7 days: webhook 1 to 127.0.0.1 is disabled."
    ]
    enabled = update_webhook(world.services, world.caller, 1, ENABLE)
    assert enabled.failing_since == world.clock.now()
    assert webhook_alerts(world) == [
        "Webhook 1 to 127.0.0.1 is enabled; nothing has been delivered to it yet."
    ]
    deliveries.send_test_event(world.services, world.caller, 1)
    world.deliver()
    # It failed again, and has another seven days.
    assert world.get_webhook(1).enabled
    assert len(webhook_alerts(world)) == 1
    receiver.status_for = lambda _: 200
    world.advance_and_deliver(6)
    assert world.get_webhook(1).failing_since is None
    assert webhook_alerts(world) == []


def test_disabling_a_webhook_ends_its_alert(world: WebhookWorld, receiver: Receiver) -> None:
    fail_for_a_week(world, receiver)
    update_webhook(world.services, world.caller, 1, ENABLE)
    update_webhook(world.services, world.caller, 1, DISABLE)
    assert webhook_alerts(world) == []
    assert update_webhook(world.services, world.caller, 1, ENABLE).failing_since is not None


def test_an_event_whose_retries_failed_raises_an_alert(
    world: WebhookWorld, receiver: Receiver
) -> None:
    receiver.status_for = lambda _: 503
    world.create_webhook(receiver.url, events=["intent_created"])
    world.create_intent()
    world.deliver()
    for wait in RETRY_AFTER:
        assert webhook_alerts(world) == []
        world.advance_and_deliver(wait.total_seconds())
    [message] = webhook_alerts(world)
    assert message.startswith("8 attempts to deliver an event failed; it is not retried")
    receiver.status_for = lambda _: 200
    assert missed_events.resend_missed(world.services, world.caller, 1).count == 1
    world.deliver()
    assert webhook_alerts(world) == []


def test_a_success_of_the_same_batch_does_not_hide_an_event_that_is_given_up(
    world: WebhookWorld, receiver: Receiver
) -> None:
    receiver.status_for = lambda _: 503
    world.create_webhook(receiver.url, events=["intent_created"])
    world.create_intent()
    world.deliver()
    for wait in RETRY_AFTER[:-1]:
        world.advance_and_deliver(wait.total_seconds())
    world.create_intent()
    fan_out(world.services)
    now, endpoint = world.clock.now(), world.get_webhook(1)
    with world.store.read() as unit:
        listed = unit.deliveries.list_page(DeliveryFilter(), 10)
    lost_and_accepted = [
        SentDelivery(
            QueuedDelivery(delivery, endpoint, event, b"{}", now),
            DeliveryAttempt(delivery.id, now, status, "", 1, "{}", ""),
        )
        for (delivery, event), status in zip(reversed(listed), (503, 200), strict=True)
    ]
    record_attempts(world.services, lost_and_accepted, [0.0, 0.0])
    states = [delivery.state for delivery in world.list_deliveries(1)]
    assert states == [DeliveryState.FAILED, DeliveryState.DELIVERED]
    [message] = webhook_alerts(world)
    assert message.startswith("8 attempts to deliver an event failed; it is not retried")
    # It ends as ever, with the next event that arrives.
    receiver.status_for = lambda _: 200
    world.create_intent()
    world.deliver()
    assert webhook_alerts(world) == []


def test_everything_that_was_missed_is_sent_again_once_and_in_order(
    world: WebhookWorld, receiver: Receiver
) -> None:
    fail_for_a_week(world, receiver)
    assert missed_events.count_missed(world.services, world.caller, 1) == 3
    with pytest.raises(InvalidStatus, match="enable it first"):
        missed_events.resend_missed(world.services, world.caller, 1)
    update_webhook(world.services, world.caller, 1, ENABLE)
    receiver.status_for = lambda _: 200
    arrived = len(receiver.requests)
    resent = missed_events.resend_missed(world.services, world.caller, 1)
    again = missed_events.resend_missed(world.services, world.caller, 1)
    assert (resent.count, again.count) == (3, 0)
    assert missed_events.count_missed(world.services, world.caller, 1) == 0

    def progress() -> dict[DeliveryState, int]:
        return dict(missed_events.count_batch(world.services, world.caller, 1, resent.batch))

    assert progress() == {DeliveryState.DUE: 3}
    world.deliver()
    assert progress() == {DeliveryState.DELIVERED: 3}
    ids = [request.event["id"] for request in receiver.requests[arrived:]]
    assert len(set(ids)) == 3
    assert missed_events.count_missed(world.services, world.caller, 1) == 0


def test_what_was_delivered_or_is_not_subscribed_to_is_not_missed(
    world: WebhookWorld, receiver: Receiver
) -> None:
    world.create_webhook(receiver.url, events=["intent_created"])
    world.deposit(world.create_intent())
    world.deliver()
    assert missed_events.count_missed(world.services, world.caller, 1) == 0
    receiver.status_for = lambda _: 500
    world.create_intent()
    world.deliver()
    # It is still retried.
    assert missed_events.count_missed(world.services, world.caller, 1) == 0
    update_webhook(world.services, world.caller, 1, DISABLE)
    assert missed_events.count_missed(world.services, world.caller, 1) == 1


def test_what_happened_before_its_type_was_subscribed_to_is_not_missed(
    world: WebhookWorld, receiver: Receiver
) -> None:
    receiver.status_for = lambda _: 500
    world.create_webhook(receiver.url, events=["intent_created"])
    paid = world.create_intent()
    world.deliver()
    update_webhook(world.services, world.caller, 1, DISABLE)
    world.deposit(paid)
    world.pass_time(30)  # funded, initiated and completed
    world.deliver()
    chosen = ["intent_created", "intent_funded"]
    both = WebhookUpdate(events=chosen, enabled=True)
    assert set(update_webhook(world.services, world.caller, 1, both).later_events) == {chosen[1]}
    assert missed_events.count_missed(world.services, world.caller, 1) == 1
    # What happens from now on while it is disabled, it does miss.
    update_webhook(world.services, world.caller, 1, DISABLE)
    world.deposit(world.create_intent())
    world.pass_time(30)
    world.deliver()
    assert missed_events.count_missed(world.services, world.caller, 1) == 3
    # To all: the types that it had keep their time.
    everything = update_webhook(world.services, world.caller, 1, WebhookUpdate(events=["*"]))
    assert "intent_created" not in everything.later_events
    assert missed_events.count_missed(world.services, world.caller, 1) == 3
    update_webhook(world.services, world.caller, 1, ENABLE)
    assert missed_events.resend_missed(world.services, world.caller, 1).count == 3


def test_only_the_owner_with_the_right_scope_sees_and_resends(
    world: WebhookWorld, receiver: Receiver
) -> None:
    world.create_webhook(receiver.url)
    reader = replace(world.caller, scopes=frozenset({Scope.READ}))
    with pytest.raises(Forbidden):
        missed_events.resend_missed(world.services, reader, 1)
    other = replace(world.caller, mode=Mode.LIVE)
    for work in (missed_events.count_missed, missed_events.resend_missed):
        with pytest.raises(NotFound):
            work(world.services, other, 1)
    with pytest.raises(InvalidInput):
        missed_events.count_batch(world.services, world.caller, 1, "%")


def test_several_who_resend_at_once_queue_each_event_once(
    world: WebhookWorld, receiver: Receiver
) -> None:
    fail_for_a_week(world, receiver)
    update_webhook(world.services, world.caller, 1, ENABLE)
    ready = Barrier(6)

    def resend(_: int) -> int:
        ready.wait()
        return missed_events.resend_missed(world.services, world.caller, 1).count

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(resend, range(6))) == [0, 0, 0, 0, 0, 3]


def test_events_of_before_the_first_failure_are_not_read(
    world: WebhookWorld, receiver: Receiver
) -> None:
    fail_for_a_week(world, receiver)
    with recorded(world.store.reader) as statements:
        assert missed_events.count_missed(world.services, world.caller, 1) == 3
    [statement] = [one for one in statements if "FROM outbox" in one.partition("WHERE")[0]]
    plan = plan_of(world.store.reader, statement)
    step = "SEARCH outbox USING INDEX outbox_of_client (client_id=? AND position>?)"
    assert step in plan, plan
