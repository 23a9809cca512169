"""A complete Crossway whose inventory is rebalanced over simulated bridges."""

from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import (
    Location,
    PlannedTransfer,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer
from crossway.ports.store import UnitOfWork
from tests.engine.funding_world import ARBITRUM, BASE, DEPOSIT, MINT, TRANSFER, FundingWorld
from tests.harness import CATALOGUE

USDC = 10**6
UNIFIED = (unified_location(testnet=False), UNIFIED_TOKEN)
ENDED = (
    InventoryTransferState.CLOSED,
    InventoryTransferState.REFUSED,
    InventoryTransferState.RETURNED,
)


def usdc(chain: str) -> Location:
    """Where the relayer holds USDC on a chain."""
    return chain, CATALOGUE.tokens[chain, "USDC"].address


WAYS = {
    TRANSFER: ("RHINOFI", usdc(BASE), usdc(ARBITRUM)),
    DEPOSIT: ("GATEWAY", usdc(BASE), UNIFIED),
    MINT: ("GATEWAY", UNIFIED, usdc(ARBITRUM)),
}


def planned(
    kind: InventoryTransferKind, amount: int = 1_000 * USDC, most: int | None = None
) -> PlannedTransfer:
    """A transfer of USDC from Base or into or out of the unified balance, to Arbitrum."""
    bridge, source, destination = WAYS[kind]
    most = amount + 10 * USDC if most is None else most
    return PlannedTransfer(
        bridge, kind, source, destination, amount, most, amount, 10 * USDC, 60, False, "Test."
    )


class RebalancingWorld(FundingWorld):
    """A `FundingWorld` in which transfers are started by hand."""

    def start(self, plan: PlannedTransfer) -> RebalancingTransfer:
        """Start a transfer as the sweep does, in one unit of work."""
        now = self.services.clock.now()

        def work(unit: UnitOfWork) -> RebalancingTransfer:
            added = unit.rebalancing.add(plan, RebalancingState.STARTED, "", now)
            leaves = plan.kind is not MINT
            arrives = plan.kind is not DEPOSIT
            new = NewInventoryTransfer(
                added.owner,
                plan.bridge,
                plan.kind,
                plan.source[0] if leaves else "",
                plan.destination[0] if arrives else "",
                plan.source[1] if leaves else "",
                plan.destination[1] if arrives else "",
                plan.amount,
                now,
            )
            unit.inventory_transfers.plan([new], now)
            return added

        return self.store.write(work)

    def stored(self, transfer: RebalancingTransfer) -> RebalancingTransfer:
        with self.store.read() as unit:
            return unit.rebalancing.get_many([transfer.id])[transfer.id]

    def carried_by(self, transfer: RebalancingTransfer) -> InventoryTransfer:
        with self.store.read() as unit:
            return unit.inventory_transfers.list_by_intents([transfer.owner])[0]

    def wait_ended(self, transfer: RebalancingTransfer, within: float = 180) -> InventoryTransfer:
        """Wait until the inventory transfer that carries one out has ended."""
        end = self.machine.seconds + within
        while (carried := self.carried_by(transfer)).state not in ENDED:
            assert self.machine.seconds < end, f"{carried.state} after {within} s"
            self.pass_time(1)
        return carried
