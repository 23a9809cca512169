"""Outbound transactions: enqueued once, changed by compare-and-set, with unique nonces."""

from dataclasses import replace
from typing import Any

import pytest

from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.storage.intents import ConcurrentUpdate
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    a_new_tx,
    an_attempt,
    enqueue,
    later,
    run_concurrently,
    store_intent,
    tx_change,
)

DUE, SIGNED, CONFIRMED, FINAL, FAILED, CANCELLED = OutboundTxState


def put(store: SqlStore, *changes: Any) -> None:
    store.write(lambda unit: unit.outbound_txs.update(changes, later(9)))


def test_an_outbound_tx_is_enqueued_once_for_its_cause(store: SqlStore) -> None:
    intent = store_intent(store)
    tx = a_new_tx(intent, amount=HUGE)
    [enqueued] = enqueue(store, tx)
    assert (
        enqueued.amount,
        enqueued.state,
        enqueued.attempt_count,
        enqueued.reason,
        enqueued.tx_id,
    ) == (
        HUGE,
        DUE,
        0,
        "",
        None,
    )
    assert (enqueued.next_at, enqueued.created_at, enqueued.updated_at) == (NOW, NOW, NOW)
    run_concurrently([lambda: enqueue(store, tx, replace(tx, amount=1))] * 12)
    with store.read() as unit:
        assert unit.outbound_txs.list_by_intents([intent.id]) == [enqueued]
    other = enqueue(store, tx, a_new_tx(intent, OutboundTxKind.REFUND, "expiry", amount=None))
    assert [t.kind for t in other] == [OutboundTxKind.START, OutboundTxKind.REFUND]
    assert other[1].amount is None
    with store.read() as unit:
        assert unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REFUND) == other[1:]
        assert unit.outbound_txs.list_by_intents([]) == []
        assert unit.outbound_txs.get(enqueued.id) == enqueued
        assert unit.outbound_txs.get(0) is None


def test_enqueuing_a_signed_tx_again_changes_nothing(store: SqlStore) -> None:
    intent = store_intent(store)
    [enqueued] = enqueue(store, a_new_tx(intent))
    put(store, tx_change(enqueued, SIGNED, tx_id="0x1"))
    [still] = enqueue(store, a_new_tx(intent, next_at=later(60)))
    assert (still.state, still.tx_id, still.next_at) == (SIGNED, "0x1", NOW)


def test_enqueuing_a_cancelled_tx_again_makes_it_due(store: SqlStore) -> None:
    intent = store_intent(store)
    [enqueued] = enqueue(store, a_new_tx(intent))
    put(store, tx_change(enqueued, CANCELLED, attempt_count=3, reason="The deposit was reversed."))
    [again] = enqueue(store, a_new_tx(intent, next_at=later(60)))
    assert (again.id, again.state, again.next_at) == (enqueued.id, DUE, later(60))
    assert (again.attempt_count, again.reason) == (0, "")


def test_due_txs_of_the_chains_are_listed_oldest_first(store: SqlStore) -> None:
    intents = [store_intent(store) for _ in range(4)]
    a, b, c, d = enqueue(
        store,
        a_new_tx(intents[0], next_at=later(2)),
        a_new_tx(intents[1], next_at=later(1)),
        a_new_tx(intents[2], next_at=later(3)),
        a_new_tx(intents[3], chain=ARBITRUM),
    )
    with store.read() as unit:
        assert unit.outbound_txs.list_due([BASE], later(2), 10) == [b, a]
        assert unit.outbound_txs.list_due([BASE, ARBITRUM], later(9), 2) == [d, b]
        assert unit.outbound_txs.list_due([], later(9), 10) == []
        assert unit.outbound_txs.list_due({BASE: 1}.keys(), later(9), 10) == [b, a, c]


def test_signed_txs_are_listed_with_what_tracking_needs(store: SqlStore) -> None:
    created = enqueue(store, *(a_new_tx(store_intent(store)) for _ in range(3)))
    put(store, *(tx_change(t, SIGNED, tx_id=f"0x{t.id}") for t in created[:2]))
    with store.read() as unit:
        flying = unit.outbound_txs.list_signed([BASE], 10)
        assert unit.outbound_txs.list_signed([ARBITRUM], 10) == []
        assert unit.outbound_txs.list_signed([BASE], 1) == flying[:1]
    assert [(f.id, f.intent_id, f.kind, f.chain, f.tx_id) for f in flying] == [
        (t.id, t.intent_id, t.kind, BASE, f"0x{t.id}") for t in created[:2]
    ]


def test_equal_and_different_changes_are_all_applied(store: SqlStore) -> None:
    created = enqueue(store, *(a_new_tx(store_intent(store)) for _ in range(6)))
    put(
        store,
        *(tx_change(t, SIGNED, tx_id=f"0x{t.id}") for t in created[:3]),
        *(
            tx_change(t, DUE, reason="The relayer is short.", next_at=later(5))
            for t in created[3:5]
        ),
        tx_change(created[5], CANCELLED, attempt_count=2),
    )
    with store.read() as unit:
        now = unit.outbound_txs.list_by_intents([t.intent_id for t in created])
    assert [t.state for t in now] == [SIGNED] * 3 + [DUE] * 2 + [CANCELLED]
    assert [t.tx_id for t in now[:3]] == [f"0x{t.id}" for t in created[:3]]
    assert [(t.reason, t.next_at) for t in now[3:5]] == [("The relayer is short.", later(5))] * 2
    assert now[5].attempt_count == 2
    assert {t.updated_at for t in now} == {later(9)}


def test_a_change_without_a_tx_id_keeps_the_stored_one(store: SqlStore) -> None:
    [enqueued] = enqueue(store, a_new_tx(store_intent(store)))
    put(store, tx_change(enqueued, SIGNED, tx_id="0x1"))
    put(store, tx_change(replace(enqueued, state=SIGNED), CONFIRMED, block_height=7))
    with store.read() as unit:
        now = unit.outbound_txs.get(enqueued.id)
    assert now is not None
    assert (now.state, now.tx_id, now.block_height) == (CONFIRMED, "0x1", 7)


@pytest.mark.parametrize("tx_id", ["0x1", None])
def test_a_change_of_a_stale_state_is_rolled_back_as_a_whole(
    store: SqlStore, tx_id: str | None
) -> None:
    first_tx, other = enqueue(store, a_new_tx(store_intent(store)), a_new_tx(store_intent(store)))
    put(store, tx_change(first_tx, CANCELLED))
    with pytest.raises(ConcurrentUpdate):
        put(store, tx_change(other, SIGNED, tx_id=tx_id), tx_change(first_tx, SIGNED, tx_id=tx_id))
    with store.read() as unit:
        states = [
            t.state
            for t in unit.outbound_txs.list_by_intents([first_tx.intent_id, other.intent_id])
        ]
    assert states == [CANCELLED, DUE]


def test_locking_answers_only_those_in_the_state(store: SqlStore) -> None:
    first_tx, other = enqueue(store, a_new_tx(store_intent(store)), a_new_tx(store_intent(store)))
    put(store, tx_change(first_tx, SIGNED, tx_id="0x1"))
    ids = [first_tx.id, other.id]

    def lock(tx_ids: dict[int, str | None], state: OutboundTxState) -> set[int]:
        return store.write(lambda unit: unit.outbound_txs.lock_in_state(tx_ids, state))

    assert lock(dict.fromkeys(ids, None), DUE) == {other.id}
    assert lock(dict.fromkeys(ids, "0x1"), SIGNED) == {first_tx.id}
    assert lock({first_tx.id: "0x2"}, SIGNED) == set()
    assert lock({}, DUE) == set()
    assert set(store.write(lambda unit: unit.outbound_txs.lock(ids))) == set(ids)
    assert store.write(lambda unit: unit.outbound_txs.lock([])) == {}


def test_each_due_tx_is_signed_by_one_of_many_signers(store: SqlStore) -> None:
    created = enqueue(store, *(a_new_tx(store_intent(store)) for _ in range(20)))
    ids = [t.id for t in created]

    def sign() -> set[int]:
        def work(unit: Any) -> set[int]:
            mine: set[int] = unit.outbound_txs.lock_in_state(dict.fromkeys(ids, None), DUE)
            signed = [tx_change(t, SIGNED, tx_id=f"0x{t.id}") for t in created if t.id in mine]
            unit.outbound_txs.update(signed, NOW)
            return mine

        return store.write(work)

    shares = run_concurrently([sign] * 12)
    assert sorted(id for share in shares for id in share) == ids


def test_final_and_reorged_txs_are_found_by_their_blocks(store: SqlStore) -> None:
    low, high, here = enqueue(
        store,
        a_new_tx(store_intent(store)),
        a_new_tx(store_intent(store)),
        a_new_tx(store_intent(store), chain=ARBITRUM),
    )
    for tx, height in ((low, 10), (high, 11), (here, 5)):
        put(store, tx_change(tx, SIGNED, tx_id=f"0x{tx.id}"))
        confirmed = tx_change(replace(tx, state=SIGNED), CONFIRMED, block_height=height)
        put(store, confirmed)

    def ids(found: list[Any]) -> list[int]:
        return [t.id for t in found]

    with store.read() as unit:
        assert ids(unit.outbound_txs.list_final({BASE: 10, ARBITRUM: 4}, 9)) == [low.id]
        assert ids(unit.outbound_txs.list_final({BASE: 11, ARBITRUM: 5}, 9)) == [
            low.id,
            high.id,
            here.id,
        ]
        assert unit.outbound_txs.list_final({}, 9) == []
        assert ids(unit.outbound_txs.list_in_state([BASE], CONFIRMED, 9, min_height=11)) == [
            high.id
        ]
        assert ids(unit.outbound_txs.list_in_state([BASE, ARBITRUM], CONFIRMED, 2)) == [
            low.id,
            high.id,
        ]


def test_nonces_reserved_by_many_have_neither_gap_nor_duplicate(store: SqlStore) -> None:
    def reserve(count: int) -> range:
        first = store.write(lambda unit: unit.account_nonces.reserve(BASE, "relayer", count, 7))
        return range(first, first + count)

    ranges = run_concurrently([lambda count=count: reserve(count) for count in (1, 2, 3, 4, 5) * 8])  # type: ignore[misc]
    assert sorted(n for first_tx in ranges for n in first_tx) == list(range(7, 7 + 120))


def test_nonces_follow_the_chain_when_it_is_ahead_and_never_go_back(store: SqlStore) -> None:
    def reserve(chain: str, account: str, count: int, at_least: int) -> int:
        return store.write(
            lambda unit: unit.account_nonces.reserve(chain, account, count, at_least)
        )

    assert reserve(BASE, "relayer", 2, 0) == 0
    assert reserve(BASE, "relayer", 1, 10) == 10
    assert reserve(BASE, "relayer", 1, 3) == 11
    assert reserve(BASE, "other", 1, 0) == 0
    assert reserve(ARBITRUM, "relayer", 1, 0) == 0


def test_nonces_of_work_that_failed_are_given_out_again(store: SqlStore) -> None:
    def fail(unit: Any) -> None:
        unit.account_nonces.reserve(BASE, "relayer", 5, 0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(fail)
    assert store.write(lambda unit: unit.account_nonces.reserve(BASE, "relayer", 1, 0)) == 0


def test_attempts_keep_every_byte_in_their_order(store: SqlStore) -> None:
    [enqueued] = enqueue(store, a_new_tx(store_intent(store)))
    tries = [an_attempt(enqueued, "0xa", 5), an_attempt(enqueued, "0xb", 5)]
    store.write(lambda unit: unit.outbound_txs.add_attempts(tries))
    store.write(lambda unit: unit.outbound_txs.add_attempts([]))
    with store.read() as unit:
        assert unit.outbound_txs.list_attempts([enqueued.id]) == tries
        assert unit.outbound_txs.list_attempts([]) == []
        assert unit.outbound_txs.list_attempts([enqueued.id + 1]) == []


def test_open_txs_with_a_reason_need_attention(store: SqlStore) -> None:
    waiting, failed, done, silent = enqueue(
        store, *(a_new_tx(store_intent(store)) for _ in range(4))
    )
    put(
        store,
        tx_change(waiting, DUE, reason="The relayer is short."),
        tx_change(failed, FAILED, reason="refused"),
        tx_change(done, SIGNED, tx_id="0x1"),
    )
    put(store, tx_change(replace(done, state=SIGNED), FINAL, reason="was retried"))
    with store.read() as unit:
        assert [t.id for t in unit.outbound_txs.list_needing_attention(10)] == [
            waiting.id,
            failed.id,
        ]
    assert silent.reason == ""


def test_a_tx_can_be_redirected(store: SqlStore) -> None:
    first_tx, other = enqueue(store, a_new_tx(store_intent(store)), a_new_tx(store_intent(store)))
    store.write(lambda unit: unit.outbound_txs.redirect(first_tx.id, "elsewhere"))
    with store.read() as unit:
        by_intents = unit.outbound_txs.list_by_intents([first_tx.intent_id, other.intent_id])
    assert [t.to_address for t in by_intents] == ["elsewhere", "bridger"]


def test_the_newest_returns_and_all_other_txs_of_an_intent_are_listed(store: SqlStore) -> None:
    intent = store_intent(store)
    start, *returns = enqueue(
        store,
        a_new_tx(intent),
        *(a_new_tx(intent, OutboundTxKind.RETURN_EXCESS, f"deposit:{n}") for n in range(4)),
    )
    with store.read() as unit:
        assert unit.outbound_txs.list_newest(intent.id, 2) == [start, *returns[2:]]
        assert unit.outbound_txs.list_newest(intent.id, 9) == [start, *returns]
        assert unit.outbound_txs.count_by_intent(intent.id) == 5


def test_unsettled_txs_are_those_that_are_due_signed_or_failed(store: SqlStore) -> None:
    intent = store_intent(store)
    txs = enqueue(
        store,
        *(
            a_new_tx(intent, OutboundTxKind.RETURN_EXCESS, f"deposit:{n}")
            for n, _ in enumerate(OutboundTxState)
        ),
    )
    changes = [tx_change(tx, state) for tx, state in zip(txs, OutboundTxState, strict=True)]
    store.write(lambda unit: unit.outbound_txs.update(changes, NOW))
    with store.read() as unit:
        found = {tx.state for tx in unit.outbound_txs.list_unsettled([intent.id])}
        assert unit.outbound_txs.list_unsettled([]) == []
    assert found == {OutboundTxState.DUE, OutboundTxState.SIGNED, OutboundTxState.FAILED}


def test_outbound_txs_that_share_a_transaction_store_its_bytes_once(store: SqlStore) -> None:
    intents = [store_intent(store) for _ in range(3)]
    txs = [enqueue(store, a_new_tx(intent))[0] for intent in intents]
    put(store, *(tx_change(tx, SIGNED, tx_id="0xshared") for tx in txs))
    signed = [an_attempt(tx, "0xshared", 7) for tx in txs]
    store.write(lambda unit: unit.outbound_txs.add_attempts(signed))
    other = an_attempt(txs[0], "0xother", 8)
    store.write(lambda unit: unit.outbound_txs.add_attempts([other]))
    with store.read() as unit:
        assert unit.outbound_txs.list_attempts([tx.id for tx in txs]) == [*signed, other]
        assert unit.outbound_txs.list_attempts([txs[2].id]) == signed[2:]
        assert unit.outbound_txs.list_sharing({"0xshared", "0xother", "0xnone"}) == {
            "0xshared": [tx.id for tx in txs],
            "0xother": [txs[0].id],
            "0xnone": [],
        }
        assert unit.outbound_txs.list_sharing([]) == {}
    put(store, tx_change(replace(txs[1], state=SIGNED), DUE))
    ids = {tx.id for tx in txs}
    with store.read() as unit:
        still = unit.outbound_txs.list_still_signed(ids, "0xshared")
        assert still == ids - {txs[1].id}
        assert unit.outbound_txs.list_still_signed(ids, "0xother") == set()
        assert unit.outbound_txs.list_still_signed([], "0xshared") == set()
