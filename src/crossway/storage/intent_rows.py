"""Mappers for intents and their transitions, and the outbox events that follow a change."""

import json
from typing import Any, Final
from uuid import uuid4

from crossway.domain.intent import FundingLevel, Intent, compare_funding
from crossway.ports.records import IntentChange, TransitionRecord
from crossway.storage.outbox import outbox_row
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.tables import CHANGES, intents, transitions

INTENTS: Final = RowMapper(Intent, intents)
TRANSITIONS: Final = RowMapper(TransitionRecord, transitions, {"id": "event_id"})
CHANGING_COLUMNS: Final = tuple(column.name for column in intents.columns if CHANGES in column.info)
_CHANGED: Final = INTENTS.encoder(only=CHANGING_COLUMNS)


def funding_level(intent: Intent) -> str:
    """SHORT or OVER if a wrong amount was received, else empty; lists are filtered by it."""
    found = compare_funding(intent.terms.deposit_amount, intent.received_amount)
    return found.value if intent.received_amount and found is not FundingLevel.EXACT else ""


def intent_snapshot(intent: Intent) -> str:
    """The part of an intent that can change, as JSON: outbox events are rendered from it."""
    return json.dumps(
        {
            "state": intent.state.value,
            "tx_hash": intent.tx_hash,
            "relayer": intent.relayer,
            "relayer_claimed": intent.relayer_claimed,
            "needs_relay": intent.needs_relay,
            "received_units": str(intent.received_amount),
        },
        separators=(",", ":"),
    )


def intent_row(intent: Intent) -> dict[str, Any]:
    """An intent as its row, without the id."""
    return INTENTS.encode_new(intent) | {"funding_level": funding_level(intent)}


def change_row(before: Intent, after: Intent) -> dict[str, Any]:
    """The columns that events change, as the parameters of their update."""
    row = _CHANGED(after) | {"funding_level": funding_level(after)}
    changed = {f"new_{name}": value for name, value in row.items()}
    return changed | {"b_id": after.id, "b_state": before.state.value}


def transition_row(change: IntentChange) -> dict[str, Any]:
    """The entry that one event adds to its intent's history."""
    after = change.after
    record = TransitionRecord(
        id=f"evt_{uuid4().hex}",
        intent_id=after.id,
        at=after.updated_at,
        event=change.event.value,
        from_state=change.before.state,
        to_state=after.state,
        event_type=change.transition.event_type,
        note=change.note,
    )
    return TRANSITIONS.encode(record)


def intent_event_row(event_id: str, type: str, intent: Intent) -> dict[str, Any]:
    """The outbox event of an intent as it is after a transition, as its row."""
    return outbox_row(
        event_id,
        intent.client_id,
        type,
        "intent",
        intent.id,
        to_micros(intent.updated_at),
        intent_snapshot(intent),
    )
