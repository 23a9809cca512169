"""Deposits that were seen in one block and stand in another, and those that stand in none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.deposits import DepositState
from crossway.domain.errors import WrongState
from crossway.domain.intent import State
from crossway.ports.sandbox import Faults
from crossway.usecases.payments import processing
from tests.world import World

BASE = "BASE_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, "ARBITRUM_MAINNET"])
    yield made
    made.store.close()


def test_a_deposit_that_a_person_saw_before_its_block_was_replaced_still_pays(
    world: World,
) -> None:
    intent = world.pay()
    world.pass_time(5)
    world.deposit(intent)
    # Nobody scans: the person's look is the first that sees it.
    with pytest.raises(WrongState, match="not funded"):
        processing.trigger(world.services, world.caller, intent.address)
    world.sandbox.misbehave(BASE, Faults(reorg_depth=1))
    world.until(intent, State.COMPLETED)
    with world.store.read() as unit:
        (deposit,) = unit.deposits.of([intent.id])
        assert deposit.state is DepositState.CREDITED
        assert not [one for one in unit.network.alarms(limit=10) if one.key.startswith("forged")]
