"""Deliveries of webhooks: what was sent and answered, test events, and sending again."""

import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.webhooks import (
    TEST_EVENT,
    TEST_KIND,
    Announcement,
    Delivery,
    DeliveryState,
    Endpoint,
    Try,
)
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.webhook_records import DeliveryFilter, NewDelivery
from crossway.usecases.developers.webhooks import outgoing_of, own
from crossway.usecases.operating.retention import limits

MOST_PAGE = 100
MOST_REPLAYED = 10_000
MOST_COUNTED = 10_000
_NEARLY_FORGOTTEN = timedelta(minutes=1)
TEST_MESSAGE = "This is a test. Nothing was paid."


@dataclass(frozen=True, slots=True)
class Seen:
    """A delivery with everything about it; `body` is what was or will be sent."""

    delivery: Delivery
    announcement: Announcement
    tries: tuple[Try, ...]
    body: bytes


def page(
    services: Services, caller: Caller, wanted: DeliveryFilter, limit: int
) -> list[tuple[Delivery, Announcement]]:
    """The caller's deliveries, newest first; an operator sees those of every client."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    if not caller.operator:
        wanted = replace(wanted, client_id=caller.client.id)
    with services.store.read() as unit:
        if wanted.webhook_id is not None:
            own(caller, unit.webhooks.get(wanted.webhook_id))
        return unit.deliveries.page(wanted, limit)


def one(services: Services, caller: Caller, delivery_id: int) -> Seen:
    """One of the caller's deliveries with its tries and its body."""
    caller.needs(Scope.READ)
    with services.store.read() as unit:
        delivery, _ = _own(unit, caller, delivery_id)
        told = unit.announcements.of([delivery.announcement_id])[delivery.announcement_id]
        body = outgoing_of(services).present(unit, [told]).get(told.id, b"{}")
        return Seen(delivery, told, tuple(unit.deliveries.tries(delivery_id)), body)


def health(
    services: Services, caller: Caller, ids: Collection[int]
) -> dict[int, Mapping[DeliveryState, int]]:
    """Where the deliveries of the last day stand, of each of these webhooks of the caller's; of
    one with many, of its newest `MOST_COUNTED`."""
    caller.needs(Scope.READ)
    since = services.clock.now() - timedelta(days=1)
    with services.store.read() as unit:
        known = unit.webhooks.of(ids)
        for one in ids:
            own(caller, known.get(one))
        return {one: unit.deliveries.outcomes(one, since, MOST_COUNTED) for one in ids}


def test(services: Services, caller: Caller, webhook_id: int) -> tuple[Delivery, Announcement]:
    """Send an event to one webhook, whatever it wants to be told of."""
    caller.needs(Scope.WRITE)
    now = services.clock.now()
    facts = json.dumps({"webhookId": webhook_id, "message": TEST_MESSAGE})
    event_id = f"evt_{secrets.token_hex(16)}"

    def work(unit: Unit) -> tuple[Delivery, Announcement]:
        endpoint = _on(own(caller, unit.webhooks.lock([webhook_id]).get(webhook_id)))
        told = Announcement(
            0, event_id, endpoint.client_id, TEST_EVENT, TEST_KIND, webhook_id, now, facts, None
        )
        told = unit.announcements.add(told)
        return unit.deliveries.add_one(NewDelivery(webhook_id, told.id, "", now)), told

    made = services.store.write(work)
    services.wake()
    return made


def replay(services: Services, caller: Caller, delivery_id: int) -> tuple[Delivery, Announcement]:
    """Send an event again in a delivery of its own; one that is still to be tried is tried now."""
    caller.needs(Scope.WRITE)
    now = services.clock.now()

    def work(unit: Unit) -> tuple[Delivery, Announcement]:
        _, endpoint = _own(unit, caller, delivery_id)
        _on(own(caller, unit.webhooks.lock([endpoint.id]).get(endpoint.id)))
        delivery, _ = _own(unit, caller, delivery_id)
        told = unit.announcements.of([delivery.announcement_id])[delivery.announcement_id]
        detail = {"webhook": endpoint.id, "delivery": delivery_id, "event": told.event_id}
        subject = f"webhook:{endpoint.id}"
        unit.network.audit(caller.client.name, "delivery replayed", detail, now, subject)
        if delivery.state is DeliveryState.WAITING:
            raise WrongState("It waits for an earlier event of the same resource: replay that one")
        if delivery.state is DeliveryState.DUE:
            unit.deliveries.hurry(delivery_id, now)
            return replace(delivery, next_at=now), told
        again = NewDelivery(endpoint.id, told.id, "", now, replay_of=delivery_id)
        return unit.deliveries.add_one(again), told

    made = services.store.write(work)
    services.wake()
    return made


def replay_range(
    services: Services,
    caller: Caller,
    webhook_id: int,
    given: Mapping[str, object],
) -> int:
    """Send everything of a time again that this webhook wants to be told of, in order, also what
    happened while it was switched off; what is still to be tried is left alone. How many."""
    caller.needs(Scope.WRITE)
    now = services.clock.now()
    since = _instant(given.get("from"), "from")
    until = now if given.get("to") is None else _instant(given.get("to"), "to")
    if since >= until:
        raise InvalidInput("from must be before to")
    with services.store.read() as unit:
        endpoint = own(caller, unit.webhooks.get(webhook_id))
        # What may be forgotten at any moment is not sent again.
        oldest = max(since, limits(services)["announcements"] + _NEARLY_FORGOTTEN)
        found = unit.announcements.between(endpoint.client_id, oldest, until, MOST_REPLAYED + 1)
    if len(found) > MOST_REPLAYED:
        raise InvalidInput(f"from and to must enclose at most {MOST_REPLAYED} events")
    # Thousands are read while others write; only what is to be stored keeps them waiting.
    wanted = [
        NewDelivery(webhook_id, told.id, f"replay:{now.timestamp()}:{told.line}", now)
        for told in found
        # What was not fanned out yet is on its way anyhow.
        if endpoint.wants(told) and told.position is not None
    ]
    detail = {"webhook": webhook_id, "from": since.isoformat(), "to": until.isoformat()}
    return services.store.write(
        partial(_send_again, caller=caller, webhook_id=webhook_id, wanted=wanted, now=now,
                detail=detail)
    )  # fmt: skip


def _send_again(
    unit: Unit,
    caller: Caller,
    webhook_id: int,
    wanted: Sequence[NewDelivery],
    now: datetime,
    detail: Mapping[str, object],
) -> int:
    _on(own(caller, unit.webhooks.lock([webhook_id]).get(webhook_id)))
    still = unit.deliveries.still_open(webhook_id)
    again = [one for one in wanted if one.announcement_id not in still]
    unit.deliveries.add(again)
    told = {**detail, "events": len(again)}
    subject = f"webhook:{webhook_id}"
    unit.network.audit(caller.client.name, "deliveries replayed", told, now, subject)
    return len(again)


def _own(unit: Unit, caller: Caller, delivery_id: int) -> tuple[Delivery, Endpoint]:
    delivery = unit.deliveries.get(delivery_id)
    endpoint = None if delivery is None else unit.webhooks.get(delivery.webhook_id)
    seen = endpoint is not None and (caller.operator or endpoint.client_id == caller.client.id)
    if delivery is None or endpoint is None or not seen:
        raise NotFound("Delivery not found")
    return delivery, endpoint


def _on(endpoint: Endpoint) -> Endpoint:
    if not endpoint.enabled:
        raise WrongState("The webhook is switched off: switch it on first")
    return endpoint


def _instant(given: object, name: str) -> datetime:
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 1970 <= found.year <= 9000:
        raise InvalidInput(f"{name} must be an instant such as 2026-11-21T10:53:00.000Z")
    return found
