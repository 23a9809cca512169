"""How many blocks follow a deposit or a transaction before the engine acts on it, exactly."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.catalogue import Catalogue, Confirmations
from crossway.domain.deposits import DepositState
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTxState
from crossway.engine.loop import Engine
from tests.harness import CATALOGUE, Harness

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
    ("amount", "depth"), [("25000000", 3), ("900000000", 5), ("9000000000", 6)]
)
def test_deposits_and_transactions_wait_for_the_confirmations_of_their_value(
    world: Harness, amount: str, depth: int
) -> None:
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM, amount=amount)
    world.deposit(intent)
    assert blocks_before_acting(world, intent) == {
        "DEPOSIT": depth,
        "START": depth,
        "FILL": depth,
        "REIMBURSE": depth,
    }
