"""SQL of each filter on intents: a test of one intent, and the ids that match by an index."""

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
    union_all,
)

from crossway.domain.deposits import DepositPurpose
from crossway.domain.filters import (
    NO_BRIDGE,
    ExceptionFlag,
    Filter,
    FilterField,
    FilterSet,
    Reached,
)
from crossway.domain.funding_level import FundingLevel
from crossway.domain.outbound import OutboundTxKind
from crossway.storage.analytics_tables import payment_figures
from crossway.storage.search_tables import metadata_values
from crossway.storage.tables import deposits, intents, outbound_txs

_c = intents.c
_COLUMNS: Final = {
    FilterField.STATE: _c.state,
    FilterField.SOURCE: _c.source_chain,
    FilterField.DESTINATION: _c.destination_chain,
    FilterField.TOKEN: _c.asset_symbol,
    FilterField.BRIDGE: _c.bridge,
    FilterField.CLIENT: _c.client_id,
    FilterField.MODE: _c.mode,
    FilterField.LINK: _c.payment_link_id,
    FilterField.SENDER: _c.sender,
    FilterField.RECIPIENT: _c.recipient,
    FilterField.VALUE: _c.amount_micro_usd,
    FilterField.CREATED: _c.created_at,
}
# Literals, so that the planner uses the partial indexes.
_EXCEPTIONAL_PURPOSE = text("deposits.purpose IN ('LATE', 'WRONG_TOKEN', 'WRONG_CHAIN')")
_FAILED = text("outbound_txs.state = 'FAILED'")
_WAITING = text("outbound_txs.state IN ('DUE', 'SIGNED', 'FAILED') AND outbound_txs.reason <> ''")


@dataclass(frozen=True, slots=True)
class FilterQuery:
    """The SQL of a filter: a test of one intent, and the ids of those that match by an index, None
    when no index is selective."""

    test: ColumnElement[bool]
    ids: Select[Any] | None


def index_tests(filters: FilterSet) -> list[ColumnElement[bool]]:
    """The tests among those that all must meet that an index each has in the order of numbers: one
    value of one column, and a merchant's payments in a mode."""
    single = {
        one.field: one
        for one in filters.all_of
        if one.field in (*_COLUMNS, FilterField.EXCEPTION)
        and len(one.values) == 1
        and not one.negated
    }
    tests = {field: test for field, one in single.items() if (test := _is_one(one)) is not None}
    of_client, in_mode = tests.pop(FilterField.CLIENT, None), tests.get(FilterField.MODE)
    if of_client is not None and in_mode is not None:
        tests[FilterField.MODE] = and_(of_client, in_mode)
    return list(tests.values())


def is_one_index(filters: FilterSet) -> bool:
    """Whether one test of `index_tests` is all that is asked."""
    fields = [one.field for one in filters.all_of]
    owner = sorted(fields) == [FilterField.CLIENT, FilterField.MODE]
    return not filters.any_of and (owner or len(fields) == 1) and len(index_tests(filters)) == 1


def _is_one(filter: Filter) -> ColumnElement[bool] | None:
    if filter.field is FilterField.EXCEPTION:
        level = _FUNDING_LEVELS.get(ExceptionFlag(filter.values[0]))
        return None if level is None else _has_funding_level(level)
    return _with_partial_index(filter, _COLUMNS[filter.field] == _values_of(filter)[0])


def _values_of(filter: Filter) -> tuple[str, ...]:
    """The values of its column."""
    if filter.field is not FilterField.BRIDGE:
        return filter.values
    return tuple("" if value == NO_BRIDGE else value for value in filter.values)


def _with_partial_index(filter: Filter, matches: ColumnElement[bool]) -> ColumnElement[bool]:
    if filter.field is FilterField.LINK:
        return and_(text("intents.payment_link_id IS NOT NULL"), matches)
    return matches


def between(filter: Filter, column: ColumnElement[int]) -> list[ColumnElement[bool]]:
    conditions = [column >= filter.minimum] if filter.minimum is not None else []
    return [*conditions, column < filter.maximum] if filter.maximum is not None else conditions


def build_filter_query(filter: Filter) -> FilterQuery:
    query = (
        _exception_query(filter) if filter.field is FilterField.EXCEPTION else _plain_query(filter)
    )
    return FilterQuery(not_(query.test), None) if filter.negated else query


def _plain_query(filter: Filter) -> FilterQuery:
    if filter.field is FilterField.REFERENCE:
        small = [value.casefold() for value in filter.values]
        has_value = metadata_values.c.value.in_(small)
        has_reference = exists().where(metadata_values.c.intent_id == _c.id, has_value)
        return FilterQuery(has_reference, select(metadata_values.c.intent_id).where(has_value))
    if filter.field in (FilterField.CAUSE, FilterField.REACHED):
        of_payment = payment_figures.c.intent_id == _c.id
        return FilterQuery(exists().where(of_payment, figures_test(filter)), None)
    column = _COLUMNS[filter.field]
    if filter.field in (FilterField.VALUE, FilterField.CREATED):
        # Adding 0 keeps the planner from using the index of the column for the test.
        test = and_(*between(filter, column + 0))
        return FilterQuery(test, select(_c.id).where(*between(filter, column)))
    if filter.field is FilterField.LINK:
        # NULL must not match, nor make a negated test NULL.
        linked = func.coalesce(column, "").in_(filter.values)
        return FilterQuery(
            linked, select(_c.id).where(_with_partial_index(filter, column.in_(filter.values)))
        )
    matches = column.in_(_values_of(filter))
    return FilterQuery(matches, select(_c.id).where(matches))


def figures_test(filter: Filter) -> ColumnElement[bool]:
    """The test of a filter that only the figures of a payment answer."""
    if filter.field is FilterField.CAUSE:
        return payment_figures.c.cause.in_(filter.values)
    return or_(false(), *(_REACHED[Reached(value)] for value in filter.values))


_REACHED: Final = {
    Reached.DEPOSITED: payment_figures.c.deposited,
    Reached.STARTED: payment_figures.c.started,
}


def _exception_query(filter: Filter) -> FilterQuery:
    queries = [_EXCEPTIONS[ExceptionFlag(value)]() for value in filter.values]
    ids = [query.ids for query in queries if query.ids is not None]
    every = union_all(*ids).subquery()
    return FilterQuery(or_(false(), *(query.test for query in queries)), select(every.c[0]))


_FUNDING_LEVELS: Final = {
    ExceptionFlag.SHORT: FundingLevel.SHORT,
    ExceptionFlag.OVER: FundingLevel.OVER,
}


def _has_funding_level(level: FundingLevel) -> ColumnElement[bool]:
    return and_(text("intents.funding_level <> ''"), _c.funding_level == level.value)


def _by_funding_level(level: FundingLevel) -> FilterQuery:
    matches = select(_c.id).where(_has_funding_level(level))
    return FilterQuery(_c.funding_level == level.value, matches)


def _by_deposit_purpose(*purposes: DepositPurpose) -> FilterQuery:
    matches = (
        _EXCEPTIONAL_PURPOSE,
        deposits.c.purpose.in_([purpose.value for purpose in purposes]),
    )
    test = exists().where(deposits.c.intent_id == _c.id, *matches)
    return FilterQuery(test, select(deposits.c.intent_id.label("id")).where(*matches))


def _refund_failed() -> FilterQuery:
    matches = (
        _FAILED,
        outbound_txs.c.kind.in_([OutboundTxKind.REFUND.value, OutboundTxKind.RETURN_EXCESS.value]),
    )
    test = exists().where(outbound_txs.c.intent_id == _c.id, *matches)
    return FilterQuery(test, select(outbound_txs.c.intent_id.label("id")).where(*matches))


def _needing_attention() -> FilterQuery:
    test = exists().where(outbound_txs.c.intent_id == _c.id, _WAITING)
    return FilterQuery(test, select(outbound_txs.c.intent_id.label("id")).where(_WAITING))


_EXCEPTIONS: Final[dict[ExceptionFlag, Callable[[], FilterQuery]]] = {
    ExceptionFlag.SHORT: lambda: _by_funding_level(FundingLevel.SHORT),
    ExceptionFlag.OVER: lambda: _by_funding_level(FundingLevel.OVER),
    ExceptionFlag.LATE: lambda: _by_deposit_purpose(DepositPurpose.LATE),
    ExceptionFlag.WRONG_TOKEN: lambda: _by_deposit_purpose(
        DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN
    ),
    ExceptionFlag.REFUND_FAILED: _refund_failed,
    ExceptionFlag.STUCK: _needing_attention,
}
