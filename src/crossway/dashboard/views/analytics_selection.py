"""What the page Analytics shows, as its URL says it: period, grouping and filters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Final, TypeVar

from crossway.dashboard.views import payment_filters
from crossway.dashboard.views.formatting import format_day
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
PARAMS: Final = ("period", "from", "to", "group", "all", "any")
CUSTOM: Final = "custom"
DEFAULT_PERIOD: Final = "30d"
PERIOD_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "24h": "24 hours",
        "7d": "7 days",
        "30d": "30 days",
        "month": "This month",
        "last_month": "Last month",
        "year": "Year",
        CUSTOM: "Custom",
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
_LENGTHS: Final = {"24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(days=30),
                   "year": timedelta(days=365)}  # fmt: skip
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_MICROSECOND: Final = timedelta(microseconds=1)
_MAX_YEAR: Final = 9000
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
    if first or last:
        if not first:
            raise InvalidInput("The period has an end and no start: choose both, or a start")
        # Hours to come have no payments, and would make the comparison unfair.
        end = min(_parse_end(last), _next_hour(now)) if last else _next_hour(now)
        return CUSTOM, analytics.parse_period(services, _parse_time("from", first), end)
    name = params.get("period") or DEFAULT_PERIOD
    if name not in PERIOD_NAMES or name == CUSTOM:
        names = ", ".join(key for key in PERIOD_NAMES if key != CUSTOM)
        raise InvalidInput(f"period must be one of {names}; or give from and to")
    return name, AnalyticsPeriod(*_bounds(name, now))


def _bounds(name: str, now: datetime) -> tuple[datetime, datetime]:
    """A named period; the current hour is part of it, up to now."""
    end = _next_hour(now)
    if (length := _LENGTHS.get(name)) is not None:
        return end - length, end
    month = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (month, end) if name == "month" else ((month - _DAY).replace(day=1), month)


def _next_hour(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) + _HOUR


def _parse_time(name: str, text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or not 1970 <= at.year <= _MAX_YEAR:
        raise InvalidInput(
            f"{name} must be a day or a time in UTC, such as 2026-11-21 or 2026-11-21T14:00"
        )
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _parse_end(text: str) -> datetime:
    """The end of a period; a day without a time is included."""
    at = _parse_time("to", text)
    return at + _DAY if len(text) <= len("2026-11-21") else at


def parse_bound(name: str, text: str) -> datetime | None:
    """The `from` or `to` of a query string; None if it is missing or says no time."""
    try:
        return None if not text else _parse_end(text) if name == "to" else _parse_time(name, text)
    except InvalidInput:
        return None


def format_bound(at: datetime) -> str:
    """A time as `from` or `to` of a query string."""
    return f"{at:%Y-%m-%dT%H:%M}"


def period_params(period: AnalyticsPeriod) -> dict[str, str]:
    """The query parameters of a free period."""
    return {"from": format_bound(period.start), "to": format_bound(period.end)}


def describe_period(period: AnalyticsPeriod) -> str:
    """A period in UTC as text: `1 Nov 2026 to 14 Nov 2026` for whole days, else with the times."""
    if period.start.hour or period.end.hour:
        return f"{format_minute(period.start)} to {format_minute(period.end)}"
    last = period.end - _DAY
    return (
        format_day(last)
        if last == period.start
        else f"{format_day(period.start)} to {format_day(last)}"
    )


def format_minute(at: datetime) -> str:
    """A time in UTC: `21 Nov 2026, 14:00`."""
    return f"{format_day(at)}, {at:%H:%M}"


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
