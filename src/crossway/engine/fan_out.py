"""Turns new outbox events into webhook deliveries, each exactly once and in order."""

from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import NewDelivery

BATCH = 1_000
FAN_OUT_LOCK = "fan_out"


def fan_out(services: Services) -> int:
    """Assign positions to new outbox events and enqueue their deliveries; returns how many.

    New events are recognised by their missing position, not by a growing id: on PostgreSQL, ids
    become visible in another order than they were assigned.
    """
    with services.store.read() as unit:
        if not unit.outbox.has_unsequenced():
            return 0
    return services.store.write(lambda unit: _fan_out(unit, services))


def _fan_out(unit: UnitOfWork, services: Services) -> int:
    unit.leases.lock(FAN_OUT_LOCK)
    new_events = unit.outbox.list_unsequenced(BATCH)
    endpoints = unit.webhooks.lock_enabled_by_clients({event.client_id for event in new_events})
    now = services.clock.now()
    unit.deliveries.add_many(
        [
            NewDelivery(endpoint.id, event.id, event.sequence_key, now)
            for event in new_events
            for endpoint in endpoints
            # Events from before the endpoint existed can be resent but are not sent automatically.
            if endpoint.subscribes_to(event) and event.at >= endpoint.created_at
        ]
    )
    unit.outbox.assign_positions([event.id for event in new_events])
    return len(new_events)
