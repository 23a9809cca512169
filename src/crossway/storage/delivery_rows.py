"""Deliveries and their tries to rows and back."""

from typing import Any

from crossway.domain.webhooks import Delivery, DeliveryState, Try
from crossway.ports.webhook_records import NewDelivery
from crossway.storage.rows import instant, micros


def new_row(new: NewDelivery, behind: bool) -> dict[str, Any]:
    """A new delivery as its row, due or behind another."""
    at = micros(new.at)
    return {
        "webhook_id": new.webhook_id,
        "announcement_id": new.announcement_id,
        "line": new.line,
        "state": (DeliveryState.WAITING if behind else DeliveryState.DUE).value,
        "tries": 0,
        "next_at": at,
        "leased_until": 0,
        "status": None,
        "error": "",
        "replay_of": new.replay_of,
        "created_at": at,
        "updated_at": at,
    }


def settled_row(after: Delivery) -> dict[str, Any]:
    """What became of a delivery, as the parameters of its update."""
    return {
        "b_id": after.id,
        "b_state": after.state.value,
        "b_tries": after.tries,
        "b_next": micros(after.next_at),
        "b_status": after.status,
        "b_error": after.error,
        "b_at": micros(after.updated_at),
    }


def delivery_of(row: Any) -> Delivery:
    """The delivery of a whole row."""
    return Delivery(
        id=row.id,
        webhook_id=row.webhook_id,
        announcement_id=row.announcement_id,
        line=row.line,
        state=DeliveryState(row.state),
        tries=row.tries,
        next_at=instant(row.next_at),
        status=row.status,
        error=row.error,
        replay_of=row.replay_of,
        created_at=instant(row.created_at),
        updated_at=instant(row.updated_at),
    )


def try_row(one: Try) -> dict[str, Any]:
    """A try as its row."""
    return {
        "delivery_id": one.delivery_id,
        "at": micros(one.at),
        "status": one.status,
        "error": one.error,
        "milliseconds": one.milliseconds,
        "headers": one.headers,
        "answer": one.answer,
    }


def try_of(row: Any) -> Try:
    """The try of a whole row."""
    return Try(
        delivery_id=row.delivery_id,
        at=instant(row.at),
        status=row.status,
        error=row.error,
        milliseconds=row.milliseconds,
        headers=row.headers,
        answer=row.answer,
    )
