"""Announcements are put in one order, and deliveries of a line wait for one another."""

from datetime import timedelta
from typing import Any

import pytest

from crossway.domain.intent import Event
from crossway.domain.webhooks import (
    Announcement,
    Delivery,
    DeliveryState,
    Endpoint,
    Try,
    tried,
)
from crossway.ports.webhook_records import DeliveryFilter, NewDelivery
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, at_once, change, later, moved, stored

LEASED = NOW + timedelta(seconds=60)


def endpoint(store: SqlStore, **more: Any) -> Endpoint:
    """A stored endpoint of the one client."""
    facts: dict[str, Any] = {"url": "https://shop.example/", "events": ("*",), "description": ""}
    facts |= {"secret": b"sealed", "old_secret": None, "old_secret_until": None}
    facts |= {"enabled": True, "disabled_reason": "", "failing_since": None}
    made = Endpoint(0, "c-1", created_at=NOW, updated_at=NOW, **(facts | more))
    return store.write(lambda unit: unit.webhooks.add(made))


def announced(store: SqlStore) -> list[Announcement]:
    """What is new, put in order."""

    def work(unit: Any) -> list[Announcement]:
        unit.network.lock("announcements")
        new: list[Announcement] = unit.announcements.new(100)
        unit.announcements.put_in_order([one.id for one in new])
        return new

    return store.write(work)


def owed(store: SqlStore, to: Endpoint, *told: Announcement) -> list[Delivery]:
    """The deliveries of these to an endpoint, oldest first."""
    new = [NewDelivery(to.id, one.id, one.line, NOW) for one in told]
    store.write(lambda unit: unit.deliveries.add(new))
    with store.read() as unit:
        found = unit.deliveries.page(DeliveryFilter(webhook_id=to.id), 100)
    return [delivery for delivery, _ in reversed(found)]


def claimed(store: SqlStore, to: Endpoint, room: int = 10, at: float = 0) -> list[Delivery]:
    now = later(at)
    until = now + timedelta(seconds=60)
    return store.write(lambda unit: unit.deliveries.claim({to.id: room}, now, now, until))


def settled(store: SqlStore, one: Delivery, status: int, at: float = 1) -> Delivery:
    outcome = Try(one.id, later(at), status, "", 5, "{}", "ok")
    after = tried(one, outcome, 0.0)

    def work(unit: Any) -> None:
        unit.webhooks.lock([one.webhook_id])
        unit.deliveries.settle([after], [outcome])

    store.write(work)
    with store.read() as unit:
        found = unit.deliveries.get(one.id)
        assert found == after
        assert unit.deliveries.tries(one.id)[-1] == outcome
    return after


def test_every_move_that_tells_is_announced_with_it_and_no_other(store: SqlStore) -> None:
    made = stored(store)
    short = moved(store, made, Event.DEPOSIT_SHORT, received_units=1, held_units=1)
    moved(store, short, Event.DEPOSIT_FULL, received_units=25_000_000, held_units=25_000_000)
    found = announced(store)
    assert [one.type for one in found] == ["intent_created", "intent_funded"]
    assert {one.line for one in found} == {f"intent:{made.id}"}
    assert found[1].at == later(1)
    with store.read() as unit:
        moves = unit.intents.moves([made.id])
        assert [one.event_id for one in found] == [m.id for m in moves if m.tells]
        assert not unit.announcements.any_new()


def test_what_was_undone_is_not_announced(store: SqlStore) -> None:
    made = stored(store)
    announced(store)

    def work(unit: Any) -> None:
        unit.intents.apply([change(made, Event.DEPOSIT_FULL)])
        raise KeyError("after it")

    with pytest.raises(KeyError):
        store.write(work)
    assert announced(store) == []


def test_places_are_given_without_gap_however_many_announce_at_once(store: SqlStore) -> None:
    at_once([lambda: stored(store) for _ in range(20)])
    at_once([lambda: announced(store) for _ in range(4)])
    with store.read() as unit:
        found = unit.announcements.after(0, ["c-1"], unit.announcements.last(), 100)
        assert unit.announcements.after(0, ["other"], 100, 100) == []
        assert unit.announcements.position_of("c-1", found[3].event_id) == 4
        assert unit.announcements.position_of("other", found[3].event_id) is None
    assert [one.position for one in found] == list(range(1, 21))


def test_an_endpoint_comes_back_as_it_was_stored(store: SqlStore) -> None:
    made = endpoint(
        store,
        events=("intent_funded", "intent_failed"),
        old_secret=b"older",
        old_secret_until=later(5),
        failing_since=later(1),
    )
    endpoint(store, enabled=False)
    with store.read() as unit:
        assert unit.webhooks.get(made.id) == made
        assert unit.webhooks.of([made.id]) == {made.id: made}
        assert len(unit.webhooks.of_client("c-1")) == len(unit.webhooks.of_client(None)) == 2
        assert unit.webhooks.of_client("other") == []
    assert store.write(lambda unit: unit.webhooks.lock_of_clients(["c-1"])) == [made]


def test_later_deliveries_of_a_line_wait_and_other_lines_do_not(store: SqlStore) -> None:
    to, made = endpoint(store), stored(store)
    moved(store, made, Event.DEPOSIT_FULL)
    stored(store)
    first, second, other = owed(store, to, *announced(store))
    D = DeliveryState
    assert [first.state, second.state, other.state] == [D.DUE, D.WAITING, D.DUE]
    with store.read() as unit:
        assert unit.deliveries.due(NOW, NOW) == [to.id]
        assert unit.deliveries.still_open(to.id) == {
            one.announcement_id for one in (first, second, other)
        }
    assert [one.id for one in claimed(store, to)] == [first.id, other.id]
    settled(store, first, 500)
    assert claimed(store, to, at=2) == []
    again = claimed(store, to, at=7)
    assert [one.id for one in again] == [first.id]
    settled(store, again[0], 200, at=8)
    [turned] = [one for one in claimed(store, to, at=8) if one.line == first.line]
    assert (turned.id, turned.state) == (second.id, D.DUE)


def test_what_is_leased_is_nobody_elses_until_the_lease_ends(store: SqlStore) -> None:
    to = endpoint(store)
    for _ in range(3):
        stored(store)
    owed(store, to, *announced(store))
    two = claimed(store, to, room=2)
    [third] = claimed(store, to)
    assert claimed(store, to) == []
    with store.read() as unit:
        assert unit.deliveries.due(NOW, NOW) == []
    store.write(lambda unit: unit.deliveries.give_back([third.id]))
    assert [one.id for one in claimed(store, to)] == [third.id]
    assert {one.id for one in claimed(store, to, at=61)} == {*(one.id for one in two), third.id}


def test_claims_at_the_same_time_share_what_is_due(store: SqlStore) -> None:
    to = endpoint(store)
    for _ in range(30):
        stored(store)
    owed(store, to, *announced(store))
    found = at_once([lambda: claimed(store, to, room=5) for _ in range(6)])
    ids = [one.id for part in found for one in part]
    assert len(ids) == len(set(ids))


def test_a_line_goes_on_however_a_new_event_and_an_end_meet(store: SqlStore) -> None:
    """Whoever adds and whoever ends hold the endpoint: nothing waits for what is over."""
    to = endpoint(store)
    for _ in range(10):
        made = stored(store)
        [first] = announced(store)
        [*_, delivery] = owed(store, to, first)
        moved(store, made, Event.DEPOSIT_FULL)
        [second] = announced(store)

        def end(delivery: Delivery = delivery) -> None:
            settled(store, delivery, 200)

        def add(second: Announcement = second) -> None:
            def work(unit: Any) -> None:
                [to] = unit.webhooks.lock_of_clients(["c-1"])
                unit.deliveries.add([NewDelivery(to.id, second.id, second.line, NOW)])

            store.write(work)

        at_once([end, add])
    with store.read() as unit:
        backlog = unit.deliveries.backlog()
    assert (backlog.due, backlog.waiting) == (10, 0)


def test_an_endpoint_that_is_switched_off_owes_nothing_more(store: SqlStore) -> None:
    to, made = endpoint(store), stored(store)
    moved(store, made, Event.DEPOSIT_FULL)
    first, _ = owed(store, to, *announced(store))
    assert store.write(lambda unit: unit.deliveries.fail_open(to.id, "off", later(3))) == 2
    with store.read() as unit:
        wanted = DeliveryFilter(states=(DeliveryState.FAILED,), client_id="c-1")
        assert len(unit.deliveries.page(wanted, 10)) == 2
        assert unit.deliveries.backlog().oldest is None
    assert store.write(lambda unit: unit.deliveries.lock_due([first.id])) == {}


def test_a_removed_endpoint_is_gone_with_its_deliveries(store: SqlStore) -> None:
    to, _ = endpoint(store), stored(store)
    [one] = owed(store, to, *announced(store))
    settled(store, one, 200)
    store.write(lambda unit: unit.webhooks.remove(to.id))
    with store.read() as unit:
        assert unit.webhooks.get(to.id) is None
        assert unit.deliveries.get(one.id) is None
        assert unit.deliveries.tries(one.id) == []
        assert unit.announcements.last() == 1


def test_deliveries_are_found_by_their_event_and_counted_by_where_they_stand(
    store: SqlStore,
) -> None:
    to, made = endpoint(store), stored(store)
    moved(store, made, Event.DEPOSIT_FULL)
    first, second = owed(store, to, *announced(store))
    settled(store, first, 200)
    with store.read() as unit:
        page = unit.deliveries.page(DeliveryFilter(event="intent_funded"), 10)
        assert [(one.id, told.type) for one, told in page] == [(second.id, "intent_funded")]
        assert unit.deliveries.page(DeliveryFilter(event="intent_failed"), 10) == []
        counted = unit.deliveries.outcomes(to.id, NOW, 10)
        assert counted == {DeliveryState.DELIVERED: 1, DeliveryState.DUE: 1}
        assert unit.deliveries.outcomes(to.id, NOW, 1) == {DeliveryState.DUE: 1}
        assert unit.deliveries.outcomes(to.id, NOW + timedelta(days=1), 10) == {}
