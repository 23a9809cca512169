"""Merchants with their figures: what each has taken, how its payments end, and what needs care."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.domain.analytics import AnalyticsPeriod, Dimension, Measures, Step
from crossway.domain.clients import Client, Mode, OwnerFilter, Principal
from crossway.domain.corridor_stats import quantile_seconds
from crossway.domain.errors import NotFound
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState
from crossway.domain.roles import Permission
from crossway.domain.webhooks import Endpoint
from crossway.ports.analytics import AnalyticsQuery, CountedPayment
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.operating.incidents import AlertContext, AlertGroup, list_alert_groups

PERIODS: Final[Mapping[str, timedelta]] = {
    "24 h": timedelta(hours=24),
    "7 d": timedelta(days=7),
    "30 d": timedelta(days=30),
}
CHART_DAYS: Final = 30
MAX_LATEST: Final = 1_000
_NOTHING: Final = Measures()


@dataclass(frozen=True, slots=True)
class WebhookHealth:
    """How many webhooks of a merchant are enabled, how many of these are failing, and how many are
    disabled."""

    enabled: int = 0
    failing: int = 0
    disabled: int = 0


@dataclass(frozen=True, slots=True)
class MerchantSummary:
    """A merchant with the measures of each of `PERIODS`, over the payments created in it."""

    client: Client
    periods: Mapping[str, Measures]
    webhooks: WebhookHealth


@dataclass(frozen=True, slots=True)
class RouteSummary:
    """What a merchant's latest payments on one route came to."""

    source: str
    destination: str
    payments: int
    completed: int
    micro_usd: int
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class MerchantReport:
    """Everything that a merchant's page counts. `days` are those of the chart, oldest first;
    `routes` and `median_seconds` are those of the newest `latest` payments, at most `MAX_LATEST`,
    as times are not kept by merchant and day."""

    summary: MerchantSummary
    days: Sequence[tuple[datetime, Measures]]
    routes: Sequence[RouteSummary]
    latest: int
    median_seconds: float | None
    payments: Mapping[State, int]
    orders: Mapping[OrderState, int]
    links: int


def list_merchants(services: Services, caller: Principal) -> list[MerchantSummary]:
    """All merchants, those with the most volume of the longest period first. The cost depends on
    merchants and days, not on payments."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        clients, owners = unit.api_keys.list_clients(), caller.narrow(OwnerFilter())
        summaries = _summarize(unit, owners, clients, services.clock.now())
    longest = tuple(PERIODS)[-1]
    return sorted(summaries, key=lambda one: -one.periods[longest].volume_micro_usd)


def get_report(services: Services, caller: Principal, client_id: str) -> MerchantReport:
    """What a merchant's page counts; raises `NotFound`. The cost depends on days and on
    `MAX_LATEST`, not on the history."""
    caller.require_permission(Permission.VIEW)
    now = services.clock.now()
    owners = caller.narrow(OwnerFilter(client_id))
    with services.store.read() as unit:
        client = unit.api_keys.get_client(client_id)
        if client is None:
            raise NotFound("Merchant not found")
        [summary] = _summarize(unit, owners, [client], now)
        latest = unit.analytics.list_latest(owners, MAX_LATEST)
        return MerchantReport(
            summary=summary,
            days=_days(unit, owners, client_id, now),
            routes=_by_route(latest),
            latest=len(latest),
            median_seconds=_median(latest),
            payments=unit.intents.count_by_state(owners),
            orders=unit.orders.count_by_state(owners),
            links=unit.payment_links.count(owners),
        )


def find_clients(services: Services, contexts: Sequence[AlertContext]) -> dict[str, str]:
    """The client that an alert concerns, by the alert's key: the owner of its payment, ramp order
    or webhook. Alerts of chains, bridges and the installation are left out."""
    intent_ids = {one.intent_id for one in contexts if one.intent_id is not None}
    webhook_ids = {one.webhook_id for one in contexts if one.webhook_id is not None}
    order_ids = {one.order_id for one in contexts if one.order_id is not None}
    if not (intent_ids or webhook_ids or order_ids):
        return {}
    with services.store.read() as unit:
        intents = unit.intents.get_many(sorted(intent_ids))
        webhooks = unit.webhooks.get_many(webhook_ids)
        orders = {order_id: unit.orders.get(order_id) for order_id in order_ids}
    found: dict[str, str] = {}
    for one in contexts:
        owned = (
            intents.get(one.intent_id or 0)
            or webhooks.get(one.webhook_id or 0)
            or orders.get(one.order_id or 0)
        )
        if owned is not None:
            found[one.alert.key] = owned.client_id
    return found


def list_alerts_of(
    services: Services, caller: Principal, client_id: str
) -> list[tuple[AlertGroup, AlertContext]]:
    """The active alerts that concern a payment, ramp order or webhook of a merchant, in either
    mode, the most severe first."""
    found = [(g, one) for g in list_alert_groups(services, caller) for one in g.contexts]
    owners = find_clients(services, [one for _, one in found])
    return [(group, one) for group, one in found if owners.get(one.alert.key) == client_id]


def _summarize(
    unit: UnitOfWork, owners: OwnerFilter, clients: Sequence[Client], now: datetime
) -> list[MerchantSummary]:
    """The summaries of these clients, which are all those of the owners."""
    end = _hour_after(now)
    measures = {
        name: unit.analytics.measure_groups(_query(owners, end - length, end), owners.client_id)
        for name, length in PERIODS.items()
    }
    endpoints = defaultdict[str, list[Endpoint]](list)
    for endpoint in unit.webhooks.list_by_owner(owners):
        endpoints[endpoint.client_id].append(endpoint)
    return [
        MerchantSummary(
            client,
            {name: groups.get(client.id, _NOTHING) for name, groups in measures.items()},
            _health(endpoints.get(client.id, ())),
        )
        for client in clients
    ]


def _health(endpoints: Sequence[Endpoint]) -> WebhookHealth:
    enabled = [one for one in endpoints if one.enabled]
    failing = sum(one.failing_since is not None for one in enabled)
    return WebhookHealth(len(enabled), failing, len(endpoints) - len(enabled))


def _query(owners: OwnerFilter, start: datetime, end: datetime) -> AnalyticsQuery:
    mode = Mode(owners.mode) if owners.mode else None
    return AnalyticsQuery(AnalyticsPeriod(start, end), Dimension.MERCHANT, mode, Step.DAY)


def _hour_after(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def _days(
    unit: UnitOfWork, owners: OwnerFilter, client_id: str, now: datetime
) -> list[tuple[datetime, Measures]]:
    """The measures of each of the last days (UTC), today included."""
    first = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    first -= timedelta(days=CHART_DAYS - 1)
    query = _query(owners, first, _hour_after(now))
    found = unit.analytics.measure_steps(query, client_id)
    days = (first + timedelta(days=n) for n in range(CHART_DAYS))
    return [(day, found.get(day, _NOTHING)) for day in days]


def _by_route(latest: Sequence[CountedPayment]) -> list[RouteSummary]:
    routes = defaultdict[tuple[str, str], list[CountedPayment]](list)
    for one in latest:
        routes[one.source, one.destination].append(one)
    summaries = []
    for (source, destination), payments in routes.items():
        completed = [one for one in payments if one.state is State.COMPLETED]
        volume = sum(one.micro_usd for one in completed)
        summaries.append(
            RouteSummary(
                source, destination, len(payments), len(completed), volume, _median(payments)
            )
        )
    return sorted(summaries, key=lambda one: (-one.micro_usd, -one.payments, one.source))


def _median(payments: Sequence[CountedPayment]) -> float | None:
    buckets = Counter(one.bucket for one in payments if one.bucket is not None)
    return quantile_seconds(buckets.items(), 0.5)
