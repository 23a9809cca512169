"""Outbox events get positions in one order, and deliveries of a sequence wait for one another."""

from datetime import timedelta
from typing import Any

import pytest

from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.intent import IntentEvent
from crossway.domain.webhooks import (
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    Endpoint,
    OutboxEvent,
    apply_attempt,
)
from crossway.ports.webhook_repository import DeliveryFilter, NewDelivery
from crossway.storage.store import SqlStore
from tests.storage.records import (
    NOW,
    advance_intent,
    intent_change,
    later,
    run_concurrently,
    store_intent,
)

LEASED = NOW + timedelta(seconds=60)
OWNER = Owner("c-1", Mode.TEST)


def endpoint(store: SqlStore, **more: Any) -> Endpoint:
    """A stored endpoint of the only client."""
    fields: dict[str, Any] = {"url": "https://shop.example/", "events": ("*",), "description": ""}
    fields |= {"secret": b"sealed", "old_secret": None, "old_secret_until": None}
    fields |= {"enabled": True, "disabled_reason": "", "failing_since": None}
    fields |= {"mode": Mode.TEST}
    created = Endpoint(0, "c-1", created_at=NOW, updated_at=NOW, **(fields | more))
    return store.write(lambda unit: unit.webhooks.add(created))


def add_event(store: SqlStore) -> list[OutboxEvent]:
    """Add events and give them positions."""

    def work(unit: Any) -> list[OutboxEvent]:
        unit.leases.lock("announcements")
        new: list[OutboxEvent] = unit.outbox.list_unsequenced(100)
        unit.outbox.assign_positions(new)
        return new

    return store.write(work)


def owed(store: SqlStore, to: Endpoint, *received: OutboxEvent) -> list[Delivery]:
    """Enqueue deliveries of these events to an endpoint; oldest first."""
    new = [NewDelivery(to.id, item.id, item.sequence_key, NOW) for item in received]
    store.write(lambda unit: unit.deliveries.add_many(new))
    with store.read() as unit:
        page = unit.deliveries.list_page(DeliveryFilter(webhook_id=to.id), 100)
    return [delivery for delivery, _ in reversed(page)]


def claimed(store: SqlStore, to: Endpoint, room: int = 10, at: float = 0) -> list[Delivery]:
    now = later(at)
    until = now + timedelta(seconds=60)
    return store.write(lambda unit: unit.deliveries.lease_due({to.id: room}, now, now, until))


def settled(store: SqlStore, one: Delivery, status: int, at: float = 1) -> Delivery:
    outcome = DeliveryAttempt(one.id, later(at), status, "", 5, "{}", "ok")
    after = apply_attempt(one, outcome, 0.0)

    def work(unit: Any) -> None:
        unit.webhooks.lock([one.webhook_id])
        unit.deliveries.save_results([after], [outcome])

    store.write(work)
    with store.read() as unit:
        results = unit.deliveries.get(one.id)
        assert results == after
        assert unit.deliveries.list_attempts(one.id)[-1] == outcome
    return after


def test_every_transition_with_an_event_type_adds_one_event(store: SqlStore) -> None:
    intent = store_intent(store)
    short = advance_intent(
        store, intent, IntentEvent.DEPOSIT_SHORT, received_amount=1, balance_at_address=1
    )
    advance_intent(
        store,
        short,
        IntentEvent.DEPOSIT_FULL,
        received_amount=25_000_000,
        balance_at_address=25_000_000,
    )
    result = add_event(store)
    assert [item.type for item in result] == ["intent_created", "intent_funded"]
    assert {item.sequence_key for item in result} == {f"intent:{intent.id}"}
    assert result[1].at == later(1)
    with store.read() as unit:
        moves = unit.intents.list_transitions([intent.id])
        assert [item.event_id for item in result] == [m.id for m in moves if m.event_type]
        assert not unit.outbox.has_unsequenced()


def test_a_rolled_back_change_adds_no_event(store: SqlStore) -> None:
    intent = store_intent(store)
    add_event(store)

    def work(unit: Any) -> None:
        unit.intents.apply([intent_change(intent, IntentEvent.DEPOSIT_FULL)])
        raise KeyError("after it")

    with pytest.raises(KeyError):
        store.write(work)
    assert add_event(store) == []


def test_positions_have_no_gaps_with_concurrent_writers(store: SqlStore) -> None:
    run_concurrently([lambda: store_intent(store) for _ in range(20)])
    run_concurrently([lambda: add_event(store) for _ in range(4)])
    with store.read() as unit:
        events = unit.outbox.list_after(0, OWNER, unit.outbox.last_positions(["c-1"])["c-1"], 100)
        assert unit.outbox.list_after(0, Owner("c-1", Mode.LIVE), 100, 100) == []
        assert unit.outbox.get_position(OWNER, events[3].event_id) == 4
        assert unit.outbox.get_position(Owner("c-1", Mode.LIVE), events[3].event_id) is None
    assert [item.position for item in events] == list(range(1, 21))


def test_an_endpoint_comes_back_as_it_was_stored(store: SqlStore) -> None:
    created = endpoint(
        store,
        events=("intent_funded", "intent_failed"),
        old_secret=b"older",
        old_secret_until=later(5),
        failing_since=later(1),
    )
    endpoint(store, enabled=False)
    with store.read() as unit:
        assert unit.webhooks.get(created.id) == created
        assert unit.webhooks.get_many([created.id]) == {created.id: created}
        assert (
            len(unit.webhooks.list_by_owner(OwnerFilter("c-1")))
            == len(unit.webhooks.list_by_owner(OwnerFilter()))
            == 2
        )
        assert unit.webhooks.list_by_owner(OwnerFilter("c-1", Mode.LIVE)) == []
    assert store.write(lambda unit: unit.webhooks.lock_enabled_by_clients(["c-1"])) == [created]


def test_later_deliveries_of_a_sequence_wait_and_other_sequences_do_not(store: SqlStore) -> None:
    to, intent = endpoint(store), store_intent(store)
    advance_intent(store, intent, IntentEvent.DEPOSIT_FULL)
    store_intent(store)
    first, second, other = owed(store, to, *add_event(store))
    D = DeliveryState
    assert [first.state, second.state, other.state] == [D.DUE, D.WAITING, D.DUE]
    with store.read() as unit:
        assert unit.deliveries.list_due_endpoints(NOW, NOW) == [to.id]
        assert unit.deliveries.list_open_event_ids(to.id) == {
            item.event_id for item in (first, second, other)
        }
    assert [item.id for item in claimed(store, to)] == [first.id, other.id]
    settled(store, first, 500)
    assert claimed(store, to, at=2) == []
    again = claimed(store, to, at=7)
    assert [item.id for item in again] == [first.id]
    settled(store, again[0], 200, at=8)
    [turned] = [
        item for item in claimed(store, to, at=8) if item.sequence_key == first.sequence_key
    ]
    assert (turned.id, turned.state) == (second.id, D.DUE)


def test_a_leased_delivery_is_not_claimed_until_the_lease_ends(store: SqlStore) -> None:
    to = endpoint(store)
    for _ in range(3):
        store_intent(store)
    owed(store, to, *add_event(store))
    two = claimed(store, to, room=2)
    [third] = claimed(store, to)
    assert claimed(store, to) == []
    with store.read() as unit:
        assert unit.deliveries.list_due_endpoints(NOW, NOW) == []
    store.write(lambda unit: unit.deliveries.release_leases([third.id]))
    assert [item.id for item in claimed(store, to)] == [third.id]
    assert {item.id for item in claimed(store, to, at=61)} == {*(item.id for item in two), third.id}


def test_concurrent_claims_share_the_due_deliveries(store: SqlStore) -> None:
    to = endpoint(store)
    for _ in range(30):
        store_intent(store)
    owed(store, to, *add_event(store))
    result = run_concurrently([lambda: claimed(store, to, room=5) for _ in range(6)])
    ids = [item.id for part in result for item in part]
    assert len(ids) == len(set(ids))


def test_a_sequence_continues_when_events_and_endings_are_concurrent(store: SqlStore) -> None:
    """Adding and ending lock the endpoint, so no delivery waits for an ended one."""
    to = endpoint(store)
    for _ in range(10):
        intent = store_intent(store)
        [first] = add_event(store)
        [*_, delivery] = owed(store, to, first)
        advance_intent(store, intent, IntentEvent.DEPOSIT_FULL)
        [second] = add_event(store)

        def end(delivery: Delivery = delivery) -> None:
            settled(store, delivery, 200)

        def add(second: OutboxEvent = second) -> None:
            def work(unit: Any) -> None:
                [to] = unit.webhooks.lock_enabled_by_clients(["c-1"])
                unit.deliveries.add_many([NewDelivery(to.id, second.id, second.sequence_key, NOW)])

            store.write(work)

        run_concurrently([end, add])
    with store.read() as unit:
        backlog = unit.deliveries.get_backlog()
    assert (backlog.due, backlog.waiting) == (10, 0)


def test_a_disabled_endpoint_has_no_open_deliveries(store: SqlStore) -> None:
    to, intent = endpoint(store), store_intent(store)
    advance_intent(store, intent, IntentEvent.DEPOSIT_FULL)
    first, _ = owed(store, to, *add_event(store))
    assert store.write(lambda unit: unit.deliveries.fail_all_open(to.id, "off", later(3))) == 2
    with store.read() as unit:
        filters = DeliveryFilter(states=(DeliveryState.FAILED,), client_id="c-1")
        assert len(unit.deliveries.list_page(filters, 10)) == 2
        assert unit.deliveries.get_backlog().oldest is None
    assert store.write(lambda unit: unit.deliveries.lock_due([first])) == {}


def test_a_removed_endpoint_is_deleted_with_its_deliveries(store: SqlStore) -> None:
    to, _ = endpoint(store), store_intent(store)
    [one] = owed(store, to, *add_event(store))
    settled(store, one, 200)
    store.write(lambda unit: unit.webhooks.delete(to.id))
    with store.read() as unit:
        assert unit.webhooks.get(to.id) is None
        assert unit.deliveries.get(one.id) is None
        assert unit.deliveries.list_attempts(one.id) == []
        assert unit.outbox.last_positions(["c-1", "c-2"]) == {"c-1": 1, "c-2": 0}


def test_deliveries_are_found_by_event_and_counted_by_state(
    store: SqlStore,
) -> None:
    to, intent = endpoint(store), store_intent(store)
    advance_intent(store, intent, IntentEvent.DEPOSIT_FULL)
    first, second = owed(store, to, *add_event(store))
    settled(store, first, 200)
    with store.read() as unit:
        page = unit.deliveries.list_page(DeliveryFilter(event="intent_funded"), 10)
        assert [(one.id, received.type) for one, received in page] == [(second.id, "intent_funded")]
        assert unit.deliveries.list_page(DeliveryFilter(event="intent_failed"), 10) == []
        counted = unit.deliveries.count_recent_by_state(to.id, NOW, 10)
        assert counted == {DeliveryState.DELIVERED: 1, DeliveryState.DUE: 1}
        assert unit.deliveries.count_recent_by_state(to.id, NOW, 1) == {DeliveryState.DUE: 1}
        assert unit.deliveries.count_recent_by_state(to.id, NOW + timedelta(days=1), 10) == {}


def test_a_period_begins_with_its_first_instant_and_ends_before_its_last(store: SqlStore) -> None:
    for second in (-1, 0, 1, 2, 3):
        created = later(second)
        store_intent(store, created_at=created, updated_at=created)
    store_intent(store, client_id="c-2", created_at=later(1), updated_at=later(1))
    with store.read() as unit:
        period = unit.outbox.list_between(OWNER, NOW, later(2), 10)
        assert [event.at for event in period] == [NOW, later(1)]
        assert [e.at for e in unit.outbox.list_between(OWNER, NOW, later(2), 1)] == [NOW]
        assert unit.outbox.list_between(OWNER, later(1), later(1), 10) == []
