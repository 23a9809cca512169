"""Events on the wire: what webhooks and streams carry, the same bytes every time."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import orjson

from crossway.api.answers import instant
from crossway.api.schemas import intents, ramp_orders
from crossway.domain.webhooks import TEST_KIND, Announcement
from crossway.ports.store import Unit
from crossway.usecases.developers.announcements import intent_then, order_then

Drawn = Iterator[tuple[Announcement, Any]]


def present(unit: Unit, of: Sequence[Announcement]) -> Mapping[int, bytes]:
    """`ports.webhooks.Presenter`: each resource as its read endpoint showed it then."""
    by_kind: dict[str, list[Announcement]] = {}
    for one in of:
        by_kind.setdefault(one.kind, []).append(one)
    return {
        one.id: _body(one, data)
        for kind, told in by_kind.items()
        for one, data in _DRAWERS[kind](unit, told)
    }


def _body(told: Announcement, data: Any) -> bytes:
    return orjson.dumps(
        {"id": told.event_id, "type": told.type, "created_at": instant(told.at), "data": data}
    )


def _intents(unit: Unit, told: Sequence[Announcement]) -> Drawn:
    found = unit.intents.of({one.resource_id for one in told})
    for one in told:
        if one.resource_id in found:
            yield one, intents.read(intent_then(found[one.resource_id], one))


def _orders(unit: Unit, told: Sequence[Announcement]) -> Drawn:
    found = {number: unit.orders.get(number) for number in {one.resource_id for one in told}}
    for one in told:
        if (order := found[one.resource_id]) is not None:
            yield one, ramp_orders.read(order_then(order, one))


def _tests(unit: Unit, told: Sequence[Announcement]) -> Drawn:
    for one in told:
        yield one, json.loads(one.facts)


_DRAWERS: Final[Mapping[str, Callable[[Unit, Sequence[Announcement]], Drawn]]] = MappingProxyType(
    {"intent": _intents, "ramp_order": _orders, TEST_KIND: _tests}
)
