"""Each condition on intents in its two forms: a test of one, and those that meet it by an index."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
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
from crossway.domain.intent import Weight
from crossway.domain.transfers import Duty
from crossway.storage.finding_tables import metadata_values
from crossway.storage.tables import deposits, intents, transfers

_c = intents.c
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
class Way:
    """One condition in its two forms: a test of each intent, and the numbers of those that meet it
    by an index, where there is one that is worth it."""

    test: ColumnElement[bool]
    ids: Select[Any] | None


def in_order(wanted: Conditions) -> ColumnElement[bool] | None:
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


def between(one: Condition, column: ColumnElement[int]) -> list[ColumnElement[bool]]:
    found = [column >= one.least] if one.least is not None else []
    return [*found, column < one.most] if one.most is not None else found


def way_of(one: Condition) -> Way:
    way = _exceptional(one) if one.subject is Subject.EXCEPTION else _plain(one)
    return Way(not_(way.test), None) if one.negated else way


def _plain(one: Condition) -> Way:
    if one.subject is Subject.REFERENCE:
        small = [value.casefold() for value in one.values]
        met = (metadata_values.c.value.in_(small),)
        own = exists().where(metadata_values.c.intent_id == _c.id, *met)
        return Way(own, select(metadata_values.c.intent_id).where(*met))
    column, values = _COLUMNS[one.subject], one.values
    if one.subject is Subject.BRIDGE:
        values = tuple("" if value == NO_BRIDGE else value for value in values)
    if one.subject in (Subject.WORTH, Subject.CREATED):
        # Nothing is added to the column of the test, so that no planner walks by its index.
        test = and_(*between(one, column + 0))
        return Way(test, select(_c.id).where(*between(one, column)))
    if one.subject is Subject.LINK:
        # Without a link there is nothing to compare, which is not what was asked for either.
        linked = func.coalesce(column, "").in_(one.values)
        return Way(linked, select(_c.id).where(_written_out(one, column.in_(one.values))))
    met_by = column.in_(values)
    return Way(met_by, select(_c.id).where(met_by))


def _exceptional(one: Condition) -> Way:
    ways = [_EXCEPTIONS[Exceptional(value)]() for value in one.values]
    ids = [way.ids for way in ways if way.ids is not None]
    every = union_all(*ids).subquery()
    return Way(or_(false(), *(way.test for way in ways)), select(every.c[0]))


def _weighed(weight: Weight) -> Way:
    met = and_(text("intents.weight <> ''"), _c.weight == weight.value)
    return Way(_c.weight == weight.value, select(_c.id).where(met))


def _deposited(*purposes: Purpose) -> Way:
    met = (_ODD, deposits.c.purpose.in_([purpose.value for purpose in purposes]))
    own = exists().where(deposits.c.intent_id == _c.id, *met)
    return Way(own, select(deposits.c.intent_id.label("id")).where(*met))


def _refund_failed() -> Way:
    met = (_FAILED, transfers.c.duty.in_([Duty.REFUND.value, Duty.RETURN_EXCESS.value]))
    own = exists().where(transfers.c.intent_id == _c.id, *met)
    return Way(own, select(transfers.c.intent_id.label("id")).where(*met))


def _stuck() -> Way:
    own = exists().where(transfers.c.intent_id == _c.id, _WAITING)
    return Way(own, select(transfers.c.intent_id.label("id")).where(_WAITING))


_EXCEPTIONS: Final[dict[Exceptional, Callable[[], Way]]] = {
    Exceptional.SHORT: lambda: _weighed(Weight.SHORT),
    Exceptional.OVER: lambda: _weighed(Weight.OVER),
    Exceptional.LATE: lambda: _deposited(Purpose.LATE),
    Exceptional.FOREIGN: lambda: _deposited(Purpose.FOREIGN, Purpose.ELSEWHERE),
    Exceptional.REFUND_FAILED: _refund_failed,
    Exceptional.STUCK: _stuck,
}
