"""List and count payments that match a set of filters."""

from collections.abc import Iterator
from dataclasses import replace

from crossway.domain.clients import OwnerFilter, Principal, Scope
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import Filter, FilterField, FilterSet
from crossway.domain.intent import Intent, State
from crossway.ports.search_repository import Count, FilteredPage, PaymentOrder, PaymentPlace
from crossway.ports.services import Services

MAX_PAGE_SIZE = 100
MAX_COUNT = 10_000
SEARCH_SECONDS, COUNT_SECONDS = 0.08, 0.015  # time limits for finding a page and counting
_BATCH_SIZE, _BATCH_SECONDS = 500, 1.0


def list_page(
    services: Services,
    caller: Principal,
    filters: FilterSet,
    after: PaymentPlace | None,
    limit: int,
    order: PaymentOrder = PaymentOrder.NEWEST,
) -> tuple[FilteredPage, Count]:
    """One page of the caller's payments in this order, behind a place, and their count.

    When few of many payments match, the search stops after `SEARCH_SECONDS` and the page says how
    far it searched. The count is exact where that is cheap, else it stops at `MAX_COUNT`.
    """
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    owners, narrowed = caller.narrow(OwnerFilter()), narrow_filters(caller, filters)
    with services.store.read() as unit:
        page = unit.search.filter_intents(narrowed, after, limit, SEARCH_SECONDS, order)
        if (states := _states_if_only_filter(filters)) is not None:
            counts = unit.intents.count_by_state(owners)
            return page, Count(sum(n for state, n in counts.items() if state in states))
        if after is None and page.searched_to is None and len(page.intents) < limit:
            return page, Count(len(page.intents))
        return page, unit.search.count_intents(narrowed, MAX_COUNT, COUNT_SECONDS)


def has_more(
    services: Services, caller: Principal, filters: FilterSet, place: PaymentPlace
) -> bool:
    """Whether the list, newest first, may go on behind a place."""
    caller.require_scope(Scope.READ)
    narrowed = narrow_filters(caller, filters)
    with services.store.read() as unit:
        page = unit.search.filter_intents(narrowed, place, 1, SEARCH_SECONDS)
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
            page = unit.search.filter_intents(filters, after, _BATCH_SIZE, _BATCH_SECONDS)
        yield from page.intents
        if page.searched_to is not None:
            after = page.searched_to
        elif len(page.intents) == _BATCH_SIZE:
            after = PaymentPlace(page.intents[-1].id)
        else:
            return


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
