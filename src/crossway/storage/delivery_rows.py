"""Mappers for webhook deliveries and their attempts."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement

from crossway.domain.webhooks import Delivery, DeliveryAttempt, DeliveryState
from crossway.ports.webhook_repository import NewDelivery
from crossway.sql.in_values import in_values
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.webhook_tables import deliveries, delivery_attempts

DELIVERIES: Final = RowMapper(Delivery, deliveries)
ATTEMPTS: Final = RowMapper(DeliveryAttempt, delivery_attempts)


def are_placed(placed: Mapping[int, int]) -> tuple[ColumnElement[bool], ...]:
    """The condition for deliveries by their numbers and the times at which they were created, in
    microseconds: the times say in which partitions they are."""
    times = placed.values()
    is_of_then = deliveries.c.created_at.between(min(times), max(times))
    return in_values(deliveries.c.id, list(placed)), is_of_then


def new_delivery_row(new: NewDelivery, behind: bool) -> dict[str, Any]:
    """A new delivery as its row: WAITING if it is behind another, else DUE."""
    at = to_micros(new.at)
    return {
        "webhook_id": new.webhook_id,
        "event_id": new.event_id,
        "sequence_key": new.sequence_key,
        "state": (DeliveryState.WAITING if behind else DeliveryState.DUE).value,
        "attempt_count": 0,
        "next_at": at,
        "leased_until": 0,
        "status": None,
        "error": "",
        "replay_of": new.replay_of,
        "created_at": at,
        "updated_at": at,
    }


def result_row(after: Delivery) -> dict[str, Any]:
    """The result of an attempt, as the parameters of the delivery's update."""
    return {
        "b_id": after.id,
        "b_created": to_micros(after.created_at),
        "b_state": after.state.value,
        "b_tries": after.attempt_count,
        "b_next": to_micros(after.next_at),
        "b_status": after.status,
        "b_error": after.error,
        "b_at": to_micros(after.updated_at),
    }
