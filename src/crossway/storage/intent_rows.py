"""The rows of an intent: its own, its transitions, its outbox events and its metadata values."""

from collections.abc import Mapping
from typing import Any, Final

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.event_ids import new_event_id
from crossway.domain.funding_level import FundingLevel, compare_funding
from crossway.domain.intent import Intent
from crossway.ports.records import IntentChange, TransitionRecord
from crossway.storage.bridge_tables import bridge_transfers
from crossway.storage.row_mapper import RowMapper, to_json, to_micros
from crossway.storage.tables import CHANGES, intents, transitions

INTENTS: Final = RowMapper(Intent, intents)
TRANSITIONS: Final = RowMapper(TransitionRecord, transitions, {"id": "event_id"})
CHANGING_COLUMNS: Final = tuple(column.name for column in intents.columns if CHANGES in column.info)
_CHANGED: Final = INTENTS.encoder(only=CHANGING_COLUMNS)
TRANSFER_SNAPSHOT: Final = RowMapper(BridgeTransfer, bridge_transfers).encoder(
    only=("state", "reason", "message_id", "source_tx", "destination_tx", "expected_at", "sent_at")
)
MAX_VALUES, MAX_VALUE_LENGTH = 40, 200


def funding_level(intent: Intent) -> str:
    """SHORT or OVER if a wrong amount was received, else empty; lists are filtered by it."""
    level = compare_funding(intent.terms.deposit_amount, intent.received_amount)
    return level.value if intent.received_amount and level is not FundingLevel.EXACT else ""


def intent_row(intent: Intent) -> dict[str, Any]:
    """An intent as its row, without the id."""
    return INTENTS.encode_new(intent) | {"funding_level": funding_level(intent)}


def changing_values(intent: Intent) -> tuple[Any, ...]:
    """The values of the columns that events change, in the order of `CHANGING_COLUMNS`."""
    row = _CHANGED(intent) | {"funding_level": funding_level(intent)}
    return tuple(row[name] for name in CHANGING_COLUMNS)


def change_row(before: Intent, after: Intent) -> dict[str, Any]:
    """The columns that events change, as the parameters of their update."""
    row = _CHANGED(after) | {"funding_level": funding_level(after)}
    changed = {f"new_{name}": value for name, value in row.items()}
    return changed | {"b_id": after.id, "b_state": before.state.value}


def created_row(intent: Intent, event_id: str) -> dict[str, Any]:
    """The first entry of an intent's history."""
    return {
        "event_id": event_id,
        "intent_id": intent.id,
        "at": to_micros(intent.created_at),
        "event": "CREATED",
        "from_state": None,
        "to_state": intent.state.value,
        "event_type": "intent_created",
        "note": "",
    }


def transition_row(change: IntentChange) -> dict[str, Any]:
    """The entry that one event adds to its intent's history."""
    after = change.after
    record = TransitionRecord(
        id=new_event_id(),
        intent_id=after.id,
        at=after.updated_at,
        event=change.event.value,
        from_state=change.before.state,
        to_state=after.state,
        event_type=change.transition.event_type,
        note=change.note,
    )
    return TRANSITIONS.encode(record)


def intent_event_row(
    event_id: str, type: str, intent: Intent, transfer: BridgeTransfer | None = None
) -> dict[str, Any]:
    """The outbox event of an intent as it is after a transition, as its row.

    The snapshot is the part of the intent and of its bridge transfer that can change: the event is
    rendered from it.
    """
    snapshot: dict[str, Any] = {
        "state": intent.state.value,
        "tx_hash": intent.tx_hash,
        "relayer": intent.relayer,
        "relayer_claimed": intent.relayer_claimed,
        "needs_relay": intent.needs_relay,
        "received_units": str(intent.received_amount),
    }
    if transfer is not None:
        snapshot["bridge_transfer"] = TRANSFER_SNAPSHOT(transfer)
    return {
        "event_id": event_id,
        "client_id": intent.client_id,
        "type": type,
        "kind": "intent",
        "resource_id": intent.id,
        "at": to_micros(intent.updated_at),
        "snapshot": to_json(snapshot),
        "mode": intent.mode,
    }


def metadata_value_rows(intent: Intent) -> list[dict[str, Any]]:
    """The values by which an intent is found by its metadata: plain ones, two levels deep."""
    texts: dict[str, None] = {}  # A set that keeps the order.
    for field in intent.metadata.values():
        for value in field.values() if isinstance(field, Mapping) else (field,):
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                # PostgreSQL stores no NUL in text.
                text = str(value).replace("\0", "").strip().casefold()
                if 0 < len(text) <= MAX_VALUE_LENGTH:
                    texts[text] = None
    return [{"value": text, "intent_id": intent.id} for text in list(texts)[:MAX_VALUES]]
