"""Lists of intents by conditions of every kind, in a bounded time however many there are."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    func,
    or_,
    select,
    true,
)

from crossway.domain.conditions import Condition, Conditions, Subject
from crossway.domain.intent import Intent
from crossway.ports.finding_records import Sifted, Tally
from crossway.storage.intent_rows import intent_of
from crossway.storage.sets import among, batches
from crossway.storage.tables import intents
from crossway.storage.ways import between, in_order, way_of

_c = intents.c
# Up to so many candidates are looked at one by one; of more the list itself is walked.
NARROW: Final = 5_000
BATCH, COUNTED = 500, 2_000
LEAST_SPAN, MOST_SPAN = 1_000, 50_000
_GROWS: Final = 4
_QUICK, _SLOW = 0.01, 0.04  # seconds that a span may take before the next one grows or shrinks


class Sifting:
    """The lists of `ports.finding_records.FindingRecords` on one connection."""

    def __init__(self, db: Connection, narrow: int = NARROW) -> None:
        self._db, self._narrow = db, narrow
        # A page and its count ask for the same.
        self._planned: dict[Conditions, tuple[ColumnElement[bool], list[int] | None]] = {}

    def sift(
        self,
        wanted: Conditions,
        client_id: str | None,
        before_id: int | None,
        limit: int,
        patience: float,
    ) -> Sifted:
        wanted = _within(wanted, client_id)
        test, narrow = self._plan(wanted)
        if narrow is not None:
            found: list[Intent] = []
            for chunk in batches(_before(narrow, before_id), BATCH):
                found += self._rows(and_(among(self._db, _c.id, chunk), test), limit - len(found))
                if len(found) >= limit:
                    break
            return Sifted(found)
        if (one := in_order(wanted)) is not None:
            older = one if before_id is None else and_(one, _c.id < before_id)
            return Sifted(self._rows(older, limit))
        return self._walk(wanted, test, before_id, limit, patience)

    def tally(self, wanted: Conditions, client_id: str | None, most: int, patience: float) -> Tally:
        wanted = _within(wanted, client_id)
        test, narrow = self._plan(wanted)
        if narrow is not None:
            return self._tally(narrow, test, most, patience)
        if (one := in_order(wanted)) is not None:
            n = self._count(select(_c.id).where(one), most + 1)
            return Tally(min(n, most), n > most)
        lowest, highest = self._bounds(wanted, None)
        n, began, end = 0, time.monotonic(), time.monotonic() + patience
        for low, high in self._spans(lowest, highest):
            part = select(_c.id).where(_c.id >= low, _c.id < high, test)
            n += self._count(part, most + 1 - n)
            now = time.monotonic()
            # The next span is larger: it is not begun when it would take too long.
            late = now + _GROWS * (now - began) > end
            if low > lowest and (n > most or late):
                return Tally(min(n, most), True)
            began = now
        return Tally(min(n, most), n > most)

    def _tally(
        self, ids: Sequence[int], test: ColumnElement[bool], most: int, patience: float
    ) -> Tally:
        n, end = 0, time.monotonic() + patience
        chunks = list(batches(ids, COUNTED))
        for place, chunk in enumerate(chunks, 1):
            met = and_(among(self._db, _c.id, chunk), test)
            n += int(self._db.execute(select(func.count(_c.id)).where(met)).scalar_one())
            if n > most or (time.monotonic() > end and place < len(chunks)):
                return Tally(min(n, most), True)
        return Tally(n)

    def _walk(
        self,
        wanted: Conditions,
        test: ColumnElement[bool],
        before_id: int | None,
        limit: int,
        patience: float,
    ) -> Sifted:
        """Down the list, a span of numbers after the other, until there are enough or it took too
        long."""
        end, found = time.monotonic() + patience, list[Intent]()
        lowest, highest = self._bounds(wanted, before_id)
        for low, high in self._spans(lowest, highest):
            span = and_(_c.id >= low, _c.id < high, test)
            found += self._rows(span, limit - len(found))
            if len(found) >= limit:
                return Sifted(found)
            if time.monotonic() > end and low > lowest:
                return Sifted(found, low)
        return Sifted(found)

    def _spans(self, lowest: int, highest: int) -> Iterator[tuple[int, int]]:
        span = LEAST_SPAN
        while highest > lowest:
            low = max(lowest, highest - span)
            began = time.monotonic()
            yield low, highest
            took = time.monotonic() - began
            if took < _QUICK:
                span = min(MOST_SPAN, span * _GROWS)
            elif took > _SLOW:
                span = max(LEAST_SPAN, span // 2)
            highest = low

    def _bounds(self, wanted: Conditions, before_id: int | None) -> tuple[int, int]:
        """From which number (included) to which (left out) those asked for can lie."""
        newest = self._db.execute(select(func.max(_c.id))).scalar_one() or 0
        lowest, highest = 1, newest + 1
        for one in wanted.every:
            if one.subject is Subject.CREATED and not one.negated:
                # By the index alone; nobody says that clocks only go forward.
                query = select(func.min(_c.id), func.max(_c.id)).where(*between(one, _c.created_at))
                first, last = self._db.execute(query).one()
                lowest = max(lowest, first or 1)
                highest = min(highest, (last or 0) + 1)
        return lowest, highest if before_id is None else min(highest, before_id)

    def _plan(self, wanted: Conditions) -> tuple[ColumnElement[bool], list[int] | None]:
        """The test of each intent; and, where one of the conditions lets few through, those few."""
        if wanted not in self._planned:
            self._planned[wanted] = self._think(wanted)
        return self._planned[wanted]

    def _think(self, wanted: Conditions) -> tuple[ColumnElement[bool], list[int] | None]:
        every = [way_of(one) for one in wanted.every]
        some = [way_of(one) for one in wanted.some]
        tests = [way.test for way in every]
        if some:
            tests.append(or_(*(way.test for way in some)))
        by_index = [[way.ids] for way in every if way.ids is not None]
        if some and all(way.ids is not None for way in some):
            by_index.append([way.ids for way in some if way.ids is not None])
        test = and_(*tests) if tests else true()
        least: list[Select[Any]] | None = None
        most = self._narrow + 1
        for ids in by_index:
            n = sum(self._count(one, most) for one in ids)
            if n < most:
                least, most = ids, n
        if least is None:
            return test, None
        numbers = {int(n) for one in least for n in self._db.execute(one).scalars()}
        return test, sorted(numbers, reverse=True)

    def _rows(self, met: ColumnElement[bool], limit: int) -> list[Intent]:
        query = select(intents).where(met).order_by(_c.id.desc()).limit(limit)
        return [intent_of(row) for row in self._db.execute(query).all()]

    def _count(self, ids: Select[Any], most: int) -> int:
        """How many, counted no further than `most`."""
        few = ids.limit(most).subquery()
        return int(self._db.execute(select(func.count()).select_from(few)).scalar_one())


def _within(wanted: Conditions, client_id: str | None) -> Conditions:
    if client_id is None:
        return wanted
    return replace(wanted, every=(*wanted.every, Condition(Subject.CLIENT, (client_id,))))


def _before(ids: Sequence[int], before_id: int | None) -> Sequence[int]:
    return ids if before_id is None else [one for one in ids if one < before_id]
