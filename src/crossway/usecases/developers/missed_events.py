"""Events that a webhook missed: those that failed for good, or happened while it was disabled."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.webhooks import DeliveryState, Endpoint
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import MissedFilter, NewDelivery
from crossway.usecases.developers.deliveries import EXPIRY_MARGIN, MAX_REPLAYED
from crossway.usecases.developers.webhooks import require_owned
from crossway.usecases.operating.retention import get_cutoffs

_BATCH = re.compile(r"\d{1,12}\.\d{1,6}")


@dataclass(frozen=True, slots=True)
class ResentEvents:
    """How many events were queued again, and the batch by which their progress is read."""

    count: int
    batch: str


def count_missed(services: Services, caller: Principal, webhook_id: int) -> int:
    """How many subscribed events since its first failure a webhook of the caller never accepted and
    are not queued for it either; at most `MAX_REPLAYED` are counted. What happened before it
    subscribed to an event's type, it did not miss. Raises `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        endpoint = require_owned(caller, unit.webhooks.get(webhook_id))
        return len(_list_missed(services, unit, endpoint))


def resend_missed(services: Services, caller: Principal, webhook_id: int) -> ResentEvents:
    """Queue the missed events of a webhook again, oldest first, in order per resource, and at most
    `MAX_REPLAYED` at once. Doing it twice queues nothing twice. Audited.

    Raises `NotFound`, and `InvalidStatus` for a webhook that is disabled.
    """
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()
    batch = f"{now.timestamp():.6f}"
    # Searched outside the write transaction, which would block other writers meanwhile.
    with services.store.read() as unit:
        endpoint = require_owned(caller, unit.webhooks.get(webhook_id))
        found = tuple(event_id for event_id, _ in _list_missed(services, unit, endpoint))

    def work(unit: UnitOfWork) -> ResentEvents:
        # Locked and looked at again, so that what somebody else queued meanwhile is left out.
        endpoint = require_owned(caller, unit.webhooks.lock([webhook_id]).get(webhook_id))
        if not endpoint.enabled:
            raise InvalidStatus("The webhook is disabled: enable it first")
        missed = _list_missed(services, unit, endpoint, found)
        unit.deliveries.add_many(
            [
                NewDelivery(webhook_id, event_id, f"{_prefix(batch)}{sequence_key}", now)
                for event_id, sequence_key in missed
            ]
        )
        detail = {"webhook": webhook_id, "events": len(missed)}
        subject = f"webhook:{webhook_id}"
        unit.audit_log.record(caller.client.name, "missed events resent", detail, now, subject)
        return ResentEvents(len(missed), batch)

    resent = services.store.write(work)
    services.process.wake()
    return resent


def count_batch(
    services: Services, caller: Principal, webhook_id: int, batch: str
) -> Mapping[DeliveryState, int]:
    """The deliveries of a batch that `resend_missed` queued, by state. Raises `NotFound`, and
    `InvalidInput` for what is no batch."""
    caller.require_scope(Scope.READ)
    if not _BATCH.fullmatch(batch):
        raise InvalidInput("batch must be one that was returned when events were resent")
    with services.store.read() as unit:
        require_owned(caller, unit.webhooks.get(webhook_id))
        return unit.deliveries.count_batch_by_state(webhook_id, _prefix(batch), 2 * MAX_REPLAYED)


def _list_missed(
    services: Services, unit: UnitOfWork, endpoint: Endpoint, among: tuple[int, ...] | None = None
) -> list[tuple[int, str]]:
    oldest = get_cutoffs(services)["outbox"] + EXPIRY_MARGIN
    since = {type: datetime.fromisoformat(at) for type, at in endpoint.later_events.items()}
    missed = MissedFilter(endpoint.id, endpoint.owner, endpoint.events, since, oldest, among)
    return unit.deliveries.list_missed(missed, MAX_REPLAYED)


def _prefix(batch: str) -> str:
    return f"replay:{batch}:"
