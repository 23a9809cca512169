"""The SQL test of each filter of the payment list on the stored figures of a payment."""

from dataclasses import replace
from typing import Final

from sqlalchemy import ColumnElement, and_, not_, or_, true

from crossway.domain.filters import NO_BRIDGE, Filter, FilterField, FilterSet
from crossway.storage.analytics_tables import payment_figures
from crossway.storage.filter_sql import between, build_filter_query, figures_test

_c = payment_figures.c
_COLUMNS: Final = {
    FilterField.STATE: _c.state,
    FilterField.SOURCE: _c.source_chain,
    FilterField.DESTINATION: _c.destination_chain,
    FilterField.TOKEN: _c.symbol,
    FilterField.BRIDGE: _c.bridge,
    FilterField.CLIENT: _c.client_id,
    FilterField.MODE: _c.mode,
}
_RANGES: Final = {
    FilterField.VALUE: _c.requested_micro_usd,
    FilterField.CREATED: _c.created_at,
}


def matches(filters: FilterSet) -> ColumnElement[bool]:
    """The test that a payment matches the filters."""
    tests = [_test(condition) for condition in filters.all_of]
    if filters.any_of:
        tests.append(or_(*(_test(condition) for condition in filters.any_of)))
    return and_(true(), *tests)


def _test(condition: Filter) -> ColumnElement[bool]:
    plain = _plain_test(replace(condition, negated=False))
    return not_(plain) if condition.negated else plain


def _plain_test(condition: Filter) -> ColumnElement[bool]:
    if condition.field in _RANGES:
        return and_(true(), *between(condition, _RANGES[condition.field]))
    if condition.field in _COLUMNS:
        no_bridge = NO_BRIDGE if condition.field is FilterField.BRIDGE else None
        values = ["" if value == no_bridge else value for value in condition.values]
        return _COLUMNS[condition.field].in_(values)
    if condition.field in (FilterField.CAUSE, FilterField.REACHED):
        return figures_test(condition)
    # Figures do not hold it: the index of its own table finds the payments.
    ids = build_filter_query(condition).ids
    assert ids is not None
    return _c.intent_id.in_(ids)
