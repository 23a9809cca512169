"""The history of intents: their transitions, however many an intent has."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, func, or_, select

from crossway.domain.clients import OwnerFilter
from crossway.ports.intent_repository import RECENT_TRANSITIONS
from crossway.ports.records import TransitionRecord
from crossway.sql.in_values import in_values, within
from crossway.storage.bulk_sql import list_oldest_first
from crossway.storage.intent_rows import TRANSITIONS
from crossway.storage.owner_sql import is_owned
from crossway.storage.prepared import fetch
from crossway.storage.tables import intents, transitions

_CHANGES_STATE: Final = or_(
    transitions.c.from_state.is_(None), transitions.c.from_state != transitions.c.to_state
)

_OF_INTENTS: Final = (
    select(transitions).where(within(transitions.c.intent_id, "ids")).order_by(transitions.c.id)
)


class TransitionLog:
    """The part of `ports.intent_repository.IntentRepository` that reads transitions."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_transitions(
        self, intent_ids: Collection[int], newest: int | None = None
    ) -> list[TransitionRecord]:
        if not intent_ids:
            return []
        if newest is None:
            rows = fetch(self._db, _OF_INTENTS, {"ids": intent_ids})
            return [TRANSITIONS.decode(row) for row in rows]
        query = select(transitions).where(in_values(transitions.c.intent_id, intent_ids))
        rows = list_oldest_first(self._db, query, transitions.c.id, newest, _CHANGES_STATE)
        return [TRANSITIONS.decode(row) for row in rows]

    def count_transitions(self, intent_id: int) -> int:
        count = select(func.count()).where(transitions.c.intent_id == intent_id)
        return self._db.execute(count).scalar_one()

    def list_recent_transitions(
        self, owners: OwnerFilter, limit: int, after_id: int = 0
    ) -> list[tuple[int, TransitionRecord]]:
        query = select(transitions).where(transitions.c.id > after_id)
        query = query.order_by(transitions.c.id.desc())
        if conditions := is_owned(intents, owners):
            newest = query.limit(RECENT_TRANSITIONS).subquery()
            query = select(newest).join(intents, intents.c.id == newest.c.intent_id)
            query = query.where(*conditions).order_by(newest.c.id.desc())
        query = query.limit(limit)
        return [(row.id, TRANSITIONS.decode(row)) for row in self._db.execute(query)]
