"""Fanning out: what was announced gets its place in the order and its deliveries, once."""

from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.webhook_records import NewDelivery

BATCH = 1_000
ONE_AT_A_TIME = "announcements"


def fan_out(services: Services) -> int:
    """Put what is new in order and owe it to every endpoint that wants it. Answers how many.

    New ones are claimed by having no place yet, never followed by number: on PostgreSQL, numbers
    come to light in another order than they were given.
    """
    with services.store.read() as unit:
        if not unit.announcements.any_new():
            return 0
    return services.store.write(lambda unit: _fan_out(unit, services))


def _fan_out(unit: Unit, services: Services) -> int:
    unit.network.lock(ONE_AT_A_TIME)
    new = unit.announcements.new(BATCH)
    endpoints = unit.webhooks.lock_of_clients({one.client_id for one in new})
    now = services.clock.now()
    unit.deliveries.add(
        [
            NewDelivery(endpoint.id, one.id, one.line, now)
            for one in new
            for endpoint in endpoints
            # What happened before there was a webhook can be replayed, and is not sent by itself.
            if endpoint.wants(one) and one.at >= endpoint.created_at
        ]
    )
    unit.announcements.put_in_order([one.id for one in new])
    return len(new)
