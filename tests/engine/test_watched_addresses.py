"""The watched addresses in memory: every address that was committed is there before it is paid."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from crossway.domain.deposits import address_key
from crossway.domain.intent import Intent
from crossway.engine.watched_addresses import StoredAddressFilter, WatchedAddresses
from crossway.storage.intent_rows import intent_row
from crossway.storage.tables import intents
from tests.databases import new_postgres
from tests.engine.standing_world import StandingWorld
from tests.harness import Harness, ManualClock
from tests.statements import recorded

BASE, SOLANA = "BASE_MAINNET", "SOLANA_MAINNET"
DAY_SECONDS = 86_400


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


@pytest.fixture
def world_on_postgres(postgres_url: str) -> Iterator[Harness]:
    with new_postgres(postgres_url) as url:
        built = Harness(url)
        yield built
        built.store.close()


def is_watched(watched: WatchedAddresses, intent: Intent, chain: str = BASE) -> bool:
    key = address_key(intent.address)
    return watched.find_watched(chain, {key, b"00" * 20}) == {key}


def copy_of(intent: Intent, digit: str) -> dict[str, object]:
    """The row of a payment like this one at another address."""
    address = "0x" + digit * 40
    other = {"address": address, "destination_address": address, "nonce": digit}
    return intent_row(intent) | other | {"intent_hash": "0x" + digit * 64}


def test_addresses_are_watched_by_chain_as_soon_as_they_are_stored(world: Harness) -> None:
    watched = WatchedAddresses(world.services)
    first = world.create_intent()
    watched.refresh()
    assert is_watched(watched, first)
    # Whoever pays on the wrong chain is found, but nobody is asked about the address there.
    assert is_watched(watched, first, "ARBITRUM_MAINNET")
    assert watched.count("ARBITRUM_MAINNET") == 0
    assert not is_watched(watched, first, SOLANA)
    second, other = world.create_intent(), world.create_intent(SOLANA)
    assert not is_watched(watched, second)
    watched.refresh()
    assert is_watched(watched, second)
    assert is_watched(watched, other, SOLANA)
    assert watched.count(BASE) == 2
    assert watched.list_part(BASE, 1, 5) == [second.address.lower()]
    assert watched.list_part(SOLANA, 0, 5) == [other.address]


def test_a_filter_reads_what_is_new_when_it_is_first_asked(world: Harness) -> None:
    watched = WatchedAddresses(world.services)
    of_scan = StoredAddressFilter(world.services, BASE, watched)
    intent = world.create_intent()
    assert of_scan.find_watched({address_key(intent.address)}) == {address_key(intent.address)}
    world.create_intent()
    # Blocks that were read before it was stored cannot pay it.
    assert of_scan.count() == 1
    assert StoredAddressFilter(world.services, BASE, watched).count() == 2


def test_payments_that_ended_long_ago_are_forgotten_within_a_day(world: Harness) -> None:
    seconds = ManualClock(0.0)
    watched = WatchedAddresses(world.services, seconds)
    old = world.create_intent()
    watched.refresh()
    lasts = timedelta(seconds=world.services.policy.late_watch_seconds)
    world.machine.seconds += lasts.total_seconds() + DAY_SECONDS
    world.pass_time(2)
    watched.refresh()
    assert is_watched(watched, old)
    new = world.create_intent()
    seconds.seconds += DAY_SECONDS
    watched.refresh()
    assert not is_watched(watched, old)
    assert is_watched(watched, new)


@pytest.mark.parametrize("starts", ["before", "meanwhile"])
def test_an_address_that_is_committed_after_newer_ones_is_not_left_out(
    world_on_postgres: Harness, starts: str
) -> None:
    world = world_on_postgres
    template, watched = world.create_intent(), WatchedAddresses(world.services)
    if starts == "before":
        watched.refresh()
    both = {b"a" * 40, b"b" * 40}
    with world.store.writer.connect() as slow, slow.begin() as transaction:
        slow.execute(insert(intents), copy_of(template, "a"))
        with world.store.writer.begin() as quick:
            quick.execute(insert(intents), copy_of(template, "b"))
        watched.refresh()
        watched.refresh()
        assert watched.find_watched(BASE, both) == {b"b" * 40}
        transaction.commit()
    watched.refresh()
    assert watched.find_watched(BASE, both) == both


def test_chains_that_are_queried_by_address_read_no_standing_addresses_of_others(
    tmp_path: Path,
) -> None:
    world = StandingWorld(tmp_path)
    address = world.create()
    watched = WatchedAddresses(world.services)
    on_base = StoredAddressFilter(world.services, BASE, watched)
    assert on_base.list_all() == [address.address]
    elsewhere = StoredAddressFilter(world.services, "ARBITRUM_MAINNET", watched)
    elsewhere.count()  # What is new has been read.
    with recorded(world.store.reader) as statements:
        assert elsewhere.list_all() == []
    assert not any("standing_addresses" in statement for statement in statements)
    world.store.close()
