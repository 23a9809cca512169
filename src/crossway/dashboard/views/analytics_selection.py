"""What the page Analytics shows, as its URL says it: period, grouping and filters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final, TypeVar

from crossway.dashboard.views import payment_filters, periods
from crossway.dashboard.views.links import page_href
from crossway.domain.analytics import AnalyticsPeriod, Dimension
from crossway.domain.clients import Mode, Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.filters import MAX_FILTERS, Filter, FilterField, FilterSet, format_filters
from crossway.domain.filters import parse_filters as parse_filter_text
from crossway.ports.analytics import AnalyticsQuery
from crossway.ports.services import Services
from crossway.usecases.money import analytics

T = TypeVar("T")
PARAMS: Final = (*periods.PARAMS, "group", "all", "any")
DEFAULT_PERIOD: Final = "30d"
PERIOD_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: title for name, title in periods.NAMES.items() if name != periods.CUSTOM},
        "year": "Year",
        periods.CUSTOM: periods.NAMES[periods.CUSTOM],
    }
)
DIMENSION_NAMES: Final[Mapping[Dimension, str]] = MappingProxyType(
    {
        Dimension.MERCHANT: "Merchant",
        Dimension.ROUTE: "Route",
        Dimension.BRIDGE: "Bridge",
        Dimension.TOKEN: "Token",
        Dimension.STATUS: "Status",
    }
)
_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Selection:
    """The query of the URL, and the filters that the payments must match besides."""

    query: AnalyticsQuery
    period_name: str
    filters: FilterSet
    params: Mapping[str, str]


def parse_selection(services: Services, mode: Mode | None, params: Mapping[str, str]) -> Selection:
    """What the query string selects in a mode; raises `InvalidInput` with the reason."""
    name, period = _parse_period(services, params)
    query = AnalyticsQuery(
        period,
        _one_of("group", params.get("group") or Dimension.MERCHANT, _dimension),
        mode,
        analytics.choose_step(period),
    )
    filters = payment_filters.parse_params({key: params.get(key, "") for key in ("all", "any")})
    return Selection(query, name, filters, {key: params[key] for key in PARAMS if params.get(key)})


def _dimension(value: str) -> Dimension:
    return {dimension.value: dimension for dimension in DIMENSION_NAMES}[value]


_CHOICES: Final = {"group": tuple(DIMENSION_NAMES)}


def _one_of(name: str, value: str, find: Callable[[str], T]) -> T:
    try:
        return find(value)
    except KeyError:
        raise InvalidInput(f"{name} must be one of {', '.join(_CHOICES[name])}") from None


def _parse_period(services: Services, params: Mapping[str, str]) -> tuple[str, AnalyticsPeriod]:
    now, first, last = services.clock.now(), params.get("from", ""), params.get("to", "")
    upcoming = periods.next_hour(now)
    if first or last:
        if not first:
            raise InvalidInput("The period has an end and no start: choose both, or a start")
        # Hours to come have no payments, and would make the comparison unfair.
        end = min(periods.parse_end(last), upcoming) if last else upcoming
        start = periods.parse_time("from", first)
        return periods.CUSTOM, analytics.parse_period(services, start, end)
    name = params.get("period") or DEFAULT_PERIOD
    if name not in PERIOD_NAMES or name == periods.CUSTOM:
        names = ", ".join(key for key in PERIOD_NAMES if key != periods.CUSTOM)
        raise InvalidInput(f"period must be one of {names}; or give from and to")
    return name, AnalyticsPeriod(*periods.named_bounds(name, now))


def describe_period(period: AnalyticsPeriod) -> str:
    """A period in UTC as text: `1 Nov 2026 to 14 Nov 2026` for whole days, else with the times."""
    return periods.describe_bounds(period.start, period.end)


def describe_filters(services: Services, caller: Principal, selection: Selection) -> str:
    """Mode and filters as text: `Live payments; Token is USDC`."""
    mode = selection.query.mode
    parts = [f"{mode.capitalize()} payments" if mode else "Live and test payments"]
    parts += [
        payment_filters.describe_filter(services, caller, one) for one in selection.filters.all_of
    ]
    some = [
        payment_filters.describe_filter(services, caller, one) for one in selection.filters.any_of
    ]
    return "; ".join([*parts, *([f"any of: {', '.join(some)}"] if some else [])])


def payments_href(
    selection: Selection, *more: Filter, period: AnalyticsPeriod | None = None
) -> str:
    """The link to the list of exactly the payments that are counted, narrowed by `more` or to
    another period; empty where the list does not take as many filters."""
    between = period or selection.query.period
    start, end = ((at - _EPOCH) // _MICROSECOND for at in (between.start, between.end))
    conditions = [Filter(FilterField.CREATED, (), start, end)]
    conditions += [*parse_filter_text(selection.params.get("all", ""), "all"), *more]
    if len(conditions) > MAX_FILTERS:
        return ""
    some = {"any": selection.params["any"]} if selection.params.get("any") else {}
    return page_href("intents", all=format_filters(conditions), **some)
