"""Intents are read as they were stored, change state once, and are found by their identifiers."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from sqlite3 import IntegrityError as SqliteIntegrityError
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import IntentEvent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.ports.records import IntentFilter
from crossway.storage.intents import ConcurrentUpdate
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    a_client,
    a_new_tx,
    advance_intent,
    an_attempt,
    an_intent,
    enqueue,
    intent_change,
    later,
    run_concurrently,
    store_intent,
    tx_change,
)


def test_an_intent_comes_back_as_it_was_stored(store: SqlStore) -> None:
    exact = datetime(2027, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    intent = store_intent(
        store,
        {"deposit_amount": HUGE, "payout_amount": HUGE - 1, "expires_at": exact},
        balance_at_address=HUGE,
    )
    with store.read() as unit:
        assert unit.intents.get(intent.id) == intent
        assert unit.intents.find_by_address(intent.address) == intent
        assert unit.intents.get_many([intent.id, 10**9]) == {intent.id: intent}
        assert unit.intents.get(intent.id + 1) is None
        assert unit.intents.find_by_address("nowhere") is None


# SQLite's driver says it itself.
REFUSED = (IntegrityError, SqliteIntegrityError)


def test_two_intents_never_share_an_address_or_a_nonce(store: SqlStore) -> None:
    intent = store_intent(store)
    with pytest.raises(REFUSED):
        store_intent(store, address=intent.address)
    with pytest.raises(REFUSED):
        store_intent(store, {"nonce": intent.terms.nonce})
    with store.read() as unit:
        assert unit.intents.count_by_state(OwnerFilter()) == {State.PENDING: 1}


def test_a_new_intent_adds_one_event_to_the_outbox(store: SqlStore) -> None:
    intent = store_intent(store)
    with store.read() as unit:
        [move] = unit.intents.list_transitions([intent.id])
        [(_, newest)] = unit.intents.list_recent_transitions(OwnerFilter(), 10)
    assert (move.event_type, move.from_state, move.to_state) == (
        "intent_created",
        None,
        State.PENDING,
    )
    assert newest == move


def test_empty_queries_return_nothing(store: SqlStore) -> None:
    with store.read() as unit:
        assert unit.intents.get_many([]) == {}
        assert unit.intents.lock([]) == {}
        assert unit.intents.get_usd_values([]) == {}
        assert unit.intents.find_ids_by_address([]) == {}
        assert unit.intents.list_transitions([]) == []
        assert unit.intents.list_expired({}, 10) == {}
        assert unit.intents.count_by_state(OwnerFilter()) == {}


def test_a_transition_stores_state_history_event_and_counts(store: SqlStore) -> None:
    intent = store_intent(store)
    funded = advance_intent(
        store, intent, IntentEvent.DEPOSIT_FULL, received_amount=HUGE, balance_at_address=HUGE
    )
    with store.read() as unit:
        assert unit.intents.get(intent.id) == funded
        assert unit.intents.count_by_state(OwnerFilter("c-1")) == {State.FUNDED: 1}
        history = unit.intents.list_transitions([intent.id])
    assert [(m.event, m.event_type) for m in history] == [
        ("CREATED", "intent_created"),
        ("DEPOSIT_FULL", "intent_funded"),
    ]
    assert history[1].at == funded.updated_at


def test_several_events_of_one_intent_are_one_write_and_all_its_history(store: SqlStore) -> None:
    intent = store_intent(store)
    first = intent_change(intent, IntentEvent.DEPOSIT_SHORT, received_amount=1)
    second = intent_change(first.after, IntentEvent.DEPOSIT_FULL, received_amount=25_000_000)
    store.write(lambda unit: unit.intents.apply([first, second]))
    with store.read() as unit:
        assert unit.intents.get(intent.id) == second.after
        assert len(unit.intents.list_transitions([intent.id])) == 3
        assert unit.intents.count_by_state(OwnerFilter()) == {State.FUNDED: 1}


def test_a_transition_from_a_stale_state_changes_nothing(store: SqlStore) -> None:
    intent, other = store_intent(store), store_intent(store)
    funded = advance_intent(store, intent, IntentEvent.DEPOSIT_FULL)
    stale = [
        intent_change(other, IntentEvent.DEPOSIT_FULL),
        intent_change(intent, IntentEvent.DEADLINE_EMPTY),
    ]
    with pytest.raises(ConcurrentUpdate):
        store.write(lambda unit: unit.intents.apply(stale))
    with store.read() as unit:
        assert unit.intents.get_many([intent.id, other.id]) == {intent.id: funded, other.id: other}
        assert unit.intents.count_by_state(OwnerFilter()) == {State.FUNDED: 1, State.PENDING: 1}
        assert len(unit.intents.list_transitions([intent.id, other.id])) == 3


def test_one_of_many_concurrent_transitions_succeeds(store: SqlStore) -> None:
    intent = store_intent(store)

    def fund() -> bool:
        def work(unit: Any) -> bool:
            current = unit.intents.lock([intent.id])[intent.id]
            if current.state is not State.PENDING:
                return False
            unit.intents.apply([intent_change(current, IntentEvent.DEPOSIT_FULL)])
            return True

        return store.write(work)

    assert Counter(run_concurrently([fund] * 16)) == {True: 1, False: 15}
    with store.read() as unit:
        assert (
            Counter(m.event_type for m in unit.intents.list_transitions([intent.id]))[
                "intent_funded"
            ]
            == 1
        )


def test_many_threads_add_to_an_amount_and_none_is_lost(store: SqlStore) -> None:
    intent = store_intent(store)

    def receive() -> None:
        def work(unit: Any) -> None:
            current = unit.intents.lock([intent.id])[intent.id]
            more = current.received_amount + 1
            unit.intents.apply(
                [intent_change(current, IntentEvent.DEPOSIT_SHORT, received_amount=more)]
            )

        store.write(work)

    run_concurrently([receive] * 60)
    with store.read() as unit:
        now = unit.intents.get(intent.id)
    assert now is not None
    assert now.received_amount == 60


def test_counts_are_kept_by_client_and_equal_what_is_there(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    run_concurrently(
        [lambda: advance_intent(store, store_intent(store), IntentEvent.DEPOSIT_FULL)] * 10
    )
    run_concurrently([lambda: store_intent(store, client_id="c-2")] * 5)
    both = {State.FUNDED: 10, State.PENDING: 5}
    with store.read() as unit:
        assert unit.intents.count_by_state(OwnerFilter()) == both
        assert unit.intents.count_by_state(OwnerFilter("c-2")) == {State.PENDING: 5}
        assert unit.intents.count_by_state(OwnerFilter("nobody")) == {}
    for filters, count in (
        ({}, 15),
        ({"states": (State.FUNDED,)}, 10),
        ({"client_id": "c-2", "states": (State.FUNDED,)}, 0),
        ({"source_chain": BASE}, 15),
    ):
        assert len(_page(store, **filters)) == count


def _page(store: SqlStore, **filters: Any) -> list[int]:
    with store.read() as unit:
        page = unit.intents.list_page(IntentFilter(**filters), 100)
        return [intent.id for intent in page]


def test_every_filter_of_a_list_keeps_what_it_asks_for(store: SqlStore) -> None:
    plain = store_intent(store)
    funded = advance_intent(store, store_intent(store, mode="live"), IntentEvent.DEPOSIT_FULL)
    other = store_intent(
        store, {"source_chain": ARBITRUM, "destination_chain": BASE}, client_id="c-2", sender="eve"
    )
    assert _page(store) == [other.id, funded.id, plain.id]
    assert _page(store, client_id="c-1") == [funded.id, plain.id]
    assert _page(store, mode="live") == [funded.id]
    assert _page(store, states=(State.FUNDED, State.EXPIRED)) == [funded.id]
    assert _page(store, source_chain=ARBITRUM) == [other.id]
    assert _page(store, destination_chain=BASE) == [other.id]
    assert _page(store, sender="eve") == [other.id]
    assert _page(store, client_id="c-1", sender="eve") == []
    assert _page(store, before_id=other.id, mode="test") == [plain.id]


def test_an_intent_is_found_by_each_identifier(store: SqlStore) -> None:
    intent = store_intent(store, tx_hash="0xfill")
    store_intent(store)
    [start] = enqueue(store, a_new_tx(intent))
    signed = tx_change(start, OutboundTxState.SIGNED, tx_id="0xstart")
    store.write(lambda unit: unit.outbound_txs.update([signed], NOW))
    terms = intent.terms
    for text in (
        intent.address,
        intent.destination_address,
        terms.recipient,
        intent.sender,
        "0xfill",
        "0xstart",
        str(intent.id),
    ):
        assert _page(store, text=text) == [intent.id], text
    assert _page(store, text="9" * 30) == []
    assert _page(store, text="%") == []


def test_pages_by_the_last_number_neither_skip_nor_repeat(store: SqlStore) -> None:
    ids = [store_intent(store).id for _ in range(25)]
    walked: list[int] = []
    before = None
    while True:
        with store.read() as unit:
            page = unit.intents.list_page(IntentFilter(before_id=before), 10)
        if not page:
            break
        walked += [intent.id for intent in page]
        before = walked[-1]
        store_intent(store)
    assert walked == sorted(ids, reverse=True)
    with store.read() as unit:
        skipped = unit.intents.list_page(IntentFilter(before_id=ids[-1] + 1), 10, offset=20)
    assert [intent.id for intent in skipped] == sorted(ids, reverse=True)[20:]


def test_unstarted_intents_past_their_expiry_are_listed(store: SqlStore) -> None:
    pending, funded = (
        store_intent(store),
        advance_intent(store, store_intent(store), IntentEvent.DEPOSIT_FULL),
    )
    starting = advance_intent(store, store_intent(store), IntentEvent.DEPOSIT_FULL)
    started = advance_intent(
        store, store_intent(store), IntentEvent.DEPOSIT_FULL, IntentEvent.STARTED
    )
    longer = store_intent(store, {"expires_at": later(3601)})
    elsewhere = store_intent(store, {"source_chain": ARBITRUM, "expires_at": later(10)})
    due, sent = enqueue(store, a_new_tx(funded), a_new_tx(starting))
    store.write(
        lambda unit: unit.outbound_txs.update(
            [tx_change(sent, OutboundTxState.SIGNED, tx_id="x")], NOW
        )
    )
    assert due.state is OutboundTxState.DUE
    with store.read() as unit:
        at = {BASE: later(3600), ARBITRUM: later(9)}
        assert {k: set(v) for k, v in unit.intents.list_expired(at, 10).items()} == {
            BASE: {pending.id, funded.id}
        }
        after = {BASE: later(3601), ARBITRUM: later(10)}
        assert {k: set(v) for k, v in unit.intents.list_expired(after, 10).items()} == {
            BASE: {pending.id, funded.id, longer.id},
            ARBITRUM: {elsewhere.id},
        }
        assert sum(len(v) for v in unit.intents.list_expired(after, 2).values()) == 2
    assert started.state is State.INITIATED


def test_committed_amounts_are_those_of_started_and_starting_intents(store: SqlStore) -> None:
    token_key = (ARBITRUM, "usdc-arbitrum")
    store_intent(store)
    funded = advance_intent(store, store_intent(store), IntentEvent.DEPOSIT_FULL)
    advance_intent(
        store,
        store_intent(store, {"payout_amount": HUGE}),
        IntentEvent.DEPOSIT_FULL,
        IntentEvent.STARTED,
    )
    advance_intent(
        store,
        store_intent(store, {"token_out": "else"}),
        IntentEvent.DEPOSIT_FULL,
        IntentEvent.STARTED,
    )
    with store.read() as unit:
        assert unit.intents.sum_committed_payouts(*token_key) == HUGE
    [start] = enqueue(store, a_new_tx(funded))
    signed = tx_change(start, OutboundTxState.SIGNED, tx_id="x")
    store.write(lambda unit: unit.outbound_txs.update([signed], NOW))
    with store.read() as unit:
        assert unit.intents.sum_committed_payouts(*token_key) == HUGE + 24_900_000
        assert unit.intents.get_usd_values([funded.id]) == {funded.id: 25_000_000}


def test_known_and_watched_addresses_are_our_deposit_addresses(store: SqlStore) -> None:
    intent, other = store_intent(store), store_intent(store, {"source_chain": ARBITRUM})
    ended = advance_intent(store, store_intent(store), IntentEvent.DEADLINE_EMPTY)
    with store.read() as unit:
        names = [intent.address, other.address, "stranger", intent.destination_address]
        assert unit.intents.find_ids_by_address(names) == {
            intent.address: intent.id,
            other.address: other.id,
        }
        everything = set(unit.intents.list_watched_addresses(BASE, later(3600)))
        assert everything == {intent.address, ended.address}
        assert unit.intents.list_watched_addresses(BASE, later(3601)) == [intent.address]


def test_ten_thousand_addresses_are_filtered_in_one_query(store: SqlStore) -> None:
    intent = store_intent(store)
    many = [f"stranger {number}" for number in range(10_000)]
    with store.read() as unit:
        assert unit.intents.find_ids_by_address([*many, intent.address]) == {
            intent.address: intent.id
        }


def test_started_unpaid_intents_reserve_destination_inventory(store: SqlStore) -> None:
    events = (IntentEvent.DEPOSIT_FULL, IntentEvent.STARTED, IntentEvent.FILLED)
    advance_intent(store, store_intent(store), *events)
    started = advance_intent(store, store_intent(store), *events[:2])
    with store.read() as unit:
        reserved = unit.intents.sum_started_by_chain()
        lingering = unit.intents.list_older_in_state(State.INITIATED, started.updated_at, 10)
        before = started.updated_at - timedelta(microseconds=1)
        assert unit.intents.list_older_in_state(State.INITIATED, before, 10) == []
    worth = started.costs.amount_micro_usd
    assert reserved == {started.terms.destination_chain: (1, worth)}
    assert [item.id for item in lingering] == [started.id]


def test_recent_transitions_are_newest_first_after_an_id(store: SqlStore) -> None:
    intents = [store_intent(store) for _ in range(5)]
    with store.read() as unit:
        newest = unit.intents.list_recent_transitions(OwnerFilter(), 3)
        after = unit.intents.list_recent_transitions(OwnerFilter(), 10, after_id=newest[-1][0])
    assert [move.intent_id for _, move in newest] == [item.id for item in intents[:1:-1]]
    assert after == newest[:2]


def test_a_retried_insert_creates_one_intent(store: SqlStore) -> None:
    intent = store_intent(store)
    [start] = enqueue(store, a_new_tx(intent, OutboundTxKind.START))
    store.write(lambda unit: unit.outbound_txs.add_attempts([an_attempt(start, "0xa")]))
    with store.read() as unit:
        assert len(unit.intents.list_page(IntentFilter(text=intent.address), 10)) == 1
    assert an_intent().id == 0


def test_the_newest_transitions_and_all_changes_of_state_are_listed(store: SqlStore) -> None:
    intent = store_intent(store)
    short, full = IntentEvent.DEPOSIT_SHORT, IntentEvent.DEPOSIT_FULL
    advance_intent(store, intent, *[short] * 4, full, *[IntentEvent.DEPOSIT_EXTRA] * 3)
    with store.read() as unit:
        events = [t.event for t in unit.intents.list_transitions([intent.id], newest=2)]
        assert events == ["CREATED", "DEPOSIT_FULL", "DEPOSIT_EXTRA", "DEPOSIT_EXTRA"]
        assert len(unit.intents.list_transitions([intent.id])) == 9
        assert unit.intents.count_transitions(intent.id) == 9
