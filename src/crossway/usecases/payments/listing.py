"""List and count payments that match a set of filters."""

from collections.abc import Iterator
from dataclasses import replace

from crossway.domain.clients import OwnerFilter, Principal, Scope
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import Filter, FilterField, FilterSet
from crossway.domain.intent import Intent, State
from crossway.ports.search_repository import Count, FilteredPage, PaymentOrder, PaymentPlace
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MAX_PAGE_SIZE = 100
MAX_COUNT = 1_000
# How many payments are looked at where no index knows those that match: for a count, for a first
# page, and for those who go on with the search.
COUNT_TESTED, FIRST_TESTED, MORE_TESTED = 200, 500, 10_000
_BATCH_SIZE, _BATCH_TESTED = 500, 50_000


def list_page(
    services: Services,
    caller: Principal,
    filters: FilterSet,
    after: PaymentPlace | None,
    limit: int,
    order: PaymentOrder = PaymentOrder.NEWEST,
) -> tuple[FilteredPage, Count]:
    """One page of the caller's payments in this order, behind a place, and their count. Within a
    period of creation the newest and the oldest are those by that time.

    When few of many payments match, the search stops after `FIRST_TESTED` payments, or behind a
    place after `MORE_TESTED`, and the page says how far it searched. The count is exact up to
    `MAX_COUNT` where an index knows it, else it is that of the first `FIRST_TESTED`.
    """
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    narrowed, order = narrow_filters(caller, filters), order.for_list(filters)
    with services.store.read() as unit:
        max_tested = FIRST_TESTED if after is None else MORE_TESTED
        page = unit.search.filter_intents(narrowed, after, limit, max_tested, order)
        if after is None and page.searched_to is None and len(page.intents) < limit:
            return page, Count(len(page.intents))
        return page, _count(unit, caller, filters, order)


def count(services: Services, caller: Principal, filters: FilterSet) -> Count:
    """How many of the caller's payments match, as `list_page` counts them."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return _count(unit, caller, filters, PaymentOrder.NEWEST.for_list(filters))


def has_more(
    services: Services, caller: Principal, filters: FilterSet, place: PaymentPlace
) -> bool:
    """Whether the list, newest first, may go on behind a place."""
    caller.require_scope(Scope.READ)
    narrowed = narrow_filters(caller, filters)
    with services.store.read() as unit:
        order = PaymentOrder.NEWEST.for_list(filters)
        page = unit.search.filter_intents(narrowed, place, 1, FIRST_TESTED, order)
        return bool(page.intents) or page.searched_to is not None


def narrow_filters(caller: Principal, filters: FilterSet) -> FilterSet:
    """The filters, limited to the mode and the client that the caller lists."""
    owners = caller.narrow(OwnerFilter())
    wanted = ((FilterField.MODE, owners.mode), (FilterField.CLIENT, owners.client_id))
    more = [Filter(field, (value,)) for field, value in wanted if value is not None]
    return replace(filters, all_of=(*more, *filters.all_of))


def list_all(services: Services, caller: Principal, filters: FilterSet) -> Iterator[Intent]:
    """Iterate over all of the caller's matching payments, newest first, reading them in batches."""
    caller.require_scope(Scope.READ)
    filters, after = narrow_filters(caller, filters), None
    while True:
        with services.store.read() as unit:
            page = unit.search.filter_intents(filters, after, _BATCH_SIZE, _BATCH_TESTED)
        yield from page.intents
        if page.searched_to is not None:
            after = page.searched_to
        elif len(page.intents) == _BATCH_SIZE:
            after = PaymentPlace(page.intents[-1].id)
        else:
            return


def _count(unit: UnitOfWork, caller: Principal, filters: FilterSet, order: PaymentOrder) -> Count:
    if (states := _states_if_only_filter(filters)) is not None:
        counts = unit.intents.count_by_state(caller.narrow(OwnerFilter()))
        return Count(sum(n for state, n in counts.items() if state in states))
    narrowed = narrow_filters(caller, filters)
    return unit.search.count_intents(narrowed, MAX_COUNT, COUNT_TESTED, order)


def _states_if_only_filter(filters: FilterSet) -> frozenset[State] | None:
    """The states to match when state is the only filter, else None; counts by state are stored."""
    if not filters:
        return frozenset(State)
    if filters.any_of or len(filters.all_of) > 1:
        return None
    [condition] = filters.all_of
    if condition.field is not FilterField.STATE:
        return None
    return frozenset(
        state for state in State if (state.value in condition.values) != condition.negated
    )
