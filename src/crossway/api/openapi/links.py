"""What can be asked next about what an answer holds."""

from typing import Any, Final

from crossway.api.openapi.schemas import Node, operations

# By operation, the parameters of what follows and where the answer has their values.
_ID: Final = {"id": "id"}
_INTENT: Final = {"intentAddress": "intent_address"}
_ADDRESS: Final = {"address": "intent_address"}
_LINKS: Final[dict[str, dict[str, dict[str, str]]]] = {
    "createIntent": {
        "getIntent": _ID,
        "getIntentTimeline": _ID,
        "getIntentByAddress": _ADDRESS,
        "getDestinationAddress": _ADDRESS,
        "triggerProcessing": _INTENT,
        "refundIntent": _INTENT,
    },
    "createExport": {"getExport": _ID, "deleteExport": _ID},
    "createPaymentLink": {"getPaymentLink": _ID, "updatePaymentLink": _ID},
    "createInvoice": {"getInvoice": _ID, "voidInvoice": _ID},
    "createSubscription": {"getSubscription": _ID, "updateSubscription": _ID},
    "getPaymentLink": {"listPaymentLinkUses": _ID},
    "createStandingAddress": {
        "getStandingAddress": _ID,
        "updateStandingAddress": _ID,
        "quoteStandingDeposit": _ID,
        "listStandingDeposits": {"standing_address": "id"},
    },
    "listStandingDeposits": {"getStandingDeposit": {"id": "standing_deposits/0/id"}},
    "createRampOrder": {
        "getRampOrder": _ID,
        "confirmRampOrder": _ID,
        "cancelRampOrder": _ID,
        "getRampOrderByIntent": {"intentAddress": "intentAddress"},
    },
    "createWebhook": {
        "getWebhook": _ID,
        "updateWebhook": _ID,
        "deleteWebhook": _ID,
        "rotateWebhookSecret": _ID,
        "testWebhook": _ID,
        "listDeliveries": _ID,
        "replayEvents": _ID,
    },
    "testWebhook": {"getDelivery": _ID, "replayDelivery": _ID},
    "listDeliveries": {"getDelivery": {"id": "deliveries/0/id"}},
}


def add_links(document: Node) -> None:
    """Give the successful answers of operations their links."""
    for _, _, operation in operations(document):
        links = _LINKS.get(operation["operationId"])
        if links:
            status = next(status for status in operation["responses"] if status.startswith("2"))
            operation["responses"][status]["links"] = {
                name: _link(name, values) for name, values in links.items()
            }


def _link(operation_id: str, values: dict[str, str]) -> dict[str, Any]:
    parameters = {name: f"$response.body#/{place}" for name, place in values.items()}
    return {"operationId": operation_id, "parameters": parameters}
