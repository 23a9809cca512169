"""Deposit addresses of intents: those that are watched, and those that were added since."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, func, or_, select

from crossway.domain.intent import FINAL_STATES, State
from crossway.ports.intent_repository import AddressRow
from crossway.sql.in_values import in_values
from crossway.storage.row_mapper import to_micros
from crossway.storage.tables import intents

_OPEN_STATES: Final = [s.value for s in State if s not in FINAL_STATES]
# A million rows at once would take more memory than what is kept of them.
# No intent is open for longer, in microseconds; most expire within an hour.
_LONGEST_LIFE: Final = 31 * 86_400 * 1_000_000
_STREAMED: Final = {"yield_per": 10_000}
_ADDRESSES: Final = select(intents.c.id, intents.c.source_chain, intents.c.address)


class IntentAddresses:
    """The part of `ports.intent_repository.IntentRepository` that reads deposit addresses."""

    _db: Connection

    def list_watched_addresses(self, chain: str, ended_after: datetime) -> list[str]:
        query = select(intents.c.address).where(
            intents.c.source_chain == chain, _are_watched(ended_after)
        )
        return list(self._db.execute(query).scalars())

    def list_addresses(self, ended_after: datetime) -> Iterator[AddressRow]:
        query = _ADDRESSES.where(_are_watched(ended_after)).order_by(intents.c.id)
        for rows in self._db.execute(query, execution_options=_STREAMED).partitions():
            yield from map(tuple, rows)

    def list_added_addresses(self, after_id: int, ids: Collection[int]) -> list[AddressRow]:
        condition = intents.c.id > after_id
        if ids:
            condition = or_(condition, in_values(intents.c.id, ids))
        query = _ADDRESSES.where(condition).order_by(intents.c.id)
        return [(number, chain, address) for number, chain, address in self._db.execute(query)]

    def get_newest_id(self) -> int:
        return self._db.execute(select(func.max(intents.c.id))).scalar() or 0


def _are_watched(ended_after: datetime) -> ColumnElement[bool]:
    """Whether an intent is open, or was until lately. Each part has an index of its own, so that
    those that ended long ago are not looked at."""
    c = intents.c
    since = to_micros(ended_after)
    open_ids = select(c.id).where(c.state.in_(_OPEN_STATES))
    late = select(c.id).where(c.created_at >= since - _LONGEST_LIFE, c.expires_at >= since)
    return c.id.in_(open_ids.union(late))
