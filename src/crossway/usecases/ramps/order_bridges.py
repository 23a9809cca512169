"""The bridges that carry the crypto of ramp orders, and how far they have."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from crossway.domain.intent import Intent
from crossway.domain.ramps import RampOrder
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.bridge_progress import BridgeProgress, load_progress


@dataclass(frozen=True, slots=True)
class OrderBridge:
    """The payment of an order, which a bridge carries between two chains. `progress` is None where
    the operator carries it, which no bridge follows."""

    intent: Intent
    progress: BridgeProgress | None


def load_order_bridges(
    unit: UnitOfWork, orders: Collection[RampOrder]
) -> Mapping[int, OrderBridge]:
    """The bridges of orders by order id; those on one chain, and off-ramps that their provider has
    not accepted yet, have none. Three queries however many orders there are."""
    ids = {order.intent_id for order in orders if order.source_chain != order.destination_chain}
    intents = unit.intents.get_many({i for i in ids if i is not None})
    progress = load_progress(unit, list(intents.values()))
    return {
        order.id: OrderBridge(intents[order.intent_id], progress.get(order.intent_id))
        for order in orders
        if order.intent_id in intents and intents[order.intent_id].terms.bridge
    }


def get_order_bridges(
    services: Services, orders: Collection[RampOrder]
) -> Mapping[int, OrderBridge]:
    """The same, in a database transaction of its own."""
    with services.store.read() as unit:
        return load_order_bridges(unit, orders)
