"""Webhooks: where clients are told of what, and how well that arrives."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Row
from crossway.dashboard.views.figures import time_cell
from crossway.dashboard.views.links import LONGEST_NUMBER, webhook_href
from crossway.domain.clients import Caller
from crossway.domain.errors import NotFound
from crossway.domain.webhooks import (
    EVERY_EVENT,
    OPEN_DELIVERY,
    DeliveryState,
    Endpoint,
    EventType,
)
from crossway.ports.services import Services
from crossway.usecases.developers import clients, deliveries, webhooks

COLUMNS = (
    Column("Endpoint"),
    Column("State"),
    Column("Events"),
    Column("Arrived, 24 h", "right", "In the last day"),
    Column("Failed, 24 h", "right", "Given up in the last day"),
    Column("To come", "right", "Waiting or to be tried again"),
)
NAMES: Final = (*(one.value for one in EventType), EVERY_EVENT)
ON = Chip("On", "green", "check_circle")
FAILING = Chip("Failing", "orange", "warning", "The last try failed")
OFF = Chip("Off", "gray", "power_off")
Health = Mapping[DeliveryState, int]


def state(endpoint: Endpoint) -> Chip:
    """Whether events go there, and whether they arrive."""
    if not endpoint.enabled:
        return Chip(OFF.text, OFF.color, OFF.icon, endpoint.disabled_reason)
    return FAILING if endpoint.failing_since else ON


def one(services: Services, caller: Caller, text: str) -> Endpoint:
    """The webhook that a link names; raises `NotFound`."""
    if not (text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER):
        raise NotFound(f"No webhook has the number {text}" if text else "No webhook is named")
    return webhooks.get(services, caller, int(text))


def rows(services: Services, caller: Caller, client_id: str | None = None) -> tuple[Row, ...]:
    """Every webhook of one client or of all, with how its last day was."""
    found = [
        one
        for one in webhooks.every(services, caller)
        if client_id is None or one.client_id == client_id
    ]
    health = deliveries.health(services, caller, [one.id for one in found])
    names = {client.id: client.name for client in clients.every(services)}
    return tuple(_row(one, names.get(one.client_id, ""), health[one.id]) for one in found)


def place(endpoint: Endpoint) -> str:
    """Where an endpoint is, without its query, which may hold what only its owner knows."""
    parts = urlsplit(endpoint.url)
    return f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _row(endpoint: Endpoint, client: str, health: Health) -> Row:
    stands, failed = state(endpoint), health.get(DeliveryState.FAILED, 0)
    why = endpoint.disabled_reason if not endpoint.enabled else ""
    return Row(
        key=str(endpoint.id),
        href=webhook_href(endpoint.id),
        label=f"Webhook {endpoint.id} to {place(endpoint)}, {stands.text}",
        cells=(
            Cell(place(endpoint), sub=" · ".join(filter(None, (client, endpoint.description)))),
            Cell(chips=(stands,), sub=why, at=_since(endpoint)),
            Cell(events(endpoint)),
            Cell(f"{health.get(DeliveryState.DELIVERED, 0):,}"),
            Cell(f"{failed:,}", tone="bad" if failed else ""),
            Cell(f"{sum(health.get(one, 0) for one in OPEN_DELIVERY):,}"),
        ),
    )


def _since(endpoint: Endpoint) -> int | None:
    if not endpoint.enabled or endpoint.failing_since is None:
        return None
    return time_cell(endpoint.failing_since).at


def events(endpoint: Endpoint) -> str:
    """What an endpoint is told of."""
    return "All" if EVERY_EVENT in endpoint.events else ", ".join(map(event, endpoint.events))


def event(name: str) -> str:
    """A kind of event as people say it: `Intent funded`."""
    return "All" if name == EVERY_EVENT else name.replace("_", " ").capitalize()


def facts(services: Services, endpoint: Endpoint) -> tuple[Fact, ...]:
    """Everything about a webhook but its secret."""
    names = {client.id: client.name for client in clients.every(services)}
    old, now = endpoint.old_secret_until, services.clock.now()
    failing, off = endpoint.failing_since, endpoint.disabled_reason
    more: list[Fact] = []
    if failing is not None:
        more.append(Fact("Failing since", time_cell(failing, "exact")))
    if off and not endpoint.enabled:
        more.append(Fact("Why it is off", Cell(off)))
    if old is not None and old > now:
        more.append(Fact("Old secret signs until", time_cell(old, "exact")))
    return (
        Fact("URL", Cell(endpoint.url, copy=endpoint.url, what="URL", mono=True)),
        Fact("Client", Cell(names.get(endpoint.client_id, endpoint.client_id))),
        Fact("Told of", Cell(events(endpoint))),
        Fact("Description", Cell(endpoint.description or "–")),
        Fact("Created", time_cell(endpoint.created_at, "exact")),
        Fact("Changed", time_cell(endpoint.updated_at)),
        *more,
    )
