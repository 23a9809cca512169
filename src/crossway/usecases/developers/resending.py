"""Resending several deliveries at once: those that somebody selected, or those of payments."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers.deliveries import MAX_PAGE_SIZE, list_deliveries, replay_delivery

MAX_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Resent:
    """How many deliveries were sent again, and how many were not, with the reason of the last:
    their webhook is disabled, or they wait for an earlier event."""

    count: int
    refused: int = 0
    reason: str = ""


def resend_deliveries(services: Services, caller: Principal, ids: Collection[int]) -> Resent:
    """Send the events of these deliveries again, the oldest first and each once to a webhook, also
    where several of its deliveries are named or it is queued already; audited one by one. Raises
    `InvalidStatus` if none of them can be."""
    caller.require_scope(Scope.WRITE)
    if len(ids) > MAX_AT_ONCE:
        raise InvalidInput(f"At most {MAX_AT_ONCE:,} deliveries can be resent at once")
    count, refused, reason = 0, 0, ""
    for delivery_id in _one_of_each_event(services, ids):
        try:
            replay_delivery(services, caller, delivery_id)
            count += 1
        except InvalidStatus as error:
            refused, reason = refused + 1, str(error)
    if refused and not count:
        raise InvalidStatus(reason)
    return Resent(count, refused, reason)


def resend_of_payments(
    services: Services, caller: Principal, intent_ids: Collection[int]
) -> Resent:
    """Send every event of these payments again, each to the webhooks that it went to before."""
    caller.require_scope(Scope.WRITE)
    newest: dict[tuple[int, int], int] = {}
    for intent_id in sorted(set(intent_ids)):
        about = DeliveryFilter(about=("intent", intent_id))
        for delivery, event in list_deliveries(services, caller, about, MAX_PAGE_SIZE):
            # The list begins with the newest: an event that was sent again counts once.
            newest.setdefault((delivery.webhook_id, event.id), delivery.id)
    return resend_deliveries(services, caller, newest.values())


def _one_of_each_event(services: Services, ids: Collection[int]) -> list[int]:
    """The newest of these deliveries of each event to each webhook, in order; what is unknown stays
    in, for the caller to refuse."""
    newest: dict[object, int] = {}
    with services.store.read() as unit:
        for delivery_id in sorted(set(ids)):
            delivery = unit.deliveries.get(delivery_id)
            event = delivery and (delivery.webhook_id, delivery.event_id)
            newest[event or delivery_id] = delivery_id
    return sorted(newest.values())
