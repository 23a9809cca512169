"""An engine that was paused beyond its leases changes nothing when it goes on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.engine.loop import Engine
from crossway.ports.sandbox import Faults
from crossway.storage.service_tables import leases
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE = "BASE_MAINNET"


@pytest.fixture(params=[{}, {BASE: 4, "ARBITRUM_MAINNET": 3}], ids=["chains", "shards"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", shards=request.param)
    yield built
    built.store.close()


def stored(world: Harness, intent: Intent) -> list[object]:
    """Everything that is stored about a payment."""
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
        return [
            unit.intents.get(intent.id),
            txs,
            unit.outbound_txs.list_attempts([tx.id for tx in txs]),
            unit.ledger.list_by_intent(intent.id),
            unit.intents.list_transitions([intent.id]),
            unit.alerts.list_active(),
        ]


def expire_leases(world: Harness) -> None:
    with world.store.writer.begin() as db:
        db.execute(update(leases).values(until=1))


def tick_with_pause(world: Harness, owner: str, step: str, meanwhile: Callable[[], None]) -> None:
    """Let an engine work until it reaches a step. There it is paused until its leases have expired
    and `meanwhile` is over; then its pass goes on, to the end."""
    reached: list[str] = []

    def pause(at: str) -> None:
        if at != step or reached:
            return
        reached.append(at)
        expire_leases(world)
        meanwhile()

    process = replace(world.services.process, failpoint=pause)
    engine = Engine(
        replace(world.services, process=process), owner, monotonic_seconds=world.machine
    )
    expire_leases(world)
    for _ in range(120):
        engine.tick()
        if reached:
            return
        world.machine.seconds += 1
    raise AssertionError(f"{step} was not reached")


def engine_of(world: Harness, owner: str) -> Engine:
    return Engine(world.services, owner, monotonic_seconds=world.machine)


def work(world: Harness, engine: Engine, seconds: int) -> None:
    for _ in range(seconds):
        world.machine.seconds += 1
        engine.tick()


@pytest.mark.parametrize("step", ["before-credit", "before-sign", "before-confirm"])
def test_what_was_decided_before_a_pause_is_not_written_after_it(world: Harness, step: str) -> None:
    intent, other = world.create_intent(), engine_of(world, "other")
    world.deposit(intent)
    seen: list[list[object]] = []

    def meanwhile() -> None:
        work(world, other, 60)
        seen.append(stored(world, intent))

    tick_with_pause(world, "paused", step, meanwhile)
    assert world.reload(intent).state is State.COMPLETED
    assert stored(world, intent) == seen[0]
    check_invariants(world)


def start_tx_id(world: Harness, intent: Intent) -> str | None:
    """The transaction that collects the deposit, while it is signed and not confirmed."""
    with world.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return next((t.tx_id for t in starts if t.state is OutboundTxState.SIGNED), None)


@pytest.mark.parametrize("owner", ["paused", "other"])
def test_a_transaction_signed_anew_is_not_dropped_by_the_one_who_saw_the_old_one(
    world: Harness, owner: str
) -> None:
    """Also where both believe that they hold the leases: the transaction id tells."""
    intent, other = world.create_intent(), engine_of(world, "other")
    world.deposit(intent)
    world.sandbox.inject_faults(BASE, Faults(drop_next=1))
    while (first := start_tx_id(world, intent)) is None:
        work(world, other, 1)
    world.sandbox.inject_faults(BASE, Faults(take_nonce=True))
    signed_again: list[str | None] = []

    def meanwhile() -> None:
        # The new transaction waits for a block.
        world.sandbox.inject_faults(BASE, Faults(drop_next=1_000))
        work(world, other, 10)
        signed_again.append(start_tx_id(world, intent))

    tick_with_pause(world, owner, "before-confirm", meanwhile)
    assert signed_again[0] not in (None, first)
    assert start_tx_id(world, intent) == signed_again[0]
    world.sandbox.inject_faults(BASE, Faults(drop_next=0))
    while not nothing_outstanding(world):
        work(world, other, 5)
    assert world.reload(intent).state is State.COMPLETED
    with world.store.read() as unit:
        [start] = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
        assert len(unit.outbound_txs.list_attempts([start.id])) == 2
    check_invariants(world, outsiders=True)
