"""Webhook deliveries on screen: the filtered list, and one delivery with its attempts."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.dashboard.views import list_columns
from crossway.dashboard.views.cells import (
    Badge,
    Cell,
    Column,
    Detail,
    LinkButton,
    Row,
    RowAction,
    TimelineEntry,
)
from crossway.dashboard.views.formatting import time_cell, to_millis
from crossway.dashboard.views.links import (
    delivery_href,
    intent_href,
    is_record_id,
    order_href,
    page_href,
    webhook_href,
)
from crossway.dashboard.views.list_columns import ListColumn
from crossway.dashboard.views.list_pages import OLDEST_FIRST, take_page
from crossway.dashboard.views.merchant_names import merchant_cell
from crossway.dashboard.views.periods import TimeRange
from crossway.dashboard.views.webhooks import describe_event
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.webhooks import (
    TEST_EVENT,
    TEST_KIND,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    EventType,
    OutboxEvent,
)
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.developers import deliveries

PAGE_SIZE = 25
ALL = "All"
D = DeliveryState
QUICK_FILTERS: Final[Mapping[str, tuple[DeliveryState, ...]]] = {
    ALL: (),
    "Delivered": (D.DELIVERED,),
    "Queued": (D.DUE, D.WAITING),
    "Failed": (D.FAILED,),
}
EVENTS: Final = (*(one.value for one in EventType), TEST_EVENT)
STATES: Final[Mapping[DeliveryState, Badge]] = {
    D.WAITING: Badge(
        "Waiting", "gray", "hourglass_top", "Waiting for an earlier event of the same resource"
    ),
    D.DUE: Badge("Queued", "blue", "send"),
    D.DELIVERED: Badge("Delivered", "green", "check_circle"),
    D.FAILED: Badge("Failed", "red", "error", "Retries exhausted; it can be resent"),
}
CANCELLED = Badge("Cancelled", "gray", "block", "The webhook was disabled before the first attempt")
RETRYING = Badge("Retrying", "orange", "autorenew", "The last attempt failed")
PERIODS: Final[Mapping[str, timedelta]] = {
    "Last hour": timedelta(hours=1),
    "Last 24 hours": timedelta(days=1),
    "Last 7 days": timedelta(days=7),
}
_KINDS: Final[Mapping[str, tuple[str, Callable[[int], str]]]] = {
    "intent": ("Payment", intent_href),
    "ramp_order": ("Ramp order", order_href),
    "invoice": ("Invoice", lambda _: page_href("invoices")),
    "subscription": ("Subscription", lambda _: page_href("invoices")),
    TEST_KIND: ("Webhook", webhook_href),
}
CUSTOM_PERIOD: Final = "Custom period"


ListedDelivery = tuple[Delivery, OutboxEvent]
RESEND: Final = RowAction("resend", "Resend", "replay", primary=True)


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of deliveries; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def build_filter(
    webhook_id: int,
    quick: str,
    kind: str | None,
    created: TimeRange,
    cursor: int | None,
    sort: str = "",
) -> DeliveryFilter:
    """The page's filters as a `DeliveryFilter` of what is behind a cursor."""
    oldest_first = sort in OLDEST_FIRST
    return DeliveryFilter(
        webhook_id=webhook_id,
        states=QUICK_FILTERS.get(quick, ()),
        event=kind or "",
        start=created.start,
        end=created.end,
        before_id=None if oldest_first else cursor,
        after_id=cursor if oldest_first else None,
        oldest_first=oldest_first,
    )


def load_page(
    services: Services,
    caller: Principal,
    filters: DeliveryFilter,
    columns: Sequence[ListColumn[ListedDelivery]],
) -> ListPage:
    """One page of deliveries with these columns, in the order of the filter."""
    records = deliveries.list_deliveries(services, caller, filters, PAGE_SIZE + 1)
    shown, last = take_page(records, PAGE_SIZE)
    return ListPage(tuple(_row(columns, one) for one in shown), last[0].id if last else None)


def status_badge(delivery: Delivery) -> Badge:
    """The status of a delivery."""
    if delivery.state is D.FAILED and not delivery.attempt_count:
        return CANCELLED
    retrying = delivery.state is D.DUE and delivery.attempt_count > 0
    return RETRYING if retrying else STATES[delivery.state]


def _describe_attempts(delivery: Delivery) -> str:
    attempts = f"{delivery.attempt_count} attempt{'' if delivery.attempt_count == 1 else 's'}"
    attempts = attempts if delivery.attempt_count else ""
    resend = f"resend of #{delivery.replay_of}" if delivery.replay_of else ""
    return ", ".join(filter(None, (attempts, resend)))


def _next_attempt(delivery: Delivery) -> Cell:
    retrying = delivery.state is D.DUE and delivery.attempt_count > 0
    return time_cell(delivery.next_at) if retrying else Cell("–")


def _row(columns: Sequence[ListColumn[ListedDelivery]], record: ListedDelivery) -> Row:
    delivery, event = record
    status = status_badge(delivery).text
    return Row(
        key=str(delivery.id),
        href=delivery_href(delivery.id),
        label=f"Delivery {delivery.id}, {describe_event(event.type)}, {status}",
        cells=list_columns.cells_of(columns, record),
    )


def format_response(status: int | None, error: str) -> str:
    """The response status, or the error."""
    if status is not None:
        return str(status)
    return error[:1].upper() + error[1:] if error else "–"


def _describe_resource(event: OutboxEvent) -> str:
    label, _href = _KINDS[event.kind]
    return f"{label} #{event.resource_id}"


OFFERED: Final[Sequence[ListColumn[ListedDelivery]]] = (
    ListColumn(
        Column("Delivery", name="id", sorts_all=True),
        lambda of: Cell(f"#{of[0].id}", sub=describe_event(of[1].type), order=of[0].id),
    ),
    ListColumn(
        Column("Status", name="status"),
        lambda of: Cell(badges=(status_badge(of[0]),), sub=_describe_attempts(of[0])),
    ),
    ListColumn(
        Column("Resource", name="resource"),
        lambda of: Cell(_describe_resource(of[1]), href=resource_link(of[1]).href),
    ),
    ListColumn(
        Column("Result", name="result"),
        lambda of: Cell(format_response(of[0].status, of[0].error)),
    ),
    ListColumn(Column("Next attempt", name="next"), lambda of: _next_attempt(of[0])),
    ListColumn(
        Column("Created", wide=True, name="created", sorts_all=True),
        lambda of: time_cell(of[0].created_at),
    ),
    ListColumn(
        Column("Event ID", wide=True, name="event_id"),
        lambda of: Cell(of[1].event_id, mono=True, copy=of[1].event_id, value_name="event ID"),
        on_request=True,
    ),
)
"""All columns; those on request are offered in the columns menu."""


def resource_link(event: OutboxEvent) -> LinkButton:
    """The link to the resource of an event."""
    return LinkButton(
        _describe_resource(event), _KINDS[event.kind][1](event.resource_id), "list_alt"
    )


def get_delivery(services: Services, caller: Principal, text: str) -> deliveries.DeliveryDetail:
    """The delivery with this id; raises `NotFound`."""
    if not is_record_id(text):
        raise NotFound(f"No delivery with ID {text}" if text else "No delivery ID in the link")
    return deliveries.get_delivery(services, caller, int(text))


def build_details(
    record: deliveries.DeliveryDetail, merchants: Mapping[str, str]
) -> tuple[Detail, ...]:
    """All details of a delivery except its body and its attempts; `merchants` are their names."""
    delivery, event = record.delivery, record.event
    next_attempt = (
        (Detail("Next attempt", time_cell(delivery.next_at)),) if delivery.state is D.DUE else ()
    )
    original = delivery.replay_of
    resent = Cell(f"#{original}", href=delivery_href(original)) if original else None
    resource, webhook = resource_link(event), delivery.webhook_id
    return (
        Detail(
            "Event", Cell(event.event_id, copy=event.event_id, value_name="event ID", mono=True)
        ),
        Detail("Event type", Cell(event.type, mono=True)),
        Detail("Event time", time_cell(event.at, "exact")),
        Detail("Resource", Cell(resource.label, href=resource.href)),
        Detail("Webhook", Cell(f"#{webhook}", href=webhook_href(webhook))),
        Detail("Merchant", merchant_cell(merchants, event.client_id)),
        Detail("Attempts", Cell(str(delivery.attempt_count))),
        Detail("Last result", Cell(format_response(delivery.status, delivery.error))),
        *next_attempt,
        *((Detail("Resend of", resent),) if resent else ()),
    )


def build_attempts(record: deliveries.DeliveryDetail) -> tuple[TimelineEntry, ...]:
    """All attempts, newest first, each with request headers and response."""
    attempts = list(enumerate(record.attempts, 1))
    return tuple(_attempt_entry(number, attempt) for number, attempt in reversed(attempts))


def _attempt_entry(number: int, attempt: DeliveryAttempt) -> TimelineEntry:
    headers = "\n".join(f"{name}: {value}" for name, value in json.loads(attempt.headers).items())
    response = attempt.response or ("nothing" if attempt.status is None else "(an empty body)")
    raw = f"Request headers\n{headers}\nwebhook-signature: (not stored)\n\nResponse\n{response}"
    return TimelineEntry(
        key=str(number),
        title=f"Attempt {number}: {format_response(attempt.status, attempt.error)}",
        at=to_millis(attempt.at),
        note=f"Took {attempt.milliseconds:,} ms" if attempt.milliseconds else "Took less than 1 ms",
        icon="check" if attempt.accepted else "close",
        color="green" if attempt.accepted else "red",
        raw=raw,
    )


def format_body(record: deliveries.DeliveryDetail) -> str:
    """The body that was or will be sent, indented."""
    return json.dumps(json.loads(record.body), indent=2, ensure_ascii=False)


def resend_period(
    now: datetime, chosen: str, start: datetime | None, end: datetime | None
) -> dict[str, object]:
    """The period to resend, from a preset or from a start and an end in UTC."""
    if chosen in PERIODS:
        return {"from": (now - PERIODS[chosen]).isoformat(), "to": now.isoformat()}
    if start is None or end is None:
        raise InvalidInput("Enter both From and To")
    since, until = start.replace(tzinfo=UTC), end.replace(tzinfo=UTC)
    return {"from": since.isoformat(), "to": until.isoformat()}
