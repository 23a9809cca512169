"""Filtered lists and counts of intents in bounded time, however many intents there are."""

import time
from collections.abc import Iterator, Sequence
from itertools import chain
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
from crossway.ports.search_repository import Count, FilteredPage, PaymentOrder, PaymentPlace
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import batches
from crossway.storage.filter_sql import between, build_filter_query, single_index_test
from crossway.storage.ordered_intents import OrderedIntents
from crossway.storage.tables import intents

_c = intents.c
# Up to this many candidates are tested one by one; with more, the list itself is scanned.
NARROW: Final = 5_000
BATCH, COUNTED = 500, 2_000
MIN_SPAN, MAX_SPAN = 1_000, 50_000
MIN_WALK, MAX_WALK = 100, 5_000  # places of the index of values at once
_GROWS: Final = 4
_QUICK, _SLOW = 0.01, 0.04  # seconds: below, the next span grows; above, it shrinks
# A part of a list, and the last place in it; None for the last part.
Part = tuple[ColumnElement[bool], PaymentPlace | None]


class FilterPlanner:
    """The filtered lists of `ports.search_repository.SearchRepository` on one connection."""

    def __init__(self, db: Connection, narrow: int = NARROW) -> None:
        self._db, self._narrow = db, narrow
        # A page and its count use the same plan.
        self._planned: dict[FilterSet, tuple[ColumnElement[bool], list[int] | None]] = {}
        self._bounded: dict[FilterSet, tuple[int, int]] = {}

    def filter_intents(
        self,
        filters: FilterSet,
        after: PaymentPlace | None,
        limit: int,
        timeout_seconds: float,
        order: PaymentOrder = PaymentOrder.NEWEST,
    ) -> FilteredPage:
        listing = OrderedIntents(self._db, order)
        test, narrow = self._plan(filters)
        if narrow is not None:
            matching: list[Intent] = []
            for chunk in batches(listing.sort_ids(narrow, after), BATCH):
                matching += listing.rows(chunk, test, limit - len(matching))
                if len(matching) >= limit:
                    break
            return FilteredPage(matching)
        if not order.by_value and (filter := single_index_test(filters)) is not None:
            return FilteredPage(listing.read(and_(filter, listing.behind(after)), limit))
        end, found = time.monotonic() + timeout_seconds, list[Intent]()
        walk = self._walk if order.by_value else self._scan
        for part, reached in walk(listing, filters, after):
            found += listing.read(and_(part, test), limit - len(found))
            if len(found) >= limit:
                break
            if reached is not None and time.monotonic() > end:
                return FilteredPage(found, reached)
        return FilteredPage(found)

    def count_intents(self, filters: FilterSet, limit: int, timeout_seconds: float) -> Count:
        test, narrow = self._plan(filters)
        if narrow is not None:
            return self._count_candidates(narrow, test, limit, timeout_seconds)
        if (filter := single_index_test(filters)) is not None:
            n = self._count(select(_c.id).where(filter), limit + 1)
            return Count(min(n, limit), n > limit)
        lowest, highest = self._bounds(filters)
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
            matches = and_(in_values(_c.id, chunk), test)
            n += int(self._db.execute(select(func.count(_c.id)).where(matches)).scalar_one())
            if n > limit or (time.monotonic() > end and number < len(chunks)):
                return Count(min(n, limit), True)
        return Count(n)

    def _scan(
        self, listing: OrderedIntents, filters: FilterSet, after: PaymentPlace | None
    ) -> Iterator[Part]:
        """The list by number, in spans of it."""
        lowest, highest = self._bounds(filters)
        ascending = listing.order.ascending
        if after is not None:
            lowest = max(lowest, after.id + 1) if ascending else lowest
            highest = highest if ascending else min(highest, after.id)
        for low, high in self._spans(lowest, highest, ascending):
            last = high >= highest if ascending else low <= lowest
            reached = None if last else PaymentPlace(high - 1 if ascending else low)
            yield and_(_c.id >= low, _c.id < high), reached

    def _walk(
        self, listing: OrderedIntents, filters: FilterSet, after: PaymentPlace | None
    ) -> Iterator[Part]:
        """The list by value, in runs of what its index names next."""
        bounds = [
            between(one, _c.amount_micro_usd)
            for one in filters.all_of
            if one.field is FilterField.VALUE and not one.negated
        ]
        size = MIN_WALK
        while places := listing.next_places(after, size, *chain.from_iterable(bounds)):
            after = places[-1] if len(places) == size else None
            yield in_values(_c.id, [place.id for place in places]), after
            if after is None:
                return
            size = min(MAX_WALK, size * _GROWS)

    def _spans(
        self, lowest: int, highest: int, ascending: bool = False
    ) -> Iterator[tuple[int, int]]:
        span = MIN_SPAN
        while highest > lowest:
            low = lowest if ascending else max(lowest, highest - span)
            high = min(highest, lowest + span) if ascending else highest
            began = time.monotonic()
            yield low, high
            took = time.monotonic() - began
            if took < _QUICK:
                span = min(MAX_SPAN, span * _GROWS)
            elif took > _SLOW:
                span = max(MIN_SPAN, span // 2)
            lowest, highest = (high, highest) if ascending else (lowest, low)

    def _bounds(self, filters: FilterSet) -> tuple[int, int]:
        """The lowest id (inclusive) and highest id (exclusive) that can match."""
        if filters not in self._bounded:
            self._bounded[filters] = self._find_bounds(filters)
        return self._bounded[filters]

    def _find_bounds(self, filters: FilterSet) -> tuple[int, int]:
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
        return lowest, highest

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
        return test, list(numbers)

    def _count(self, ids: Select[Any], limit: int) -> int:
        """How many ids there are, counted up to `limit`."""
        limited = ids.limit(limit).subquery()
        return int(self._db.execute(select(func.count()).select_from(limited)).scalar_one())
