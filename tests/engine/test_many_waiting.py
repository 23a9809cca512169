"""Thousands of returns that wait, which anybody can make, keep nothing else waiting."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.tx_submitter import BATCH
from crossway.ports.records import NewOutboundTx
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDC = CATALOGUE.tokens[BASE, "USDC"].address


class FeelessChain(SimulatedChain):
    """A chain whose nodes tell its head, but not what a transaction costs."""

    def fee_units(self) -> int:
        raise Unreachable("no node tells its fees")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield made
    made.store.close()


def test_a_chain_where_nobody_answers_keeps_no_other_chain_waiting(world: Harness) -> None:
    chains = {**world.services.chains, BASE: FeelessChain(world.network, BASE)}
    expiring = world.create_intent()
    now, back = world.clock.now(), expiring.terms.refund_address
    returns = [
        NewOutboundTx(
            expiring.id, OutboundTxKind.RETURN_EXCESS, f"return {n}", BASE, USDC, None, back, now
        )
        for n in range(BATCH)
    ]
    world.store.write(lambda unit: unit.outbound_txs.enqueue(returns, now))
    assert isinstance(world.services.chains, dict)
    world.services.chains.update(chains)
    intent = world.create_intent(ARBITRUM, ARBITRUM)
    world.deposit(intent)
    assert world.wait_for_state(intent, State.COMPLETED).state is State.COMPLETED
