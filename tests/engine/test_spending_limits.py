"""Payments that become due together are started only as far as gas and inventory reach."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.ports.sandbox import Faults
from tests.harness import Harness

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"
PAYMENTS = 3


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    yield built
    built.store.close()


def set_relayer_balances(world: Harness, chain: str, balances: Mapping[str, int]) -> None:
    world.sandbox.inject_faults(chain, Faults(balances={"relayer": dict(balances)}))


def starts_of_payments_due_together(world: Harness) -> list[tuple[OutboundTxState, str]]:
    """The starts of payments of 25 USDC each, planned in the same pass of the engine."""
    intents = [world.create_intent(BASE, OPTIMISM) for _ in range(PAYMENTS)]
    for intent in intents:
        world.deposit(intent)
    # Every deposit has its confirmations when the engine sees it first.
    world.machine.seconds += 30
    while any(world.reload(intent).state is State.PENDING for intent in intents):
        world.engine.tick()
    world.engine.tick()
    with world.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents([i.id for i in intents], OutboundTxKind.START)
    return [(start.state, start.reason) for start in starts]


@pytest.mark.parametrize("affordable", range(PAYMENTS))
@pytest.mark.parametrize(
    ("chain", "name"), [(BASE, "Base"), (OPTIMISM, "OP Mainnet")], ids=["source", "destination"]
)
def test_no_more_payments_are_started_than_the_gas_pays_for(
    world: Harness, chain: str, name: str, affordable: int
) -> None:
    world.pass_time(2)
    fee = world.services.chains[chain].fee_units()
    # One unit short of the fee of another transaction.
    set_relayer_balances(world, chain, {"ETH": (affordable + 1) * fee - 1})
    assert starts_of_payments_due_together(world) == [
        *[(OutboundTxState.SIGNED, "")] * affordable,
        *[(OutboundTxState.DUE, f"The relayer is out of ETH for fees on {name}.")]
        * (PAYMENTS - affordable),
    ]


@pytest.mark.parametrize(
    ("inventory", "payable"), [(24_999_999, 0), (25_000_000, 1), (74_999_999, 2), (75_000_000, 3)]
)
def test_no_more_payments_are_started_than_the_inventory_pays_out(
    world: Harness, inventory: int, payable: int
) -> None:
    world.pass_time(2)
    set_relayer_balances(world, OPTIMISM, {"USDC": inventory})
    assert starts_of_payments_due_together(world) == [
        *[(OutboundTxState.SIGNED, "")] * payable,
        *[(OutboundTxState.DUE, "The relayer is short of USDC on OP Mainnet.")]
        * (PAYMENTS - payable),
    ]
