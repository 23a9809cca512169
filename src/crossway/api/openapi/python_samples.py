"""Samples that call the Python client: which of its methods an operation is."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

# Its arguments are the values of the path, then those of the query and body by their names.
METHODS: Final[Mapping[str, str]] = {
    "cancelRampOrder": "ramp_orders.cancel",
    "confirmRampOrder": "ramp_orders.confirm",
    "createExport": "exports.create",
    "createIntent": "intents.create",
    "createIntents": "intents.create_batch",
    "createInvoice": "invoices.create",
    "createPaymentLink": "payment_links.create",
    "createPaymentOffers": "x402.create_offers",
    "createSubscription": "subscriptions.create",
    "createRampOrder": "ramp_orders.create",
    "createStandingAddress": "standing_addresses.create",
    "createWebhook": "webhooks.create",
    "deleteExport": "exports.delete",
    "deleteWebhook": "webhooks.delete",
    "eraseCustomer": "kyc.erase",
    "getBalances": "chains.balances",
    "getBestQuote": "quotes.best",
    "getClientInfo": "client_info",
    "getDelivery": "webhooks.delivery",
    "getDestinationAddress": "intents.destination_address",
    "getExport": "exports.get",
    "getIntent": "intents.get",
    "getIntentByAddress": "intents.get",
    "getIntentTimeline": "intents.timeline",
    "getKycRequirements": "kyc.requirements",
    "getKycState": "kyc.state",
    "getKycStateOfTransaction": "kyc.transaction_state",
    "getMultiSourceQuote": "quotes.multi_source",
    "getOptimalRoute": "router.optimal_route",
    "getInvoice": "invoices.get",
    "getPaymentLink": "payment_links.get",
    "getSubscription": "subscriptions.get",
    "listInvoices": "invoices.list",
    "listSubscriptions": "subscriptions.list",
    "updateSubscription": "subscriptions.update",
    "voidInvoice": "invoices.void",
    "getQuote": "quotes.single",
    "getRampOrder": "ramp_orders.get",
    "getRampOrderByIntent": "ramp_orders.by_intent",
    "getSandboxBalances": "sandbox.balances",
    "getStandingAddress": "standing_addresses.get",
    "getStandingDeposit": "standing_deposits.get",
    "quoteStandingDeposit": "standing_addresses.quote",
    "getWebhook": "webhooks.get",
    "injectBridgeFaults": "sandbox.bridge_faults",
    "injectChainFaults": "sandbox.chain_faults",
    "injectProviderFaults": "sandbox.provider_faults",
    "listBridges": "router.bridges",
    "listBridgesOfRoute": "router.bridges_between",
    "listChains": "chains.list",
    "listDeliveries": "webhooks.deliveries",
    "listExports": "exports.list",
    "listIntents": "intents.list",
    "listIntentsOfSender": "intents.by_sender",
    "listPaymentLinkUses": "payment_links.uses",
    "listPaymentLinks": "payment_links.list",
    "listQuotes": "quotes.multiple",
    "listRampCountries": "ramps.countries",
    "listRampCurrencies": "ramps.currencies",
    "listRampOrders": "ramp_orders.list",
    "listRampQuotes": "ramps.quotes",
    "listRoutesOfBridge": "router.routes_of",
    "listSettledNetworks": "x402.supported",
    "listStandingAddresses": "standing_addresses.list",
    "listStandingDeposits": "standing_deposits.list",
    "listTokens": "chains.all_tokens",
    "listTokensOfChain": "chains.tokens",
    "listWebhooks": "webhooks.list",
    "refundIntent": "intents.refund",
    "replayDelivery": "webhooks.replay",
    "replayEvents": "webhooks.replay_period",
    "replayMissedEvents": "webhooks.replay_missed",
    "reportRampOrderOutcome": "sandbox.report_order",
    "rotateWebhookSecret": "webhooks.rotate_secret",
    "searchPrivately": "search.find",
    "searchResources": "search.find",
    "sendSandboxDeposit": "sandbox.deposit",
    "setKycStatus": "sandbox.set_kyc_status",
    "setSandboxClock": "sandbox.set_clock",
    "settleSignedPayment": "x402.settle",
    "streamEvents": "events.stream",
    "submitKyc": "kyc.submit",
    "submitKycDocument": "kyc.add_document",
    "testWebhook": "webhooks.test",
    "triggerProcessing": "intents.trigger",
    "updatePaymentLink": "payment_links.update",
    "updateStandingAddress": "standing_addresses.update",
    "updateWebhook": "webhooks.update",
    "verifySignedPayment": "x402.verify",
}
# They iterate over all results, page by page, so they take no limit.
_ITERATORS: Final = frozenset(
    {
        "listDeliveries",
        "listExports",
        "listIntents",
        "listInvoices",
        "listPaymentLinkUses",
        "listPaymentLinks",
        "listRampOrders",
        "listStandingAddresses",
        "listStandingDeposits",
        "listSubscriptions",
        "listWebhooks",
        "streamEvents",
    }
)
_RENAMED: Final = {"from": "since"}
_OPENING: Final = (
    "from crossway_client import Crossway",
    "",
    'with Crossway(os.environ["{key}"], os.environ["{url}"]) as crossway:',
)


def write(
    operation_id: str,
    example: Mapping[str, Any],
    file: tuple[str, str] | None,
    environment: tuple[str, str],
) -> str:
    """A program. `file` is the name and type of a body that is a file, `environment` the names of
    the variables with the URL and the key."""
    imports = ["import os"]
    values = [_quoted(value) for value in example.get("path", {}).values()]
    given = {**example.get("query", {}), **(example.get("body") or {})}
    values += [
        f"{_RENAMED.get(name, _snake_case(name))}={_literal(value)}"
        for name, value in given.items()
        if name != "limit"
    ]
    if file is not None:
        values += [f'content=Path("{file[0]}").read_bytes()', f'media_type="{file[1]}"']
        imports.append("from pathlib import Path")
    call = f"crossway.{METHODS[operation_id]}({', '.join(values)})"
    if "datetime." in call:
        imports.insert(0, "from datetime import datetime")
    lines = (
        [f"    for one in {call}:", "        print(one)"]
        if operation_id in _ITERATORS
        else [f"    print({call})"]
    )
    url, key = environment
    opening = "\n".join(_OPENING).format(key=key, url=url)
    return "\n".join([*sorted(imports, key=_by_kind), "", opening, *lines])


def _by_kind(line: str) -> bool:
    return line.startswith("from ")


def _snake_case(name: str) -> str:
    return re.sub("([A-Z])", r"_\1", name).lower()


def _literal(value: Any) -> str:
    if isinstance(value, str) and value.isdecimal() and len(value) > 3:
        return f"{int(value):_}"
    if isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value):
        return f'datetime.fromisoformat("{datetime.fromisoformat(value).isoformat()}")'
    return _quoted(value)


def _quoted(value: Any) -> str:
    """A literal with texts in double quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(k)}: {_quoted(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
