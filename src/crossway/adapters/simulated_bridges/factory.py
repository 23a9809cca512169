"""The bridges of the simulated network: their quotes and their services."""

from collections.abc import Mapping, Sequence

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.adapters.bridges.swapping import SwappingBridge
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.contracts.reach import SWAPPING
from crossway.adapters.simulated_bridges.across import SimulatedAcross
from crossway.adapters.simulated_bridges.across_inventory import SimulatedAcrossInventory
from crossway.adapters.simulated_bridges.cctp import SimulatedCctp
from crossway.adapters.simulated_bridges.gateway import SimulatedGateway
from crossway.adapters.simulated_bridges.rhinofi import SimulatedRhinofi
from crossway.domain.catalogue import Catalogue
from crossway.ports.bridge import Bridge, BridgeClient
from crossway.ports.exchange import Exchange
from crossway.ports.inventory_bridge import InventoryBridge


def simulated_bridges(
    catalogue: Catalogue, exchange: Exchange, inventory: bool
) -> Sequence[Bridge]:
    """Contracts carry payments over CCTP and Across; over the others the operator pays, and out of
    `inventory` alone where that is switched on. What CCTP, Gateway and rhino.fi do not carry, the
    start swaps for what they do."""
    by_operator = [
        SwappingBridge(bridge(catalogue), exchange, {"": ""}) for bridge in (Gateway, Rhinofi)
    ]
    return [
        Across(catalogue, enforced=True),
        SwappingBridge(Cctp(catalogue, enforced=True), exchange, SWAPPING),
        *by_operator,
        *([Inventory(catalogue)] if inventory else []),
    ]


def bridge_clients(network: SimulatedNetwork) -> Mapping[str, BridgeClient]:
    """The services of the bridges that carry payments, by name."""
    clients: tuple[BridgeClient, ...] = (SimulatedCctp(network), SimulatedAcross(network))
    return {client.name: client for client in clients}


def inventory_bridges(
    network: SimulatedNetwork, catalogue: Catalogue
) -> Mapping[str, InventoryBridge]:
    """The services of the bridges that move inventory, by name."""
    bridges: tuple[InventoryBridge, ...] = (
        SimulatedGateway(network, catalogue),
        SimulatedRhinofi(network, catalogue),
        SimulatedAcrossInventory(network, catalogue),
    )
    return {bridge.name: bridge for bridge in bridges}
