"""A deposit is recorded once, credited once, and follows its block through reorganisations."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.storage.deposits import NORMAL_PRIORITY_DEPOSITS
from crossway.storage.store import SqlStore, open_store
from tests.databases import new_sqlite
from tests.statements import plan_of, recorded
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
            assert unit.deposits.list_ready_for_intent(intent.id, height, 10) == found
            assert unit.deposits.list_ready({ARBITRUM: 999}, 10) == []
            assert unit.deposits.list_ready({}, 10) == []
    credit(store, deposit.id)
    with store.read() as unit:
        assert unit.deposits.list_ready({BASE: 999}, 10) == []


def test_ready_deposits_of_an_intent_are_those_on_its_source_chain(store: SqlStore) -> None:
    intent = store_intent(store)
    store_deposits(store, intent, an_incoming_transfer(intent, chain=ARBITRUM), depth=0)
    with store.read() as unit:
        assert unit.deposits.list_ready_for_intent(intent.id, 999, 10) == []


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
            still = unit.deposits.lock_seen([deposit])
            unit.deposits.credit([(item, DepositPurpose.PAYMENT, "") for item in still], NOW)
            return len(still)

        return store.write(work)

    assert sum(run_concurrently([credit_once] * 16)) == 1


def test_a_deposit_that_is_in_another_block_now_is_not_credited_as_before(store: SqlStore) -> None:
    intent = store_intent(store)
    transfer = an_incoming_transfer(intent)
    [before] = store_deposits(store, intent, transfer)
    store.write(lambda unit: unit.deposits.mark_orphaned([before.id], "gone"))
    moved = replace(transfer, block_height=101, block_hash="hash-101")
    [now] = store_deposits(store, intent, moved)
    assert now.id == before.id
    assert store.write(lambda unit: unit.deposits.lock_seen([before])) == set()
    assert store.write(lambda unit: unit.deposits.lock_seen([now])) == {now.id}


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
    place = (intent.id, foreign.incoming.chain, foreign.incoming.token)
    with store.read() as unit:
        assert unit.deposits.find_newest_unreturned(place) == foreign.id
        assert [d.id for d in (foreign, dust, payment) if unit.deposits.is_unreturned(d.id)] == [
            foreign.id
        ]
        assert unit.deposits.find_newest_unreturned((intent.id + 1, *place[1:])) is None
        assert unit.deposits.find_newest_unreturned((*place[:2], "another")) is None
    store.write(lambda unit: unit.deposits.mark_returned([place], "sent back"))
    with store.read() as unit:
        assert unit.deposits.find_newest_unreturned(place) is None
        notes = [d.note for d in unit.deposits.list_by_intents([intent.id])]
    assert notes == ["sent back", "Kept", ""]


def test_an_orphaned_unexpected_deposit_is_not_open(store: SqlStore) -> None:
    intent = store_intent(store)
    [foreign] = store_deposits(store, intent, an_incoming_transfer(intent))
    credit(store, foreign.id, DepositPurpose.WRONG_TOKEN)
    store.write(lambda unit: unit.deposits.mark_orphaned([foreign.id], "reorganised"))
    with store.read() as unit:
        assert not unit.deposits.is_unreturned(foreign.id)


def test_a_note_changes_nothing_else(store: SqlStore) -> None:
    intent = store_intent(store)
    paid, late, seen = store_deposits(
        store, intent, *(an_incoming_transfer(intent) for _ in range(3))
    )
    credit(store, paid.id)
    credit(store, late.id, DepositPurpose.LATE)
    store.write(lambda unit: unit.deposits.set_note_of_payments(intent.id, "Kept"))
    with store.read() as unit:
        now = unit.deposits.list_by_intents([intent.id])
    assert [(d.note, d.state) for d in now] == [("Kept", CREDITED), ("", CREDITED), ("", SEEN)]
    assert [d.incoming for d in now] == [d.incoming for d in (paid, late, seen)]


def test_deposits_beyond_the_first_of_a_payment_wait_in_a_queue_of_their_own(
    store: SqlStore,
) -> None:
    crowded, other = store_intent(store), store_intent(store)
    many = [
        an_incoming_transfer(crowded, 1, index=n, tx_hash="many", block_height=100 + n)
        for n in range(NORMAL_PRIORITY_DEPOSITS + 5)
    ]
    store_deposits(store, crowded, *many[:150], depth=0)
    deposits = store_deposits(store, crowded, *many[150:], depth=0)
    last = deposits[NORMAL_PRIORITY_DEPOSITS:]
    [honest] = store_deposits(store, other, an_incoming_transfer(other, block_height=999), depth=0)
    with store.read() as unit:
        normal = unit.deposits.list_ready({BASE: 999}, 1_000)
        assert normal == [*deposits[:NORMAL_PRIORITY_DEPOSITS], honest]
        for limit in (2, 9):
            waiting = unit.deposits.list_ready({BASE: 999}, limit, low_priority=True)
            assert waiting == last[:limit]
        below = last[0].incoming.block_height - 1
        assert unit.deposits.list_ready({BASE: below}, 9, low_priority=True) == []


def test_each_chain_has_its_turn_of_ready_deposits(store: SqlStore) -> None:
    here, there = store_intent(store), store_intent(store, {"source_chain": ARBITRUM})
    on_base = store_deposits(store, here, *(an_incoming_transfer(here) for _ in range(3)))
    [on_arbitrum] = store_deposits(store, there, an_incoming_transfer(there))
    with store.read() as unit:
        ready = unit.deposits.list_ready({BASE: 999, ARBITRUM: 999}, 2)
    assert ready == [*on_base[:2], on_arbitrum]


def test_ready_deposits_are_found_by_the_index_of_their_queue(tmp_path: Path) -> None:
    """By what is ready: neither other deposits nor those of the other queue are looked at."""
    sqlite = open_store(new_sqlite(tmp_path))
    with recorded(sqlite.reader) as statements, sqlite.read() as unit:
        unit.deposits.list_ready({BASE: 999}, 10)
    plan = plan_of(sqlite.reader, next(s for s in statements if "FROM deposits" in s))
    sqlite.close()
    assert any(
        "USING INDEX deposits_seen (chain=? AND low_priority=? AND ready_height<?)" in step
        or "USING COVERING INDEX deposits_seen (chain=? AND low_priority=? AND ready_height<?)"
        in step
        for step in plan
    ), plan
    assert not any(step.startswith("SCAN deposits") for step in plan), plan


def test_payments_with_late_and_orphaned_deposits_are_found(store: SqlStore) -> None:
    late, orphaned, plain = (store_intent(store) for _ in range(3))
    ids = [late.id, orphaned.id, plain.id]
    [d1] = store_deposits(store, late, an_incoming_transfer(late))
    [d2] = store_deposits(store, orphaned, an_incoming_transfer(orphaned))
    [d3] = store_deposits(store, plain, an_incoming_transfer(plain))
    credit(store, d1.id, DepositPurpose.LATE)
    credit(store, d3.id, DepositPurpose.OVERPAYMENT)
    store.write(lambda unit: unit.deposits.mark_orphaned([d2.id], "gone"))
    with store.read() as unit:
        assert unit.deposits.find_late(ids) == {late.id}
        assert unit.deposits.find_orphaned(ids) == {orphaned.id}
        assert unit.deposits.find_late([plain.id]) == unit.deposits.find_orphaned([]) == set()
        assert unit.deposits.list_by_intents([late.id], newest=5) == unit.deposits.list_by_intents(
            [late.id]
        )
        assert unit.deposits.count_by_intent(late.id) == 1
