"""A duty is owed once, changes by compare-and-set, and its nonces go to one transfer each."""

from dataclasses import replace
from typing import Any

import pytest

from crossway.domain.transfers import Duty, TransferState
from crossway.storage.intents import LostRace
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    an_attempt,
    at_once,
    later,
    owed,
    owing,
    stored,
    turned,
)

DUE, SIGNED, CONFIRMED, FINAL, FAILED, CANCELLED = TransferState


def put(store: SqlStore, *changes: Any) -> None:
    store.write(lambda unit: unit.transfers.change(changes, later(9)))


def test_a_duty_is_owed_once_for_its_cause(store: SqlStore) -> None:
    intent = stored(store)
    duty = owed(intent, units=HUGE)
    [made] = owing(store, duty)
    assert (made.units, made.state, made.tries, made.reason, made.tx_id) == (HUGE, DUE, 0, "", None)
    assert (made.next_at, made.created_at, made.updated_at) == (NOW, NOW, NOW)
    at_once([lambda: owing(store, duty, replace(duty, units=1))] * 12)
    with store.read() as unit:
        assert unit.transfers.of([intent.id]) == [made]
    other = owing(store, duty, owed(intent, Duty.REFUND, "expiry", units=None))
    assert [t.duty for t in other] == [Duty.START, Duty.REFUND]
    assert other[1].units is None
    with store.read() as unit:
        assert unit.transfers.of([intent.id], Duty.REFUND) == other[1:]
        assert unit.transfers.of([]) == []
        assert unit.transfers.get(made.id) == made
        assert unit.transfers.get(0) is None


def test_a_signed_duty_that_is_owed_again_is_left_alone(store: SqlStore) -> None:
    intent = stored(store)
    [made] = owing(store, owed(intent))
    put(store, turned(made, SIGNED, tx_id="0x1"))
    [still] = owing(store, owed(intent, next_at=later(60)))
    assert (still.state, still.tx_id, still.next_at) == (SIGNED, "0x1", NOW)


def test_a_cancelled_duty_that_is_owed_again_is_due_as_if_new(store: SqlStore) -> None:
    intent = stored(store)
    [made] = owing(store, owed(intent))
    put(store, turned(made, CANCELLED, tries=3, reason="The deposit was reversed."))
    [again] = owing(store, owed(intent, next_at=later(60)))
    assert (again.id, again.state, again.next_at) == (made.id, DUE, later(60))
    assert (again.tries, again.reason) == (0, "")


def test_due_is_what_is_due_here_and_now_oldest_first(store: SqlStore) -> None:
    intents = [stored(store) for _ in range(4)]
    a, b, c, d = owing(
        store,
        owed(intents[0], next_at=later(2)),
        owed(intents[1], next_at=later(1)),
        owed(intents[2], next_at=later(3)),
        owed(intents[3], chain=ARBITRUM),
    )
    with store.read() as unit:
        assert unit.transfers.due([BASE], later(2), 10) == [b, a]
        assert unit.transfers.due([BASE, ARBITRUM], later(9), 2) == [d, b]
        assert unit.transfers.due([], later(9), 10) == []
        assert unit.transfers.due({BASE: 1}.keys(), later(9), 10) == [b, a, c]


def test_signed_transfers_are_followed_with_what_following_needs(store: SqlStore) -> None:
    made = owing(store, *(owed(stored(store)) for _ in range(3)))
    put(store, *(turned(t, SIGNED, tx_id=f"0x{t.id}") for t in made[:2]))
    with store.read() as unit:
        flying = unit.transfers.signed([BASE], 10)
        assert unit.transfers.signed([ARBITRUM], 10) == []
        assert unit.transfers.signed([BASE], 1) == flying[:1]
    assert [(f.id, f.intent_id, f.duty, f.chain, f.tx_id) for f in flying] == [
        (t.id, t.intent_id, t.duty, BASE, f"0x{t.id}") for t in made[:2]
    ]


def test_changes_that_are_alike_and_changes_that_are_not_are_all_made(store: SqlStore) -> None:
    made = owing(store, *(owed(stored(store)) for _ in range(6)))
    put(
        store,
        *(turned(t, SIGNED, tx_id=f"0x{t.id}") for t in made[:3]),
        *(turned(t, DUE, reason="The relayer is short.", next_at=later(5)) for t in made[3:5]),
        turned(made[5], CANCELLED, tries=2),
    )
    with store.read() as unit:
        now = unit.transfers.of([t.intent_id for t in made])
    assert [t.state for t in now] == [SIGNED] * 3 + [DUE] * 2 + [CANCELLED]
    assert [t.tx_id for t in now[:3]] == [f"0x{t.id}" for t in made[:3]]
    assert [(t.reason, t.next_at) for t in now[3:5]] == [("The relayer is short.", later(5))] * 2
    assert now[5].tries == 2
    assert {t.updated_at for t in now} == {later(9)}


def test_a_change_without_a_transaction_keeps_the_one_that_is_known(store: SqlStore) -> None:
    [made] = owing(store, owed(stored(store)))
    put(store, turned(made, SIGNED, tx_id="0x1"))
    put(store, turned(replace(made, state=SIGNED), CONFIRMED, block_height=7))
    with store.read() as unit:
        now = unit.transfers.get(made.id)
    assert now is not None
    assert (now.state, now.tx_id, now.block_height) == (CONFIRMED, "0x1", 7)


@pytest.mark.parametrize("tx_id", ["0x1", None])
def test_a_change_of_what_has_changed_is_undone_whole(store: SqlStore, tx_id: str | None) -> None:
    one, other = owing(store, owed(stored(store)), owed(stored(store)))
    put(store, turned(one, CANCELLED))
    with pytest.raises(LostRace):
        put(store, turned(other, SIGNED, tx_id=tx_id), turned(one, SIGNED, tx_id=tx_id))
    with store.read() as unit:
        states = [t.state for t in unit.transfers.of([one.intent_id, other.intent_id])]
    assert states == [CANCELLED, DUE]


def test_locking_answers_only_those_in_the_state(store: SqlStore) -> None:
    one, other = owing(store, owed(stored(store)), owed(stored(store)))
    put(store, turned(one, SIGNED, tx_id="0x1"))
    ids = [one.id, other.id]
    assert store.write(lambda unit: unit.transfers.lock_in(ids, DUE)) == {other.id}
    assert store.write(lambda unit: unit.transfers.lock_in([], DUE)) == set()
    assert set(store.write(lambda unit: unit.transfers.lock(ids))) == set(ids)
    assert store.write(lambda unit: unit.transfers.lock([])) == {}


def test_of_many_who_sign_what_is_due_each_transfer_is_signed_by_one(store: SqlStore) -> None:
    made = owing(store, *(owed(stored(store)) for _ in range(20)))
    ids = [t.id for t in made]

    def sign() -> set[int]:
        def work(unit: Any) -> set[int]:
            mine: set[int] = unit.transfers.lock_in(ids, DUE)
            signed = [turned(t, SIGNED, tx_id=f"0x{t.id}") for t in made if t.id in mine]
            unit.transfers.change(signed, NOW)
            return mine

        return store.write(work)

    shares = at_once([sign] * 12)
    assert sorted(id for share in shares for id in share) == ids


def test_final_and_reorganised_transfers_are_found_by_their_blocks(store: SqlStore) -> None:
    low, high, here = owing(
        store, owed(stored(store)), owed(stored(store)), owed(stored(store), chain=ARBITRUM)
    )
    for transfer, height in ((low, 10), (high, 11), (here, 5)):
        put(store, turned(transfer, SIGNED, tx_id=f"0x{transfer.id}"))
        confirmed = turned(replace(transfer, state=SIGNED), CONFIRMED, block_height=height)
        put(store, confirmed)

    def ids(found: list[Any]) -> list[int]:
        return [t.id for t in found]

    with store.read() as unit:
        assert ids(unit.transfers.settled_by({BASE: 10, ARBITRUM: 4}, 9)) == [low.id]
        assert ids(unit.transfers.settled_by({BASE: 11, ARBITRUM: 5}, 9)) == [
            low.id,
            high.id,
            here.id,
        ]
        assert unit.transfers.settled_by({}, 9) == []
        assert ids(unit.transfers.in_state([BASE], CONFIRMED, 9, min_height=11)) == [high.id]
        assert ids(unit.transfers.in_state([BASE, ARBITRUM], CONFIRMED, 2)) == [low.id, high.id]


def test_nonces_reserved_by_many_have_neither_gap_nor_duplicate(store: SqlStore) -> None:
    def reserve(count: int) -> range:
        first = store.write(lambda unit: unit.transfers.reserve_nonces(BASE, "relayer", count, 7))
        return range(first, first + count)

    ranges = at_once([lambda count=count: reserve(count) for count in (1, 2, 3, 4, 5) * 8])  # type: ignore[misc]
    assert sorted(n for one in ranges for n in one) == list(range(7, 7 + 120))


def test_nonces_follow_the_chain_when_it_is_ahead_and_never_go_back(store: SqlStore) -> None:
    def reserve(chain: str, account: str, count: int, at_least: int) -> int:
        return store.write(
            lambda unit: unit.transfers.reserve_nonces(chain, account, count, at_least)
        )

    assert reserve(BASE, "relayer", 2, 0) == 0
    assert reserve(BASE, "relayer", 1, 10) == 10
    assert reserve(BASE, "relayer", 1, 3) == 11
    assert reserve(BASE, "other", 1, 0) == 0
    assert reserve(ARBITRUM, "relayer", 1, 0) == 0


def test_nonces_of_work_that_failed_are_given_out_again(store: SqlStore) -> None:
    def fail(unit: Any) -> None:
        unit.transfers.reserve_nonces(BASE, "relayer", 5, 0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(fail)
    assert store.write(lambda unit: unit.transfers.reserve_nonces(BASE, "relayer", 1, 0)) == 0


def test_attempts_keep_every_byte_in_their_order(store: SqlStore) -> None:
    [made] = owing(store, owed(stored(store)))
    tries = [an_attempt(made, "0xa", 5), an_attempt(made, "0xb", 5)]
    store.write(lambda unit: unit.transfers.add_attempts(tries))
    store.write(lambda unit: unit.transfers.add_attempts([]))
    with store.read() as unit:
        assert unit.transfers.attempts([made.id]) == tries
        assert unit.transfers.attempts([]) == []
        assert unit.transfers.attempts([made.id + 1]) == []


def test_what_waits_with_a_reason_is_shown_to_people(store: SqlStore) -> None:
    waiting, failed, done, silent = owing(store, *(owed(stored(store)) for _ in range(4)))
    put(
        store,
        turned(waiting, DUE, reason="The relayer is short."),
        turned(failed, FAILED, reason="refused"),
        turned(done, SIGNED, tx_id="0x1"),
    )
    put(store, turned(replace(done, state=SIGNED), FINAL, reason="was retried"))
    with store.read() as unit:
        assert [t.id for t in unit.transfers.waiting(10)] == [waiting.id, failed.id]
    assert silent.reason == ""


def test_a_transfer_can_be_sent_elsewhere(store: SqlStore) -> None:
    one, other = owing(store, owed(stored(store)), owed(stored(store)))
    store.write(lambda unit: unit.transfers.redirect(one.id, "elsewhere"))
    with store.read() as unit:
        there = unit.transfers.of([one.intent_id, other.intent_id])
    assert [t.to_address for t in there] == ["elsewhere", "bridger"]
