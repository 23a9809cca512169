"""Deposits that a reorg moves to another block."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.deposits import DepositState
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import State
from crossway.ports.sandbox import Faults
from crossway.usecases.payments import manual_operations
from tests.harness import Harness

BASE = "BASE_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, "ARBITRUM_MAINNET"])
    yield built
    built.store.close()


def test_a_manually_recorded_deposit_survives_a_reorg_of_its_block(
    world: Harness,
) -> None:
    intent = world.create_intent()
    world.pass_time(5)
    world.deposit(intent)
    # No scan has run: the manual trigger is the first to record the deposit.
    with pytest.raises(InvalidStatus, match="not funded"):
        manual_operations.trigger(world.services, world.caller, intent.address)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=1))
    world.wait_for_state(intent, State.COMPLETED)
    with world.store.read() as unit:
        (deposit,) = unit.deposits.list_by_intents([intent.id])
        assert deposit.state is DepositState.CREDITED
        assert not [
            alert for alert in unit.alerts.list_active(limit=10) if alert.key.startswith("forged")
        ]
