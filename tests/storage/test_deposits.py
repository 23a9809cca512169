"""A deposit is recorded once, credited once, and follows its block through reorganisations."""

from typing import Any

import pytest

from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    an_incoming_transfer,
    later,
    run_concurrently,
    store_deposits,
    store_intent,
)

SEEN, CREDITED, ORPHANED = DepositState


def credit(
    store: SqlStore, id: int, purpose: DepositPurpose = DepositPurpose.PAYMENT, note: str = ""
) -> None:
    store.write(lambda unit: unit.deposits.credit([(id, purpose, note)], later(5)))


def test_a_deposit_comes_back_as_it_was_seen(store: SqlStore) -> None:
    result = an_incoming_transfer(store_intent(store), HUGE)
    [deposit] = store_deposits(store, store_intent(store), result)
    assert (deposit.incoming, deposit.state, deposit.purpose) == (result, SEEN, None)
    with store.read() as unit:
        assert unit.deposits.get(deposit.id) == deposit
        assert unit.deposits.get(deposit.id + 1) is None
        assert unit.deposits.list_by_intents([]) == []


def test_a_transfer_that_is_found_again_is_the_same_deposit(store: SqlStore) -> None:
    intent = store_intent(store)
    result, second = an_incoming_transfer(intent), an_incoming_transfer(intent, index=1)
    [first] = store_deposits(store, intent, result)
    credit(store, first.id)
    again = store_deposits(store, intent, result, second, result)
    assert [d.state for d in again] == [CREDITED, SEEN]
    run_concurrently([lambda: store_deposits(store, intent, result, second)] * 12)
    with store.read() as unit:
        assert unit.deposits.list_by_intents([intent.id]) == again


def test_a_deposit_is_ready_at_its_depth_and_not_a_block_earlier(store: SqlStore) -> None:
    intent = store_intent(store)
    [deposit] = store_deposits(store, intent, an_incoming_transfer(intent), depth=3)
    for height, found in ((102, []), (103, [deposit]), (104, [deposit])):
        with store.read() as unit:
            assert unit.deposits.list_ready({BASE: height}, 10) == found
            assert unit.deposits.list_ready_for_intent(intent.id, height) == found
            assert unit.deposits.list_ready({ARBITRUM: 999}, 10) == []
            assert unit.deposits.list_ready({}, 10) == []
    credit(store, deposit.id)
    with store.read() as unit:
        assert unit.deposits.list_ready({BASE: 999}, 10) == []


def test_ready_deposits_of_an_intent_are_those_on_its_source_chain(store: SqlStore) -> None:
    intent = store_intent(store)
    store_deposits(store, intent, an_incoming_transfer(intent, chain=ARBITRUM), depth=0)
    with store.read() as unit:
        assert unit.deposits.list_ready_for_intent(intent.id, 999) == []


def test_ready_deposits_are_oldest_first(store: SqlStore) -> None:
    intent = store_intent(store)
    all_of_them = store_deposits(store, intent, *(an_incoming_transfer(intent) for _ in range(5)))
    with store.read() as unit:
        assert unit.deposits.list_ready({BASE: 200}, 3) == all_of_them[:3]


def test_concurrent_credits_of_a_deposit_succeed_once(store: SqlStore) -> None:
    intent = store_intent(store)
    [deposit] = store_deposits(store, intent, an_incoming_transfer(intent))

    def credit_once() -> int:
        def work(unit: Any) -> int:
            still = unit.deposits.lock_seen([deposit.id])
            unit.deposits.credit([(item, DepositPurpose.PAYMENT, "") for item in still], NOW)
            return len(still)

        return store.write(work)

    assert sum(run_concurrently([credit_once] * 16)) == 1


def test_a_credited_deposit_keeps_its_purpose(store: SqlStore) -> None:
    intent = store_intent(store)
    [deposit] = store_deposits(store, intent, an_incoming_transfer(intent))
    credit(store, deposit.id, DepositPurpose.PAYMENT)
    credit(store, deposit.id, DepositPurpose.LATE, "again")
    with store.read() as unit:
        now = unit.deposits.get(deposit.id)
    assert now is not None
    assert (now.state, now.purpose, now.note, now.credited_at) == (
        CREDITED,
        DepositPurpose.PAYMENT,
        "",
        later(5),
    )


def test_a_deposit_that_returns_in_another_block_begins_anew(store: SqlStore) -> None:
    intent = store_intent(store)
    result = an_incoming_transfer(intent)
    [deposit] = store_deposits(store, intent, result)
    credit(store, deposit.id)
    store.write(lambda unit: unit.deposits.mark_orphaned([deposit.id], "reorganised"))
    moved = an_incoming_transfer(
        intent, tx_hash=result.tx_hash, block_height=120, block_hash="other", at=later(9)
    )
    [back] = store_deposits(store, intent, moved, depth=5)
    assert (back.id, back.incoming, back.state, back.note) == (deposit.id, moved, SEEN, "")
    # A second reorg must not reverse what was not credited again.
    assert (back.purpose, back.credited_at) == (None, None)
    with store.read() as unit:
        assert unit.deposits.list_ready({BASE: 124}, 10) == []
        assert unit.deposits.list_ready({BASE: 125}, 10) == [back]


def test_a_reorg_affects_deposits_at_or_above_its_height(store: SqlStore) -> None:
    intent = store_intent(store)
    low, high, gone = store_deposits(
        store,
        intent,
        an_incoming_transfer(intent, block_height=99),
        an_incoming_transfer(intent, block_height=100),
        an_incoming_transfer(intent, block_height=101),
    )
    store.write(lambda unit: unit.deposits.mark_orphaned([gone.id], "gone"))

    def from_height(chain: str, height: int) -> list[Deposit]:
        return store.write(lambda unit: unit.deposits.lock_from_height(chain, height))

    assert from_height(BASE, 100) == [high]
    assert from_height(BASE, 99) == [low, high]
    assert from_height(ARBITRUM, 0) == []


@pytest.mark.parametrize("purpose", [DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN])
def test_an_unexpected_deposit_is_open_until_closed(
    store: SqlStore, purpose: DepositPurpose
) -> None:
    intent = store_intent(store)
    foreign, dust, payment = store_deposits(
        store, intent, *(an_incoming_transfer(intent) for _ in range(3))
    )
    credit(store, foreign.id, purpose)
    credit(store, dust.id, purpose, "Kept")
    credit(store, payment.id)
    with store.read() as unit:
        assert [d.id for d in unit.deposits.list_unreturned()] == [foreign.id]
        assert [d.id for d in unit.deposits.list_unreturned([intent.id])] == [foreign.id]
        assert unit.deposits.list_unreturned([intent.id + 1]) == []
        assert unit.deposits.list_unreturned([]) == []
    store.write(lambda unit: unit.deposits.mark_returned([foreign.id], "sent back"))
    with store.read() as unit:
        assert unit.deposits.list_unreturned() == []


def test_an_orphaned_unexpected_deposit_is_not_open(store: SqlStore) -> None:
    intent = store_intent(store)
    [foreign] = store_deposits(store, intent, an_incoming_transfer(intent))
    credit(store, foreign.id, DepositPurpose.WRONG_TOKEN)
    store.write(lambda unit: unit.deposits.mark_orphaned([foreign.id], "reorganised"))
    with store.read() as unit:
        assert unit.deposits.list_unreturned() == []


def test_a_note_changes_nothing_else(store: SqlStore) -> None:
    intent = store_intent(store)
    [deposit] = store_deposits(store, intent, an_incoming_transfer(intent))
    store.write(lambda unit: unit.deposits.set_note([deposit.id], "waits for a price"))
    store.write(lambda unit: unit.deposits.set_note([], "nobody"))
    with store.read() as unit:
        now = unit.deposits.get(deposit.id)
    assert now is not None
    assert (now.note, now.state) == ("waits for a price", SEEN)
