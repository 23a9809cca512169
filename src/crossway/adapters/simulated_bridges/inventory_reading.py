"""What the nodes of simulated chains say of the transactions of inventory transfers."""

from crossway.adapters.chains.simulated import queries
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reading import open_reading
from crossway.adapters.chains.simulated.bridging.inventory_calls import marker_of
from crossway.adapters.chains.simulated.bridging.relayers import final_time
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.ports.chain import IncludedTx


def order_key(transfer: InventoryTransfer) -> str:
    """The service's number for this attempt of a transfer."""
    return f"{transfer.bridge}:{transfer.intent_id}:{transfer.kind}:{transfer.attempt}"


def find_included(network: SimulatedNetwork, chain: str, tx_id: str) -> IncludedTx | None:
    """The transaction, if it succeeded in a block. Raises `Unreachable`."""
    if not tx_id:
        return None
    with open_reading(network, chain) as (session, height):
        final = max(height - session.facts.finalized_blocks, session.state.first_height)
        status = queries.statuses(session, [tx_id], height, final)[tx_id]
    return status if isinstance(status, IncludedTx) and not status.reason else None


def is_executed(network: SimulatedNetwork, chain: str, key: str) -> bool:
    """Whether a chain has executed the call for a number. Raises `Unreachable`."""
    marker = marker_of(key)
    with open_reading(network, chain) as (session, _):
        return bool(queries.executed_markers(session, {marker}))


def has_lapsed(network: SimulatedNetwork, chain: str, key: str, expires_at: float) -> bool:
    """Whether a final block says that the call for a number was not executed in time and never will
    be. Raises `Unreachable`."""
    marker = marker_of(key)
    with open_reading(network, chain) as (session, height):
        if final_time(session, height) <= expires_at:
            return False
        return not queries.executed_markers(session, {marker})


def final_height(network: SimulatedNetwork, chain: str) -> int:
    """The newest final height. Raises `Unreachable`."""
    with open_reading(network, chain) as (session, height):
        return max(height - session.facts.finalized_blocks, session.state.first_height)
