"""Filtered lists and counts of intents in bounded time, however many intents there are."""

import time
from collections.abc import Iterator, Sequence
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

from crossway.domain.filters import FilterField, FilterSet
from crossway.domain.intent import Intent
from crossway.ports.search_repository import Count, FilteredPage
from crossway.storage.bulk_sql import batches, in_values
from crossway.storage.filter_sql import between, build_filter_query, single_index_test
from crossway.storage.intent_rows import INTENTS
from crossway.storage.tables import intents

_c = intents.c
# Up to this many candidates are tested one by one; with more, the list itself is scanned.
NARROW: Final = 5_000
BATCH, COUNTED = 500, 2_000
MIN_SPAN, MAX_SPAN = 1_000, 50_000
_GROWS: Final = 4
_QUICK, _SLOW = 0.01, 0.04  # seconds: below, the next span grows; above, it shrinks


class FilterPlanner:
    """The filtered lists of `ports.search_repository.SearchRepository` on one connection."""

    def __init__(self, db: Connection, narrow: int = NARROW) -> None:
        self._db, self._narrow = db, narrow
        # A page and its count use the same plan.
        self._planned: dict[FilterSet, tuple[ColumnElement[bool], list[int] | None]] = {}

    def filter_intents(
        self,
        filters: FilterSet,
        before_id: int | None,
        limit: int,
        timeout_seconds: float,
    ) -> FilteredPage:
        test, narrow = self._plan(filters)
        if narrow is not None:
            matching: list[Intent] = []
            for chunk in batches(_ids_before(narrow, before_id), BATCH):
                matching += self._rows(
                    and_(in_values(self._db, _c.id, chunk), test), limit - len(matching)
                )
                if len(matching) >= limit:
                    break
            return FilteredPage(matching)
        if (filter := single_index_test(filters)) is not None:
            older = filter if before_id is None else and_(filter, _c.id < before_id)
            return FilteredPage(self._rows(older, limit))
        return self._scan(filters, test, before_id, limit, timeout_seconds)

    def count_intents(self, filters: FilterSet, limit: int, timeout_seconds: float) -> Count:
        test, narrow = self._plan(filters)
        if narrow is not None:
            return self._count_candidates(narrow, test, limit, timeout_seconds)
        if (filter := single_index_test(filters)) is not None:
            n = self._count(select(_c.id).where(filter), limit + 1)
            return Count(min(n, limit), n > limit)
        lowest, highest = self._bounds(filters, None)
        n, began, end = 0, time.monotonic(), time.monotonic() + timeout_seconds
        for low, high in self._spans(lowest, highest):
            part = select(_c.id).where(_c.id >= low, _c.id < high, test)
            n += self._count(part, limit + 1 - n)
            now = time.monotonic()
            # The next span is larger: it is not started when it would take too long.
            late = now + _GROWS * (now - began) > end
            if low > lowest and (n > limit or late):
                return Count(min(n, limit), True)
            began = now
        return Count(min(n, limit), n > limit)

    def _count_candidates(
        self, ids: Sequence[int], test: ColumnElement[bool], limit: int, timeout_seconds: float
    ) -> Count:
        n, end = 0, time.monotonic() + timeout_seconds
        chunks = list(batches(ids, COUNTED))
        for number, chunk in enumerate(chunks, 1):
            matches = and_(in_values(self._db, _c.id, chunk), test)
            n += int(self._db.execute(select(func.count(_c.id)).where(matches)).scalar_one())
            if n > limit or (time.monotonic() > end and number < len(chunks)):
                return Count(min(n, limit), True)
        return Count(n)

    def _scan(
        self,
        filters: FilterSet,
        test: ColumnElement[bool],
        before_id: int | None,
        limit: int,
        timeout_seconds: float,
    ) -> FilteredPage:
        """Scan the list from the newest, one span of ids after the other, until the page is full or
        the time is over."""
        end, matching = time.monotonic() + timeout_seconds, list[Intent]()
        lowest, highest = self._bounds(filters, before_id)
        for low, high in self._spans(lowest, highest):
            span = and_(_c.id >= low, _c.id < high, test)
            matching += self._rows(span, limit - len(matching))
            if len(matching) >= limit:
                return FilteredPage(matching)
            if time.monotonic() > end and low > lowest:
                return FilteredPage(matching, low)
        return FilteredPage(matching)

    def _spans(self, lowest: int, highest: int) -> Iterator[tuple[int, int]]:
        span = MIN_SPAN
        while highest > lowest:
            low = max(lowest, highest - span)
            began = time.monotonic()
            yield low, highest
            took = time.monotonic() - began
            if took < _QUICK:
                span = min(MAX_SPAN, span * _GROWS)
            elif took > _SLOW:
                span = max(MIN_SPAN, span // 2)
            highest = low

    def _bounds(self, filters: FilterSet, before_id: int | None) -> tuple[int, int]:
        """The lowest id (inclusive) and highest id (exclusive) that can match."""
        newest = self._db.execute(select(func.max(_c.id))).scalar_one() or 0
        lowest, highest = 1, newest + 1
        for filter in filters.all_of:
            if filter.field is FilterField.CREATED and not filter.negated:
                # From the index alone; ids need not be in the order of time.
                query = select(func.min(_c.id), func.max(_c.id)).where(
                    *between(filter, _c.created_at)
                )
                first, last = self._db.execute(query).one()
                lowest = max(lowest, first or 1)
                highest = min(highest, (last or 0) + 1)
        return lowest, highest if before_id is None else min(highest, before_id)

    def _plan(self, filters: FilterSet) -> tuple[ColumnElement[bool], list[int] | None]:
        """The test of each intent; and all candidate ids when one filter has few matches."""
        if filters not in self._planned:
            self._planned[filters] = self._build_plan(filters)
        return self._planned[filters]

    def _build_plan(self, filters: FilterSet) -> tuple[ColumnElement[bool], list[int] | None]:
        all_of = [build_filter_query(filter) for filter in filters.all_of]
        any_of = [build_filter_query(filter) for filter in filters.any_of]
        tests = [query.test for query in all_of]
        if any_of:
            tests.append(or_(*(query.test for query in any_of)))
        by_index = [[query.ids] for query in all_of if query.ids is not None]
        if any_of and all(query.ids is not None for query in any_of):
            by_index.append([query.ids for query in any_of if query.ids is not None])
        test = and_(*tests) if tests else true()
        least: list[Select[Any]] | None = None
        most = self._narrow + 1
        for ids in by_index:
            n = sum(self._count(filter, most) for filter in ids)
            if n < most:
                least, most = ids, n
        if least is None:
            return test, None
        numbers = {int(n) for filter in least for n in self._db.execute(filter).scalars()}
        return test, sorted(numbers, reverse=True)

    def _rows(self, matches: ColumnElement[bool], limit: int) -> list[Intent]:
        query = select(intents).where(matches).order_by(_c.id.desc()).limit(limit)
        return [INTENTS.decode(row) for row in self._db.execute(query).all()]

    def _count(self, ids: Select[Any], limit: int) -> int:
        """How many ids there are, counted up to `limit`."""
        limited = ids.limit(limit).subquery()
        return int(self._db.execute(select(func.count()).select_from(limited)).scalar_one())


def _ids_before(ids: Sequence[int], before_id: int | None) -> Sequence[int]:
    return ids if before_id is None else [filter for filter in ids if filter < before_id]
