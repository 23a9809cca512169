"""Webhook deliveries: listing, test events and replays."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.event_ids import new_event_id
from crossway.domain.webhooks import (
    TEST_EVENT,
    TEST_KIND,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    Endpoint,
    OutboxEvent,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import DeliveryFilter, NewDelivery
from crossway.usecases.developers.webhooks import get_outgoing, require_owned
from crossway.usecases.instants import parse_instant
from crossway.usecases.operating.retention import get_cutoffs

MAX_PAGE_SIZE = 100
MAX_REPLAYED = 10_000
MAX_COUNTED = 10_000
EXPIRY_MARGIN = timedelta(minutes=1)
TEST_MESSAGE = "This is a test. Nothing was paid."


@dataclass(frozen=True, slots=True)
class DeliveryDetail:
    """A delivery with its event, its attempts and the body that was or will be sent."""

    delivery: Delivery
    event: OutboxEvent
    attempts: tuple[DeliveryAttempt, ...]
    body: bytes


def list_deliveries(
    services: Services, caller: Principal, delivery_filter: DeliveryFilter, limit: int
) -> list[tuple[Delivery, OutboxEvent]]:
    """A page of the caller's deliveries, in the order of the filter; staff see those of every
    client."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        if delivery_filter.webhook_id is not None:
            endpoint = require_owned(caller, unit.webhooks.get(delivery_filter.webhook_id))
            caller = caller.in_mode_of(endpoint)
        return unit.deliveries.list_page(caller.narrow(delivery_filter), limit)


def get_delivery(services: Services, caller: Principal, delivery_id: int) -> DeliveryDetail:
    """One of the caller's deliveries in detail. Raises `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        delivery, _ = _get_owned(unit, caller, delivery_id)
        event = unit.outbox.get_many([delivery.event_id])[delivery.event_id]
        body = get_outgoing(services).render_events(unit, [event]).get(event.id, b"{}")
        return DeliveryDetail(
            delivery, event, tuple(unit.deliveries.list_attempts(delivery_id)), body
        )


def count_recent_deliveries(
    services: Services, caller: Principal, ids: Collection[int]
) -> dict[int, Mapping[DeliveryState, int]]:
    """By webhook of the caller, the number of deliveries of the last 24 hours by state; at most
    the newest `MAX_COUNTED` of each webhook are counted."""
    caller.require_scope(Scope.READ)
    since = services.clock.now() - timedelta(days=1)
    with services.store.read() as unit:
        endpoints = unit.webhooks.get_many(ids)
        for webhook_id in ids:
            require_owned(caller, endpoints.get(webhook_id))
        return {
            webhook_id: unit.deliveries.count_recent_by_state(webhook_id, since, MAX_COUNTED)
            for webhook_id in ids
        }


@dataclass(frozen=True, slots=True)
class ReplayedEvents:
    """What a replay queued: `count` events from `start` to `end`; `already_queued` more of the
    period were queued before and are not queued twice."""

    count: int
    already_queued: int
    start: datetime
    end: datetime


def send_test_event(
    services: Services, caller: Principal, webhook_id: int
) -> tuple[Delivery, OutboxEvent]:
    """Send a test event to one webhook, regardless of its subscriptions, also while it is
    disabled."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()
    snapshot = json.dumps({"webhookId": webhook_id, "message": TEST_MESSAGE})
    event_id = new_event_id()

    def work(unit: UnitOfWork) -> tuple[Delivery, OutboxEvent]:
        endpoint = require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        event = OutboxEvent(
            0, event_id, endpoint.client_id, TEST_EVENT, TEST_KIND, webhook_id, now, snapshot,
            position=None, mode=endpoint.mode,
        )  # fmt: skip
        event = unit.outbox.add(event)
        return unit.deliveries.add(NewDelivery(webhook_id, event.id, "", now)), event

    result = services.store.write(work)
    services.process.wake()
    return result


def is_enabled(services: Services, caller: Principal, webhook_id: int) -> bool:
    """Whether one of the caller's webhooks, which it may change, gets events. Raises `NotFound`."""
    caller.require_scope(Scope.WRITE)
    with services.store.read() as unit:
        return require_owned(caller, unit.webhooks.get(webhook_id)).enabled


def replay_delivery(
    services: Services, caller: Principal, delivery_id: int
) -> tuple[Delivery, OutboxEvent]:
    """Send a delivery's event again as a new delivery; one that is still due is sent now, also when
    somebody queued it again before. Raises `InvalidStatus` for a webhook that is disabled, and for
    an event that waits for an earlier one."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> tuple[Delivery, OutboxEvent]:
        _, endpoint = _get_owned(unit, caller, delivery_id)
        _require_enabled(require_owned(caller, unit.webhooks.lock([endpoint.id]).get(endpoint.id)))
        delivery, _ = _get_owned(unit, caller, delivery_id)
        event = unit.outbox.get_many([delivery.event_id])[delivery.event_id]
        detail = {"webhook": endpoint.id, "delivery": delivery_id, "event": event.event_id}
        subject = f"webhook:{endpoint.id}"
        unit.audit_log.record(caller.client.name, "delivery replayed", detail, now, subject)
        queued = unit.deliveries.find_open(endpoint.id, event.id) or delivery
        if queued.state is DeliveryState.WAITING:
            raise InvalidStatus(
                "It waits for an earlier event of the same resource: replay that one"
            )
        if queued.state is DeliveryState.DUE:
            unit.deliveries.reset_backoff(queued.id, now)
            return replace(queued, next_at=now), event
        new_delivery = NewDelivery(endpoint.id, event.id, "", now, replay_of=delivery_id)
        return unit.deliveries.add(new_delivery), event

    result = services.store.write(work)
    services.process.wake()
    return result


def replay_range(
    services: Services,
    caller: Principal,
    webhook_id: int,
    params: Mapping[str, object],
) -> ReplayedEvents:
    """Send all events of a period that this webhook subscribes to again, in order, including those
    from while it was disabled; deliveries that are still open are skipped. The period begins no
    earlier than what is stored."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()
    since = parse_instant(params.get("from"), "from")
    until = now if params.get("to") is None else parse_instant(params.get("to"), "to")
    if since >= until:
        raise InvalidInput("from must be before to")
    with services.store.read() as unit:
        endpoint = require_owned(caller, unit.webhooks.get(webhook_id))
        # Events that are about to expire are not sent again.
        oldest = max(since, get_cutoffs(services)["outbox"] + EXPIRY_MARGIN)
        events = unit.outbox.list_between(endpoint.owner, oldest, until, MAX_REPLAYED + 1)
    if len(events) > MAX_REPLAYED:
        raise InvalidInput(f"from and to must enclose at most {MAX_REPLAYED} events")
    # The events are read outside the write transaction, which would block other writers.
    new_deliveries = [
        NewDelivery(webhook_id, event.id, f"replay:{now.timestamp()}:{event.sequence_key}", now)
        for event in events
        # Events without a position have not been fanned out yet and will be delivered anyway.
        if endpoint.subscribes_to(event) and event.position is not None
    ]
    detail = {"webhook": webhook_id, "from": since.isoformat(), "to": until.isoformat()}
    work = partial(_replay_events, caller, webhook_id, new_deliveries, now, detail)
    count = services.store.write(work)
    services.process.wake()
    return ReplayedEvents(count, len(new_deliveries) - count, min(oldest, until), until)


def _replay_events(
    caller: Principal,
    webhook_id: int,
    new_deliveries: Sequence[NewDelivery],
    now: datetime,
    detail: Mapping[str, object],
    unit: UnitOfWork,
) -> int:
    _require_enabled(require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id)))
    open_event_ids = unit.deliveries.list_open_event_ids(webhook_id)
    missing = [delivery for delivery in new_deliveries if delivery.event_id not in open_event_ids]
    unit.deliveries.add_many(missing)
    audit_detail = {**detail, "events": len(missing)}
    subject = f"webhook:{webhook_id}"
    unit.audit_log.record(caller.client.name, "deliveries replayed", audit_detail, now, subject)
    return len(missing)


def _get_owned(unit: UnitOfWork, caller: Principal, delivery_id: int) -> tuple[Delivery, Endpoint]:
    delivery = unit.deliveries.get(delivery_id)
    endpoint = None if delivery is None else unit.webhooks.get(delivery.webhook_id)
    is_visible = endpoint is not None and caller.can_access(endpoint)
    if delivery is None or endpoint is None or not is_visible:
        raise NotFound("Delivery not found", ErrorCode.DELIVERY_NOT_FOUND)
    return delivery, endpoint


def _require_enabled(endpoint: Endpoint) -> Endpoint:
    if not endpoint.enabled:
        raise InvalidStatus("The webhook is disabled: enable it first")
    return endpoint
