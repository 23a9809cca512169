"""What schemathesis does before each request: most paths shall name something that exists."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import schemathesis
from schemathesis.core.parameters import ParameterLocation

from tests.api.conftest import Api
from tests.api.ramps import open_order

# What a path names: its parameter, a kind of resource, and which of its fields.
NAMED: dict[str, tuple[str, str, str]] = {
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
USED_UP = frozenset(
    {
        ("POST", "/v1/intents/{intentAddress}/trigger-processing"),
        ("POST", "/v1/ramp/orders/{id}/confirm"),
        ("POST", "/v1/ramp/orders/{id}/cancel"),
        ("DELETE", "/v1/webhooks/{id}"),
    }
)
_turn = count()


@dataclass
class Shop:
    """Resources of the asking client, each made when it is first needed."""

    api: Api
    kept: dict[str, Any] = field(default_factory=dict)

    def one_of(self, kind: str) -> Any:
        if kind not in self.kept:
            self.kept[kind] = getattr(self, f"_{kind}")()
        return self.kept[kind]

    def _intent(self) -> Any:
        return self.api.create().json()

    def _paid(self) -> Any:
        intent = self._intent()
        asked = {"address": intent["intent_address"], "amount": "exact"}
        self.api.post("/sandbox/deposits", asked)
        self.api.post("/sandbox/clock", {"advanceSeconds": 60})
        return intent

    def _order(self) -> Any:
        return open_order(self.api)

    def _webhook(self) -> Any:
        return self.api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()

    def _delivery(self) -> Any:
        return self.api.post(f"/webhooks/{self._webhook()['id']}/test").json()


SHOP = Shop(
    Api(
        httpx.Client(base_url=os.environ["SCHEMA_URL"], timeout=30),  # type: ignore[arg-type]
        None,  # type: ignore[arg-type]
        "",
        0,
        os.environ["SCHEMA_KEY"],
    )
)


def _from(address: str) -> Callable[[Any], Any]:
    """Let a request come from an address of its own: of one, few may come without a key. A header
    of the case itself would count as part of what is tested."""

    def told(request: Any) -> Any:
        request.headers["X-Forwarded-For"] = address
        return request

    return told


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    turn = next(_turn)
    kwargs["auth"] = _from(f"10.0.{turn // 250}.{turn % 250}")
    path, wrong = case.operation.path, case.meta is None
    wrong = wrong or case.meta.is_negative_at(ParameterLocation.PATH)
    if path in NAMED and not wrong and turn % 4:
        parameter, kind, attribute = NAMED[path]
        case.path_parameters[parameter] = SHOP.one_of(kind)[attribute]
        if (case.method, path) in USED_UP:
            del SHOP.kept[kind]
