"""What a start of ours may have taken from an address is not booked as sent by somebody else."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.ports.chain import TxStatus, TxUnknown
from crossway.ports.sandbox import Faults
from crossway.usecases.payments.claims import CARRIED_OUT
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_books

REORG = 8
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC = CATALOGUE.tokens[BASE, "USDC"].address


class SilentChain(SimulatedChain):
    """Tells nothing of transactions: its nodes contradict each other on each."""

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        return dict.fromkeys(tx_ids, TxUnknown())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    made = Harness(url, chains=[BASE, ARBITRUM], return_allowance_micro_usd=0)
    yield made
    made.store.close()


def states_of(world: Harness, intent: Intent, kind: OutboundTxKind) -> list[OutboundTxState]:
    with world.store.read() as unit:
        return [tx.state for tx in unit.outbound_txs.list_by_intents([intent.id], kind)]


def test_a_start_that_a_reorg_moved_to_another_block_returned_nothing(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    while states_of(world, intent, OutboundTxKind.START) != [OutboundTxState.CONFIRMED]:
        world.pass_time(1)
    world.sandbox.deposit(BASE, intent.address, USDC, 1_000_000)
    while states_of(world, intent, OutboundTxKind.RETURN_EXCESS) != [OutboundTxState.DUE]:
        world.pass_time(1)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=REORG))
    while states_of(world, intent, OutboundTxKind.START) != [OutboundTxState.SIGNED]:
        world.engine.tick()
    assert isinstance(world.services.chains, dict)
    world.services.chains[BASE] = SilentChain(world.network, BASE)
    world.pass_time(1_800, 30)
    assert world.services.chains[BASE].balances([intent.address], USDC) == {intent.address: 0}
    with world.store.read() as unit:
        notes = [t.note for t in unit.intents.list_transitions([intent.id])]
    assert CARRIED_OUT not in notes
    world.services.chains[BASE] = SimulatedChain(world.network, BASE)
    world.wait_for_state(intent, State.COMPLETED)
    check_books(world)
