"""Mappers for ramp orders and their transitions, and the outbox events that follow a change."""

from typing import Any, Final

from sqlalchemy import bindparam, update

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.event_ids import new_event_id
from crossway.domain.ramps import RampOrder
from crossway.ports.ramp_repository import OrderChange, OrderTransition
from crossway.storage.intent_rows import TRANSFER_SNAPSHOT
from crossway.storage.ramp_tables import FIXED, order_transitions, orders
from crossway.storage.row_mapper import RowMapper, to_json, to_micros
from crossway.storage.sealing import Seal

ORDERS: Final = RowMapper(RampOrder, orders)
ORDER_TRANSITIONS: Final = RowMapper(OrderTransition, order_transitions, {"id": "event_id"})
CHANGING_COLUMNS: Final = tuple(
    column.name for column in orders.columns if FIXED not in column.info and column.name != "id"
)
UPDATE_ORDER: Final = (
    update(orders)
    .where(
        orders.c.id == bindparam("b_id"),
        orders.c.state == bindparam("b_state"),
        orders.c.command == bindparam("b_command"),
    )
    .values({name: bindparam(f"new_{name}") for name in CHANGING_COLUMNS})
)
_CHANGED: Final = ORDERS.encoder(only=CHANGING_COLUMNS)
# The part of an order that can change; outbox events are rendered from it. It leaves out how the
# user pays: providers write personal names into it.
_SNAPSHOT: Final = ORDERS.encoder(
    only=(
        "pay_to",
        "intent_id",
        "intent_address",
        "provider_reference",
        "provider_tx",
        "failure_reason",
        "delay_reason",
        "paid_at",
        "updated_at",
        "expires_at",
        "completed_at",
        "state",
        "fiat_minor",
        "gross_units",
    )
)


def order_event_row(
    event_id: str, order: RampOrder, transfer: BridgeTransfer | None, seal: Seal
) -> dict[str, Any]:
    """The outbox event of an order, and of its bridge transfer, as they are after a transition, as
    its row."""
    snapshot = _SNAPSHOT(order, str)
    if transfer is not None:
        snapshot["bridge_transfer"] = TRANSFER_SNAPSHOT(transfer)
    return {
        "event_id": event_id,
        "client_id": order.client_id,
        "type": "ramp_order_updated",
        "kind": "ramp_order",
        "resource_id": order.id,
        "at": to_micros(order.updated_at),
        "snapshot": seal(to_json(snapshot)),
        "mode": order.mode,
    }


def change_row(before: RampOrder, after: RampOrder, seal: Seal) -> dict[str, Any]:
    """The columns that events change, as the parameters of `UPDATE_ORDER`."""
    changed = {f"new_{name}": value for name, value in _CHANGED(after, seal).items()}
    command = "" if before.command is None else before.command.value
    return changed | {"b_id": after.id, "b_state": before.state.value, "b_command": command}


def transition_row(change: OrderChange, seal: Seal) -> dict[str, Any]:
    """The entry that one event adds to its order's history."""
    record = OrderTransition(
        id=new_event_id(),
        order_id=change.after.id,
        at=change.after.updated_at,
        event=change.event.value,
        from_state=change.before.state,
        to_state=change.after.state,
        note=change.note,
    )
    return ORDER_TRANSITIONS.encode(record, seal)
