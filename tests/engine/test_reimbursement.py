"""The relayer's reimbursement: sent when the bridge has settled, unpaid again after a reorg."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, balances
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.sandbox import Faults
from tests.harness import Harness

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    yield built
    built.store.close()


def in_escrow(world: Harness, intent: Intent) -> int:
    with world.store.read() as unit:
        net = balances([posting for _, posting in unit.ledger.list_by_intent(intent.id)])
    return net.get((Account.ESCROW, BASE, intent.terms.token_in), 0)


def reimbursement_of(world: Harness, intent: Intent) -> OutboundTx:
    with world.store.read() as unit:
        (tx,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REIMBURSE)
    return tx


def pass_time_until_claimed(world: Harness, intent: Intent, claimed: bool) -> None:
    for _ in range(60):
        if world.reload(intent).relayer_claimed is claimed:
            return
        world.pass_time(1)
    pytest.fail(f"relayer_claimed does not become {claimed}")


def test_a_reorged_reimbursement_is_unpaid_until_it_is_confirmed_again(world: Harness) -> None:
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    # The deposit is in escrow until the relayer is repaid.
    assert in_escrow(world, intent) == intent.terms.deposit_amount
    pass_time_until_claimed(world, intent, True)
    assert in_escrow(world, intent) == 0
    # It was confirmed after three blocks; without it they are mined again.
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=4, drop_next=1))
    pass_time_until_claimed(world, intent, False)
    assert in_escrow(world, intent) == intent.terms.deposit_amount
    assert world.reload(intent).state is State.COMPLETED
    pass_time_until_claimed(world, intent, True)
    assert in_escrow(world, intent) == 0


def test_a_reimbursement_waits_until_the_bridge_has_settled(world: Harness) -> None:
    intent = world.create_intent(BASE, OPTIMISM)
    assert intent.settle_seconds > 5
    world.deposit(intent)
    completed = world.wait_for_state(intent, State.COMPLETED)
    due_at = completed.updated_at + timedelta(seconds=intent.settle_seconds)
    assert reimbursement_of(world, intent).next_at == due_at
    while world.services.clock.now() < due_at - timedelta(seconds=1):
        assert reimbursement_of(world, intent).state is OutboundTxState.DUE
        world.pass_time(1)
    world.pass_time(2)
    assert reimbursement_of(world, intent).state is OutboundTxState.SIGNED
