"""The records that a client reads together with its intents and ramp orders: one with the other."""

from collections.abc import Collection
from dataclasses import dataclass, field

from crossway.domain.clients import OwnerFilter, Principal, Scope
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.ramps import RampOrder
from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.ports.services import Services
from crossway.usecases.payments.bridge_progress import BridgeProgress, load_progress
from crossway.usecases.ramps.order_bridges import OrderBridge, load_order_bridges

MAX_DELIVERIES = 10


@dataclass(frozen=True, slots=True)
class RelatedToIntents:
    """By intent: its ramp order, and its newest `MAX_DELIVERIES` webhook deliveries, newest first.
    `bridges` are those of the orders, by order."""

    orders: dict[int, RampOrder] = field(default_factory=dict)
    bridges: dict[int, OrderBridge] = field(default_factory=dict)
    deliveries: dict[int, list[tuple[Delivery, OutboxEvent]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RelatedIntents:
    """Intents by number, and how far the bridges of those that one carries have come."""

    intents: dict[int, Intent] = field(default_factory=dict)
    progress: dict[int, BridgeProgress] = field(default_factory=dict)


def parse_expand(text: str | None, names: Collection[str]) -> frozenset[str]:
    """The names in a comma-separated list; raises `InvalidInput` for others."""
    chosen = set() if text is None else {name.strip() for name in text.split(",")}
    if chosen - set(names):
        raise InvalidInput(f"expand must name some of {', '.join(names)}, comma-separated")
    return frozenset(chosen)


def load_related_to_intents(
    services: Services, caller: Principal, intents: Collection[Intent], expand: Collection[str]
) -> RelatedToIntents:
    """What `expand` names of these intents of the caller, in few queries however many they are."""
    caller.require_scope(Scope.READ)
    if not expand:
        return RelatedToIntents()
    order_of = {i.id: i.order_id for i in intents if "order" in expand and i.order_id is not None}
    with services.store.read() as unit:
        orders = unit.orders.get_many(set(order_of.values()))
        owned = {key: order for key, order in orders.items() if caller.can_access(order)}
        return RelatedToIntents(
            {one: owned[order] for one, order in order_of.items() if order in owned},
            dict(load_order_bridges(unit, list(owned.values()))),
            unit.deliveries.list_newest_of_intents(
                caller.narrow(OwnerFilter()), [i.id for i in intents], MAX_DELIVERIES
            )
            if "deliveries" in expand
            else {},
        )


def load_intents_of(
    services: Services, caller: Principal, ids: Collection[int | None]
) -> RelatedIntents:
    """The caller's intents with these numbers, in two queries."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        found = unit.intents.get_many({one for one in ids if one is not None})
        owned = {key: intent for key, intent in found.items() if caller.can_access(intent)}
        return RelatedIntents(owned, dict(load_progress(unit, list(owned.values()))))
