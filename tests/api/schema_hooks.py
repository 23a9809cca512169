"""Hooks of schemathesis: most requests get the id of an existing resource."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import schemathesis
from schemathesis.core.parameters import ParameterLocation

from tests.api.conftest import Api
from tests.api.ramp_requests import create_order

# By path: its parameter, the kind of resource, and the field of it.
PATH_RESOURCES: dict[str, tuple[str, str, str]] = {
    "/v1/intents/address/{address}": ("address", "intent", "intent_address"),
    "/v1/intents/destination-address/{address}": ("address", "intent", "intent_address"),
    "/v1/intents/{id}": ("id", "intent", "id"),
    "/v1/intents/{intentAddress}/refund": ("intentAddress", "paid", "intent_address"),
    "/v1/intents/{intentAddress}/trigger-processing": ("intentAddress", "paid", "intent_address"),
    "/v1/ramp/orders/by-intent/{intentAddress}": ("intentAddress", "order", "intentAddress"),
    "/v1/ramp/orders/{id}": ("id", "order", "id"),
    "/v1/ramp/orders/{id}/confirm": ("id", "order", "id"),
    "/v1/ramp/orders/{id}/cancel": ("id", "order", "id"),
    "/v1/sandbox/balances/{address}": ("address", "paid", "intent_address"),
    "/v1/sandbox/ramp/orders/{id}": ("id", "order", "id"),
    "/v1/webhooks/{id}": ("id", "webhook", "id"),
    "/v1/webhooks/{id}/deliveries": ("id", "webhook", "id"),
    "/v1/webhooks/{id}/replay": ("id", "webhook", "id"),
    "/v1/webhooks/{id}/rotate-secret": ("id", "webhook", "id"),
    "/v1/webhooks/{id}/test": ("id", "webhook", "id"),
    "/v1/webhooks/deliveries/{id}": ("id", "delivery", "id"),
    "/v1/webhooks/deliveries/{id}/replay": ("id", "delivery", "id"),
}
CONSUMED_BY = frozenset(
    {
        ("POST", "/v1/intents/{intentAddress}/trigger-processing"),
        ("POST", "/v1/ramp/orders/{id}/confirm"),
        ("POST", "/v1/ramp/orders/{id}/cancel"),
        ("DELETE", "/v1/webhooks/{id}"),
    }
)
# What a document cannot tell: what belongs together, what is there, what a status allows, and some
# texts (a JSON schema takes 1.0 as a whole number, the year 400, and characters nobody can print).
BEYOND_A_SCHEMA = re.compile(
    "|".join(
        (
            r"cursor must be the next cursor of another page",
            r"wrong checksum",
            r"is not a supported token",
            r"is not an? [A-Za-z]+ address",
            r"has the format of no",
            r"must be an address",
            r"is disabled",
            r"not available on",
            r"must differ",
            r"does not serve",
            r"does not support",
            r"No bridge",
            r"bridge must be one of",
            r"must be a country of",
            r"is required for an o(n|ff)-ramp",
            r"refund_address or sender is required",
            r"needs an? [a-z]+ identity check",
            r"on its own page",
            r"asked for is",
            r"must name a document",
            r"is not a field of",
            r"fields\.",
            r"must be at (least|most)",
            r"greater than zero",
            r"decimal places",
            r"whole number",
            r"positive number",
            r"below the minimum",
            r"takes at (least|most)",
            r"of different networks",
            r"url must",
            r"token must be a",
            r"not configured here",
            r"write other letters",
            r"above the maximum",
            r"are for links without an amount",
            r"no payment link of yours",
            r"exports are in progress",
            r"excludeChains must be",
            r"filters of [a-z_]+ must",
            r"has expired",
            r"can only be",
            r"has no route",
            r"nothing to refund",
            r"filters must have",
            r"is switched off",
            r"page with cursor",
            r"offers no [A-Z]{3} o(n|ff)-ramps",
            r"plain decimal number",
            r"once it has ended",
            r"must not contain NUL",
            r"missing: First name",
            r"printable characters",
            r"must be an e-mail address",
            r"must be an instant",
            r"must be before",
            r"must not be (above|below)",
            r"has no standing addresses",
            r"deposits are not watched",
            r"takes signatures now",
            r"countryCode or fiatCurrency is required",
            r"links without an amount",
            r"in the future",
            r"has invalid status",
            r"The subscription is (cancelled|ended)",
            r"The invoice is already void",
            r"due_date must be today or later, within ten years",
            r"not funded",
            r"is not expired",
            r"Nothing to refund",
            r"under way",
            r"already",
            r"nothing comes after",
            r"no intent of yours",
            r"at most 20 (webhooks|exports)",
            r"nothing to fail",
        )
    )
)
_turn = count()


@dataclass
class ResourceCache:
    """Resources of the calling client, created at first use."""

    api: Api
    created: dict[str, Any] = field(default_factory=dict)

    def get_or_create(self, kind: str) -> Any:
        if kind not in self.created:
            self.created[kind] = getattr(self, f"_{kind}")()
        return self.created[kind]

    def _intent(self) -> Any:
        return self.api.create().json()

    def _paid(self) -> Any:
        intent = self._intent()
        params = {"address": intent["intent_address"], "amount": "exact"}
        self.api.post("/sandbox/deposits", params)
        self.api.post("/sandbox/clock", {"advanceSeconds": 60})
        return intent

    def _order(self) -> Any:
        return create_order(self.api)

    def _webhook(self) -> Any:
        created = self.api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()
        # A client has at most 20.
        return created if "id" in created else self.api.get("/webhooks").json()["webhooks"][0]

    def _delivery(self) -> Any:
        return self.api.post(f"/webhooks/{self._webhook()['id']}/test").json()


RESOURCES = ResourceCache(
    Api(
        httpx.Client(base_url=os.environ["SCHEMA_URL"], timeout=30),  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        "",
        0,
        os.environ["SCHEMA_KEY"],
    )
)


def _set_client_ip(address: str) -> Callable[[Any], Any]:
    """Set an own client IP for a request, because requests without a key are limited per IP
    address. A header of the case itself would count as tested input."""

    def told(request: Any) -> Any:
        request.headers["X-Forwarded-For"] = address
        return request

    return told


def _is_positive(case: Any) -> bool:
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    turn = next(_turn)
    kwargs["auth"] = _set_client_ip(f"10.0.{turn // 250}.{turn % 250}")
    if (
        "Idempotency-Key" in (case.headers or {})
        and case.meta
        and case.meta.generation.mode.is_positive
    ):
        # The same key for another request would be refused.
        unique = f"{os.getpid()} {turn} {case.headers['Idempotency-Key']}"
        case.headers["Idempotency-Key"] = unique[:255]
    path, wrong = case.operation.path, case.meta is None
    wrong = wrong or case.meta.is_negative_at(ParameterLocation.PATH)
    if path in PATH_RESOURCES and not wrong and turn % 4:
        parameter, kind, attribute = PATH_RESOURCES[path]
        case.path_parameters[parameter] = RESOURCES.get_or_create(kind)[attribute]
        if (case.method, path) in CONSUMED_BY:
            del RESOURCES.created[kind]


@schemathesis.check
def accepts_what_the_document_allows(context: Any, response: Any, case: Any) -> None:
    """A request that is as the document says is refused only for what no schema can tell."""
    del context
    if _is_positive(case) and response.status_code in (400, 422):
        message = response.json().get("message", "")
        complaints = message.split("; ")
        beyond = [one for one in complaints if not BEYOND_A_SCHEMA.search(one)]
        assert not beyond, f"refused: {'; '.join(beyond)}"
