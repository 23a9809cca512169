"""Lists of intents by conditions of every kind, in a bounded time however many there are."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    exists,
    false,
    func,
    not_,
    or_,
    select,
    text,
    true,
    union_all,
)

from crossway.domain.conditions import NO_BRIDGE, Condition, Conditions, Exceptional, Subject
from crossway.domain.deposits import Purpose
from crossway.domain.intent import Intent, Weight
from crossway.domain.transfers import Duty
from crossway.ports.finding_records import Sifted, Tally
from crossway.storage.finding_tables import metadata_values
from crossway.storage.intent_rows import intent_of
from crossway.storage.sets import among, batches
from crossway.storage.tables import deposits, intents, transfers

_c = intents.c
# Up to so many candidates are looked at one by one; of more the list itself is walked.
NARROW: Final = 5_000
BATCH, COUNTED = 500, 2_000
LEAST_SPAN, MOST_SPAN = 1_000, 50_000
_GROWS: Final = 4
_QUICK, _SLOW = 0.01, 0.04  # seconds that a span may take before the next one grows or shrinks
_COLUMNS: Final = {
    Subject.STATE: _c.state,
    Subject.SOURCE: _c.source_chain,
    Subject.DESTINATION: _c.destination_chain,
    Subject.TOKEN: _c.asset_symbol,
    Subject.BRIDGE: _c.bridge,
    Subject.CLIENT: _c.client_id,
    Subject.MODE: _c.mode,
    Subject.LINK: _c.payment_link_id,
    Subject.WORTH: _c.amount_micro_usd,
    Subject.CREATED: _c.created_at,
}
# Written out, so that the planners see the partial indices.
_ODD = text("deposits.purpose IN ('LATE', 'FOREIGN', 'ELSEWHERE')")
_FAILED = text("transfers.state = 'FAILED'")
_WAITING = text("transfers.state IN ('DUE', 'SIGNED', 'FAILED') AND transfers.reason <> ''")


@dataclass(frozen=True, slots=True)
class _Way:
    """One condition in its two forms: a test of each intent, and the numbers of those that meet it
    by an index, where there is one that is worth it."""

    test: ColumnElement[bool]
    ids: Select[Any] | None


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
        if (one := _in_order(wanted)) is not None:
            older = one if before_id is None else and_(one, _c.id < before_id)
            return Sifted(self._rows(older, limit))
        return self._walk(wanted, test, before_id, limit, patience)

    def tally(self, wanted: Conditions, client_id: str | None, most: int, patience: float) -> Tally:
        wanted = _within(wanted, client_id)
        test, narrow = self._plan(wanted)
        if narrow is not None:
            return self._tally(narrow, test, most, patience)
        if (one := _in_order(wanted)) is not None:
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
                query = select(func.min(_c.id), func.max(_c.id)).where(*_range(one, _c.created_at))
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
        every = [_way(one) for one in wanted.every]
        some = [_way(one) for one in wanted.some]
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


def _in_order(wanted: Conditions) -> ColumnElement[bool] | None:
    """The whole filter as something that one index has in the order of the list: nothing at all,
    or one value of one column."""
    if not wanted:
        return true()
    if wanted.some or len(wanted.every) > 1:
        return None
    one = wanted.every[0]
    column = _COLUMNS.get(one.subject)
    plain = column is not None and len(one.values) == 1 and not one.negated
    plain = plain and one.values != (NO_BRIDGE,)
    return _written_out(one, column == one.values[0]) if plain and column is not None else None


def _written_out(one: Condition, met: ColumnElement[bool]) -> ColumnElement[bool]:
    if one.subject is Subject.LINK:
        return and_(text("intents.payment_link_id IS NOT NULL"), met)
    return met


def _range(one: Condition, column: ColumnElement[int]) -> list[ColumnElement[bool]]:
    found = [column >= one.least] if one.least is not None else []
    return [*found, column < one.most] if one.most is not None else found


def _way(one: Condition) -> _Way:
    way = _exceptional(one) if one.subject is Subject.EXCEPTION else _plain(one)
    return _Way(not_(way.test), None) if one.negated else way


def _plain(one: Condition) -> _Way:
    if one.subject is Subject.REFERENCE:
        small = [value.casefold() for value in one.values]
        met = (metadata_values.c.value.in_(small),)
        own = exists().where(metadata_values.c.intent_id == _c.id, *met)
        return _Way(own, select(metadata_values.c.intent_id).where(*met))
    column, values = _COLUMNS[one.subject], one.values
    if one.subject is Subject.BRIDGE:
        values = tuple("" if value == NO_BRIDGE else value for value in values)
    if one.subject in (Subject.WORTH, Subject.CREATED):
        # Nothing is added to the column of the test, so that no planner walks by its index.
        test = and_(*_range(one, column + 0))
        return _Way(test, select(_c.id).where(*_range(one, column)))
    if one.subject is Subject.LINK:
        # Without a link there is nothing to compare, which is not what was asked for either.
        linked = func.coalesce(column, "").in_(one.values)
        return _Way(linked, select(_c.id).where(_written_out(one, column.in_(one.values))))
    met_by = column.in_(values)
    return _Way(met_by, select(_c.id).where(met_by))


def _exceptional(one: Condition) -> _Way:
    ways = [_EXCEPTIONS[Exceptional(value)]() for value in one.values]
    ids = [way.ids for way in ways if way.ids is not None]
    every = union_all(*ids).subquery()
    return _Way(or_(false(), *(way.test for way in ways)), select(every.c[0]))


def _weighed(weight: Weight) -> _Way:
    met = and_(text("intents.weight <> ''"), _c.weight == weight.value)
    return _Way(_c.weight == weight.value, select(_c.id).where(met))


def _deposited(*purposes: Purpose) -> _Way:
    met = (_ODD, deposits.c.purpose.in_([purpose.value for purpose in purposes]))
    own = exists().where(deposits.c.intent_id == _c.id, *met)
    return _Way(own, select(deposits.c.intent_id.label("id")).where(*met))


def _refund_failed() -> _Way:
    met = (_FAILED, transfers.c.duty.in_([Duty.REFUND.value, Duty.RETURN_EXCESS.value]))
    own = exists().where(transfers.c.intent_id == _c.id, *met)
    return _Way(own, select(transfers.c.intent_id.label("id")).where(*met))


def _stuck() -> _Way:
    own = exists().where(transfers.c.intent_id == _c.id, _WAITING)
    return _Way(own, select(transfers.c.intent_id.label("id")).where(_WAITING))


_EXCEPTIONS: Final[dict[Exceptional, Callable[[], _Way]]] = {
    Exceptional.SHORT: lambda: _weighed(Weight.SHORT),
    Exceptional.OVER: lambda: _weighed(Weight.OVER),
    Exceptional.LATE: lambda: _deposited(Purpose.LATE),
    Exceptional.FOREIGN: lambda: _deposited(Purpose.FOREIGN, Purpose.ELSEWHERE),
    Exceptional.REFUND_FAILED: _refund_failed,
    Exceptional.STUCK: _stuck,
}
