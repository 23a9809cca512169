"""Clients, API keys and idempotency slots, also with concurrent callers."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from crossway.domain.clients import ApiKey, Mode, Owner, PublicProfile, Scope
from crossway.ports.records import IdempotencySlot
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, a_client, later, run_concurrently


def a_key(client_id: str = "c-1", scopes: frozenset[Scope] = frozenset(Scope)) -> ApiKey:
    return ApiKey(0, client_id, Mode.LIVE, scopes, "cr_live_abcd", NOW, None, None)


def added(store: SqlStore, secret: str, **more: Any) -> ApiKey:
    key = a_key(**more)
    return replace(key, id=store.write(lambda unit: unit.api_keys.add_api_key(key, secret)))


def test_a_client_comes_back_as_it_was_stored_and_as_it_was_changed(store: SqlStore) -> None:
    created = a_client("c-2", app_fee_cap_micro_usd=2**40, created_at=later(1))
    changed = replace(created, name="Café ✓", app_fee_bps=25, app_fee_cap_micro_usd=None)
    brand = PublicProfile("Café ✓", "https://cafe.example/logo.svg", "#aa5500")
    changed = replace(changed, refund_addresses={"evm": "0xabc"}, public_profile=brand)
    store.write(lambda unit: unit.api_keys.add_client(created))
    with store.read() as unit:
        assert unit.api_keys.get_client("c-2") == created
        assert unit.api_keys.get_client("nobody") is None
    store.write(lambda unit: unit.api_keys.update_client(changed))
    with store.read() as unit:
        assert unit.api_keys.list_clients() == [a_client(), changed]


def test_a_client_number_is_given_once(store: SqlStore) -> None:
    with pytest.raises(IntegrityError):
        store.write(lambda unit: unit.api_keys.add_client(a_client()))


@pytest.mark.parametrize("scopes", [frozenset(Scope), frozenset({Scope.READ}), frozenset()])
def test_a_key_is_found_by_its_hash_with_its_client(
    store: SqlStore, scopes: frozenset[Scope]
) -> None:
    key = added(store, "hash", scopes=scopes)
    with store.read() as unit:
        assert unit.api_keys.find_api_key("hash") == (key, a_client())
        assert unit.api_keys.find_api_key("other") is None


def test_two_keys_never_share_a_secret(store: SqlStore) -> None:
    added(store, "hash")
    with pytest.raises(IntegrityError):
        added(store, "hash")


def test_a_key_needs_a_client(store: SqlStore) -> None:
    with pytest.raises(IntegrityError):
        added(store, "hash", client_id="nobody")


def test_keys_are_listed_by_client_in_their_order(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    first, second = added(store, "1"), added(store, "2", client_id="c-2")
    with store.read() as unit:
        assert unit.api_keys.list_api_keys() == [first, second]
        assert unit.api_keys.list_api_keys("c-2") == [second]


def test_a_key_is_revoked_once(store: SqlStore) -> None:
    key = added(store, "hash")

    def revoke(at: datetime) -> bool:
        return store.write(lambda unit: unit.api_keys.revoke_api_key(key.id, at))

    assert revoke(later(1))
    assert not revoke(later(2))
    assert not store.write(lambda unit: unit.api_keys.revoke_api_key(key.id + 1, NOW))
    with store.read() as unit:
        assert unit.api_keys.list_api_keys() == [replace(key, revoked_at=later(1))]


def test_expiry_rate_scopes_and_networks_of_a_key_change(store: SqlStore) -> None:
    key = added(store, "hash")
    networks = ("192.0.2.0/24", "2001:db8::/32")
    changed = replace(key, expires_at=later(60), requests_per_minute=5, addresses=networks)
    changed = replace(changed, scopes=frozenset({Scope.READ}))
    store.write(lambda unit: unit.api_keys.update_api_key(changed))
    with store.read() as unit:
        assert unit.api_keys.get_api_key(key.id) == changed
        assert unit.api_keys.get_api_key(key.id + 1) is None
        assert unit.api_keys.find_api_key("hash") == (changed, a_client())


def test_last_uses_are_written_together(store: SqlStore) -> None:
    first, second, idle = added(store, "1"), added(store, "2"), added(store, "3")
    used = {second.id: later(2), first.id: later(1), 10**6: later(3)}
    run_concurrently([lambda: store.write(lambda unit: unit.api_keys.touch_api_keys(used))] * 8)
    store.write(lambda unit: unit.api_keys.touch_api_keys({}))
    with store.read() as unit:
        api_keys = unit.api_keys.list_api_keys()
    assert [key.last_used_at for key in api_keys] == [later(1), later(2), None]
    assert idle.last_used_at is None


OWNER = Owner("c-1", Mode.TEST)


def remember(store: SqlStore, key: str = "k", body: str = "b", at: datetime = NOW) -> bool:
    return store.write(
        lambda unit: unit.api_keys.open_idempotency_slot(OWNER, key, body, at, f"r-{body}", 600)
    )


def slot_of(store: SqlStore, key: str = "k") -> IdempotencySlot | None:
    with store.read() as unit:
        return unit.api_keys.get_idempotency_slot(OWNER, key)


def taken_over(store: SqlStore, holder: str) -> bool:
    return store.write(
        lambda unit: unit.api_keys.take_over_idempotency_slot(OWNER, "k", holder, 600)
    )


def renewed(store: SqlStore, holder: str, seconds: float) -> None:
    held = [(OWNER, "k", holder), (OWNER, "none", holder)]
    store.write(lambda unit: unit.api_keys.renew_idempotency_slots(held, seconds))


def answered(store: SqlStore, holder: str, status: int, body: bytes = b"{}") -> bool:
    return store.write(lambda unit: unit.api_keys.store_response(OWNER, "k", holder, status, body))


def test_concurrent_requests_with_one_idempotency_key_open_one_slot(store: SqlStore) -> None:
    opened = run_concurrently([partial(remember, store, body=str(number)) for number in range(16)])
    assert opened.count(True) == 1
    first = str(opened.index(True))
    with store.read() as unit:
        assert unit.api_keys.get_idempotency_slot(Owner("c-1", Mode.LIVE), "k") is None
    assert slot_of(store) == IdempotencySlot(first, NOW, None, b"", f"r-{first}")


def test_one_of_many_takes_over_a_slot_that_is_no_longer_held(store: SqlStore) -> None:
    remember(store)
    assert not taken_over(store, "r-2")
    renewed(store, "r-2", -1)
    assert not taken_over(store, "r-2"), "only its holder ends a hold"
    renewed(store, "r-b", -1)
    taken = run_concurrently([partial(taken_over, store, str(number)) for number in range(16)])
    assert taken.count(True) == 1
    assert slot_of(store) == IdempotencySlot("b", NOW, None, b"", str(taken.index(True)))


def test_a_hold_that_was_renewed_since_the_time_was_read_stands(store: SqlStore) -> None:
    remember(store)
    renewed(store, "r-b", 605)
    assert not taken_over(store, "r-2")


def test_a_hold_from_before_the_databases_clock_was_set_back_has_ended(store: SqlStore) -> None:
    remember(store)
    renewed(store, "r-b", 86_400)
    assert taken_over(store, "r-2")


def test_only_the_holder_of_a_slot_stores_and_releases(store: SqlStore) -> None:
    remember(store)
    assert not answered(store, "r-2", 200)
    store.write(lambda unit: unit.api_keys.release_idempotency_slot(OWNER, "k", "r-2"))
    assert not taken_over(store, "r-2")
    store.write(lambda unit: unit.api_keys.release_idempotency_slot(OWNER, "k", "r-b"))
    assert taken_over(store, "r-2")
    assert not answered(store, "r-b", 200)
    assert answered(store, "r-2", 200, b"first")
    assert answered(store, "r-2", 200, b"second")
    assert not answered(store, "r-2", 500), "a failure replaces no response"
    renewed(store, "r-2", -1)
    assert not taken_over(store, "r-3"), "nothing is started again once there is a response"
    assert slot_of(store) == IdempotencySlot("b", NOW, 200, b"second", "r-2")


def test_a_response_is_stored_byte_for_byte_until_its_slot_is_deleted(store: SqlStore) -> None:
    remember(store)
    assert answered(store, "r-b", 201, b"\x00{}\xff")
    assert slot_of(store) == IdempotencySlot("b", NOW, 201, b"\x00{}\xff", "r-b")
    store.write(lambda unit: unit.api_keys.delete_idempotency_slot(OWNER, "k"))
    assert remember(store)


def test_old_slots_are_deleted_and_new_ones_stay(store: SqlStore) -> None:
    for seconds in (1, 2, 3):
        remember(store, str(seconds), at=later(seconds))
    assert store.write(lambda unit: unit.api_keys.delete_idempotency_slots_before(later(3))) == 2
    with store.read() as unit:
        assert unit.api_keys.get_idempotency_slot(OWNER, "2") is None
        assert unit.api_keys.get_idempotency_slot(OWNER, "3") is not None
