"""Harnesses for the conformance tests: real provider clients, each against a local server that
keeps orders, changes their status on request and sends webhooks."""

import copy
import hashlib
import hmac
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import OrderRequest, ProviderQuoteRequest, RampProvider
from tests.adapters.ramps.provider_servers import (
    HOOK_SECRET,
    REFUNDS,
    SECRET,
    ProviderServer,
    ReceivedRequest,
    b64,
    has_paycrest_key,
    is_signed_for_fonbnk,
    is_signed_for_yellow_card,
    new_fonbnk,
    new_http_client,
    new_paycrest,
    new_yellow_card,
    recorded_responses,
    running_server,
)
from tests.adapters.ramps.requests import AT, channel_for, order_request, quote_request

ON, OFF = Direction.ON, Direction.OFF
HUNDRED = 100_000_000
ON_CHAIN = "0x" + "ab" * 32


class LocalProviderHarness:
    """A local server, a client, and the server's orders by the provider's id."""

    serves = (ON, OFF)
    cancels = True
    name: ProviderName
    quoted: Mapping[Direction, int]

    def __init__(self, allowed: Any, make: Any) -> None:
        self._ends = ExitStack()
        self.server = self._ends.enter_context(running_server(ProviderServer(allowed)))
        self.provider: RampProvider = make(
            self.server.url, self._ends.enter_context(new_http_client())
        )
        can = self.provider.capabilities
        served = tuple(token for token in can.tokens if token.chain in REFUNDS)
        self.provider.capabilities = replace(can, tokens=served)
        self.orders: dict[str, dict[str, Any]] = {}

    def now(self) -> datetime:
        return AT

    def ask(self, direction: Direction) -> ProviderQuoteRequest:
        return quote_request(direction, HUNDRED)

    def channels(self, direction: Direction) -> list[Channel]:
        return [channel_for(self.name, direction, "NGN")]

    def opening(self, direction: Direction, reference: str) -> OrderRequest:
        quoted = self.quoted[direction]
        return order_request(self.name, direction, HUNDRED, quoted, reference=reference)

    def opened(self) -> int:
        return len(self.orders)

    def silence(self, silent: bool) -> None:
        self.server.unavailable = silent

    def close(self) -> None:
        self._ends.close()


class FonbnkHarness(LocalProviderHarness):
    """Fonbnk: orders contain their status history."""

    name = ProviderName.FONBNK
    quoted: Mapping[Direction, int] = {ON: 15_312_800, OFF: 14_844_999}

    def __init__(self, _: Path) -> None:
        super().__init__(is_signed_for_fonbnk, new_fonbnk)
        self._said = recorded_responses("fonbnk")
        answers = self.server.responses
        answers["POST /api/v2/quote"] = self._quote
        answers["POST /api/v2/order"] = self._create
        answers["GET /api/v2/order"] = self._find
        answers["POST /api/v2/order/cancel"] = self._cancel
        answers["POST /api/v2/order/confirm"] = lambda call: self.orders[call.json["orderId"]]

    def _quote(self, call: ReceivedRequest) -> Any:
        on = call.json["deposit"]["currencyType"] == "fiat"
        return self._said["quote_on" if on else "quote_off"]

    def _create(self, call: ReceivedRequest) -> Any:
        on = call.json["deposit"]["currencyType"] == "fiat"
        order = copy.deepcopy(self._said["order_on" if on else "order_off"])
        id_ = f"{len(self.orders) + 1:024x}"
        self.orders[id_] = order | {"_id": id_, "merchantOrderParams": call.json["orderParams"]}
        return {"order": self.orders[id_], "quoteUsed": False}

    def _find(self, call: ReceivedRequest) -> Any:
        for id_, order in self.orders.items():
            if call.query in ({"orderId": id_}, {"orderParams": order["merchantOrderParams"]}):
                return order
        return 404, {"message": "Order not found"}

    def _cancel(self, call: ReceivedRequest) -> Any:
        order = self.orders[call.json["orderId"]]
        if order["status"] != "deposit_awaiting":
            return 400, {"message": "The order cannot be canceled"}
        self._move(order, "deposit_canceled")
        return order

    def _move(self, order: dict[str, Any], status: str) -> None:
        history = order["statusChangeHistory"]
        at = f"2026-11-21T12:{len(history):02d}:30Z"
        history.append({"oldStatus": order["status"], "newStatus": status, "date": at})
        order |= {"status": status, "updatedAt": at}

    def pay(self, reference: str) -> None:
        self._move(self.orders[reference], "deposit_successful")

    def deliver(self, reference: str) -> None:
        self._move(self.orders[reference], "payout_pending")
        self.orders[reference]["payout"]["transaction"] = {"meta": {"transactionHash": ON_CHAIN}}
        self._move(self.orders[reference], "payout_successful")

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        message = {"event": "order-status-change", "data": {"order": self.orders[reference]}}
        body = json.dumps(message).encode()
        return self.sign(body), body

    def sign(self, body: bytes) -> dict[str, str]:
        secret = hashlib.sha256(HOOK_SECRET.encode()).hexdigest().encode()
        return {"x-signature": hashlib.sha256(body + secret).hexdigest()}


class PaycrestHarness(LocalProviderHarness):
    """Paycrest: orders contain their current status only and cannot be cancelled."""

    name = ProviderName.PAYCREST
    cancels = False
    quoted: Mapping[Direction, int] = {ON: 14_982_500, OFF: 14_805_050}

    def __init__(self, _: Path) -> None:
        super().__init__(has_paycrest_key, new_paycrest)
        self._said = recorded_responses("paycrest")
        answers = self.server.responses
        answers["GET /v2/rates/base/USDC/100/NGN"] = self._said["rates"]
        answers["POST /v2/sender/orders"] = self._create
        answers["GET /v2/sender/orders"] = lambda _: self._shell(
            {"total": len(self.orders), "orders": list(self.orders.values())[::-1]}
        )

    def _shell(self, data: Any) -> dict[str, Any]:
        return {"status": "success", "message": "", "data": data}

    def _create(self, call: ReceivedRequest) -> Any:
        on = call.json["source"]["type"] == "fiat"
        id_ = f"550e8400-e29b-41d4-a716-{len(self.orders):012d}"
        order = copy.deepcopy(self._said["created_on" if on else "created_off"]["data"])
        fields = {"id": id_, "reference": call.json["reference"], "rate": call.json["rate"]}
        self.orders[id_] = order | fields | {"direction": "onramp" if on else "offramp"}
        path = f"GET /v2/sender/orders/{id_}"
        self.server.responses[path] = lambda _: self._shell(self.orders[id_])
        return 201, self._shell(self.orders[id_])

    def pay(self, reference: str) -> None:
        on = self.orders[reference]["direction"] == "onramp"
        self.orders[reference]["status"] = "pending" if on else "deposited"

    def deliver(self, reference: str) -> None:
        self.orders[reference] |= {"status": "settled", "txHash": ON_CHAIN}

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        order = self.orders[reference]
        message = {
            "event": f"payment_order.{order['status']}",
            "webhookVersion": "2",
            "data": order,
        }
        body = json.dumps(message).encode()
        return self.sign(body), body

    def sign(self, body: bytes) -> dict[str, str]:
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        return {"x-paycrest-signature": signature}


class YellowCardHarness(LocalProviderHarness):
    """Yellow Card: orders are found by our reference, under a path per direction."""

    name = ProviderName.YELLOW_CARD
    quoted: Mapping[Direction, int] = {ON: 16_308_400, OFF: 15_878_400}

    def __init__(self, _: Path) -> None:
        super().__init__(is_signed_for_yellow_card, new_yellow_card)
        self._said = recorded_responses("yellow_card")
        answers = self.server.responses
        answers["GET /business/rates"] = self._said["rates"]
        answers["POST /business/fees/get-config"] = self._said["fees"]
        answers["GET /business/networks"] = self._said["networks"]
        answers["POST /business/receive"] = lambda call: self._create("receive", call)
        answers["POST /business/send"] = lambda call: self._create("send", call)

    def opening(self, direction: Direction, reference: str) -> OrderRequest:
        # An unpaid send order expires.
        self.cancels = direction is ON
        return super().opening(direction, reference)

    def _create(self, kind: str, call: ReceivedRequest) -> Any:
        ours, id_ = call.json["sequenceId"], f"0a89dce0-{len(self.orders):04d}"
        order = copy.deepcopy(self._said[kind]) | {"id": id_, "sequenceId": ours}
        self.orders[f"{kind}:{ours}"] = order
        folder = "receive" if kind == "receive" else "payments"
        answers = self.server.responses
        answers[f"GET /business/{folder}/sequence-id/{unquote(ours)}"] = lambda _: order
        answers[f"POST /business/receive/{id_}/cancel"] = lambda _: self._cancel(order)
        return order

    def _cancel(self, order: dict[str, Any]) -> Any:
        if order["status"] not in ("pending", "processing"):
            return 400, {"code": "PaymentInvalidState", "message": "not in processing/pending"}
        order["status"] = "cancelled"
        return order

    def pay(self, reference: str) -> None:
        received = reference.startswith("receive:")
        self.orders[reference]["status"] = "complete" if received else "processing"

    def deliver(self, reference: str) -> None:
        self.orders[reference]["status"] = "complete"
        if reference.startswith("receive:"):
            self.orders[reference]["settlementInfo"]["txHash"] = ON_CHAIN

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        order, kind = self.orders[reference], reference.partition(":")[0]
        message = {key: order[key] for key in ("id", "sequenceId", "status")}
        event = f"{kind.upper()}.{order['status'].upper()}"
        body = json.dumps(message | {"event": event, "partnerNote": reference}).encode()
        return self.sign(body), body

    def sign(self, body: bytes) -> dict[str, str]:
        signature = hmac.new(SECRET.encode(), body, hashlib.sha256).digest()
        return {"x-yc-signature": b64(signature)}
