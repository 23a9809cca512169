"""A deposit is recorded once, credited once, and follows its block through reorganisations."""

from typing import Any

import pytest

from crossway.domain.deposits import Deposit, DepositState, Purpose
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    at_once,
    incoming,
    later,
    seen,
    stored,
)

SEEN, CREDITED, ORPHANED = DepositState


def credit(store: SqlStore, id: int, purpose: Purpose = Purpose.PAYMENT, note: str = "") -> None:
    store.write(lambda unit: unit.deposits.credit([(id, purpose, note)], later(5)))


def test_a_deposit_comes_back_as_it_was_seen(store: SqlStore) -> None:
    found = incoming(stored(store), HUGE)
    [deposit] = seen(store, stored(store), found)
    assert (deposit.incoming, deposit.state, deposit.purpose) == (found, SEEN, None)
    with store.read() as unit:
        assert unit.deposits.get(deposit.id) == deposit
        assert unit.deposits.get(deposit.id + 1) is None
        assert unit.deposits.of([]) == []


def test_a_transfer_that_is_found_again_is_the_same_deposit(store: SqlStore) -> None:
    intent = stored(store)
    found, second = incoming(intent), incoming(intent, index=1)
    [first] = seen(store, intent, found)
    credit(store, first.id)
    again = seen(store, intent, found, second, found)
    assert [d.state for d in again] == [CREDITED, SEEN]
    at_once([lambda: seen(store, intent, found, second)] * 12)
    with store.read() as unit:
        assert unit.deposits.of([intent.id]) == again


def test_it_is_ready_at_its_depth_and_not_a_block_earlier(store: SqlStore) -> None:
    intent = stored(store)
    [deposit] = seen(store, intent, incoming(intent), depth=3)
    for height, found in ((102, []), (103, [deposit]), (104, [deposit])):
        with store.read() as unit:
            assert unit.deposits.ready({BASE: height}, 10) == found
            assert unit.deposits.ready_of(intent.id, height) == found
            assert unit.deposits.ready({ARBITRUM: 999}, 10) == []
            assert unit.deposits.ready({}, 10) == []
    credit(store, deposit.id)
    with store.read() as unit:
        assert unit.deposits.ready({BASE: 999}, 10) == []


def test_by_hand_only_money_on_the_source_chain_is_looked_for(store: SqlStore) -> None:
    intent = stored(store)
    seen(store, intent, incoming(intent, chain=ARBITRUM), depth=0)
    with store.read() as unit:
        assert unit.deposits.ready_of(intent.id, 999) == []


def test_the_oldest_are_ready_first(store: SqlStore) -> None:
    intent = stored(store)
    all_of_them = seen(store, intent, *(incoming(intent) for _ in range(5)))
    with store.read() as unit:
        assert unit.deposits.ready({BASE: 200}, 3) == all_of_them[:3]


def test_of_many_who_credit_a_deposit_one_does(store: SqlStore) -> None:
    intent = stored(store)
    [deposit] = seen(store, intent, incoming(intent))

    def credit_once() -> int:
        def work(unit: Any) -> int:
            still = unit.deposits.lock_seen([deposit.id])
            unit.deposits.credit([(one, Purpose.PAYMENT, "") for one in still], NOW)
            return len(still)

        return store.write(work)

    assert sum(at_once([credit_once] * 16)) == 1


def test_a_credited_deposit_stays_what_it_was_credited_as(store: SqlStore) -> None:
    intent = stored(store)
    [deposit] = seen(store, intent, incoming(intent))
    credit(store, deposit.id, Purpose.PAYMENT)
    credit(store, deposit.id, Purpose.LATE, "again")
    with store.read() as unit:
        now = unit.deposits.get(deposit.id)
    assert now is not None
    assert (now.state, now.purpose, now.note, now.credited_at) == (
        CREDITED,
        Purpose.PAYMENT,
        "",
        later(5),
    )


def test_a_deposit_that_returns_in_another_block_begins_anew(store: SqlStore) -> None:
    intent = stored(store)
    found = incoming(intent)
    [deposit] = seen(store, intent, found)
    credit(store, deposit.id)
    store.write(lambda unit: unit.deposits.orphan([deposit.id], "reorganised"))
    moved = incoming(
        intent, tx_hash=found.tx_hash, block_height=120, block_hash="other", at=later(9)
    )
    [back] = seen(store, intent, moved, depth=5)
    assert (back.id, back.incoming, back.state, back.note) == (deposit.id, moved, SEEN, "")
    # A second reorganisation must not take back what was not credited a second time.
    assert (back.purpose, back.credited_at) == (None, None)
    with store.read() as unit:
        assert unit.deposits.ready({BASE: 124}, 10) == []
        assert unit.deposits.ready({BASE: 125}, 10) == [back]


def test_what_a_reorganisation_can_undo_lies_at_or_above_its_height(store: SqlStore) -> None:
    intent = stored(store)
    low, high, gone = seen(
        store,
        intent,
        incoming(intent, block_height=99),
        incoming(intent, block_height=100),
        incoming(intent, block_height=101),
    )
    store.write(lambda unit: unit.deposits.orphan([gone.id], "gone"))

    def from_height(chain: str, height: int) -> list[Deposit]:
        return store.write(lambda unit: unit.deposits.from_height(chain, height))

    assert from_height(BASE, 100) == [high]
    assert from_height(BASE, 99) == [low, high]
    assert from_height(ARBITRUM, 0) == []


@pytest.mark.parametrize("purpose", [Purpose.FOREIGN, Purpose.ELSEWHERE])
def test_foreign_money_is_open_until_it_is_closed(store: SqlStore, purpose: Purpose) -> None:
    intent = stored(store)
    foreign, dust, payment = seen(store, intent, *(incoming(intent) for _ in range(3)))
    credit(store, foreign.id, purpose)
    credit(store, dust.id, purpose, "Kept")
    credit(store, payment.id)
    with store.read() as unit:
        assert [d.id for d in unit.deposits.open_foreign()] == [foreign.id]
        assert [d.id for d in unit.deposits.open_foreign([intent.id])] == [foreign.id]
        assert unit.deposits.open_foreign([intent.id + 1]) == []
        assert unit.deposits.open_foreign([]) == []
    store.write(lambda unit: unit.deposits.close_foreign([foreign.id], "sent back"))
    with store.read() as unit:
        assert unit.deposits.open_foreign() == []


def test_foreign_money_that_was_orphaned_is_not_open(store: SqlStore) -> None:
    intent = stored(store)
    [foreign] = seen(store, intent, incoming(intent))
    credit(store, foreign.id, Purpose.FOREIGN)
    store.write(lambda unit: unit.deposits.orphan([foreign.id], "reorganised"))
    with store.read() as unit:
        assert unit.deposits.open_foreign() == []


def test_a_note_changes_the_note_alone(store: SqlStore) -> None:
    intent = stored(store)
    [deposit] = seen(store, intent, incoming(intent))
    store.write(lambda unit: unit.deposits.note([deposit.id], "waits for a price"))
    store.write(lambda unit: unit.deposits.note([], "nobody"))
    with store.read() as unit:
        now = unit.deposits.get(deposit.id)
    assert now is not None
    assert (now.note, now.state) == ("waits for a price", SEEN)
