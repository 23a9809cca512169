"""The section `webhooks`: what the service sends to a client's own server."""

from collections.abc import Mapping
from typing import Any, Final

from crossway.api.openapi.operations import JSON
from crossway.api.openapi.schemas import Node, reference
from crossway.domain.webhooks import TEST_EVENT, EventType

_WHEN: Final = {
    EventType.INTENT_CREATED: "An intent was created.",
    EventType.INTENT_FUNDED: "The deposit of an intent is complete and confirmed.",
    EventType.INTENT_INITIATED: "An intent was started: its recipient will be paid.",
    EventType.INTENT_COMPLETED: "The recipient of an intent was paid.",
    EventType.INTENT_REFUNDED: "The deposit of an intent was refunded.",
    EventType.INTENT_EXPIRED: "An intent expired before it was started.",
    EventType.INTENT_FAILED: "An intent cannot be paid out; its deposit is refunded.",
    EventType.INTENT_REORGED: "A reorganisation of a chain undid an earlier step of an intent.",
    EventType.RAMP_ORDER_UPDATED: "A ramp order was opened or changed.",
    EventType.STANDING_DEPOSIT_UPDATED: "A deposit at a standing address has got further.",
    EventType.INVOICE_ISSUED: "An invoice was issued, by you or by a subscription.",
    EventType.INVOICE_REMINDER: "An invoice is due soon or overdue, as you asked to be reminded.",
    EventType.INVOICE_PAID: "The total of an invoice has reached its recipient.",
    EventType.INVOICE_VOIDED: "An invoice was made void.",
    EventType.SUBSCRIPTION_UPDATED: "A subscription was paused, resumed, cancelled or ended, "
    "skipped periods, or could not issue an invoice.",
    TEST_EVENT: "You asked for a test.",
}
_DATA: Final = {
    EventType.RAMP_ORDER_UPDATED: "OrderOut",
    EventType.STANDING_DEPOSIT_UPDATED: "StandingDepositOut",
    EventType.INVOICE_ISSUED: "InvoiceOut",
    EventType.INVOICE_REMINDER: "InvoiceOut",
    EventType.INVOICE_PAID: "InvoiceOut",
    EventType.INVOICE_VOIDED: "InvoiceOut",
    EventType.SUBSCRIPTION_UPDATED: "SubscriptionOut",
    TEST_EVENT: "WebhookTest",
}
# One whole example of each form: those of other events of an intent differ in its status.
EXAMPLES: Final = (
    EventType.INTENT_COMPLETED,
    EventType.RAMP_ORDER_UPDATED,
    EventType.STANDING_DEPOSIT_UPDATED,
    TEST_EVENT,
)
_HEADERS: Final = {
    "webhook-id": (
        "The event's id, the same in every attempt.",
        {"type": "string", "pattern": "^evt_[0-9a-f]{32}$"},
    ),
    "webhook-timestamp": (
        "When this attempt was made, in seconds since 1970. Refuse what is older than 5 minutes.",
        {"type": "string", "pattern": "^[0-9]+$"},
    ),
    "webhook-signature": (
        "`v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`; after a rotation two, "
        "separated by a space.",
        {"type": "string", "pattern": "^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$"},
    ),
}
_ANSWERS: Final[Node] = {
    "EventAccepted": {"description": "Any 2xx within 10 seconds: the event is delivered."},
    "EventNotAccepted": {
        "description": "Anything else, a redirect and silence included: it is sent again after "
        "5 s, 1 min, 5 min, 15 min, 1 h, 6 h and 24 h, with jitter. Then the delivery is `failed` "
        "and can be replayed."
    },
}
_TEST: Final = {
    "type": "object",
    "description": "The data of a test.",
    "required": ["webhook_id", "message"],
    "properties": {
        "webhook_id": {"type": "integer", "description": "The webhook."},
        "message": {"type": "string", "description": "A text."},
    },
}


def add_webhooks(document: Node, examples: Mapping[str, Any]) -> None:
    """Describe every event that a webhook gets; `examples` has recorded events by type."""
    components = document["components"]
    components["schemas"]["WebhookTest"] = _TEST
    components["responses"].update(_ANSWERS)
    for name, (description, schema) in _HEADERS.items():
        components["parameters"][_parameter(name)] = {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": schema,
        }
    document["webhooks"] = {}
    for kind, when in _WHEN.items():
        data = _DATA.get(kind, "ReadIntent")
        components["schemas"].setdefault(f"{data}Event", _event(data))
        document["webhooks"][str(kind)] = {"post": _operation(str(kind), when, data, examples)}


def _operation(kind: str, when: str, data: str, examples: Mapping[str, Any]) -> Node:
    content: Node = {"schema": reference("schemas", f"{data}Event")}
    if kind in EXAMPLES:
        content["example"] = examples[kind]
    words = "".join(word.capitalize() for word in kind.split("_"))
    return {
        "tags": ["Webhooks"],
        "operationId": f"on{words}",
        "summary": when,
        "security": [],
        "parameters": [reference("parameters", _parameter(name)) for name in _HEADERS],
        "requestBody": {"required": True, "content": {JSON: content}},
        "responses": {
            "2XX": reference("responses", "EventAccepted"),
            "default": reference("responses", "EventNotAccepted"),
        },
    }


def _event(data: str) -> Node:
    return {
        "type": "object",
        "description": "An event: what happened and the resource as it was then.",
        "required": ["id", "type", "created_at", "data"],
        "properties": {
            "id": {"type": "string", "description": "The event's id."},
            "type": reference("schemas", "EventType"),
            "created_at": {
                "type": "string",
                "format": "date-time",
                "description": "When it happened.",
            },
            "data": reference("schemas", data),
        },
    }


def _parameter(header: str) -> str:
    return "".join(word.capitalize() for word in header.split("-"))
