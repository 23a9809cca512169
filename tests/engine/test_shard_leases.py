"""Engines share a chain by its shards, and agree on how many there are."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text, update

from crossway.engine.chain_leases import ChainLeases
from crossway.engine.fenced_store import FencedStore, LeaseLost
from crossway.engine.lease_names import parse_lease
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.storage.service_tables import leases
from crossway.storage.store import SqlStore, open_store
from tests.databases import fast, new_postgres, new_sqlite
from tests.processes import PATIENCE_SECONDS, wait_until
from tests.storage.records import run_concurrently

CHAINS = {"BASE_MAINNET": 4, "OPTIMISM_MAINNET": 1, "POLYGON_MAINNET": 1}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with closing(open_store(fast(new_sqlite(tmp_path)))) as opened:
        yield opened


def leases_of(store: SqlStore, owner: str, sole: bool = False) -> ChainLeases:
    return ChainLeases(store, owner, sole)


def renew(*engines: ChainLeases, counts: Mapping[str, int] = CHAINS) -> None:
    """Twice: what one gives up, the others take."""
    for _ in range(2):
        for engine in engines:
            engine.renew(counts)


def held(engine: ChainLeases, chain: str = "BASE_MAINNET") -> tuple[int, set[int]]:
    shards = engine.shards.get(chain, Shards(0, frozenset()))
    return shards.count, set(shards.held)


def expire(store: SqlStore) -> None:
    with store.writer.begin() as db:
        db.execute(update(leases).values(until=1))


def test_one_engine_has_all_of_each_chain(store: SqlStore) -> None:
    one = leases_of(store, "one")
    assert one.renew(CHAINS) == set()
    assert one.shards == dict.fromkeys(CHAINS, ALL_SHARDS)
    assert one.led == one.chains == set(CHAINS)
    assert one.renew(CHAINS) == set(CHAINS)
    assert set(one.epochs) == {
        *(f"chain:BASE_MAINNET:{number}/4" for number in range(4)),
        *("chain:OPTIMISM_MAINNET", "chain:POLYGON_MAINNET"),
    }


def test_two_engines_share_the_shards_of_a_chain_and_one_leads_it(store: SqlStore) -> None:
    one, two = leases_of(store, "one"), leases_of(store, "two")
    renew(one, two)
    assert (held(one), held(two)) == ((4, {0, 1}), (4, {2, 3}))
    assert (one.led, two.led) == ({"BASE_MAINNET", "OPTIMISM_MAINNET"}, {"POLYGON_MAINNET"})
    assert one.split(one.chains) == {
        Shards(4, frozenset({0, 1})): ["BASE_MAINNET"],
        ALL_SHARDS: ["OPTIMISM_MAINNET"],
    }
    two.release()
    assert one.renew(CHAINS) == {"OPTIMISM_MAINNET"}
    assert one.shards == dict.fromkeys(CHAINS, ALL_SHARDS)


def test_more_engines_than_shards_leave_some_without(store: SqlStore) -> None:
    engines = [leases_of(store, str(number)) for number in range(5)]
    renew(*engines)
    assert sorted(shard for engine in engines for shard in held(engine)[1]) == [0, 1, 2, 3]


def test_an_engine_divides_a_chain_as_those_do_that_hold_it(store: SqlStore) -> None:
    """Also one that was started before chains could be divided."""
    undivided, divided = leases_of(store, "one"), leases_of(store, "two")
    undivided.renew(dict.fromkeys(CHAINS, 1))
    renew(divided, undivided)
    assert "BASE_MAINNET" in undivided.chains
    assert "BASE_MAINNET" not in divided.chains
    undivided.release()
    renew(divided)
    assert divided.shards == dict.fromkeys(CHAINS, ALL_SHARDS)
    assert "chain:BASE_MAINNET:3/4" in divided.epochs


@pytest.mark.parametrize("before", [1, 2])
def test_who_was_paused_loses_a_chain_that_is_divided_otherwise_now(
    store: SqlStore, before: int
) -> None:
    paused, other = leases_of(store, "paused"), leases_of(store, "other")
    paused.renew(CHAINS | {"BASE_MAINNET": before})
    expire(store)
    other.renew({"BASE_MAINNET": 4})
    assert set(other.epochs) == {f"chain:BASE_MAINNET:{number}/4" for number in range(4)}
    with pytest.raises(LeaseLost):
        FencedStore(store, paused).write(lambda unit: unit.leases.list_taken())
    # It adopts the other's division.
    paused.lost()
    renew(paused, other, counts={"BASE_MAINNET": before})
    assert (held(paused), held(other)) == ((4, {2, 3}), (4, {0, 1}))


def test_a_dead_engines_division_is_forgotten(store: SqlStore) -> None:
    leases_of(store, "dead").renew({"BASE_MAINNET": 2})
    expire(store)
    new = leases_of(store, "new")
    new.renew({"BASE_MAINNET": 4})
    assert set(new.epochs) >= {"chain:BASE_MAINNET:0/4", "chain:BASE_MAINNET:1/4"}
    assert not {"chain:BASE_MAINNET:0/2", "chain:BASE_MAINNET:1/2"} & set(new.epochs)


def test_a_sole_engine_divides_as_it_is_told(store: SqlStore) -> None:
    leases_of(store, "before").renew({"BASE_MAINNET": 2})
    sole = leases_of(store, "sole", sole=True)
    sole.renew({"BASE_MAINNET": 4})
    assert len(sole.epochs) == 4


def test_engines_that_begin_at_once_with_different_settings_agree(postgres_url: str) -> None:
    with new_postgres(postgres_url) as url, closing(open_store(url)) as shared:
        for attempt in range(10):
            engines = [leases_of(shared, f"{attempt} {number}") for number in range(6)]

            def begin(number: int, engines: list[ChainLeases] = engines) -> None:
                engines[number].renew({"BASE_MAINNET": 1 + number % 4})

            run_concurrently([lambda n=n: begin(n) for n in range(6)])  # type: ignore[misc]
            names = [name for engine in engines for name in engine.epochs]
            assert names
            assert len(set(names)) == len(names)
            assert len({parse_lease(name).count for name in names}) == 1
            if attempt % 2:
                expire(shared)
            else:
                for engine in engines:
                    engine.release()


@pytest.mark.parametrize("counts", [dict.fromkeys(CHAINS, 1), CHAINS], ids=["chains", "shards"])
def test_leases_on_which_a_thread_of_the_engine_writes_are_kept(
    postgres_url: str, counts: Mapping[str, int]
) -> None:
    with new_postgres(postgres_url) as url, closing(open_store(url)) as shared:
        engine = leases_of(shared, "one")
        engine.renew(counts)
        begun, ends = threading.Event(), threading.Event()

        def work(_: object) -> None:
            begun.set()
            ends.wait(PATIENCE_SECONDS)

        writing = threading.Thread(target=lambda: FencedStore(shared, engine).write(work))
        renewing = threading.Thread(target=lambda: engine.renew(counts))
        writing.start()
        assert begun.wait(PATIENCE_SECONDS)
        before = dict(engine.epochs)
        renewing.start()
        wait_until("it waits or is over", lambda: not renewing.is_alive() or waits(shared))
        ends.set()
        for thread in (writing, renewing):
            thread.join()
        assert engine.epochs == before


def waits(store: SqlStore) -> bool:
    """Whether any transaction waits for a lock."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with store.reader.connect() as db:
        return bool(db.execute(text(query)).scalar_one())
