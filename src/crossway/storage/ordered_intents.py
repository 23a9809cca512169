"""Intents in one of the orders that an index has: where a page begins, and what comes next."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Column, ColumnElement, Connection, and_, func, select, true, tuple_

from crossway.domain.intent import Intent
from crossway.ports.search_repository import PaymentOrder, PaymentPlace
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import batches
from crossway.storage.intent_rows import INTENTS
from crossway.storage.tables import intents

_c = intents.c
_BATCH: Final = 1_000
# The columns of an index that a list follows, the number last.
Key = tuple[int, ...]


class OrderedIntents:
    """The intents of one connection in one order."""

    def __init__(self, db: Connection, order: PaymentOrder) -> None:
        self._db, self.order = db, order
        self._columns: tuple[Column[int], ...] = (_c.id,)
        if order.by_value:
            self._columns = (_c.amount_micro_usd, _c.id)
        elif order.by_creation:
            self._columns = (_c.created_at, _c.id)

    @property
    def by_number(self) -> bool:
        """Whether numbers alone make the order, so that an index of any other column has it."""
        return len(self._columns) == 1

    def key_of(self, place: PaymentPlace | None) -> Key | None:
        """The key of a place. A payment that is gone was created when its predecessor was."""
        if place is None or self.by_number:
            return None if place is None else (place.id,)
        if self.order.by_value:
            return place.micro_usd, place.id
        newest = select(_c.created_at).where(_c.id <= place.id).order_by(_c.id.desc()).limit(1)
        return self._db.execute(newest).scalar() or 0, place.id

    def place_of(self, key: Key) -> PaymentPlace:
        return PaymentPlace(key[-1], key[0] if self.order.by_value else 0)

    def next_keys(
        self, after: Key | None, limit: int, *conditions: ColumnElement[bool]
    ) -> list[Key]:
        """The keys of the next intents that one index has, which nothing but that index is read
        for."""
        query = select(*self._columns).where(self._behind(after), *conditions)
        query = query.order_by(*self._sorting()).limit(limit)
        return [tuple(row) for row in self._db.execute(query)]

    def keys_of(self, ids: Sequence[int], after: Key | None) -> list[Key]:
        """The keys of these intents behind another, in order."""
        keys: list[Key] = [(one,) for one in ids]
        if not self.by_number:
            keys = []
            for chunk in batches(ids, _BATCH):
                query = select(*self._columns).where(in_values(_c.id, chunk))
                keys += [tuple(row) for row in self._db.execute(query)]
        ascending = self.order.ascending
        if after is not None:
            keys = [one for one in keys if one != after and (one > after) is ascending]
        return sorted(keys, reverse=not ascending)

    def read(self, keys: Sequence[Key], test: ColumnElement[bool], limit: int) -> list[Intent]:
        """The first of the intents with these keys that meet a test."""
        query = select(intents).where(self._among(keys, test)).order_by(*self._sorting())
        return [INTENTS.decode(row) for row in self._db.execute(query.limit(limit)).all()]

    def count(self, keys: Sequence[Key], test: ColumnElement[bool]) -> int:
        """How many of the intents with these keys meet a test."""
        query = select(func.count(_c.id)).where(self._among(keys, test))
        return int(self._db.execute(query).scalar_one())

    def _among(self, keys: Sequence[Key], test: ColumnElement[bool]) -> ColumnElement[bool]:
        return and_(in_values(_c.id, [key[-1] for key in keys]), test)

    def _behind(self, after: Key | None) -> ColumnElement[bool]:
        if after is None:
            return true()
        # Several columns are compared as one, so that the index is entered at the key.
        column = _c.id if self.by_number else tuple_(*self._columns)
        place = after[0] if self.by_number else tuple_(*after)
        return column > place if self.order.ascending else column < place

    def _sorting(self) -> list[ColumnElement[int]]:
        return [one.asc() if self.order.ascending else one.desc() for one in self._columns]
