"""The address book and daily caps as stored, on both databases."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from crossway.domain.outgoing_controls import ManualTransfer, NewAddress, TransferCap
from crossway.ports.store import Store, UnitOfWork
from tests.processes import PATIENCE_SECONDS

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
NEW = NewAddress("BASE_MAINNET", "0xa", "The office", "Tess", NOW, NOW + DAY)
HUGE = 10**30
SENT = ManualTransfer("BASE_MAINNET", "0xt", HUGE, "Tess", NOW, "intent:1")


def test_an_address_is_in_the_book_once_until_it_is_removed(store: Store) -> None:
    first = store.write(lambda unit: unit.outgoing_controls.add_address(NEW))
    assert first is not None
    assert (first.usable_at, first.removed_at, first.removed_by) == (NOW + DAY, None, "")
    assert not first.is_usable(NEW.usable_at - timedelta(microseconds=1))
    assert first.is_usable(NEW.usable_at)
    again = replace(NEW, name="Not the office")
    assert store.write(lambda unit: unit.outgoing_controls.add_address(again)) is None

    def remove(unit: UnitOfWork) -> bool:
        return unit.outgoing_controls.remove_address(first.id, "Ada", NOW + DAY)

    assert store.write(remove)
    assert not store.write(remove)
    with store.read() as unit:
        gone = unit.outgoing_controls.get_address(first.id)
        assert unit.outgoing_controls.list_addresses() == []
    assert gone is not None
    assert (gone.removed_by, gone.is_usable(NOW + 2 * DAY)) == ("Ada", False)
    second = store.write(lambda unit: unit.outgoing_controls.add_address(again))
    assert second is not None
    found = store.write(lambda unit: unit.outgoing_controls.find_address("BASE_MAINNET", "0xa"))
    assert found == second
    other = store.write(lambda unit: unit.outgoing_controls.find_address("TRON_MAINNET", "0xa"))
    assert other is None


def test_a_cap_is_set_changed_and_deleted(store: Store) -> None:
    cap = TransferCap("BASE_MAINNET", "0xt", HUGE, "Tess", NOW)
    changed = replace(cap, amount=1, by="Ada", at=NOW + DAY)
    for one in (cap, changed):
        store.write(lambda unit, one=one: unit.outgoing_controls.set_cap(one))  # type: ignore[misc]
        with store.read() as unit:
            assert unit.outgoing_controls.list_caps() == [one]
    locked = store.write(lambda unit: unit.outgoing_controls.lock_cap("BASE_MAINNET", "0xt"))
    assert locked == changed
    store.write(lambda unit: unit.outgoing_controls.delete_cap("BASE_MAINNET", "0xt"))
    with store.read() as unit:
        assert unit.outgoing_controls.list_caps() == []


def test_what_was_sent_is_listed_since_an_instant(store: Store) -> None:
    later = replace(SENT, amount=2, at=NOW + timedelta(hours=1))
    for one in (later, SENT):
        store.write(lambda unit, one=one: unit.outgoing_controls.record_transfer(one))  # type: ignore[misc]
    with store.read() as unit:
        listed = unit.outgoing_controls.list_transfers
        assert listed(NOW - DAY) == [SENT, later]
        assert listed(NOW) == [later]


def test_two_who_send_at_once_are_counted_one_after_the_other(store: Store) -> None:
    cap = TransferCap("BASE_MAINNET", "0xt", 100, "Tess", NOW)
    store.write(lambda unit: unit.outgoing_controls.set_cap(cap))
    start, counted = threading.Barrier(4), list[int]()

    def send() -> None:
        start.wait(PATIENCE_SECONDS)

        def work(unit: UnitOfWork) -> int:
            unit.outgoing_controls.lock_cap("BASE_MAINNET", "0xt")
            before = len(unit.outgoing_controls.list_transfers(NOW - DAY))
            unit.outgoing_controls.record_transfer(replace(SENT, amount=25))
            return before

        counted.append(store.write(work))

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert sorted(counted) == [0, 1, 2, 3]


def test_what_leaves_is_summed_by_chain_and_hour(store: Store) -> None:
    def add(chain: str, hour: int, micro_usd: int) -> int:
        return store.write(lambda unit: unit.outgoing_controls.add_outgoing(chain, hour, micro_usd))

    assert [add("BASE_MAINNET", 10, 5), add("BASE_MAINNET", 10, 7)] == [5, 12]
    assert [add("BASE_MAINNET", 11, 3), add("TRON_MAINNET", 10, 99)] == [3, 99]
    with store.read() as unit:
        most = unit.outgoing_controls.find_most_outgoing
        assert most("BASE_MAINNET", 10, 12) == 12
        # The hour that is counted is not one of those it is compared with.
        assert most("BASE_MAINNET", 11, 12) == 3
        assert most("BASE_MAINNET", 12, 13) == 0
        assert not unit.outgoing_controls.is_hour_released(10)
    for _ in range(2):
        store.write(lambda unit: unit.outgoing_controls.release_hour(10))
    with store.read() as unit:
        released = [unit.outgoing_controls.is_hour_released(hour) for hour in (9, 10, 11)]
        assert unit.outgoing_controls.find_most_outgoing("BASE_MAINNET", 10, 12) == 12
    assert released == [False, True, False]
