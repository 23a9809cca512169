"""Webhooks on screen: endpoints, subscribed events and delivery health."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import time_cell
from crossway.dashboard.views.links import is_record_id, webhook_href
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, merchant_cell, name_cell
from crossway.domain.clients import Principal
from crossway.domain.errors import NotFound
from crossway.domain.webhooks import (
    ALL_EVENTS,
    OPEN_DELIVERY,
    DeliveryState,
    Endpoint,
    EventType,
)
from crossway.ports.services import Services
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.deliveries import MAX_REPLAYED

COLUMNS = (
    Column("Endpoint", name="endpoint"),
    Column("Merchant", name=MERCHANT_COLUMN),
    Column("Status", name="status"),
    Column("Events", name="events"),
    Column("Delivered, 24 h", "right", "In the last 24 hours", name="delivered_24_h"),
    Column("Failed, 24 h", "right", "Retries exhausted in the last 24 hours", name="failed_24_h"),
    Column("Queued", "right", "Waiting or to be retried", name="queued"),
)
EVENT_NAMES: Final = (*(one.value for one in EventType), ALL_EVENTS)
ON = Badge("Enabled", "green", "check_circle")
FAILING = Badge(
    "Failing", "orange", "warning", "Nothing has been delivered since it failed or was enabled"
)
OFF = Badge("Disabled", "gray", "power_off")
Health = Mapping[DeliveryState, int]


def status_badge(endpoint: Endpoint) -> Badge:
    """The status of an endpoint."""
    if not endpoint.enabled:
        return Badge(OFF.text, OFF.color, OFF.icon, endpoint.disabled_reason)
    return FAILING if endpoint.failing_since else ON


def get_webhook(services: Services, caller: Principal, text: str) -> Endpoint:
    """The webhook with this id; raises `NotFound`."""
    if not is_record_id(text):
        raise NotFound(f"No webhook with ID {text}" if text else "No webhook ID in the link")
    return webhooks.get_webhook(services, caller, int(text))


def build_rows(
    services: Services, caller: Principal, client_id: str | None = None
) -> tuple[Row, ...]:
    """Rows of the webhooks of one client or all, with the delivery health of the last 24 hours."""
    endpoints = [
        endpoint
        for endpoint in webhooks.list_webhooks(services, caller)
        if client_id is None or endpoint.client_id == client_id
    ]
    health = deliveries.count_recent_deliveries(
        services, caller, [endpoint.id for endpoint in endpoints]
    )
    names = client_names(services)
    return tuple(_row(endpoint, names, health[endpoint.id]) for endpoint in endpoints)


def display_url(endpoint: Endpoint) -> str:
    """An endpoint's host and path, without the query, which may contain a secret."""
    parts = urlsplit(endpoint.url)
    return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _row(endpoint: Endpoint, names: Mapping[str, str], health: Health) -> Row:
    badge, failed = status_badge(endpoint), health.get(DeliveryState.FAILED, 0)
    delivered = health.get(DeliveryState.DELIVERED, 0)
    queued = sum(health.get(state, 0) for state in OPEN_DELIVERY)
    reason = endpoint.disabled_reason if not endpoint.enabled else ""
    return Row(
        key=str(endpoint.id),
        href=webhook_href(endpoint.id),
        label=f"Webhook {endpoint.id} to {display_url(endpoint)}, {badge.text}",
        cells=(
            Cell(display_url(endpoint), sub=endpoint.description),
            name_cell(names, endpoint.client_id),
            Cell(badges=(badge,), sub=reason, at=_failing_since(endpoint)),
            Cell(describe_events(endpoint)),
            Cell(f"{delivered:,}", order=delivered),
            Cell(f"{failed:,}", tone="bad" if failed else "", order=failed),
            Cell(f"{queued:,}", order=queued),
        ),
    )


def _failing_since(endpoint: Endpoint) -> int | None:
    if not endpoint.enabled or endpoint.failing_since is None:
        return None
    return time_cell(endpoint.failing_since).at


def count_events(number: int) -> str:
    """`37 events`."""
    return f"{number:,} event{'' if number == 1 else 's'}"


def describe_missed(count: int) -> str:
    """How many events a webhook missed; a count at the limit is the least."""
    least = "At least " if count >= MAX_REPLAYED else ""
    verb = "was" if count == 1 else "were"
    return f"{least}{count_events(count)} {verb} not delivered: retries failed, or it was disabled."


def resend_label(count: int, enabled: bool) -> str:
    """The label of the button that resends what was missed."""
    return f"{'Resend' if enabled else 'Enable and resend'} {count_events(count)}"


def describe_progress(states: Health) -> tuple[float, str]:
    """How much of a batch of resent events has ended, from 0 to 1, and in words."""
    total, delivered = sum(states.values()), states.get(DeliveryState.DELIVERED, 0)
    failed = states.get(DeliveryState.FAILED, 0)
    parts = [f"{delivered:,} of {count_events(total)} delivered"]
    parts += [f"{failed:,} failed"] if failed else []
    waiting = total - delivered - failed
    parts += [f"{waiting:,} queued"] if waiting else []
    return (delivered + failed) / total, f"Resent: {', '.join(parts)}."


def describe_events(endpoint: Endpoint) -> str:
    """The events an endpoint subscribes to."""
    return (
        "All" if ALL_EVENTS in endpoint.events else ", ".join(map(describe_event, endpoint.events))
    )


def describe_event(name: str) -> str:
    """An event type as text: `Payment funded`."""
    if name == ALL_EVENTS:
        return "All"
    return name.replace("intent_", "payment_").replace("_", " ").capitalize()


def build_details(services: Services, endpoint: Endpoint) -> tuple[Detail, ...]:
    """All details of a webhook except its secret."""
    names = client_names(services)
    old, now = endpoint.old_secret_until, services.clock.now()
    failing, disabled_reason = endpoint.failing_since, endpoint.disabled_reason
    optional_details: list[Detail] = []
    if failing is not None:
        optional_details.append(Detail("Nothing delivered since", time_cell(failing, "exact")))
    if disabled_reason and not endpoint.enabled:
        optional_details.append(Detail("Disabled because", Cell(disabled_reason)))
    if old is not None and old > now:
        optional_details.append(Detail("Old secret valid until", time_cell(old, "exact")))
    return (
        Detail("URL", Cell(endpoint.url, copy=endpoint.url, value_name="URL", mono=True)),
        Detail("Merchant", merchant_cell(names, endpoint.client_id)),
        Detail("Events", Cell(describe_events(endpoint))),
        Detail("Description", Cell(endpoint.description or "–")),
        Detail("Created", time_cell(endpoint.created_at, "exact")),
        Detail("Updated", time_cell(endpoint.updated_at)),
        *optional_details,
    )
