"""Every list, count and overview that a client or the staff can ask for, on a long history."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from benchmarks.histories import History
from benchmarks.history_rows import key
from crossway.domain.analytics import AnalyticsPeriod, Dimension
from crossway.domain.clients import Mode, Principal, staff_principal
from crossway.domain.filters import FilterSet, parse_filters
from crossway.domain.ramps import OrderState
from crossway.domain.webhooks import DeliveryState
from crossway.ports.analytics import AnalyticsQuery
from crossway.ports.logs import RequestFilter
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.search_repository import PaymentOrder, PaymentPlace
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers import deliveries, missed_events, request_log
from crossway.usecases.money import analytics, price_exposure
from crossway.usecases.operating import merchants, metrics, network_map, overview
from crossway.usecases.operating.incidents import list_alert_groups
from crossway.usecases.payments import last_used, listing, payment_list
from crossway.usecases.payments.payment_list import ListQuery
from crossway.usecases.pricing.corridor_quotes import Window
from crossway.usecases.ramps import order_list
from crossway.usecases.ramps import orders as ramp_orders

Asked = Callable[[], object]
PAGE: Final = 20
_STAFF: Final = staff_principal("benchmark", mode=Mode.TEST)
# What a client asks GET /intents for; by `created_after` in days before now.
_QUERIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "all": {},
    "status completed": {"status": "completed"},
    "status expired": {"status": "expired"},
    "status funded": {"status": "funded"},
    "usual source chain": {"source_chain": "BASE_MAINNET"},
    "rare source chain": {"source_chain": "SOLANA_MAINNET"},
    "destination chain": {"destination_chain": "ARBITRUM_MAINNET"},
    "unused destination chain": {"destination_chain": "OPTIMISM_MAINNET"},
    "status and chain": {"status": "failed", "source_chain": "POLYGON_MAINNET"},
    "sender": {"sender": "0xe00000000000000000000000000000000" + "1000011"},
    "recipient": {"recipient": "0xb00000000000000000000000000000000" + "1000011"},
    "payment link": {"payment_link_id": "pl_2"},
    "bridge": {"bridge": "ACROSS"},
    "unused bridge": {"bridge": "GATEWAY"},
    "token": {"token": "ETH"},
    "token and status": {"token": "ETH", "status": "completed"},
    "token, bridge and rare chain": {
        "token": "ETH", "bridge": "ACROSS", "source_chain": "SOLANA_MAINNET",
    },
    "reference": {"reference": "ord-21"},
    "a day": {"created_after": 30, "created_before": 29},
    "since a week": {"created_after": 7},
    "a month and a status": {"created_after": 60, "created_before": 30, "status": "failed"},
    "an empty day and a token": {
        "created_after": 400, "created_before": 399, "token": "ETH",
    },
}  # fmt: skip
# What the staff filter by: all of these, any of those, and an order.
_FILTERS: Final[Mapping[str, tuple[str, str, PaymentOrder]]] = {
    "all": ("", "", PaymentOrder.NEWEST),
    "all, oldest first": ("", "", PaymentOrder.OLDEST),
    "all, largest first": ("", "", PaymentOrder.LARGEST),
    "all, smallest first": ("", "", PaymentOrder.SMALLEST),
    "a state": ("state:EXPIRED", "", PaymentOrder.NEWEST),
    "not a state": ("!state:COMPLETED", "", PaymentOrder.NEWEST),
    "open states": ("state:FUNDED,INITIATED", "", PaymentOrder.NEWEST),
    "a state, largest first": ("state:FAILED", "", PaymentOrder.LARGEST),
    "a small merchant": ("client:shop-small", "", PaymentOrder.NEWEST),
    "a merchant and a state": ("client:shop-18;state:COMPLETED", "", PaymentOrder.NEWEST),
    "a value": ("value:4900..5000", "", PaymentOrder.NEWEST),
    "a value, largest first": ("value:100..300", "", PaymentOrder.LARGEST),
    "an exception": ("exception:short,late", "", PaymentOrder.NEWEST),
    "an exception and a token": ("exception:over;token:ETH", "", PaymentOrder.NEWEST),
    "none of an exception": ("!exception:short", "", PaymentOrder.NEWEST),
    "any of two": ("", "exception:over;state:EXPIRED", PaymentOrder.NEWEST),
    "a cause": ("cause:underpaid", "", PaymentOrder.NEWEST),
    "an unused cause": ("cause:cancelled", "", PaymentOrder.NEWEST),
    "rare of many": ("state:COMPLETED;token:USDC;bridge:CCTP;value:4800..", "",
                     PaymentOrder.NEWEST),
    "nothing": ("state:FAILED;exception:short;token:USDT;from:SOLANA_MAINNET", "",
                PaymentOrder.NEWEST),
    "nothing of usual values": ("token:USDC;to:OPTIMISM_MAINNET", "", PaymentOrder.NEWEST),
}  # fmt: skip


def list_asked(history: History) -> dict[str, Asked]:
    """What is measured, by its name."""
    services = history.built.services
    return {
        **_payments_of_clients(services, history),
        **_payments_of_staff(services, history),
        **_ramp_orders(services, history),
        **_events(services, history),
        **_overviews(services, history),
    }


def _payments_of_clients(services: Services, history: History) -> dict[str, Asked]:
    def page(
        who: Principal, texts: Mapping[str, Any], before: int | None = None, offset: int = 0
    ) -> object:
        query = ListQuery(**_with_times(services, texts))
        filters = payment_list.parse_list_query(services, who, query)
        return payment_list.list_page(services, who, filters, before, PAGE, offset)

    big, middle = history.big, history.size // 2
    asked = {f"client's payments, {name}": partial(page, big, of) for name, of in _QUERIES.items()}
    status, chain = {"status": "completed"}, {"source_chain": "BASE_MAINNET"}
    return asked | {
        "client's payments, next page": partial(page, big, {}, middle),
        "client's payments of a chain, next page": partial(page, big, chain, middle),
        "client's payments, offset 300": partial(page, big, {}, None, 300),
        "client's payments of a status, offset 300": partial(page, big, status, None, 300),
        "client's payments of a chain, offset 300": partial(page, big, chain, None, 300),
        "small client's payments": partial(page, history.small, {}),
        "small client's payments of a status": partial(page, history.small, {"status": "failed"}),
        "last used": partial(last_used.get_last_used, services, big),
    }


def _payments_of_staff(services: Services, history: History) -> dict[str, Asked]:
    def page(texts: tuple[str, str, PaymentOrder], after: PaymentPlace | None = None) -> object:
        every, some, order = texts
        filters = FilterSet(parse_filters(every, "all"), parse_filters(some, "any"))
        return listing.list_page(services, _STAFF, filters, after, PAGE, order)

    live = replace(_STAFF, mode=Mode.LIVE)
    deep = PaymentPlace(history.size // 2, 2_500_000_000)
    largest = ("", "", PaymentOrder.LARGEST)
    return {f"payments, {name}": partial(page, of) for name, of in _FILTERS.items()} | {
        "payments, deep page": partial(page, _FILTERS["all"], deep),
        "payments, deep page by value": partial(page, largest, deep),
        "payments of the other mode": partial(
            listing.list_page, services, live, FilterSet(), None, PAGE
        ),
    }


def _ramp_orders(services: Services, history: History) -> dict[str, Asked]:
    def page(who: Principal, of: OrderFilter) -> object:
        listed = ramp_orders.list_orders(services, who, of, PAGE)
        return listed, order_list.count_orders(services, who, of)

    now = services.clock.now()
    filters = {
        "all": OrderFilter(),
        "a state": OrderFilter(states=(OrderState.FAILED,)),
        "a direction": OrderFilter(direction="off-ramp"),
        "a usual currency": OrderFilter(currency="NGN"),
        "a rare currency": OrderFilter(currency="KES"),
        "a state and a direction": OrderFilter(states=(OrderState.FAILED,), direction="off-ramp"),
        "a day": OrderFilter(start=now - timedelta(30), end=now - timedelta(29)),
        "a reference": OrderFilter(text=f"ramp-{key('', 13, 21)}"),
        "next page": OrderFilter(before_id=history.size // 10),
    }
    asked: dict[str, Asked] = {}
    for who, named in ((_STAFF, "ramp orders"), (history.big, "client's ramp orders")):
        for name, of in filters.items():
            asked[f"{named}, {name}"] = partial(page, who, of)
    more = partial(order_list.has_more, services, history.big, OrderFilter(currency="KES"), 50)
    return asked | {"client's ramp orders, whether there are more": more}


def _events(services: Services, history: History) -> dict[str, Asked]:
    now, big = services.clock.now(), history.big

    def stream() -> object:
        with services.store.read() as unit:
            last = unit.outbox.last_positions([big.client.id])[big.client.id]
            after = unit.outbox.get_position(
                big.owner, f"evt_0000000000000000002{key('', 13, 200)}"
            )
            return unit.outbox.list_after(after or 200, big.owner, last, PAGE)

    def sent(**more: Any) -> Asked:
        wanted = DeliveryFilter(**more)
        return partial(deliveries.list_deliveries, services, big, wanted, PAGE)

    def requests(**more: Any) -> Asked:
        wanted = RequestFilter(**more)
        return partial(request_log.list_requests, services, big, wanted, PAGE)

    day = {"start": now - timedelta(30), "end": now - timedelta(29)}
    return {
        "events after the last one received": stream,
        "deliveries": sent(),
        "deliveries of a webhook": sent(webhook_id=3),
        "deliveries of a webhook, failed": sent(webhook_id=3, states=(DeliveryState.FAILED,)),
        "deliveries of a webhook, due": sent(webhook_id=3, states=(DeliveryState.DUE,)),
        "deliveries of a webhook, a day": sent(webhook_id=3, **day),
        "deliveries of an event's type": sent(event="intent_completed"),
        "deliveries of an unused type": sent(event="intent_failed"),
        "missed events": partial(missed_events.count_missed, services, big, 3),
        "requests": requests(),
        "requests that failed": requests(failed=True),
        "requests of an unused path": requests(path="/v1/quotes"),
        "requests of a day": requests(**day),
    }


def _overviews(services: Services, history: History) -> dict[str, Asked]:
    now = services.clock.now()
    year = AnalyticsPeriod(now - timedelta(days=80), now)
    staff, big = _STAFF, history.big.client.id

    def report(dimension: Dimension) -> Asked:
        return partial(
            analytics.get_report, services, staff, AnalyticsQuery(year, dimension, Mode.TEST)
        )

    return {
        "overview": partial(overview.get_overview, services, staff),
        "network map": partial(network_map.get_network_figures, services, staff, Window.DAY),
        "merchants": partial(merchants.list_merchants, services, staff),
        "a merchant's page": partial(merchants.get_report, services, staff, big),
        "price exposure": partial(price_exposure.list_exposures, services, staff),
        "alerts": partial(list_alert_groups, services, staff),
        "metrics": partial(metrics.collect_metrics, services),
        "analytics by route": report(Dimension.ROUTE),
        "analytics by merchant": report(Dimension.MERCHANT),
    }


def _with_times(services: Services, texts: Mapping[str, Any]) -> dict[str, Any]:
    """The query with days before now as instants."""
    now = services.clock.now()

    def as_time(value: Any) -> Any:
        return _iso(now - timedelta(days=value)) if isinstance(value, int) else value

    return {name: as_time(value) for name, value in texts.items()}


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
