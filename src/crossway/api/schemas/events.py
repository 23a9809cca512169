"""The JSON bodies of events for webhooks and streams, the same bytes every time."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import orjson

from crossway.api.schemas import intents, ramp_orders, standing
from crossway.api.schemas.billing import InvoiceOut, SubscriptionOut
from crossway.api.schemas.responses import set_fields
from crossway.domain.bridge_transfer import Custody
from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import TEST_KIND, OutboxEvent
from crossway.ports.store import UnitOfWork
from crossway.usecases.billing.billing_events import (
    INVOICE_KIND,
    SUBSCRIPTION_KIND,
    restore_invoice,
    restore_subscription,
)
from crossway.usecases.billing.invoices import view_invoices
from crossway.usecases.billing.pages import invoice_path, subscription_path
from crossway.usecases.developers.event_snapshots import (
    restore_intent,
    restore_order,
    restore_order_bridge,
    restore_progress,
    restore_standing_deposit,
)
from crossway.usecases.instants import timestamp
from crossway.usecases.ramps.order_bridges import load_order_bridges

EventData = Iterator[tuple[OutboxEvent, Any]]
PaymentUrl = Callable[[int], str]
PageUrl = Callable[[str], str]


def render_events(
    unit: UnitOfWork,
    events: Sequence[OutboxEvent],
    payment_url: PaymentUrl = lambda number: "",
    page_url: PageUrl = lambda path: "",
) -> Mapping[int, bytes]:
    """`ports.webhooks.EventRenderer`: each resource as its read endpoint showed it then.
    `payment_url` is the checkout page of an intent by its id, `page_url` that of a path of payers'
    pages, the same every time."""
    by_kind: dict[str, list[OutboxEvent]] = {}
    for event in events:
        by_kind.setdefault(event.kind, []).append(event)
    return {
        event.id: _body(event, data)
        for kind, kind_events in by_kind.items()
        for event, data in _load(kind, unit, kind_events, payment_url, page_url)
    }


def _load(
    kind: str,
    unit: UnitOfWork,
    events: Sequence[OutboxEvent],
    payment_url: PaymentUrl,
    page_url: PageUrl,
) -> EventData:
    if kind in (INVOICE_KIND, SUBSCRIPTION_KIND):
        return (_invoices if kind == INVOICE_KIND else _subscriptions)(unit, events, page_url)
    return _LOADERS[kind](unit, events, payment_url)


def _body(event: OutboxEvent, data: Any) -> bytes:
    return orjson.dumps(
        {"id": event.event_id, "type": event.type, "created_at": timestamp(event.at), "data": data},
        default=set_fields,
    )


def _intents(unit: UnitOfWork, events: Sequence[OutboxEvent], payment_url: PaymentUrl) -> EventData:
    by_id = unit.intents.get_many({event.resource_id for event in events})
    bridged = {i for i, intent in by_id.items() if intent.custody is Custody.BRIDGE}
    steps = unit.bridge_transfers.get_steps(bridged)
    for event in events:
        intent = by_id.get(event.resource_id)
        if intent is not None:
            restored = restore_intent(intent, event)
            progress = restore_progress(intent, event, steps.get(intent.id, ()))
            url = payment_url(intent.id)
            shown = intents.ReadIntent.from_intent(unit.public_ids, restored, url, progress)
            yield event, shown


def _orders(unit: UnitOfWork, events: Sequence[OutboxEvent], _: PaymentUrl) -> EventData:
    found = [unit.orders.get(order_id) for order_id in {event.resource_id for event in events}]
    orders_by_id = {order.id: order for order in found if order is not None}
    bridges = load_order_bridges(unit, list(orders_by_id.values()))
    for event in events:
        if (order := orders_by_id.get(event.resource_id)) is not None:
            bridge = restore_order_bridge(bridges.get(order.id), event)
            restored = restore_order(order, event)
            yield event, ramp_orders.OrderOut.from_order(unit.public_ids, restored, bridge)


def _standing_deposits(unit: UnitOfWork, events: Sequence[OutboxEvent], _: PaymentUrl) -> EventData:
    deposits = unit.standing.get_deposits({event.resource_id for event in events})
    addresses = unit.standing.get_many({deposit.number for deposit in deposits.values()})
    for event in events:
        if (deposit := deposits.get(event.resource_id)) is not None:
            restored, shown = restore_standing_deposit(deposit, event), standing.StandingDepositOut
            yield event, shown.from_deposit(unit.public_ids, restored, addresses[deposit.number])


def _invoices(unit: UnitOfWork, events: Sequence[OutboxEvent], page_url: PageUrl) -> EventData:
    found = unit.invoices.get_many({event.resource_id for event in events})
    views = {view.invoice.id: view for view in view_invoices(unit, list(found.values()))}
    for event in events:
        if (view := views.get(event.resource_id)) is not None:
            restored, reminder = restore_invoice(view, event)
            url = page_url(invoice_path(view.invoice.name))
            yield event, InvoiceOut.from_view(restored, url, event.at, reminder)


def _subscriptions(unit: UnitOfWork, events: Sequence[OutboxEvent], page_url: PageUrl) -> EventData:
    found = unit.subscriptions.get_many({event.resource_id for event in events})
    for event in events:
        if (subscription := found.get(event.resource_id)) is not None:
            restored = restore_subscription(subscription, event)
            url = page_url(subscription_path(restored.name))
            yield event, SubscriptionOut.from_subscription(restored, url)


def _tests(unit: UnitOfWork, events: Sequence[OutboxEvent], _: PaymentUrl) -> EventData:
    for event in events:
        data = json.loads(event.snapshot)
        number = unit.public_ids.encode(RecordKind.WEBHOOK, data["webhookId"])
        yield event, {"webhook_id": number, "message": data["message"]}


_Loader = Callable[[UnitOfWork, Sequence[OutboxEvent], PaymentUrl], EventData]
_LOADERS: Final[Mapping[str, _Loader]] = MappingProxyType(
    {
        "intent": _intents,
        "ramp_order": _orders,
        "standing_deposit": _standing_deposits,
        TEST_KIND: _tests,
    }
)
