"""Webhook delivery: signatures, order, retries on schedule, and failure."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest

from crossway.api.schemas.events import render_events
from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import MAX_ATTEMPTS, RETRY_AFTER, DeliveryState, OutboxEvent
from crossway.engine.delivery_queue import MAX_CONCURRENT_PER_ENDPOINT
from crossway.engine.webhook_dispatcher import WebhookDispatcher
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from tests.engine.webhook_world import WebhookWorld
from tests.processes import PATIENCE_SECONDS
from tests.receivers import Receiver, running_receiver
from tests.record_numbers import public_id


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebhookWorld]:
    built = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=1)
    yield built
    built.close()


def test_every_event_of_a_payment_arrives_signed_and_in_order(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url)
        intent = world.create_intent()
        world.deposit(intent)
        world.pass_time(30)
        world.deliver()
    events = [request.verify(webhook.secret) for request in receiver.requests]
    assert [event["type"] for event in events] == [
        "intent_created",
        "intent_funded",
        "intent_initiated",
        "intent_completed",
    ]
    assert [event["data"]["intent_status"] for event in events] == [
        "PENDING",
        "FUNDED",
        "INITIATED",
        "COMPLETED",
    ]
    for one, arrived in zip(events, receiver.requests, strict=True):
        assert set(one) == {"id", "type", "created_at", "data"}
        assert one["id"] == arrived.headers["webhook-id"]
        assert one["created_at"] == one["data"]["updated_at"]
        assert one["data"]["intent_address"] == intent.address
        assert arrived.headers["content-type"] == "application/json"


def test_a_webhook_receives_only_subscribed_events(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        world.create_webhook(receiver.url, events=["intent_expired"])
        world.create_intent()
        world.pass_time(3700, step=600)
        world.deliver()
    assert [event["type"] for event in receiver.events] == ["intent_expired"]


def test_no_webhook_receives_events_of_another_client(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        other = webhooks.create_webhook(
            world.services, world.operator, WebhookUpdate(url=receiver.url), client_id="c-1"
        )
        assert other.endpoint.client_id == "c-1"
        world.create_intent(metadata={"order": 1})
        world.deliver()
    assert len(receiver.requests) == 1


def test_a_rejected_delivery_is_retried_on_schedule_and_then_fails(
    world: WebhookWorld,
) -> None:
    with running_receiver(Receiver(status_for=lambda _: 503)) as receiver:
        webhook = world.create_webhook(receiver.url, events=["intent_created"])
        world.create_intent()
        world.deliver()
        for number, wait in enumerate(RETRY_AFTER, 1):
            world.advance_and_deliver(wait.total_seconds() - 1)
            assert len(receiver.requests) == number
            world.advance_and_deliver(1)
            assert len(receiver.requests) == number + 1
        [failed] = world.list_deliveries(webhook.endpoint.id)
        assert (failed.state, failed.attempt_count) == (DeliveryState.FAILED, MAX_ATTEMPTS)
        assert failed.error == "answered 503"
        world.advance_and_deliver(7 * 86_400)
        assert len(receiver.requests) == MAX_ATTEMPTS
        receiver.status_for = lambda _: 204
        deliveries.replay_delivery(world.services, world.caller, failed.id)
        world.deliver()
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert len({request.body for request in receiver.requests}) == 1
    first, again = world.list_deliveries(webhook.endpoint.id)
    assert (again.state, again.replay_of) == (DeliveryState.DELIVERED, first.id)


def test_later_events_of_a_payment_wait_for_the_earlier_and_other_payments_do_not(
    world: WebhookWorld,
) -> None:
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url)
        first = world.create_intent()
        number = public_id(world.services, RecordKind.INTENT, first.id)
        receiver.status_for = lambda one: 500 if one.event["data"]["id"] == number else 200
        world.deliver()
        second = public_id(world.services, RecordKind.INTENT, world.create_intent().id)
        world.deposit(first)
        world.pass_time(4)
        world.deliver()
        of_second = [e["type"] for e in receiver.events if e["data"]["id"] == second]
        of_first = [e["type"] for e in receiver.events if e["data"]["id"] == number]
        assert of_second == ["intent_created"]
        assert set(of_first) == {"intent_created"}
        states = [delivery.state for delivery in world.list_deliveries(webhook.endpoint.id)]
        assert DeliveryState.WAITING in states
        receiver.status_for = lambda _: 200
        world.advance_and_deliver(400)
    taken = [e["type"] for e in receiver.events if e["data"]["id"] == number]
    assert list(dict.fromkeys(taken))[:2] == ["intent_created", "intent_funded"]
    assert {delivery.state for delivery in world.list_deliveries(webhook.endpoint.id)} == {
        DeliveryState.DELIVERED
    }


def test_a_timed_out_delivery_is_retried(world: WebhookWorld) -> None:
    let_go = threading.Event()

    def hang(_: object) -> int:
        let_go.wait(PATIENCE_SECONDS)
        return 200

    with running_receiver(Receiver(status_for=hang)) as receiver:
        webhook = world.create_webhook(receiver.url)
        world.create_intent()
        world.deliver()
        [late] = world.list_deliveries(webhook.endpoint.id)
        assert (late.state, late.attempt_count) == (DeliveryState.DUE, 1)
        assert late.error == "did not respond within 1 s"
        let_go.set()
        world.advance_and_deliver(6)
    assert world.list_deliveries(webhook.endpoint.id)[0].state is DeliveryState.DELIVERED


def test_a_redirect_counts_as_a_failure_and_is_not_followed(world: WebhookWorld) -> None:
    with (
        running_receiver() as elsewhere,
        running_receiver(Receiver(status_for=lambda _: 307)) as receiver,
    ):
        receiver.response_headers = {"location": elsewhere.url}
        webhook = world.create_webhook(receiver.url)
        world.create_intent()
        world.deliver()
        assert elsewhere.requests == []
    assert world.list_deliveries(webhook.endpoint.id)[0].error == "answered 307"


def test_a_receiver_that_restarts_gets_what_it_missed(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url)
    world.create_intent()
    world.deliver()
    [missed] = world.list_deliveries(webhook.endpoint.id)
    assert missed.state is DeliveryState.DUE
    assert missed.error.startswith("the connection failed")
    with running_receiver(Receiver(port=receiver.port)) as again:
        world.advance_and_deliver(6)
    assert [request.verify(webhook.secret)["type"] for request in again.requests] == [
        "intent_created"
    ]


def test_the_old_secret_also_signs_for_a_day_after_a_rotation(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url, events=["intent_created"])
        new = webhooks.rotate_secret(world.services, world.caller, webhook.endpoint.id)
        assert new.secret != webhook.secret
        world.create_intent()
        world.deliver()
        receiver.requests[0].verify(webhook.secret)
        receiver.requests[0].verify(new.secret)
        world.services.sandbox.advance(24 * 3600)  # type: ignore[union-attr]
        world.create_intent()
        world.deliver()
        receiver.requests[1].verify(new.secret)
        with pytest.raises(Exception, match="No matching signature"):
            receiver.requests[1].verify(webhook.secret)


def test_a_webhook_that_fails_for_seven_days_is_disabled_with_an_alert(
    world: WebhookWorld,
) -> None:
    webhook = world.create_webhook("http://127.0.0.1:9/hook", events=["intent_created"])
    for _ in range(8):
        assert world.get_webhook(webhook.endpoint.id).enabled
        world.create_intent()
        world.deliver()
        world.services.sandbox.advance(86_400)  # type: ignore[union-attr]
    off = world.get_webhook(webhook.endpoint.id)
    assert not off.enabled
    assert off.disabled_reason == "Every delivery failed for 7 days"
    assert {delivery.state for delivery in world.list_deliveries(off.id)} == {DeliveryState.FAILED}
    with world.store.read() as unit:
        [notice] = [alert for alert in unit.alerts.list_active() if alert.kind == "webhook"]
    assert "127.0.0.1" in notice.message
    with running_receiver() as receiver:
        changed = WebhookUpdate(url=receiver.url, enabled=True)
        webhooks.update_webhook(world.services, world.caller, off.id, changed)
        params = {"from": datetime.fromtimestamp(0).astimezone().isoformat()}
        count = deliveries.replay_range(world.services, world.caller, off.id, params).count
        world.deliver()
        assert len(receiver.requests) == count == 8
    with world.store.read() as unit:
        assert [alert for alert in unit.alerts.list_active() if alert.kind == "webhook"] == []


def test_one_success_in_seven_days_keeps_a_webhook_enabled(world: WebhookWorld) -> None:
    with running_receiver(Receiver(status_for=lambda _: 500)) as receiver:
        webhook = world.create_webhook(receiver.url, events=["intent_created"])
        for day in range(10):
            receiver.status_for = lambda _, day=day: 200 if day == 5 else 500  # type: ignore[misc]
            world.create_intent()
            world.deliver()
            world.services.sandbox.advance(86_400)  # type: ignore[union-attr]
        assert world.get_webhook(webhook.endpoint.id).enabled


def test_a_test_event_goes_only_to_the_tested_webhook(world: WebhookWorld) -> None:
    with running_receiver() as tested, running_receiver() as other:
        webhook = world.create_webhook(tested.url, events=["intent_failed"])
        world.create_webhook(other.url)
        deliveries.send_test_event(world.services, world.caller, webhook.endpoint.id)
        world.deliver()
        assert other.requests == []
    event = tested.requests[0].verify(webhook.secret)
    assert event["type"] == "webhook_test"
    number = public_id(world.services, RecordKind.WEBHOOK, webhook.endpoint.id)
    assert event["data"]["webhook_id"] == number


def test_attempts_are_stored_without_the_signature(world: WebhookWorld) -> None:
    with running_receiver(
        Receiver(status_for=lambda _: 500, response_body=b"\x00out of order " * 1000)
    ) as receiver:
        webhook = world.create_webhook(receiver.url)
        world.create_intent()
        world.deliver()
    [delivery] = world.list_deliveries(webhook.endpoint.id)
    observed = deliveries.get_delivery(world.services, world.caller, delivery.id)
    [one] = observed.attempts
    assert one.status == 500
    assert "out of order" in one.response
    assert len(one.response.encode()) <= 3 * 4096
    assert "webhook-id" in one.headers
    assert "webhook-signature" not in one.headers
    assert observed.body == receiver.requests[0].body


def test_one_dead_endpoint_does_not_delay_the_others(tmp_path: Path) -> None:
    """All others finish while its first requests hang."""
    let_go, hangs_seconds = threading.Event(), 4 * PATIENCE_SECONDS
    world = WebhookWorld(f"sqlite:///{tmp_path / 'dead.db'}", limit_seconds=hangs_seconds)

    def hang(_: object) -> int:
        let_go.wait(hangs_seconds)
        return 200

    with ExitStack() as stack:
        dead = stack.enter_context(running_receiver(Receiver(status_for=hang)))
        others = [stack.enter_context(running_receiver()) for _ in range(9)]
        for item in (dead, *others):
            world.create_webhook(item.url, events=["intent_created"])
        for _ in range(20):
            world.create_intent()
        world.dispatcher.start()
        for item in others:
            item.wait_for(20)
        assert len(dead.requests) == MAX_CONCURRENT_PER_ENDPOINT
        let_go.set()
    world.close()


def test_a_stopped_dispatcher_releases_unsent_deliveries(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url, events=["intent_created"])
        for _ in range(40):
            world.create_intent()
        world.dispatcher.tick()
        world.dispatcher.stop()
        sent = len(receiver.requests)
        taken = [d for d in world.list_deliveries(webhook.endpoint.id) if d.attempt_count]
        assert len(taken) == sent
        world.dispatcher = WebhookDispatcher(world.services)
        world.sender.close()
        with world.store.read() as unit:
            machine = world.clock.machine()
            still = unit.deliveries.get_backlog().due
            assert bool(unit.deliveries.list_due_endpoints(world.clock.now(), machine)) == (
                still > 0
            )
        assert still + sent == 40


def test_an_event_that_cannot_be_rendered_does_not_stop_others(
    tmp_path: Path,
) -> None:
    def draw(unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        if any(event.resource_id == 2 for event in events):
            raise ValueError("a defect")
        return render_events(unit, events)

    world = WebhookWorld(f"sqlite:///{tmp_path / 'other.db'}", draw=draw)
    with running_receiver() as receiver:
        webhook = world.create_webhook(receiver.url, events=["intent_created"])
        for _ in range(3):
            world.create_intent()
        world.deliver()
        numbers = {public_id(world.services, RecordKind.INTENT, number) for number in (1, 3)}
        assert {event["data"]["id"] for event in receiver.events} == numbers
        assert world.get_webhook(webhook.endpoint.id).failing_since is None
    states = [delivery.state for delivery in world.list_deliveries(webhook.endpoint.id)]
    assert states == [DeliveryState.DELIVERED, DeliveryState.DUE, DeliveryState.DELIVERED]
    world.close()
