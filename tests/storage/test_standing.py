"""Standing addresses and their deposits in the database."""

from dataclasses import replace

import pytest

from crossway.domain.clients import Mode, OwnerFilter
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import InvalidTransition
from crossway.domain.standing import (
    StandingAddress,
    StandingDeposit,
    StandingRules,
    StandingState,
    StandingTerms,
    TokenRule,
    committed_values,
    rules_values,
    standing_owner,
)
from crossway.ports.shards import Shards
from crossway.ports.standing_repository import StandingDepositFilter
from crossway.storage.store import SqlStore
from tests.storage.records import ARBITRUM, BASE, NOW, a_client, later

TERMS = StandingTerms(
    2**53 - 1, BASE, ARBITRUM, "0xout", "0xrecipient", "0xrecovery", "0xcoordinator", 100,
    (TokenRule("0xtoken", 20_000_000, 10**30),), ("0xescrow", "0xbridge"),
)  # fmt: skip
RULES = StandingRules(NOW, 5, 10**30, ("0xtoken",), True)
S = StandingState


def an_address(number: int = 0) -> StandingAddress:
    return StandingAddress(
        0, f"sa_{number}", a_client().id, Mode.TEST, f"0xaddress{number}", "0xhash", BASE,
        ARBITRUM, "0xout", "0xrecipient", "0xrecovery", committed_values(TERMS),
        {"versions": [rules_values(RULES)]}, "customer", {"a": 1}, NOW, NOW,
    )  # fmt: skip


def a_transfer(address: StandingAddress, index: int = 0, height: int = 10) -> IncomingTransfer:
    return IncomingTransfer(
        BASE, "0xtx", index, height, f"0xblock{height}", "0xtoken", "0xsender",
        address.address, 10**30, NOW,
    )  # fmt: skip


def add(store: SqlStore, number: int = 0) -> StandingAddress:
    return store.write(lambda unit: unit.standing.add(an_address(number)))


def record(store: SqlStore, address: StandingAddress, *transfers: IncomingTransfer) -> None:
    new = [(address, transfer, 3) for transfer in transfers]
    store.write(lambda unit: unit.standing.record(new, NOW))


def deposits(store: SqlStore) -> list[StandingDeposit]:
    with store.read() as unit:
        return unit.standing.list_deposits(StandingDepositFilter(), 100)[::-1]


def change(store: SqlStore, before: StandingDeposit, **fields: object) -> None:
    after = replace(before, **fields)  # type: ignore[arg-type]
    store.write(lambda unit: unit.standing.update_deposits([(before, after)]))


def test_an_address_is_read_as_it_was_stored(store: SqlStore) -> None:
    added = add(store)
    with store.read() as unit:
        found = unit.standing.find("sa_0")
        assert unit.standing.find_by_addresses(["0xaddress0", "x"]) == {"0xaddress0": added}
        assert unit.standing.get_many([added.number]) == {added.number: added}
        assert list(unit.standing.list_addresses()) == [(added.number, BASE, "0xaddress0")]
        assert unit.standing.get_newest_number() == added.number
    assert found == added == replace(an_address(), number=added.number)
    assert (added.terms, added.rules(NOW), added.rules(later(-9))) == (TERMS, RULES, RULES)


def test_rules_hold_from_their_time_on(store: SqlStore) -> None:
    added, stricter = add(store), replace(RULES, since=later(60), minimum=9)
    history = {"versions": [*added.history["versions"], rules_values(stricter)]}
    changed = replace(added, history=history, reference="other", updated_at=later(60))
    store.write(lambda unit: unit.standing.update_rules(changed))
    with store.read() as unit:
        found = unit.standing.find("sa_0")
    assert found == changed
    assert (found.rules(later(59)), found.rules(later(60))) == (RULES, stricter)
    assert found.latest_rules == stricter


def test_lists_are_of_their_owner_newest_first(store: SqlStore) -> None:
    first, second = add(store, 1), add(store, 2)
    with store.read() as unit:
        own, other = OwnerFilter(a_client().id, "test"), OwnerFilter(a_client().id, "live")
        assert unit.standing.list_page(own, 10) == [second, first]
        assert unit.standing.list_page(own, 10, second.number) == [first]
        assert unit.standing.list_page(other, 10) == []
        added = unit.standing.list_added_addresses(first.number, [first.number])
    assert [number for number, _, _ in added] == [first.number, second.number]


def test_a_transfer_is_recorded_once_and_ready_at_its_depth(store: SqlStore) -> None:
    address = add(store)
    record(store, address, a_transfer(address), a_transfer(address, 1))
    record(store, address, a_transfer(address))
    assert len(deposits(store)) == 2
    with store.read() as unit:
        assert unit.standing.list_ready({BASE: 12}, NOW, 10) == []
        assert unit.standing.list_ready({BASE: 13}, NOW, 1) == deposits(store)[:1]
        assert unit.standing.list_ready({BASE: 13}, NOW, 10) == deposits(store)
        assert unit.standing.list_ready({ARBITRUM: 99}, NOW, 10) == []
        of_shards = [
            unit.standing.list_ready({BASE: 13}, NOW, 10, Shards(3, frozenset({shard})))
            for shard in range(3)
        ]
    found = [deposit for part in of_shards for deposit in part]
    assert sorted(d.id for d in found) == [d.id for d in deposits(store)]
    for shard, part in enumerate(of_shards):
        assert all(abs(standing_owner(d.id)) % 3 == shard for d in part)


def test_what_waits_is_due_again_at_its_time(store: SqlStore) -> None:
    address = add(store)
    record(store, address, a_transfer(address))
    [deposit] = deposits(store)
    change(store, deposit, state=S.WAITING, next_at=later(30), updated_at=later(1))
    with store.read() as unit:
        assert unit.standing.list_ready({BASE: 99}, later(29), 10) == []
        assert len(unit.standing.list_ready({BASE: 99}, later(30), 10)) == 1


def test_an_orphaned_deposit_is_seen_again_with_its_payment(store: SqlStore) -> None:
    address = add(store)
    record(store, address, a_transfer(address))
    [deposit] = deposits(store)
    change(store, deposit, state=S.FORWARDING, intent_id=7)
    [locked] = store.write(lambda unit: unit.standing.lock_from_height(BASE, 10))
    assert store.write(lambda unit: unit.standing.lock_from_height(BASE, 11)) == []
    with store.read() as unit:
        assert unit.standing.get_deposits_of_intents([7, 8]) == {7: locked}
    change(store, locked, state=S.ORPHANED)
    record(store, address, a_transfer(address, 0, 20))
    [again] = deposits(store)
    assert (again.state, again.intent_id, again.incoming.block_height) == (S.SEEN, 7, 20)


def test_each_change_of_state_is_told_of(store: SqlStore) -> None:
    address = add(store)
    record(store, address, a_transfer(address))
    [deposit] = deposits(store)
    change(store, deposit, state=S.RETURNING)
    change(store, replace(deposit, state=S.RETURNING), state=S.RETURNING, reason="x")
    with store.read() as unit:
        events = unit.outbox.list_unsequenced(10)
    assert [(e.type, e.kind, e.resource_id) for e in events] == [
        ("standing_deposit_updated", "standing_deposit", deposit.id)
    ]
    with pytest.raises(InvalidTransition):
        change(store, replace(deposit, state=S.RETURNED), state=S.FORWARDED)
