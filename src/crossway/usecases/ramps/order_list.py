"""The list of ramp orders that a client reads: its query as a filter, and what is beyond a page."""

from dataclasses import dataclass, replace
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.ramps import Direction, OrderState, ProviderName
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.search_repository import Count
from crossway.ports.services import Services
from crossway.usecases.instants import parse_creation
from crossway.usecases.validation_errors import ValidationErrors

STATES: Final = tuple(state.value for state in OrderState)
TYPES: Final = tuple(direction.value for direction in Direction)
PROVIDERS: Final = tuple(name.value for name in ProviderName)
COUNT_TESTED: Final = 200


@dataclass(frozen=True, slots=True)
class OrderQuery:
    """The texts of a list's query; None where there is none."""

    status: str | None = None
    type: str | None = None
    provider: str | None = None
    fiatCurrency: str | None = None
    created_after: str | None = None
    created_before: str | None = None


def parse_order_query(services: Services, query: OrderQuery) -> OrderFilter:
    """The filter of a query; raises `InvalidInput` with every field error."""
    errors = ValidationErrors()
    status = query.status.upper() if query.status is not None else None
    provider = query.provider.upper() if query.provider is not None else None
    for name, value, allowed in (
        ("status", status, STATES),
        ("type", query.type, TYPES),
        ("provider", provider, PROVIDERS),
    ):
        if value is not None and value not in allowed:
            errors.add(f"{name} must be one of {', '.join(allowed)}")
    currency = query.fiatCurrency
    if currency is not None and currency not in services.fiat.corridors:
        errors.add("fiatCurrency must be one of the supported currencies, such as NGN")
    period = errors.collect(parse_creation, query.created_after, query.created_before)
    errors.raise_if_any()
    start, end = period or (None, None)
    return OrderFilter(
        states=(OrderState(status),) if status is not None else (),
        direction=query.type,
        provider=provider,
        currency=currency,
        start=start,
        end=end,
    )


def has_more(
    services: Services, caller: Principal, order_filter: OrderFilter, last_id: int
) -> bool:
    """Whether a list, newest first, goes on behind an order."""
    caller.require_scope(Scope.READ)
    behind = replace(caller.narrow(order_filter), before_id=last_id)
    with services.store.read() as unit:
        return bool(unit.orders.list_page(behind, 1))


def count_orders(services: Services, caller: Principal, order_filter: OrderFilter) -> Count:
    """How many of the caller's orders match on all pages: where nothing keeps their number, at
    least those among the first `COUNT_TESTED`."""
    caller.require_scope(Scope.READ)
    everything = replace(order_filter, before_id=None, after_id=None, oldest_first=False)
    with services.store.read() as unit:
        return unit.orders.count(caller.narrow(everything), COUNT_TESTED)
