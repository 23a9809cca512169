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
_STREAMED: Final = {"yield_per": 10_000}
_ADDRESSES: Final = select(intents.c.id, intents.c.source_chain, intents.c.address)


class IntentAddresses:
    """The part of `ports.intent_repository.IntentRepository` that reads deposit addresses."""

    _db: Connection

    def list_watched_addresses(self, chain: str, ended_after: datetime) -> list[str]:
        query = select(intents.c.address).where(
            intents.c.source_chain == chain, _is_watched(ended_after)
        )
        return list(self._db.execute(query).scalars())

    def list_addresses(self, ended_after: datetime) -> Iterator[AddressRow]:
        query = _ADDRESSES.where(_is_watched(ended_after)).order_by(intents.c.id)
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


def _is_watched(ended_after: datetime) -> ColumnElement[bool]:
    return or_(
        intents.c.state.in_(_OPEN_STATES),
        intents.c.expires_at >= to_micros(ended_after),
    )
