"""Intents in one of the orders that an index has: where a page begins, and the rows behind it."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, select, true, tuple_

from crossway.domain.intent import Intent
from crossway.ports.search_repository import PaymentOrder, PaymentPlace
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import batches
from crossway.storage.intent_rows import INTENTS
from crossway.storage.tables import intents

_c = intents.c
_BATCH = 1_000


class OrderedIntents:
    """The intents of one connection in one order."""

    def __init__(self, db: Connection, order: PaymentOrder) -> None:
        self._db, self.order = db, order
        self._columns = (_c.amount_micro_usd, _c.id) if order.by_value else (_c.id,)

    def behind(self, place: PaymentPlace | None) -> ColumnElement[bool]:
        """The test of what comes after a place; of everything without one."""
        if place is None:
            return true()
        if not self.order.by_value:
            return _c.id > place.id if self.order.ascending else _c.id < place.id
        # Both are compared as one, so that the index is entered at the place.
        key, other = tuple_(*self._columns), tuple_(place.micro_usd, place.id)
        return key > other if self.order.ascending else key < other

    def read(self, matches: ColumnElement[bool], limit: int) -> list[Intent]:
        """The first of those that match."""
        query = select(intents).where(matches).order_by(*self._sorting()).limit(limit)
        return [INTENTS.decode(row) for row in self._db.execute(query).all()]

    def rows(self, ids: Sequence[int], test: ColumnElement[bool], limit: int) -> list[Intent]:
        """The first of these that meet a test."""
        return self.read(and_(in_values(_c.id, ids), test), limit)

    def next_places(
        self, after: PaymentPlace | None, limit: int, *bounds: ColumnElement[bool]
    ) -> list[PaymentPlace]:
        """The next places in an order by value, from its index alone."""
        query = select(_c.id, _c.amount_micro_usd).where(self.behind(after), *bounds)
        rows = self._db.execute(query.order_by(*self._sorting()).limit(limit))
        return [PaymentPlace(row.id, row.amount_micro_usd) for row in rows]

    def sort_ids(self, ids: Sequence[int], after: PaymentPlace | None) -> list[int]:
        """These ids in order, without those that are not behind a place."""
        places = [PaymentPlace(one) for one in ids]
        if self.order.by_value:
            places = []
            for chunk in batches(ids, _BATCH):
                query = select(_c.id, _c.amount_micro_usd)
                rows = self._db.execute(query.where(in_values(_c.id, chunk)))
                places += [PaymentPlace(row.id, row.amount_micro_usd) for row in rows]
        places.sort(key=self._key, reverse=not self.order.ascending)
        return [one.id for one in places if after is None or self._is_behind(one, after)]

    def _is_behind(self, place: PaymentPlace, after: PaymentPlace) -> bool:
        one, other = self._key(place), self._key(after)
        return one > other if self.order.ascending else one < other

    def _key(self, place: PaymentPlace) -> tuple[int, int]:
        return (place.micro_usd if self.order.by_value else 0, place.id)

    def _sorting(self) -> list[ColumnElement[int]]:
        return [one.asc() if self.order.ascending else one.desc() for one in self._columns]
