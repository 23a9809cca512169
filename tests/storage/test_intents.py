"""Intents come back as they were stored, move once, and are found by what is known of them."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from crossway.domain.intent import Event, State
from crossway.domain.transfers import Duty, TransferState
from crossway.ports.records import IntentFilter
from crossway.storage.intents import LostRace
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    a_client,
    an_attempt,
    an_intent,
    at_once,
    change,
    later,
    moved,
    owed,
    owing,
    stored,
    turned,
)


def test_an_intent_comes_back_as_it_was_stored(store: SqlStore) -> None:
    exact = datetime(2027, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    made = stored(
        store, {"total_units": HUGE, "out_units": HUGE - 1, "expires_at": exact}, held_units=HUGE
    )
    with store.read() as unit:
        assert unit.intents.get(made.id) == made
        assert unit.intents.by_address(made.address) == made
        assert unit.intents.of([made.id, 10**9]) == {made.id: made}
        assert unit.intents.get(made.id + 1) is None
        assert unit.intents.by_address("nowhere") is None


def test_two_intents_never_share_an_address_or_a_nonce(store: SqlStore) -> None:
    made = stored(store)
    with pytest.raises(IntegrityError):
        stored(store, address=made.address)
    with pytest.raises(IntegrityError):
        stored(store, {"nonce": made.terms.nonce})
    with store.read() as unit:
        assert unit.intents.counts() == {State.PENDING: 1}


def test_a_new_intent_is_announced_once(store: SqlStore) -> None:
    made = stored(store)
    with store.read() as unit:
        [move] = unit.intents.moves([made.id])
        [(_, newest)] = unit.intents.recent_moves(10)
    assert (move.tells, move.from_state, move.to_state) == ("intent_created", None, State.PENDING)
    assert newest == move


def test_nothing_is_known_of_no_intents(store: SqlStore) -> None:
    with store.read() as unit:
        assert unit.intents.of([]) == {}
        assert unit.intents.lock([]) == {}
        assert unit.intents.worths([]) == {}
        assert unit.intents.known([]) == {}
        assert unit.intents.moves([]) == []
        assert unit.intents.expiring({}, 10) == {}
        assert unit.intents.counts() == {}


def test_a_move_stores_state_history_announcement_and_counts(store: SqlStore) -> None:
    made = stored(store)
    funded = moved(store, made, Event.DEPOSIT_FULL, received_units=HUGE, held_units=HUGE)
    with store.read() as unit:
        assert unit.intents.get(made.id) == funded
        assert unit.intents.counts("c-1") == {State.FUNDED: 1}
        history = unit.intents.moves([made.id])
    assert [(m.event, m.tells) for m in history] == [
        ("CREATED", "intent_created"),
        ("DEPOSIT_FULL", "intent_funded"),
    ]
    assert history[1].at == funded.updated_at


def test_several_events_of_one_intent_are_one_write_and_all_its_history(store: SqlStore) -> None:
    made = stored(store)
    first = change(made, Event.DEPOSIT_SHORT, received_units=1)
    second = change(first.after, Event.DEPOSIT_FULL, received_units=25_000_000)
    store.write(lambda unit: unit.intents.apply([first, second]))
    with store.read() as unit:
        assert unit.intents.get(made.id) == second.after
        assert len(unit.intents.moves([made.id])) == 3
        assert unit.intents.counts() == {State.FUNDED: 1}


def test_a_move_from_a_state_that_has_passed_changes_nothing(store: SqlStore) -> None:
    one, other = stored(store), stored(store)
    funded = moved(store, one, Event.DEPOSIT_FULL)
    stale = [change(other, Event.DEPOSIT_FULL), change(one, Event.DEADLINE_EMPTY)]
    with pytest.raises(LostRace):
        store.write(lambda unit: unit.intents.apply(stale))
    with store.read() as unit:
        assert unit.intents.of([one.id, other.id]) == {one.id: funded, other.id: other}
        assert unit.intents.counts() == {State.FUNDED: 1, State.PENDING: 1}
        assert len(unit.intents.moves([one.id, other.id])) == 3


def test_of_many_threads_that_move_an_intent_one_does(store: SqlStore) -> None:
    made = stored(store)

    def fund() -> bool:
        def work(unit: Any) -> bool:
            current = unit.intents.lock([made.id])[made.id]
            if current.state is not State.PENDING:
                return False
            unit.intents.apply([change(current, Event.DEPOSIT_FULL)])
            return True

        return store.write(work)

    assert Counter(at_once([fund] * 16)) == {True: 1, False: 15}
    with store.read() as unit:
        assert Counter(m.tells for m in unit.intents.moves([made.id]))["intent_funded"] == 1


def test_many_threads_add_to_an_amount_and_none_is_lost(store: SqlStore) -> None:
    made = stored(store)

    def receive() -> None:
        def work(unit: Any) -> None:
            current = unit.intents.lock([made.id])[made.id]
            more = current.received_units + 1
            unit.intents.apply([change(current, Event.DEPOSIT_SHORT, received_units=more)])

        store.write(work)

    at_once([receive] * 60)
    with store.read() as unit:
        now = unit.intents.get(made.id)
    assert now is not None
    assert now.received_units == 60


def test_counts_are_kept_by_client_and_equal_what_is_there(store: SqlStore) -> None:
    store.write(lambda unit: unit.access.add_client(a_client("c-2")))
    at_once([lambda: moved(store, stored(store), Event.DEPOSIT_FULL)] * 10)
    at_once([lambda: stored(store, client_id="c-2")] * 5)
    both = {State.FUNDED: 10, State.PENDING: 5}
    with store.read() as unit:
        assert unit.intents.counts() == both
        assert unit.intents.counts("c-2") == {State.PENDING: 5}
        assert unit.intents.counts("nobody") == {}
        assert unit.intents.count(IntentFilter()) == 15
        assert unit.intents.count(IntentFilter(states=(State.FUNDED,))) == 10
        assert unit.intents.count(IntentFilter(client_id="c-2", states=(State.FUNDED,))) == 0
        assert unit.intents.count(IntentFilter(source_chain=BASE)) == 15


def _page(store: SqlStore, **wanted: Any) -> list[int]:
    with store.read() as unit:
        found = unit.intents.page(IntentFilter(**wanted), 100)
        assert unit.intents.count(IntentFilter(**wanted)) == len(found)
        return [intent.id for intent in found]


def test_every_filter_of_a_list_keeps_what_it_asks_for(store: SqlStore) -> None:
    plain = stored(store)
    funded = moved(store, stored(store, mode="live"), Event.DEPOSIT_FULL)
    other = stored(
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


def test_an_intent_is_found_by_whatever_names_it(store: SqlStore) -> None:
    made = stored(store, tx_hash="0xfill")
    stored(store)
    [start] = owing(store, owed(made))
    signed = turned(start, TransferState.SIGNED, tx_id="0xstart")
    store.write(lambda unit: unit.transfers.change([signed], NOW))
    terms = made.terms
    for text in (
        made.address,
        made.destination_address,
        terms.recipient,
        made.sender,
        "0xfill",
        "0xstart",
        str(made.id),
    ):
        assert _page(store, text=text) == [made.id], text
    assert _page(store, text="9" * 30) == []
    assert _page(store, text="%") == []


def test_pages_by_the_last_number_neither_skip_nor_repeat(store: SqlStore) -> None:
    ids = [stored(store).id for _ in range(25)]
    walked: list[int] = []
    before = None
    while True:
        with store.read() as unit:
            page = unit.intents.page(IntentFilter(before_id=before), 10)
        if not page:
            break
        walked += [intent.id for intent in page]
        before = walked[-1]
        stored(store)
    assert walked == sorted(ids, reverse=True)
    with store.read() as unit:
        skipped = unit.intents.page(IntentFilter(before_id=ids[-1] + 1), 10, offset=20)
    assert [intent.id for intent in skipped] == sorted(ids, reverse=True)[20:]


def test_what_is_over_and_not_being_started_expires(store: SqlStore) -> None:
    pending, funded = stored(store), moved(store, stored(store), Event.DEPOSIT_FULL)
    starting = moved(store, stored(store), Event.DEPOSIT_FULL)
    started = moved(store, stored(store), Event.DEPOSIT_FULL, Event.STARTED)
    longer = stored(store, {"expires_at": later(3601)})
    elsewhere = stored(store, {"source_chain": ARBITRUM, "expires_at": later(10)})
    due, sent = owing(store, owed(funded), owed(starting))
    store.write(
        lambda unit: unit.transfers.change([turned(sent, TransferState.SIGNED, tx_id="x")], NOW)
    )
    assert due.state is TransferState.DUE
    with store.read() as unit:
        at = {BASE: later(3600), ARBITRUM: later(9)}
        assert {k: set(v) for k, v in unit.intents.expiring(at, 10).items()} == {
            BASE: {pending.id, funded.id}
        }
        after = {BASE: later(3601), ARBITRUM: later(10)}
        assert {k: set(v) for k, v in unit.intents.expiring(after, 10).items()} == {
            BASE: {pending.id, funded.id, longer.id},
            ARBITRUM: {elsewhere.id},
        }
        assert sum(len(v) for v in unit.intents.expiring(after, 2).values()) == 2
    assert started.state is State.INITIATED


def test_what_is_started_or_being_started_is_promised_and_nothing_else(store: SqlStore) -> None:
    place = (ARBITRUM, "usdc-arbitrum")
    stored(store)
    funded = moved(store, stored(store), Event.DEPOSIT_FULL)
    moved(store, stored(store, {"out_units": HUGE}), Event.DEPOSIT_FULL, Event.STARTED)
    moved(store, stored(store, {"token_out": "else"}), Event.DEPOSIT_FULL, Event.STARTED)
    with store.read() as unit:
        assert unit.intents.committed(*place) == HUGE
    [start] = owing(store, owed(funded))
    signed = turned(start, TransferState.SIGNED, tx_id="x")
    store.write(lambda unit: unit.transfers.change([signed], NOW))
    with store.read() as unit:
        assert unit.intents.committed(*place) == HUGE + 24_900_000
        assert unit.intents.worths([funded.id]) == {funded.id: 25_000_000}


def test_known_and_watched_are_our_deposit_addresses(store: SqlStore) -> None:
    made, other = stored(store), stored(store, {"source_chain": ARBITRUM})
    ended = moved(store, stored(store), Event.DEADLINE_EMPTY)
    with store.read() as unit:
        names = [made.address, other.address, "stranger", made.destination_address]
        assert unit.intents.known(names) == {made.address: made.id, other.address: other.id}
        everything = set(unit.intents.watched(BASE, later(3600)))
        assert everything == {made.address, ended.address}
        assert unit.intents.watched(BASE, later(3601)) == [made.address]


def test_ten_thousand_addresses_are_asked_about_at_once(store: SqlStore) -> None:
    made = stored(store)
    many = [f"stranger {number}" for number in range(10_000)]
    with store.read() as unit:
        assert unit.intents.known([*many, made.address]) == {made.address: made.id}


def test_what_is_started_and_not_paid_out_is_reserved_where_it_goes(store: SqlStore) -> None:
    events = (Event.DEPOSIT_FULL, Event.STARTED, Event.FILLED)
    moved(store, stored(store), *events)
    started = moved(store, stored(store), *events[:2])
    with store.read() as unit:
        reserved = unit.intents.reserved()
        lingering = unit.intents.lingering(State.INITIATED, started.updated_at, 10)
        before = started.updated_at - timedelta(microseconds=1)
        assert unit.intents.lingering(State.INITIATED, before, 10) == []
    worth = started.costs.amount_micro_usd
    assert reserved == {started.terms.destination_chain: (1, worth)}
    assert [one.id for one in lingering] == [started.id]


def test_recent_moves_are_newest_first_after_a_number(store: SqlStore) -> None:
    made = [stored(store) for _ in range(5)]
    with store.read() as unit:
        newest = unit.intents.recent_moves(3)
        after = unit.intents.recent_moves(10, after_id=newest[-1][0])
    assert [move.intent_id for _, move in newest] == [one.id for one in made[:1:-1]]
    assert after == newest[:2]


def test_an_attempt_does_not_make_an_intent_twice(store: SqlStore) -> None:
    made = stored(store)
    [start] = owing(store, owed(made, Duty.START))
    store.write(lambda unit: unit.transfers.add_attempts([an_attempt(start, "0xa")]))
    with store.read() as unit:
        assert unit.intents.count(IntentFilter(text=made.address)) == 1
    assert an_intent().id == 0
