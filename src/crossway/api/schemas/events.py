"""The JSON bodies of events for webhooks and streams, the same bytes every time."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from crossway.api.schemas import intents, ramp_orders
from crossway.api.schemas.responses import encode_json, timestamp
from crossway.domain.webhooks import TEST_KIND, OutboxEvent
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.event_snapshots import restore_intent, restore_order

Drawn = Iterator[tuple[OutboxEvent, Any]]


def render_events(unit: UnitOfWork, of: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
    """`ports.webhooks.Presenter`: each resource as its read endpoint showed it then."""
    by_kind: dict[str, list[OutboxEvent]] = {}
    for one in of:
        by_kind.setdefault(one.kind, []).append(one)
    return {
        one.id: _body(one, data)
        for kind, told in by_kind.items()
        for one, data in _DRAWERS[kind](unit, told)
    }


def _body(told: OutboxEvent, data: Any) -> bytes:
    return encode_json(
        {"id": told.event_id, "type": told.type, "created_at": timestamp(told.at), "data": data}
    )


def _intents(unit: UnitOfWork, told: Sequence[OutboxEvent]) -> Drawn:
    found = unit.intents.get_many({one.resource_id for one in told})
    for one in told:
        if one.resource_id in found:
            yield one, intents.ReadIntent.from_intent(restore_intent(found[one.resource_id], one))


def _orders(unit: UnitOfWork, told: Sequence[OutboxEvent]) -> Drawn:
    found = {number: unit.orders.get(number) for number in {one.resource_id for one in told}}
    for one in told:
        if (order := found[one.resource_id]) is not None:
            yield one, ramp_orders.OrderOut.from_order(restore_order(order, one))


def _tests(unit: UnitOfWork, told: Sequence[OutboxEvent]) -> Drawn:
    for one in told:
        yield one, json.loads(one.snapshot)


_DRAWERS: Final[Mapping[str, Callable[[UnitOfWork, Sequence[OutboxEvent]], Drawn]]] = (
    MappingProxyType({"intent": _intents, "ramp_order": _orders, TEST_KIND: _tests})
)
