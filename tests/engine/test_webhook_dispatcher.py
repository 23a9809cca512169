"""Webhook delivery: signatures, order, retries on schedule, and failure."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest

from crossway.api.schemas.events import render_events
from crossway.domain.webhooks import MAX_ATTEMPTS, RETRY_AFTER, DeliveryState, OutboxEvent
from crossway.engine.delivery_queue import MAX_CONCURRENT_PER_ENDPOINT
from crossway.engine.webhook_dispatcher import WebhookDispatcher
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from tests.engine.webhook_world import WebhookWorld
from tests.receivers import Receiver, running_receiver


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebhookWorld]:
    made = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=1)
    yield made
    made.close()


def test_every_event_of_a_payment_arrives_signed_and_in_order(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        told = world.webhook(receiver.url)
        intent = world.pay()
        world.deposit(intent)
        world.pass_time(30)
        world.deliver()
    events = [one.verified(told.secret) for one in receiver.arrived]
    assert [one["type"] for one in events] == [
        "intent_created",
        "intent_funded",
        "intent_initiated",
        "intent_completed",
    ]
    assert [one["data"]["intent_status"] for one in events] == [
        "PENDING",
        "FUNDED",
        "INITIATED",
        "COMPLETED",
    ]
    for one, arrived in zip(events, receiver.arrived, strict=True):
        assert set(one) == {"id", "type", "created_at", "data"}
        assert one["id"] == arrived.headers["webhook-id"]
        assert one["created_at"] == one["data"]["updated_at"]
        assert one["data"]["intent_address"] == intent.address
        assert arrived.headers["content-type"] == "application/json"


def test_a_webhook_receives_only_subscribed_events(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        world.webhook(receiver.url, events=["intent_expired"])
        world.pay()
        world.pass_time(3700, step=600)
        world.deliver()
    assert [one["type"] for one in receiver.events] == ["intent_expired"]


def test_no_webhook_receives_events_of_another_client(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        other = webhooks.create_webhook(
            world.services, world.operator, WebhookUpdate(url=receiver.url), client_id="c-1"
        )
        assert other.endpoint.client_id == "c-1"
        world.pay(metadata={"order": 1})
        world.deliver()
    assert len(receiver.arrived) == 1


def test_a_rejected_delivery_is_retried_on_schedule_and_then_fails(
    world: WebhookWorld,
) -> None:
    with running_receiver(Receiver(answer=lambda _: 503)) as receiver:
        told = world.webhook(receiver.url, events=["intent_created"])
        world.pay()
        world.deliver()
        for number, wait in enumerate(RETRY_AFTER, 1):
            world.later(wait.total_seconds() - 1)
            assert len(receiver.arrived) == number
            world.later(1)
            assert len(receiver.arrived) == number + 1
        [failed] = world.deliveries(told.endpoint.id)
        assert (failed.state, failed.attempt_count) == (DeliveryState.FAILED, MAX_ATTEMPTS)
        assert failed.error == "answered 503"
        world.later(7 * 86_400)
        assert len(receiver.arrived) == MAX_ATTEMPTS
        receiver.answer = lambda _: 204
        deliveries.replay_delivery(world.services, world.caller, failed.id)
        world.deliver()
    assert len({one.headers["webhook-id"] for one in receiver.arrived}) == 1
    assert len({one.body for one in receiver.arrived}) == 1
    first, again = world.deliveries(told.endpoint.id)
    assert (again.state, again.replay_of) == (DeliveryState.DELIVERED, first.id)


def test_later_events_of_a_payment_wait_for_the_earlier_and_other_payments_do_not(
    world: WebhookWorld,
) -> None:
    with running_receiver() as receiver:
        told = world.webhook(receiver.url)
        first = world.pay()
        receiver.answer = lambda one: 500 if one.event["data"]["id"] == first.id else 200
        world.deliver()
        second = world.pay()
        world.deposit(first)
        world.pass_time(4)
        world.deliver()
        of_second = [e["type"] for e in receiver.events if e["data"]["id"] == second.id]
        of_first = [e["type"] for e in receiver.events if e["data"]["id"] == first.id]
        assert of_second == ["intent_created"]
        assert set(of_first) == {"intent_created"}
        states = [one.state for one in world.deliveries(told.endpoint.id)]
        assert DeliveryState.WAITING in states
        receiver.answer = lambda _: 200
        world.later(400)
    taken = [e["type"] for e in receiver.events if e["data"]["id"] == first.id]
    assert list(dict.fromkeys(taken))[:2] == ["intent_created", "intent_funded"]
    assert {one.state for one in world.deliveries(told.endpoint.id)} == {DeliveryState.DELIVERED}


def test_a_timed_out_delivery_is_retried(world: WebhookWorld) -> None:
    let_go = threading.Event()

    def hang(_: object) -> int:
        let_go.wait(20)
        return 200

    with running_receiver(Receiver(answer=hang)) as receiver:
        told = world.webhook(receiver.url)
        world.pay()
        world.deliver()
        [late] = world.deliveries(told.endpoint.id)
        assert (late.state, late.attempt_count) == (DeliveryState.DUE, 1)
        assert late.error == "did not respond within 1 s"
        let_go.set()
        world.later(6)
    assert world.deliveries(told.endpoint.id)[0].state is DeliveryState.DELIVERED


def test_a_redirect_counts_as_a_failure_and_is_not_followed(world: WebhookWorld) -> None:
    with (
        running_receiver() as elsewhere,
        running_receiver(Receiver(answer=lambda _: 307)) as receiver,
    ):
        receiver.headers = {"location": elsewhere.url}
        told = world.webhook(receiver.url)
        world.pay()
        world.deliver()
        assert elsewhere.arrived == []
    assert world.deliveries(told.endpoint.id)[0].error == "answered 307"


def test_a_receiver_that_restarts_gets_what_it_missed(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        told = world.webhook(receiver.url)
    world.pay()
    world.deliver()
    [missed] = world.deliveries(told.endpoint.id)
    assert missed.state is DeliveryState.DUE
    assert missed.error.startswith("the connection failed")
    with running_receiver(Receiver(port=receiver.port)) as again:
        world.later(6)
    assert [one.verified(told.secret)["type"] for one in again.arrived] == ["intent_created"]


def test_the_old_secret_also_signs_for_a_day_after_a_rotation(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        told = world.webhook(receiver.url, events=["intent_created"])
        new = webhooks.rotate_secret(world.services, world.caller, told.endpoint.id)
        assert new.secret != told.secret
        world.pay()
        world.deliver()
        receiver.arrived[0].verified(told.secret)
        receiver.arrived[0].verified(new.secret)
        world.services.sandbox.advance(24 * 3600)  # type: ignore[union-attr]
        world.pay()
        world.deliver()
        receiver.arrived[1].verified(new.secret)
        with pytest.raises(Exception, match="No matching signature"):
            receiver.arrived[1].verified(told.secret)


def test_a_webhook_that_fails_for_seven_days_is_disabled_with_an_alert(
    world: WebhookWorld,
) -> None:
    told = world.webhook("http://127.0.0.1:9/hook", events=["intent_created"])
    for _ in range(8):
        assert world.endpoint(told.endpoint.id).enabled
        world.pay()
        world.deliver()
        world.services.sandbox.advance(86_400)  # type: ignore[union-attr]
    off = world.endpoint(told.endpoint.id)
    assert not off.enabled
    assert off.disabled_reason == "Every delivery failed for 7 days"
    assert {one.state for one in world.deliveries(off.id)} == {DeliveryState.FAILED}
    with world.store.read() as unit:
        [notice] = [one for one in unit.alerts.list_active() if one.kind == "webhook"]
    assert "127.0.0.1" in notice.message
    with running_receiver() as receiver:
        changed = WebhookUpdate(url=receiver.url, enabled=True)
        webhooks.update_webhook(world.services, world.caller, off.id, changed)
        given = {"from": datetime.fromtimestamp(0).astimezone().isoformat()}
        count = deliveries.replay_range(world.services, world.caller, off.id, given)
        world.deliver()
        assert len(receiver.arrived) == count == 8
    with world.store.read() as unit:
        assert [one for one in unit.alerts.list_active() if one.kind == "webhook"] == []


def test_one_success_in_seven_days_keeps_a_webhook_enabled(world: WebhookWorld) -> None:
    with running_receiver(Receiver(answer=lambda _: 500)) as receiver:
        told = world.webhook(receiver.url, events=["intent_created"])
        for day in range(10):
            receiver.answer = lambda _, day=day: 200 if day == 5 else 500  # type: ignore[misc]
            world.pay()
            world.deliver()
            world.services.sandbox.advance(86_400)  # type: ignore[union-attr]
        assert world.endpoint(told.endpoint.id).enabled


def test_a_test_event_goes_only_to_the_tested_webhook(world: WebhookWorld) -> None:
    with running_receiver() as tested, running_receiver() as other:
        told = world.webhook(tested.url, events=["intent_failed"])
        world.webhook(other.url)
        deliveries.send_test_event(world.services, world.caller, told.endpoint.id)
        world.deliver()
        assert other.arrived == []
    event = tested.arrived[0].verified(told.secret)
    assert event["type"] == "webhook_test"
    assert event["data"]["webhookId"] == told.endpoint.id


def test_attempts_are_stored_without_the_signature(world: WebhookWorld) -> None:
    with running_receiver(
        Receiver(answer=lambda _: 500, text=b"\x00out of order " * 1000)
    ) as receiver:
        told = world.webhook(receiver.url)
        world.pay()
        world.deliver()
    [delivery] = world.deliveries(told.endpoint.id)
    seen = deliveries.get_delivery(world.services, world.caller, delivery.id)
    [one] = seen.attempts
    assert one.status == 500
    assert "out of order" in one.response
    assert len(one.response.encode()) <= 3 * 4096
    assert "webhook-id" in one.headers
    assert "webhook-signature" not in one.headers
    assert seen.body == receiver.arrived[0].body


def test_one_dead_endpoint_does_not_delay_the_others(world: WebhookWorld) -> None:
    """Its requests hang for a second each; all others finish long before it does."""
    let_go = threading.Event()

    def hang(_: object) -> int:
        let_go.wait(10)
        return 200

    with ExitStack() as stack:
        dead = stack.enter_context(running_receiver(Receiver(answer=hang)))
        others = [stack.enter_context(running_receiver()) for _ in range(9)]
        for one in (dead, *others):
            world.webhook(one.url, events=["intent_created"])
        for _ in range(20):
            world.pay()
        world.dispatcher.start()
        began = time.monotonic()
        for one in others:
            one.wait_for(20)
        assert time.monotonic() - began < 5
        assert len(dead.arrived) <= 2 * MAX_CONCURRENT_PER_ENDPOINT
        let_go.set()


def test_a_stopped_dispatcher_releases_unsent_deliveries(world: WebhookWorld) -> None:
    with running_receiver() as receiver:
        told = world.webhook(receiver.url, events=["intent_created"])
        for _ in range(40):
            world.pay()
        world.dispatcher.tick()
        world.dispatcher.stop()
        sent = len(receiver.arrived)
        taken = [d for d in world.deliveries(told.endpoint.id) if d.attempt_count]
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
        if any(one.resource_id == 2 for one in events):
            raise ValueError("a defect")
        return render_events(unit, events)

    world = WebhookWorld(f"sqlite:///{tmp_path / 'other.db'}", draw=draw)
    with running_receiver() as receiver:
        told = world.webhook(receiver.url, events=["intent_created"])
        for _ in range(3):
            world.pay()
        world.deliver()
        assert sorted(event["data"]["id"] for event in receiver.events) == [1, 3]
        assert world.endpoint(told.endpoint.id).failing_since is None
    states = [one.state for one in world.deliveries(told.endpoint.id)]
    assert states == [DeliveryState.DELIVERED, DeliveryState.DUE, DeliveryState.DELIVERED]
    world.close()
