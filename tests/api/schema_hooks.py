"""Hooks of schemathesis: most requests get the id of an existing resource."""

import os
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
        return self.api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()

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


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    turn = next(_turn)
    kwargs["auth"] = _set_client_ip(f"10.0.{turn // 250}.{turn % 250}")
    path, wrong = case.operation.path, case.meta is None
    wrong = wrong or case.meta.is_negative_at(ParameterLocation.PATH)
    if path in PATH_RESOURCES and not wrong and turn % 4:
        parameter, kind, attribute = PATH_RESOURCES[path]
        case.path_parameters[parameter] = RESOURCES.get_or_create(kind)[attribute]
        if (case.method, path) in CONSUMED_BY:
            del RESOURCES.created[kind]
