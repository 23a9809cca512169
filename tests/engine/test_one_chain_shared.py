"""Several engines work on the shards of one pair of chains, on PostgreSQL: every effect once."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.engine.loop import Engine
from crossway.ports.sandbox import Faults
from tests.databases import new_postgres
from tests.engine.test_fencing import expire_leases
from tests.engine.test_two_engines import Passes, pass_time, ticking
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants, list_intents, nothing_outstanding

BASE, ARBITRUM = CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
PAYMENTS = 24
ONCE = ["intent_completed", "intent_created", "intent_funded", "intent_initiated"]


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    with new_postgres(postgres_url) as database_url:
        yield database_url


@contextmanager
def open_worlds(
    url: str, engines: int, *over_bridges: str, shards: int = 4, gas_accounts: int = 0
) -> Iterator[tuple[list[Harness], list[Engine]]]:
    """As many processes, each with its engine, that divide both chains into so many shards."""
    division = dict.fromkeys(CHAINS, shards)
    worlds = [
        Harness(*(url, lambda step: None, CHAINS, over_bridges, gas_accounts), shards=division)
        for _ in range(engines)
    ]
    try:
        yield worlds, [engine_of(world, f"{shards} {n}") for n, world in enumerate(worlds)]
    finally:
        for world in worlds:
            world.store.close()


def engine_of(world: Harness, owner: str) -> Engine:
    return Engine(world.services, owner, monotonic_seconds=world.machine)


def pay(world: Harness, number: int, amount: str = "exact") -> Intent:
    source, to = CHAINS if number % 2 else CHAINS[::-1]
    recipient = world.wallet(to, f"recipient {number}")
    made = world.create_intent(source, to, recipient=recipient)
    world.deposit(made, amount)
    return made


def work_until_done(worlds: list[Harness], passes: Passes, passes_at_most: int = 400) -> None:
    for _ in range(passes_at_most):
        pass_time(worlds, passes, 1)
        if passes.raised or nothing_outstanding(worlds[0]):
            break
    assert passes.raised == []
    assert nothing_outstanding(worlds[0])


def check_each_event_once(world: Harness, made: list[Intent]) -> None:
    with world.store.read() as unit:
        history = unit.intents.list_transitions([intent.id for intent in made])
    event_counts = Counter((move.intent_id, move.event_type) for move in history if move.event_type)
    assert event_counts == {(intent.id, kind): 1 for intent in made for kind in ONCE}


@pytest.mark.parametrize("over_bridges", [(), ("CCTP",)], ids=["from inventory", "over CCTP"])
def test_engines_share_two_chains_and_do_everything_once(
    url: str, over_bridges: tuple[str, ...]
) -> None:
    with open_worlds(url, 3, *over_bridges) as (worlds, engines):
        world = worlds[0]
        with ticking(engines) as passes:
            for _ in range(12):
                pass_time(worlds, passes, 1)
            held = [{c: s.held for c, s in e._leases.shards.items()} for e in engines]
            for number in range(PAYMENTS):
                pay(world, number, "over" if number % 3 == 0 else "exact")
                if number == PAYMENTS // 2:
                    world.sandbox.inject_faults(BASE, Faults(drop_next=2))
            work_until_done(worlds, passes)
        for chain in CHAINS:
            assert sorted(n for of in held for n in of.get(chain, ())) == [0, 1, 2, 3]
            # A third is two shards, rounded up: one engine has none of each chain.
            assert len([of for of in held if chain in of]) == 2
        check_invariants(world)
        made = list_intents(world)
        assert [intent.state for intent in made] == [State.COMPLETED] * PAYMENTS
        check_each_event_once(world, made)


def test_engines_that_share_a_chain_send_with_accounts_of_their_own(url: str) -> None:
    with open_worlds(url, 2, "CCTP", shards=2, gas_accounts=2) as (worlds, engines):
        world = worlds[0]
        with ticking(engines) as passes:
            for _ in range(12):
                pass_time(worlds, passes, 1)
            made = [pay(world, number) for number in range(PAYMENTS)]
            work_until_done(worlds, passes)
        check_invariants(world)
        check_each_event_once(world, list_intents(world))
        with world.store.read() as unit:
            txs = unit.outbound_txs.list_by_intents([intent.id for intent in made])
            owners = {tx.id: tx for tx in txs}
            attempts = unit.outbound_txs.list_attempts(list(owners))
        for attempt in attempts:
            accounts = world.services.chains[attempt.chain].accounts.gas_accounts
            shard = owners[attempt.outbound_tx_id].intent_id % 2
            assert attempt.signed.account == accounts[shard]


def test_a_reorg_is_noticed_by_one_engine_for_all_shards(url: str) -> None:
    with open_worlds(url, 2) as (worlds, engines):
        with ticking(engines) as passes:
            for _ in range(12):
                pass_time(worlds, passes, 1)
            for number in range(8):
                pay(worlds[0], number)
            for _ in range(6):
                pass_time(worlds, passes, 1)
            for chain in CHAINS:
                worlds[0].sandbox.inject_faults(chain, Faults(reorg_depth=4))
            work_until_done(worlds, passes)
        check_invariants(worlds[0], reorged=True)
        assert {intent.state for intent in list_intents(worlds[0])} == {State.COMPLETED}


def test_the_division_changes_between_restarts_while_payments_are_under_way(url: str) -> None:
    """Engines end at any step; those that follow divide the chains otherwise."""
    made: list[Intent] = []
    for restart, count in enumerate((2, 3, 1, 4)):
        with open_worlds(url, 2, shards=count) as (worlds, engines):
            for world in worlds:
                world.machine.seconds += 60 * restart
            expire_leases(worlds[0])
            with ticking(engines) as passes:
                made += [pay(worlds[0], 6 * restart + number) for number in range(6)]
                for _ in range(8):
                    pass_time(worlds, passes, 1)
                if count == 4:
                    work_until_done(worlds, passes)
            assert passes.raised == []
            assert {s.count for e in engines for s in e._leases.shards.values()} == {count}
            if count == 4:
                check_invariants(worlds[0])
                check_each_event_once(worlds[0], made)


def test_inventory_that_another_engine_paid_out_meanwhile_is_not_promised_again(url: str) -> None:
    """One engine has read the balance; before it decides, the other starts, pays and books a
    payment out of it. There is enough for one of the two."""
    with open_worlds(url, 2) as ([world, other], [_, working]):
        meanwhile: list[State] = []

        def pause(step: str) -> None:
            if step != "before-sign" or meanwhile:
                return
            meanwhile.append(State.PENDING)
            other.deposit(quick)
            while meanwhile[-1] is not State.COMPLETED and len(meanwhile) < 60:
                other.machine.seconds += 1
                working.tick()
                meanwhile.append(other.reload(quick).state)

        process = replace(world.services.process, failpoint=pause)
        world.services = replace(world.services, process=process)
        paused = engine_of(world, "paused")
        for engine in (working, paused, working, paused):
            engine._leases.lost()
            engine.tick()
        for_two = [big_payment(world, number) for number in range(4)]
        [slow, *_], [quick, *_] = (shares_of(engine, for_two) for engine in (paused, working))
        world.deposit(slow)
        for _ in range(60):
            if meanwhile:
                break
            world.machine.seconds += 1
            other.machine.seconds = world.machine.seconds
            working.tick()  # It leads the chain, and looks for deposits.
            paused.tick()
        assert meanwhile[-1] is State.COMPLETED
        assert world.reload(slow).state is State.FUNDED
        with world.store.read() as unit:
            [start] = unit.outbound_txs.list_by_intents([slow.id], OutboundTxKind.START)
        assert start.state is OutboundTxState.DUE
        assert "short of" in start.reason
        check_invariants(world)


def big_payment(world: Harness, number: int) -> Intent:
    """A payment of 60 % of what there is to pay it with."""
    chain, token = world.services.chains[ARBITRUM], CATALOGUE.tokens[ARBITRUM, "USDC"].address
    relayer = chain.accounts.relayer
    amount = chain.balances([relayer], token)[relayer] * 6 // 10
    recipient = world.wallet(ARBITRUM, f"recipient {number}")
    return world.create_intent(amount=str(amount), recipient=recipient)


def shares_of(engine: Engine, intents: list[Intent]) -> list[Intent]:
    """Those of the payments whose shard of both chains an engine has."""
    held = set.intersection(*(set(engine._leases.shards[chain].held) for chain in CHAINS))
    return [intent for intent in intents if intent.id % 4 in held]
