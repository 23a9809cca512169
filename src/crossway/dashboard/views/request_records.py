"""What an API request made or changed, who made it, and the ways to all of them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.links import (
    client_href,
    intent_href,
    key_href,
    order_href,
    page_href,
    payment_link_href,
    webhook_href,
)
from crossway.domain.public_ids import RecordKind
from crossway.ports.logs import LoggedRequest
from crossway.ports.services import Services
from crossway.usecases.developers import api_keys
from crossway.usecases.public_numbers import ids_of

_ORDERS: Final = "/v1/ramp/orders"
_LINKS: Final = "/v1/payment-links"
_WEBHOOKS: Final = "/v1/webhooks"


def record_links(services: Services, request: LoggedRequest) -> tuple[LinkButton, ...]:
    """The ways from a request to its payment, ramp order, payment link or webhook, its API key and
    merchant, and to the requests to its route."""
    made = (*_payment(request), *_answered(services, request))
    same = page_href("requests", path=request.path)
    route = LinkButton("Requests to this route", same, "swap_horiz")
    return (*made, *_caller(services, request), route)


def _payment(request: LoggedRequest) -> tuple[LinkButton, ...]:
    if not request.intent_id:
        return ()
    label = f"Payment #{request.intent_id}"
    return (LinkButton(label, intent_href(request.intent_id), "list_alt", primary=True),)


def _answered(services: Services, request: LoggedRequest) -> tuple[LinkButton, ...]:
    """The record that the response names, where the response of the route is one record."""
    body = _parse(request.response_body)
    if request.status >= 400 or not body:
        return ()
    if request.path.startswith(_ORDERS):
        number = _decode(services, RecordKind.ORDER, body.get("id"))
        if number is None:
            return ()
        return (LinkButton(f"Ramp order #{number}", order_href(number), "receipt_long", True),)
    id_ = body.get("id")
    if request.path.startswith(_LINKS) and isinstance(id_, str):
        return (LinkButton("Payment link", payment_link_href(id_), "add_link", primary=True),)
    if request.path.startswith(_WEBHOOKS) and isinstance(id_, int):
        return (LinkButton(f"Webhook #{id_}", webhook_href(id_), "webhook", primary=True),)
    return ()


def _parse(body: str | None) -> Mapping[str, Any]:
    """The record of a stored response; empty for one that is cut off or no object."""
    try:
        parsed = json.loads(body or "")
    except ValueError:
        return {}
    if not isinstance(parsed, dict):
        return {}
    wrapped = [parsed[name] for name in ("order", "webhook") if isinstance(parsed.get(name), dict)]
    return wrapped[0] if wrapped else parsed


def _decode(services: Services, kind: RecordKind, number: object) -> int | None:
    """The record number of a public one, None for anything else."""
    if not isinstance(number, int | str) or not str(number).isdecimal():
        return None
    try:
        return ids_of(services).decode(kind, int(number))
    except ValueError:
        return None


def _caller(services: Services, request: LoggedRequest) -> tuple[LinkButton, ...]:
    if not request.client_id:
        return ()
    name = client_names(services).get(request.client_id, request.client_id)
    merchant = LinkButton(f"Merchant {name}", client_href(request.client_id), "storefront")
    for key in api_keys.list_api_keys(services, request.client_id):
        if key.display_prefix == request.key_prefix:
            label = f"API key {key.display_prefix}…"
            return LinkButton(label, key_href(key.id), "key"), merchant
    return (merchant,)
