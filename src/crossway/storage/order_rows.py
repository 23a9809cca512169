"""Ramp orders and their moves to rows and back."""

import json
from typing import Any, Final
from uuid import uuid4

from crossway.domain.ramps import Direction, Errand, OrderState, ProviderName, RampOrder
from crossway.ports.ramp_records import OrderChange, OrderMove
from crossway.storage.announcements import announcement_row
from crossway.storage.rows import instant, maybe_instant, micros

# What no change touches. Who an order is for is taken away by an erasure alone, so that a change
# that was under way then does not bring it back.
FIXED: Final = (
    "client_id",
    "mode",
    "reference",
    "direction",
    "provider",
    "person_id",
    "sealed",
    "created_at",
)


def order_row(order: RampOrder) -> dict[str, Any]:
    """An order as its row, without the id."""
    return {
        "client_id": order.client_id,
        "mode": order.mode,
        "reference": order.reference,
        "direction": order.direction.value,
        "provider": order.provider.value,
        "state": order.state.value,
        "person_id": order.person_id,
        "sealed": order.sealed,
        "created_at": micros(order.created_at),
        **_agreed(order),
        **_progress(order),
    }


def _agreed(order: RampOrder) -> dict[str, Any]:
    return {
        "currency": order.currency,
        "digits": order.digits,
        "fiat_minor": order.fiat_minor,
        "fee_minor": order.fee_minor,
        "fees_minor": order.fees_minor,
        "fees_micro_usd": order.fees_micro_usd,
        "worth_micro_usd": order.worth_micro_usd,
        "rate_micro": order.rate_micro,
        "symbol": order.symbol,
        "decimals": order.decimals,
        "crypto_units": str(order.crypto_units),
        "source_chain": order.source_chain,
        "destination_chain": order.destination_chain,
        "ramp_chain": order.ramp_chain,
        "ramp_token": order.ramp_token,
        "ramp_units": str(order.ramp_units),
        "gross_units": str(order.gross_units),
        "sender": order.sender,
        "recipient": order.recipient,
        "country": order.country,
        "channel": order.channel,
        "metadata": json.dumps(dict(order.metadata), separators=(",", ":")),
    }


def _progress(order: RampOrder) -> dict[str, Any]:
    return {
        "widget_url": order.widget_url,
        "instructions": json.dumps(dict(order.instructions), separators=(",", ":")),
        "pay_to": order.pay_to,
        "intent_id": order.intent_id,
        "intent_address": order.intent_address,
        "provider_reference": order.provider_reference,
        "provider_tx": order.provider_tx,
        "failure_reason": order.failure_reason,
        "errand": errand_text(order.errand),
        "tries": order.tries,
        "next_at": None if order.next_at is None else micros(order.next_at),
        "paid_at": None if order.paid_at is None else micros(order.paid_at),
        "updated_at": micros(order.updated_at),
        "expires_at": micros(order.expires_at),
        "completed_at": None if order.completed_at is None else micros(order.completed_at),
    }


def errand_text(errand: Errand | None) -> str:
    """An errand as it is stored; empty for none, so that it compares like any other."""
    return "" if errand is None else errand.value


def order_of(row: Any) -> RampOrder:
    """The order of a whole row, columns by name."""
    facts = dict(row._mapping)
    for name in ("crypto_units", "ramp_units", "gross_units"):
        facts[name] = int(facts[name])
    for name in ("instructions", "metadata"):
        facts[name] = json.loads(facts[name])
    for name in ("created_at", "updated_at", "expires_at"):
        facts[name] = instant(facts[name])
    for name in ("next_at", "paid_at", "completed_at"):
        facts[name] = maybe_instant(facts[name])
    facts["direction"] = Direction(facts["direction"])
    facts["provider"] = ProviderName(facts["provider"])
    facts["state"] = OrderState(facts["state"])
    facts["errand"] = Errand(facts["errand"]) if facts["errand"] else None
    return RampOrder(**facts)


def order_facts(order: RampOrder) -> str:
    """What of an order can change, as it stood at a move: announcements are drawn from it. How the
    user pays is not among them, for providers write names into it."""
    progress = _progress(order)
    left_out = ("instructions", "widget_url", "errand", "tries", "next_at")
    facts = {name: value for name, value in progress.items() if name not in left_out}
    facts |= {"state": order.state.value, "fiat_minor": order.fiat_minor}
    return json.dumps(facts | {"gross_units": str(order.gross_units)}, separators=(",", ":"))


def announced(event_id: str, order: RampOrder) -> dict[str, Any]:
    """The announcement of an order as it stands after a move, as its row."""
    return announcement_row(
        event_id, order.client_id, "ramp_order_updated", "ramp_order", order.id,
        micros(order.updated_at), order_facts(order),
    )  # fmt: skip


def change_row(before: RampOrder, after: RampOrder) -> dict[str, Any]:
    """What of an order its events changed, as the parameters of its update."""
    row = {f"b_{name}": value for name, value in order_row(after).items() if name not in FIXED}
    return row | {
        "b_id": after.id,
        "b_before": before.state.value,
        "b_errand_before": errand_text(before.errand),
    }


def move_row(change: OrderChange) -> dict[str, Any]:
    """One event as a line of its order's history."""
    return {
        "event_id": f"evt_{uuid4().hex}",
        "order_id": change.after.id,
        "at": micros(change.after.updated_at),
        "event": change.event.value,
        "from_state": change.before.state.value,
        "to_state": change.after.state.value,
        "note": change.note,
    }


def move_of(row: Any) -> OrderMove:
    """The move of a whole row."""
    return OrderMove(
        id=row.event_id,
        order_id=row.order_id,
        at=instant(row.at),
        event=row.event,
        from_state=None if row.from_state is None else OrderState(row.from_state),
        to_state=OrderState(row.to_state),
        note=row.note,
    )
