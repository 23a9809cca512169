"""The operator's inventory over the simulated Across: `ports.inventory_bridge.InventoryBridge`."""

from typing import Final

from crossway.adapters.bridges.across.networks import moved_symbols
from crossway.adapters.bridges.base import load_data, parse_rate
from crossway.adapters.chains.simulated.blocks.bridge_faults import ActiveFaults
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.bridging.inventory_orders import InventoryOrder
from crossway.adapters.chains.simulated.contracts.timing import (
    ACROSS_FILL_DEADLINE_SECONDS,
    ACROSS_FILL_SECONDS,
    ACROSS_QUOTE_SECONDS,
    ACROSS_REFUND_SECONDS,
)
from crossway.adapters.simulated_bridges.order_bridge import OrderBridge
from crossway.domain.catalogue import Catalogue
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
from crossway.domain.quotes import BridgeName
from crossway.ports.inventory_bridge import (
    Declined,
    Pending,
    TransferStatus,
    Unanswered,
)

UNFILLED: Final = "No relayer of Across has filled it."
EXPIRED: Final = "Nobody filled it in time; Across gives it back within hours."
UNEXECUTED: Final = "Nobody filled it in time, and Across has not given it back."
PAUSED: Final = "Across' pool takes no deposits at present."


class SimulatedAcrossInventory(OrderBridge):
    """Relayers fill a deposit soon, or nobody does before its deadline: then the pool gives it
    back, later."""

    name = BridgeName.ACROSS

    def __init__(self, network: SimulatedNetwork, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        rate = parse_rate(data["relayer_bps"]) + parse_rate(data["lp_bps"])
        super().__init__(network, catalogue, rate, ACROSS_QUOTE_SECONDS, ACROSS_FILL_SECONDS)
        self._symbols = moved_symbols(catalogue)

    def _object(
        self, transfer: InventoryTransfer, faults: ActiveFaults
    ) -> Declined | Unanswered | None:
        if not self._carries(transfer):
            source, to = transfer.source_chain, transfer.destination_chain
            return Declined(f"Across does not move this token from {source} to {to}.")
        return Unanswered(PAUSED) if faults.paused else None

    def _carries(self, transfer: InventoryTransfer) -> bool:
        """Whether it is one token of one symbol, which Across has on both chains."""
        source, to = transfer.source_chain, transfer.destination_chain
        paid = self._tokens.get((source, transfer.source_token))
        received = self._tokens.get((to, transfer.destination_token))
        return (
            transfer.kind is InventoryTransferKind.TRANSFER
            and paid is not None
            and received is not None
            and paid.symbol == received.symbol
            and paid.symbol in self._symbols.get(source, ())
            and received.symbol in self._symbols.get(to, ())
        )

    def _follow_accepted(
        self, transfer: InventoryTransfer, order: InventoryOrder, due_at: float
    ) -> TransferStatus:
        faults, now = self._faults(), self._network.clock.seconds()
        deadline = due_at + ACROSS_FILL_DEADLINE_SECONDS
        is_unfilled = faults.unfilled_deposits or faults.unexecuted
        if faults.returned and now >= due_at:
            self._pay(transfer, order, returns=True)
        elif now <= deadline:
            if is_unfilled:
                return Pending(UNFILLED)
            if now >= due_at + faults.late_seconds:
                self._pay(transfer, order, returns=False)
        elif faults.unexecuted:
            return Pending(UNEXECUTED)
        elif now < deadline + ACROSS_REFUND_SECONDS:
            return Pending(EXPIRED)
        else:
            self._pay(transfer, order, returns=True)
        return Pending()
