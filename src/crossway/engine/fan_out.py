"""Turns new outbox events into webhook deliveries, each exactly once and in order."""

from crossway.domain.webhooks import OutboxEvent
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import NewDelivery

BATCH = 1_000
_LOCK = "event positions:"


def fan_out(services: Services) -> int:
    """Assign positions to new outbox events and enqueue their deliveries; returns how many.

    New events are recognised by their missing position, not by a growing id: on PostgreSQL, ids
    become visible in another order than they were assigned. Each client has positions and a lock of
    its own; a client whose events another process handles at the moment is left to it.
    """
    with services.store.read() as unit:
        if not unit.outbox.has_unsequenced():
            return 0
    return services.store.write(lambda unit: _fan_out(unit, services))


def _fan_out(unit: UnitOfWork, services: Services) -> int:
    new_events = _take_new_events(unit)
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
    unit.outbox.assign_positions(new_events)
    return len(new_events)


def _take_new_events(unit: UnitOfWork) -> list[OutboxEvent]:
    """The oldest new events of clients that no other process handles, whose locks are held then."""
    busy = set[str]()
    while waiting := {e.client_id for e in unit.outbox.list_unsequenced(BATCH, without=busy)}:
        locked = unit.leases.lock_free({f"{_LOCK}{client}" for client in waiting})
        if locked:
            # Read again: others may have handled some until the locks were taken.
            clients = {name.removeprefix(_LOCK) for name in locked}
            return unit.outbox.list_unsequenced(BATCH, clients)
        busy |= waiting
    return []
