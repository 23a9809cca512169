"""How many blocks follow a deposit or a transaction before the engine acts on it, exactly."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.catalogue import Catalogue, Confirmations
from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.loop import Engine
from crossway.engine.start_confirmation import REPEAT_MARGIN
from crossway.ports.sandbox import Faults
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"
DEPTHS = Confirmations(fast=3, normal=5, large=6, finalized=8)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    chains = {c.id: replace(c, confirmations=DEPTHS) for c in CATALOGUE.chains.values()}
    catalogue = Catalogue(chains, CATALOGUE.tokens, CATALOGUE.symbols)
    built.services = replace(built.services, catalogue=catalogue)
    built.engine = Engine(built.services, "test", sole=True)
    yield built
    built.store.close()


def blocks_before_acting(world: Harness, intent: Intent) -> dict[str, int]:
    """How many blocks followed each deposit and transaction when it was acted on first."""
    found: dict[str, int] = {}
    for _ in range(120):
        # Half of a block's time on both chains, so that no block is passed over.
        world.pass_time(1)
        heads = {c: chain.heads().height for c, chain in world.services.chains.items()}
        with world.store.read() as unit:
            deposits = unit.deposits.list_by_intents([intent.id])
            txs = unit.outbound_txs.list_by_intents([intent.id])
        for deposit in deposits:
            if deposit.state is DepositState.CREDITED:
                found.setdefault("DEPOSIT", heads[BASE] - deposit.incoming.block_height)
        for tx in txs:
            if tx.state is OutboundTxState.CONFIRMED and tx.block_height is not None:
                found.setdefault(tx.kind.value, heads[tx.chain] - tx.block_height)
        if len(found) == 4:
            break
    return found


@pytest.mark.parametrize(
    ("amount", "depth", "start"),
    [("25000000", 3, 2), ("900000000", 5, 2), ("9000000000", 6, 6)],
)
def test_deposits_and_transactions_wait_for_the_confirmations_of_their_value(
    world: Harness, amount: str, depth: int, start: int
) -> None:
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM, amount=amount)
    world.deposit(intent)
    # A start whose deposit is deep enough needs few confirmations, up to 1,000 USD.
    assert blocks_before_acting(world, intent) == {
        "DEPOSIT": depth,
        "START": start,
        "FILL": depth,
        "REIMBURSE": depth,
    }


def start_of(world: Harness, intent: Intent) -> OutboundTx:
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return start


def started(world: Harness, intent: Intent, seconds: int = 60) -> OutboundTx:
    """The start as soon as its payout is on its way."""
    for _ in range(seconds):
        world.pass_time(1)
        with world.store.read() as unit:
            fills = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
        if fills and fills[0].state is not OutboundTxState.DUE:
            return start_of(world, intent)
    raise AssertionError("not started")


def test_a_start_that_a_reorg_removes_under_its_payout_is_sent_again(world: Harness) -> None:
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent)
    start = started(world, intent)
    assert start.block_height is not None
    height = world.services.chains[BASE].heads().height
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=height - start.block_height + 1))
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(60)
    again = start_of(world, intent)
    assert again.state is OutboundTxState.FINAL
    assert again.block_height is not None
    assert again.block_height > height
    check_invariants(world, reorged=True)


def test_a_start_close_to_expiry_waits_for_the_full_depth(world: Harness) -> None:
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM)
    left = (intent.terms.expires_at - world.services.clock.now()).total_seconds()
    world.pass_time(left - REPEAT_MARGIN.total_seconds() + 5, step=60)
    world.deposit(intent)
    assert blocks_before_acting(world, intent)["START"] == DEPTHS.fast


def test_a_deposit_that_a_reorg_moved_up_makes_its_start_wait(world: Harness) -> None:
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent)
    while start_of_or_none(world, intent) is None:
        world.pass_time(1)
    with world.store.read() as unit:
        (deposit,) = unit.deposits.list_by_intents([intent.id])
    depth = world.services.chains[BASE].heads().height - deposit.incoming.block_height + 1
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=depth))
    world.wait_for_state(intent, State.INITIATED, State.COMPLETED)
    head = world.services.chains[BASE].heads().height
    with world.store.read() as unit:
        (moved,) = unit.deposits.list_by_intents([intent.id])
    assert moved.incoming.block_height > deposit.incoming.block_height
    assert head - moved.incoming.block_height >= DEPTHS.fast
    world.wait_for_state(intent, State.COMPLETED)
    check_invariants(world, reorged=True)


def start_of_or_none(world: Harness, intent: Intent) -> OutboundTx | None:
    with world.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return starts[0] if starts and starts[0].state is OutboundTxState.SIGNED else None
