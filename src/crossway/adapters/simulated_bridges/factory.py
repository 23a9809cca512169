"""The services of the simulated bridges."""

from collections.abc import Mapping

from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.simulated_bridges.across import SimulatedAcross
from crossway.adapters.simulated_bridges.cctp import SimulatedCctp
from crossway.ports.bridge import BridgeClient


def bridge_clients(network: SimulatedNetwork) -> Mapping[str, BridgeClient]:
    """The services of the bridges that carry payments, by name."""
    clients: tuple[BridgeClient, ...] = (SimulatedCctp(network), SimulatedAcross(network))
    return {client.name: client for client in clients}
