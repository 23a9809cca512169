"""Filtered lists and counts of intents that read a bounded number of rows.

Both follow an index in the order of the list and test the rows that it names, the first few, then
more. How many are tested at most is a number, not a time: the same question has the same answer on
every machine, and what it costs depends on that number and not on how much is stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, true

from crossway.domain.filters import Filter, FilterField, FilterSet
from crossway.domain.intent import Intent
from crossway.ports.search_repository import Count, FilteredPage, PaymentOrder, PaymentPlace
from crossway.storage.filter_sql import (
    between,
    build_filter_query,
    index_tests,
    is_one_index,
)
from crossway.storage.ordered_intents import Key, OrderedIntents
from crossway.storage.tables import intents

_c = intents.c
# Of a filter with fewer matches than this, all are looked at.
NARROW: Final = 1_000
FIRST: Final = 100
_GROWS: Final = 4
# The next keys, and whether there may be more behind them.
Part = tuple[list[Key], bool]


class FilterPlanner:
    """The filtered lists of `ports.search_repository.SearchRepository` on one connection."""

    def __init__(self, db: Connection, narrow: int = NARROW) -> None:
        self._db, self._narrow = db, narrow
        # A page and its count use the same plan.
        self._planned: dict[FilterSet, list[int] | None] = {}

    def filter_intents(
        self,
        filters: FilterSet,
        after: PaymentPlace | None,
        limit: int,
        max_tested: int,
        order: PaymentOrder = PaymentOrder.NEWEST,
    ) -> FilteredPage:
        listing = OrderedIntents(self._db, order)
        test, found = _test_of(filters), list[Intent]()
        for keys, more in self._walk(listing, filters, listing.key_of(after), max_tested):
            found += listing.read(keys, test, limit - len(found)) if keys else []
            if len(found) >= limit or not more:
                return FilteredPage(found)
        return FilteredPage(found, listing.place_of(keys[-1]))

    def count_intents(
        self, filters: FilterSet, limit: int, max_tested: int, order: PaymentOrder
    ) -> Count:
        if is_one_index(filters):
            n = self._count(select(_c.id).where(*index_tests(filters)), limit + 1)
            return Count(min(n, limit), n > limit)
        listing, test = OrderedIntents(self._db, order), _test_of(filters)
        n, has_more = 0, False
        for keys, more in self._walk(listing, filters, None, max_tested, max_tested):
            n, has_more = n + (listing.count(keys, test) if keys else 0), more
        return Count(n, has_more)

    def _walk(
        self,
        listing: OrderedIntents,
        filters: FilterSet,
        after: Key | None,
        max_tested: int,
        first: int = FIRST,
    ) -> Iterator[Part]:
        """The keys of the list's candidates, in its order, until none is left or so many were
        tested."""
        candidates = self._find_candidates(listing, filters)
        if candidates is not None:
            yield from _in_parts(listing.keys_of(candidates, after), first)
            return
        driver, keys = self._choose_driver(listing, filters, after, first)
        size = first
        while True:
            max_tested -= len(keys)
            more = len(keys) == size
            yield keys, more
            if not more or max_tested <= 0:
                return
            size = min(_GROWS * size, max_tested)
            keys = listing.next_keys(keys[-1], size, driver)

    def _choose_driver(
        self, listing: OrderedIntents, filters: FilterSet, after: Key | None, size: int
    ) -> tuple[ColumnElement[bool], list[Key]]:
        """The condition whose next keys reach furthest, so that the fewest are tested."""
        found = [
            (driver, listing.next_keys(after, size, driver))
            for driver in self._drivers(listing, filters) or [true()]
        ]
        sign = 1 if listing.order.ascending else -1

        def reach(of: tuple[ColumnElement[bool], list[Key]]) -> tuple[bool, Sequence[int]]:
            keys = of[1]
            return len(keys) < size, [sign * part for part in keys[-1]] if keys else []

        return max(found, key=reach)

    def _drivers(self, listing: OrderedIntents, filters: FilterSet) -> list[ColumnElement[bool]]:
        """The conditions that an index has in the order of the list."""
        if listing.by_number:
            return index_tests(filters)
        field = FilterField.VALUE if listing.order.by_value else FilterField.CREATED
        column = _c.amount_micro_usd if listing.order.by_value else _c.created_at
        ranges = [f for f in filters.all_of if f.field is field and not f.negated]
        return [and_(true(), *(test for one in ranges for test in between(one, column)))]

    def _find_candidates(self, listing: OrderedIntents, filters: FilterSet) -> list[int] | None:
        """All that can match, when one filter that the list does not follow has few matches."""
        followed = FilterField.VALUE if listing.order.by_value else FilterField.CREATED
        others = tuple(
            one
            for one in filters.all_of
            if not (listing.by_number and index_tests(FilterSet((one,))))
            and one.field is not followed
        )
        rest = replace(filters, all_of=others)
        if rest not in self._planned:
            self._planned[rest] = self._find_few(rest)
        return self._planned[rest]

    def _find_few(self, filters: FilterSet) -> list[int] | None:
        queries = [build_filter_query(one).ids for one in filters.all_of]
        by_index = [[ids] for ids in queries if ids is not None]
        either = [build_filter_query(one).ids for one in filters.any_of]
        if either and all(ids is not None for ids in either):
            by_index.append([ids for ids in either if ids is not None])
        least: list[Select[Any]] | None = None
        most = self._narrow
        for parts in by_index:
            n = sum(self._count(ids, most) for ids in parts)
            if n < most:
                least, most = parts, n
        if least is None:
            return None
        return list({int(n) for ids in least for n in self._db.execute(ids).scalars()})

    def _count(self, ids: Select[Any], limit: int) -> int:
        """How many ids there are, counted up to `limit`."""
        limited = ids.limit(limit).subquery()
        return int(self._db.execute(select(func.count()).select_from(limited)).scalar_one())


def _test_of(filters: FilterSet) -> ColumnElement[bool]:
    """The test of one intent."""

    def test(one: Filter) -> ColumnElement[bool]:
        return build_filter_query(one).test

    tests = [test(one) for one in filters.all_of]
    if filters.any_of:
        tests.append(or_(*map(test, filters.any_of)))
    return and_(true(), *tests)


def _in_parts(keys: list[Key], first: int) -> Iterator[Part]:
    start, size = 0, first
    while True:
        part = keys[start : start + size]
        start, size = start + size, _GROWS * size
        yield part, start < len(keys)
        if start >= len(keys):
            return
