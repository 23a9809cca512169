"""The query parameter `expand`: intents, ramp orders and uses of links with related resources."""

from collections.abc import Collection, Sequence
from typing import Annotated, Final

from starlette.requests import Request

from crossway.api.query_params import query
from crossway.api.schemas.expanded import ExpandedIntent, ExpandedOrder, ExpandedUse
from crossway.api.schemas.intents import ReadIntent
from crossway.api.schemas.ramp_orders import OrderOut
from crossway.api.schemas.responses import payment_url
from crossway.api.schemas.webhooks import DeliveryOut
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.domain.payment_links import LinkUse
from crossway.domain.ramps import RampOrder
from crossway.ports.services import Services
from crossway.usecases.payments.bridge_progress import get_progress
from crossway.usecases.payments.self_service import SelfService
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.ramps.order_bridges import get_order_bridges
from crossway.usecases.ramps.related import load_intents_of, load_related_to_intents

# `bridge_transfer` is in every read form: a client need not know that.
OF_INTENTS: Final = ("order", "bridge_transfer", "deliveries")
OF_ORDERS: Final = ("intent",)
ExpandIntents = Annotated[
    str | None,
    query(
        "Related resources to include, comma-separated: `order`, `deliveries` (the newest 10) and "
        "`bridge_transfer`, which is always included.",
        "order,deliveries",
        pattern="^({0})(,({0}))*$".format("|".join(OF_INTENTS)),
    ),
]
ExpandOrders = Annotated[
    str | None, query("Related resources to include: `intent`.", "intent", enum=list(OF_ORDERS))
]


def expand_intents(
    request: Request,
    services: Services,
    caller: Principal,
    intents: Sequence[Intent],
    expand: Collection[str],
    details: SelfService | None = None,
) -> list[ExpandedIntent]:
    """Intents in the read form; `details` are those of a single one."""
    ids, progress = ids_of(services), get_progress(services, intents)
    related = load_related_to_intents(services, caller, intents, expand)
    shown = []
    for intent in intents:
        url = payment_url(request, intent)
        one = ExpandedIntent.from_intent(ids, intent, url, progress.get(intent.id), details)
        if "order" in expand:
            order = related.orders.get(intent.id)
            bridge = related.bridges.get(order.id) if order else None
            one.order = OrderOut.from_order(ids, order, bridge) if order else None
        if "deliveries" in expand:
            found = related.deliveries.get(intent.id, [])
            one.deliveries = [DeliveryOut.from_delivery(ids, *delivery) for delivery in found]
        shown.append(one)
    return shown


def expand_orders(
    request: Request,
    services: Services,
    caller: Principal,
    orders: Sequence[RampOrder],
    expand: Collection[str],
) -> list[ExpandedOrder]:
    """Ramp orders, with their intents if `expand` names them."""
    ids, bridges = ids_of(services), get_order_bridges(services, orders)
    shown = [ExpandedOrder.from_order(ids, order, bridges.get(order.id)) for order in orders]
    if "intent" in expand:
        related = load_intents_of(services, caller, [order.intent_id for order in orders])
        for one, order in zip(shown, orders, strict=True):
            intent = related.intents.get(order.intent_id or 0)
            if intent is None:
                one.intent = None
                continue
            url, progress = payment_url(request, intent), related.progress.get(intent.id)
            one.intent = ReadIntent.from_intent(ids, intent, url, progress)
    return shown


def expand_uses(
    request: Request,
    services: Services,
    uses: Sequence[tuple[LinkUse, Intent]],
    expand: Collection[str],
) -> list[ExpandedUse]:
    """Uses of a payment link, with their intents if `expand` names them."""
    ids, intents = ids_of(services), [intent for _, intent in uses]
    progress = get_progress(services, intents) if "intent" in expand else {}
    shown = []
    for use, intent in uses:
        url = payment_url(request, intent)
        one = ExpandedUse.from_use(ids, use, intent, url)
        if "intent" in expand:
            one.intent = ReadIntent.from_intent(ids, intent, url, progress.get(intent.id))
        shown.append(one)
    return shown
