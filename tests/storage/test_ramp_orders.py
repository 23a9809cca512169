"""Ramp orders: each transition is stored once; orders are found by identifiers and when due."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from crossway.domain.clients import OwnerFilter
from crossway.domain.ramps import Direction, OrderEvent, OrderState, ProviderCommand, ProviderName
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.search_repository import Count
from crossway.storage.intents import ConcurrentUpdate
from crossway.storage.store import SqlStore
from tests.storage.ramp_records import advance_order_by, an_order, order_change, store_order
from tests.storage.records import NOW, later, run_concurrently

E, S = OrderEvent, OrderState
ACCEPTED: dict[str, Any] = {
    "provider_reference": "yc-1",
    "instructions": {"Account": "0123456789"},
    "widget_url": "https://example.com",
    "pay_to": "0xabc",
    "intent_id": 7,
    "expires_at": later(900),
    "command": ProviderCommand.CONFIRM,
    "attempt_count": 2,
    "next_at": later(5),
}


def test_an_order_comes_back_as_it_was_stored(store: SqlStore) -> None:
    fields = {
        "encrypted_fields": b"\x00\xff",
        "customer_id": "p",
        "paid_at": later(3),
        "next_at": later(4),
    }
    order = store_order(store, **ACCEPTED | fields, completed_at=later(5))
    with store.read() as unit:
        assert unit.orders.get(order.id) == order
        assert unit.orders.find_by_intent_address(order.intent_address) == order
        assert unit.orders.get(order.id + 1) is None
        assert unit.orders.find_by_intent_address("") is None


def test_a_changed_order_is_stored_with_its_history(store: SqlStore) -> None:
    order = store_order(store)
    changed = advance_order_by(store, order, E.ACCEPTED, **ACCEPTED)
    done = advance_order_by(store, changed, E.PAID, E.DELIVERED, provider_tx="0xfeed", command=None)
    with store.read() as unit:
        assert unit.orders.get(order.id) == done
        moves = unit.orders.list_transitions(order.id)
        assert unit.orders.find_ids_by_provider_reference("YELLOW_CARD", ["yc-1", "yc-2"]) == {
            "yc-1": order.id
        }
        assert unit.orders.find_ids_by_provider_reference("FONBNK", ["yc-1"]) == {}
    assert [(m.event, m.from_state, m.to_state) for m in moves] == [
        ("CREATED", None, S.PENDING),
        ("ACCEPTED", S.PENDING, S.INITIATED),
        ("PAID", S.INITIATED, S.PROCESSING),
        ("DELIVERED", S.PROCESSING, S.COMPLETED),
    ]
    assert len({move.id for move in moves}) == 4


def test_one_of_two_transitions_from_one_state_is_stored(store: SqlStore) -> None:
    order = store_order(store)
    steps = [order_change(order, event) for event in (E.ACCEPTED, E.CANCEL, E.REFUSED) * 4]

    def attempt(step: Any) -> bool:
        try:
            store.write(lambda unit: unit.orders.apply([step]))
        except ConcurrentUpdate:
            return False
        return True

    assert run_concurrently([partial(attempt, step) for step in steps]).count(True) == 1
    with store.read() as unit:
        assert len(unit.orders.list_transitions(order.id)) == 2
        assert sum(unit.orders.count_by_state(OwnerFilter()).values()) == 1


def test_a_change_needs_the_command_that_it_was_made_for(store: SqlStore) -> None:
    order = store_order(store, command=ProviderCommand.OPEN)
    stale = order_change(replace(order, command=None), E.ACCEPTED)
    with pytest.raises(ConcurrentUpdate):
        store.write(lambda unit: unit.orders.apply([stale]))


def test_a_change_never_restores_an_erased_customer(store: SqlStore) -> None:
    order = store_order(store, customer_id="p", encrypted_fields=b"sealed")
    store.write(lambda unit: unit.kyc_customers.erase("p", NOW, NOW))
    advance_order_by(store, order, E.ACCEPTED)
    with store.read() as unit:
        results = unit.orders.get(order.id)
    assert results is not None
    assert (results.customer_id, results.encrypted_fields, results.state) == (
        None,
        None,
        S.INITIATED,
    )


def test_several_changes_of_one_order_are_stored_in_their_order(store: SqlStore) -> None:
    order = store_order(store)
    first = order_change(order, E.ACCEPTED)
    second = order_change(first.after, E.PAID)
    store.write(lambda unit: unit.orders.apply([first, second]))
    with store.read() as unit:
        assert unit.orders.get(order.id) == second.after
        assert unit.orders.count_by_state(OwnerFilter("c-1")) == {S.PROCESSING: 1}
        assert len(unit.orders.list_transitions(order.id)) == 3


def test_a_change_adds_an_event_to_the_outbox_and_a_note_does_not(store: SqlStore) -> None:
    order = advance_order_by(store, store_order(store), E.ACCEPTED, E.NOTED)
    with store.read() as unit:
        received = unit.outbox.list_unsequenced(10)
        moves = unit.orders.list_transitions(order.id)
    assert [(item.type, item.kind, item.resource_id) for item in received] == [
        ("ramp_order_updated", "ramp_order", order.id)
    ] * 2
    assert [item.event_id for item in received] == [moves[0].id, moves[1].id]


def test_a_reference_is_given_once_and_a_provider_gives_its_own_once(store: SqlStore) -> None:
    order = store_order(store, provider_reference="yc-1")
    store_order(store, provider_reference="yc-1", provider=ProviderName.FONBNK)
    store_order(store)
    with pytest.raises(IntegrityError):
        store_order(store, reference=order.reference)
    with pytest.raises(IntegrityError):
        store_order(store, provider_reference="yc-1")


def test_lists_are_newest_first_and_filtered(store: SqlStore) -> None:
    first = store_order(store, sender="0xsender", provider_tx="0xtx")
    second = store_order(store, client_id="c-2", direction=Direction.OFF, currency="KES")
    third = store_order(store, state=S.FAILED, mode="live", customer_id="p")

    def found(limit: int = 10, offset: int = 0, **filters: Any) -> list[int]:
        with store.read() as unit:
            page = unit.orders.list_page(OrderFilter(**filters), limit, offset)
            assert unit.orders.count(OrderFilter(**filters), 1_000).count >= len(page)
            return [order.id for order in page]

    assert found() == [third.id, second.id, first.id]
    assert found(limit=1, offset=1) == [second.id]
    assert found(before_id=third.id) == [second.id, first.id]
    assert found(client_id="c-1") == [third.id, first.id]
    assert (
        found(states=(S.FAILED,)) == found(mode="live") == found(customer_ids=("p",)) == [third.id]
    )
    assert found(direction="off-ramp") == found(currency="KES") == [second.id]
    assert found(provider="FONBNK") == []
    texts = (str(first.id), first.reference, first.intent_address, first.recipient)
    for text_ in (*texts, "0xsender", "0xtx"):
        assert found(text=text_) == [first.id]


def test_orders_are_counted_by_client_and_state(store: SqlStore) -> None:
    advance_order_by(store, store_order(store), E.CANCEL)
    store_order(store)
    store_order(store, client_id="c-2")
    with store.read() as unit:
        assert unit.orders.count_by_state(OwnerFilter()) == {S.PENDING: 2, S.CANCELLED: 1}
        assert unit.orders.count_by_state(OwnerFilter("c-1")) == {S.PENDING: 1, S.CANCELLED: 1}
        pending = OrderFilter(client_id="c-1", states=(S.PENDING,))
        assert unit.orders.count(pending, 1) == Count(1)


def test_due_orders_are_leased_by_one_engine(store: SqlStore) -> None:
    late = store_order(store, next_at=later(1))
    later_one = store_order(store, next_at=later(2))
    store_order(store, next_at=later(100))
    store_order(store)

    def take() -> list[int]:
        return [o.id for o in store.write(lambda u: u.orders.lease_due(later(2), 10, later(60)))]

    taken = [results for results in run_concurrently([take] * 8) if results]
    assert taken == [[late.id, later_one.id]]
    with store.read() as unit:
        results = unit.orders.get(late.id)
    assert results is not None
    assert results.next_at == later(60)


def test_waking_an_order_only_brings_its_next_poll_forward(store: SqlStore) -> None:
    idle, soon = store_order(store), store_order(store, next_at=later(1))
    store.write(lambda unit: unit.orders.wake([idle.id, soon.id], later(5)))
    store.write(lambda unit: unit.orders.reschedule(idle.id, 3, later(9)))
    with store.read() as unit:
        orders = [unit.orders.get(item.id) for item in (idle, soon)]
        assert len(unit.orders.list_transitions(idle.id)) == 1
    assert [(order.attempt_count, order.next_at) for order in orders if order] == [
        (3, later(9)),
        (0, later(1)),
    ]


def test_a_processed_update_is_found_for_its_provider(store: SqlStore) -> None:
    store.write(lambda unit: unit.orders.record_processed_updates("FONBNK", {"r-1", "r-2"}, NOW))
    store.write(lambda unit: unit.orders.record_processed_updates("FONBNK", {"r-1"}, NOW))
    with store.read() as unit:
        assert unit.orders.find_processed_updates("FONBNK", ["r-1", "r-3"]) == {"r-1"}
        assert unit.orders.find_processed_updates("PAYCREST", ["r-1"]) == set()
        assert unit.orders.find_processed_updates("PAYCREST", []) == set()


@pytest.mark.parametrize("kind", ["sqlite"])
def test_due_orders_are_found_by_index(store: SqlStore) -> None:
    with store.reader.connect() as db:
        plan = db.execute(
            text(
                "EXPLAIN QUERY PLAN SELECT * FROM orders WHERE next_at IS NOT NULL "
                "AND next_at <= 5 ORDER BY next_at, id LIMIT 9"
            )
        )
        assert "orders_due" in str(plan.all())


def test_locking_an_order_reads_its_current_state(store: SqlStore) -> None:
    order = advance_order_by(store, store_order(store), E.ACCEPTED)
    assert store.write(lambda unit: unit.orders.lock([order.id, 10**6])) == {order.id: order}
    assert store.write(lambda unit: unit.orders.lock([])) == {}
    assert an_order() != order
