"""Deliveries of webhooks: the list with its filters, and one with its request and its answers."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Item, Row, Way
from crossway.dashboard.views.figures import millis, time_cell
from crossway.dashboard.views.links import (
    LONGEST_NUMBER,
    delivery_href,
    intent_href,
    order_href,
    webhook_href,
)
from crossway.dashboard.views.webhooks import event
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.webhooks import (
    TEST_EVENT,
    TEST_KIND,
    Announcement,
    Delivery,
    DeliveryState,
    EventType,
    Try,
)
from crossway.ports.services import Services
from crossway.ports.webhook_records import DeliveryFilter
from crossway.usecases.developers import deliveries

PAGE_SIZE = 25
EVERY = "All"
D = DeliveryState
QUICK: Final[Mapping[str, tuple[DeliveryState, ...]]] = {
    EVERY: (),
    "Delivered": (D.DELIVERED,),
    "To come": (D.DUE, D.WAITING),
    "Failed": (D.FAILED,),
}
EVENTS: Final = (*(one.value for one in EventType), TEST_EVENT)
COLUMNS = (
    Column("Delivery"),
    Column("State"),
    Column("About"),
    Column("Answer"),
    Column("Next try"),
    Column("Created", wide=True),
)
STATES: Final[Mapping[DeliveryState, Chip]] = {
    D.WAITING: Chip("Waiting", "gray", "hourglass_top", "For an earlier event of the same thing"),
    D.DUE: Chip("To be sent", "blue", "send"),
    D.DELIVERED: Chip("Delivered", "green", "check_circle"),
    D.FAILED: Chip("Failed", "red", "error", "Given up; it can be replayed"),
}
RETRYING = Chip("Retrying", "orange", "autorenew", "The last try failed")
SPANS: Final[Mapping[str, timedelta]] = {
    "The last hour": timedelta(hours=1),
    "The last day": timedelta(days=1),
    "The last 7 days": timedelta(days=7),
}
_KINDS: Final[Mapping[str, tuple[str, Callable[[int], str]]]] = {
    "intent": ("Payment", intent_href),
    "ramp_order": ("Ramp order", order_href),
    TEST_KIND: ("Webhook", webhook_href),
}
BY_HAND: Final = "Between two instants"


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def wanted(webhook_id: int, quick: str, kind: str | None, before_id: int | None) -> DeliveryFilter:
    """The filters of the screen as the store understands them."""
    states = QUICK.get(quick, ())
    return DeliveryFilter(webhook_id, states=states, event=kind or "", before_id=before_id)


def listing(services: Services, caller: Caller, filters: DeliveryFilter) -> Listing:
    """One page of deliveries, newest first."""
    found = deliveries.page(services, caller, filters, PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    older = shown[-1][0].id if len(found) > PAGE_SIZE else None
    return Listing(tuple(_row(*one) for one in shown), older)


def state(delivery: Delivery) -> Chip:
    """Where a delivery stands."""
    trying = delivery.state is D.DUE and delivery.tries > 0
    return RETRYING if trying else STATES[delivery.state]


def _row(delivery: Delivery, told: Announcement) -> Row:
    stands = state(delivery)
    tries = f"{delivery.tries} tr{'y' if delivery.tries == 1 else 'ies'}"
    tries = tries if delivery.tries else "not tried yet"
    again = f", again #{delivery.replay_of}" if delivery.replay_of else ""
    coming = delivery.state is D.DUE and delivery.tries > 0
    return Row(
        key=str(delivery.id),
        href=delivery_href(delivery.id),
        label=f"Delivery {delivery.id}, {event(told.type)}, {stands.text}",
        cells=(
            Cell(f"#{delivery.id}", sub=event(told.type)),
            Cell(chips=(stands,), sub=f"{tries}{again}"),
            Cell(_about(told)),
            Cell(answer(delivery.status, delivery.error)),
            time_cell(delivery.next_at) if coming else Cell("–"),
            time_cell(delivery.created_at),
        ),
    )


def answer(status: int | None, error: str) -> str:
    """What came back, or what kept it away."""
    if status is not None:
        return str(status)
    return error[:1].upper() + error[1:] if error else "–"


def _about(told: Announcement) -> str:
    words, _href = _KINDS[told.kind]
    return f"{words} #{told.resource_id}"


def about(told: Announcement) -> Way:
    """The way to what an event is about."""
    return Way(_about(told), _KINDS[told.kind][1](told.resource_id), "list_alt")


def one(services: Services, caller: Caller, text: str) -> deliveries.Seen:
    """The delivery that a link names; raises `NotFound`."""
    if not (text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER):
        raise NotFound(f"No delivery has the number {text}" if text else "No delivery is named")
    return deliveries.one(services, caller, int(text))


def facts(seen: deliveries.Seen) -> tuple[Fact, ...]:
    """Everything about a delivery but its body and its tries."""
    one, told = seen.delivery, seen.announcement
    coming = (Fact("Next try", time_cell(one.next_at)),) if one.state is D.DUE else ()
    repeats = (Fact("Repeats", Cell(f"#{one.replay_of}")),) if one.replay_of else ()
    return (
        Fact("Event", Cell(told.event_id, copy=told.event_id, what="event id", mono=True)),
        Fact("Kind", Cell(told.type, mono=True)),
        Fact("Happened", time_cell(told.at, "exact")),
        Fact("About", Cell(_about(told))),
        Fact("Tries", Cell(str(one.tries))),
        Fact("Last answer", Cell(answer(one.status, one.error))),
        *coming,
        *repeats,
    )


def tries(seen: deliveries.Seen) -> tuple[Item, ...]:
    """Every try, newest first, each with what was sent along and what was answered."""
    found = list(enumerate(seen.tries, 1))
    return tuple(_item(number, one) for number, one in reversed(found))


def _item(number: int, one: Try) -> Item:
    headers = "\n".join(f"{name}: {value}" for name, value in json.loads(one.headers).items())
    said = one.answer or ("nothing" if one.status is None else "(an empty body)")
    raw = f"Sent with\n{headers}\nwebhook-signature: (not kept)\n\nAnswered\n{said}"
    return Item(
        key=str(number),
        title=f"Try {number}: {answer(one.status, one.error)}",
        at=millis(one.at),
        note=f"after {one.milliseconds:,} ms",
        icon="check" if one.taken else "close",
        color="green" if one.taken else "red",
        raw=raw,
    )


def body(seen: deliveries.Seen) -> str:
    """What was or will be sent, laid out to be read."""
    return json.dumps(json.loads(seen.body), indent=2, ensure_ascii=False)


def span(
    now: datetime, chosen: str, start: datetime | None, end: datetime | None
) -> dict[str, object]:
    """The time to be replayed, from the choice or from two instants in UTC."""
    if chosen in SPANS:
        return {"from": (now - SPANS[chosen]).isoformat(), "to": now.isoformat()}
    if start is None or end is None:
        raise InvalidInput("From and To: give both instants")
    since, until = start.replace(tzinfo=UTC), end.replace(tzinfo=UTC)
    return {"from": since.isoformat(), "to": until.isoformat()}
