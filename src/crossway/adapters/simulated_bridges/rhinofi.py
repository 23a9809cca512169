"""The service of the simulated rhino.fi: `ports.inventory_bridge.InventoryBridge`."""

from typing import Final

from crossway.adapters.bridges.base import load_data, parse_rate
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.bridging.inventory_orders import InventoryOrder
from crossway.adapters.chains.simulated.contracts.timing import RHINO_QUOTE_SECONDS, RHINO_SECONDS
from crossway.adapters.simulated_bridges.order_bridge import OrderBridge
from crossway.domain.catalogue import Catalogue
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.quotes import BridgeName
from crossway.ports.inventory_bridge import Pending, TransferStatus

UNEXECUTED: Final = "rhino.fi has accepted it and not paid it out."


class SimulatedRhinofi(OrderBridge):
    """What it has accepted is paid out, or given back, or neither."""

    name = BridgeName.RHINOFI

    def __init__(self, network: SimulatedNetwork, catalogue: Catalogue) -> None:
        rate = parse_rate(load_data(self.name)["platform_bps"])
        super().__init__(network, catalogue, rate, RHINO_QUOTE_SECONDS, RHINO_SECONDS)

    def _follow_accepted(
        self, transfer: InventoryTransfer, order: InventoryOrder, due_at: float
    ) -> TransferStatus:
        faults = self._faults()
        if faults.unexecuted:
            return Pending(UNEXECUTED)
        if self._network.clock.seconds() >= due_at + faults.late_seconds:
            self._pay(transfer, order, returns=faults.returned)
        return Pending()
