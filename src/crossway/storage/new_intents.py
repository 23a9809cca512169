"""New intents with their first transitions, outbox events, metadata values and totals."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, func, insert, select, text

from crossway.domain.intent import Intent
from crossway.storage.intent_rows import (
    created_row,
    intent_event_row,
    intent_row,
    metadata_value_rows,
)
from crossway.storage.intent_totals import add_link_uses, add_totals
from crossway.storage.outbox import ADD_EVENT
from crossway.storage.prepared import execute_each
from crossway.storage.search_tables import metadata_values
from crossway.storage.tables import intents, transitions

_ADD: Final = insert(intents)
ADD_TRANSITION: Final = insert(transitions)
_ADD_METADATA_VALUE: Final = insert(metadata_values)
_NEWEST_ID: Final = select(func.coalesce(func.max(intents.c.id), 0))
_FROM_SEQUENCE: Final = text(
    "SELECT nextval(pg_get_serial_sequence('intents', 'id')) FROM generate_series(1, :count)"
)


def add_intents(db: Connection, new: Sequence[tuple[Intent, str]]) -> list[Intent]:
    """Store new intents, each with the id of its event, and return them with their own ids."""
    ids = _next_ids(db, len(new))
    added = [replace(intent, id=id) for id, (intent, _) in zip(ids, new, strict=True)]
    events = {id: event_id for id, (_, event_id) in zip(ids, new, strict=True)}
    execute_each(db, _ADD, [{**intent_row(i), "id": i.id} for i in added])
    execute_each(db, ADD_TRANSITION, [created_row(i, events[i.id]) for i in added])
    execute_each(db, _ADD_METADATA_VALUE, [row for i in added for row in metadata_value_rows(i)])
    rows = [intent_event_row(events[i.id], "intent_created", i) for i in added]
    execute_each(db, ADD_EVENT, rows)
    changes = [(None, intent) for intent in added]
    add_totals(db, changes)
    add_link_uses(db, changes)
    return added


def _next_ids(db: Connection, count: int) -> Sequence[int]:
    """Ids for new intents: RETURNING would cost a statement for each of them."""
    if db.dialect.name == "sqlite":
        # As SQLite itself assigns them: no other connection writes before this one commits.
        first = db.execute(_NEWEST_ID).scalar_one() + 1
        return range(first, first + count)
    return list(db.execute(_FROM_SEQUENCE, {"count": count}).scalars())
