"""Ramp orders over HTTP."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from crossway.api.schemas import expanded
from crossway.api.schemas import kyc as checked
from crossway.api.schemas import ramp_orders as shapes
from crossway.api.schemas import ramps as quoted
from crossway.domain.errors import Unreachable
from tests.api.conftest import WALLET, Api, new_test_client
from tests.api.ramp_requests import (
    ORDER_FIELDS,
    create_order,
    get_order,
    get_quote,
    new_email,
    order_body,
    pass_time,
    report,
    verified_customer,
    wait_for_status,
)

QUESTION = ("type", "fiatCurrency", "cryptoAmount", "sourceChain", "destinationChain")


def test_an_on_ramp_order_has_exactly_its_fields(api: Api) -> None:
    body = order_body(api)
    answer = api.post("/ramp/orders", body)
    order = answer.json()
    assert answer.status_code == 201, answer.text
    assert set(order) == ORDER_FIELDS
    assert (order["type"], order["status"]) == ("on-ramp", "INITIATED")
    assert (order["provider"], order["fiatCurrency"]) == ("YELLOW_CARD", "NGN")
    assert (order["cryptoCurrency"], order["cryptoAmount"]) == ("USDC", 25)
    assert order["recipientAddress"] == WALLET
    assert order["destinationChain"] == "ARBITRUM_MAINNET"
    assert order["countryCode"] == "NG"
    assert order["paymentInstructions"]
    assert order["intentAddress"]
    assert (order["grossDepositAmount"], order["depositChain"]) == (None, None)
    assert (order["failureReason"], order["completedAt"]) == (None, None)
    assert order["expiresAt"].endswith(".000Z")
    assert body["userEmail"] not in answer.text
    assert get_order(api, order) == order
    assert api.get(f"/ramp/orders/by-intent/{order['intentAddress']}").json() == order


def test_an_off_ramp_order_states_deposit_amount_and_address(api: Api) -> None:
    order = create_order(api, type="off-ramp")
    assert set(order) == ORDER_FIELDS
    assert (order["type"], order["status"]) == ("off-ramp", "INITIATED")
    assert (order["senderAddress"], order["recipientAddress"]) == (WALLET, None)
    assert (order["sourceChain"], order["depositChain"]) == ("BASE_MAINNET", "BASE_MAINNET")
    assert int(order["grossDepositAmount"]) >= 25_000_000
    assert order["intentAddress"]
    assert get_order(api, order) == order


def test_a_deposit_amount_has_the_decimals_of_its_token(api: Api) -> None:
    """USDC has 18 places on BSC and 6 elsewhere."""
    for chain, places in (("BSC_MAINNET", 18), ("BASE_MAINNET", 6)):
        order = create_order(api, type="off-ramp", sourceChain=chain)
        formatted = Decimal(order["grossDepositAmountFormatted"])
        assert 25 <= formatted < 26
        assert formatted.scaleb(places) == int(order["grossDepositAmount"])
        assert order["cryptoAmount"] == 25
        paid = {"address": order["intentAddress"], "amount": order["grossDepositAmount"]}
        assert api.post("/sandbox/deposits", paid).status_code == 200
        wait_for_status(api, order, "PROCESSING")


def test_an_order_costs_what_was_quoted(api: Api) -> None:
    for kind in ("on-ramp", "off-ramp"):
        body = order_body(api, type=kind)
        about = {k: v for k, v in body.items() if k in QUESTION}
        quote = get_quote(api, "YELLOW_CARD", **about)
        order = api.post("/ramp/orders", body).json()
        assert order["fiatAmount"] == quote["fiatAmount"]
        assert order["grossDepositAmount"] == quote.get("grossDepositAmount")


@pytest.mark.parametrize("provider", ["FONBNK", "PAYCREST", "YELLOW_CARD"])
def test_an_on_ramp_goes_from_order_to_completed(api: Api, provider: str) -> None:
    order = create_order(api, provider)
    report(api, order, "paid")
    assert wait_for_status(api, order, "PROCESSING")["completedAt"] is None
    report(api, order, "delivered")
    done = wait_for_status(api, order, "COMPLETED")
    assert done["completedAt"]
    assert done["providerTxHash"]
    intent = api.get(f"/intents/address/{order['intentAddress']}").json()
    assert intent["intent_status"] == "COMPLETED"
    assert intent["recipient"] == WALLET


def test_a_hosted_order_has_a_widget_url(api: Api) -> None:
    order = create_order(api, "ONRAMP_MONEY", fiatCurrency="INR")
    assert order["widgetUrl"]
    assert create_order(api)["widgetUrl"] is None
    report(api, order, "delivered")
    assert wait_for_status(api, order, "COMPLETED")["widgetUrl"] == order["widgetUrl"]


@pytest.mark.parametrize("provider", ["FONBNK", "PAYCREST", "YELLOW_CARD"])
def test_an_off_ramp_goes_from_order_to_completed(api: Api, provider: str) -> None:
    order = create_order(api, provider, type="off-ramp")
    paid = {"address": order["intentAddress"], "amount": order["grossDepositAmount"]}
    assert api.post("/sandbox/deposits", paid).status_code == 200
    wait_for_status(api, order, "PROCESSING")
    intent = api.get(f"/intents/address/{order['intentAddress']}").json()
    assert intent["refund_address"] == WALLET
    done = wait_for_status(api, order, "COMPLETED", times=80)
    assert done["completedAt"]


class Silent:
    """A provider that quotes and then no longer responds."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def create_order(self, order: Any) -> Any:
        raise Unreachable("the provider is down")


def pending(api: Api) -> Any:
    services = api.service.services
    silent = [Silent(provider) for provider in services.ramps]
    with new_test_client(replace(services, ramps=silent)) as http:
        return create_order(replace(api, http=http))


def confirmed(api: Api) -> Any:
    order = create_order(api)
    assert api.post(f"/ramp/orders/{order['id']}/confirm").status_code == 200
    return order


def failed(api: Api) -> Any:
    order = create_order(api)
    report(api, order, "paid")
    report(api, order, "failed")
    return wait_for_status(api, order, "FAILED")


def refunded(api: Api) -> Any:
    order = failed(api)
    report(api, order, "refunded")
    return order


def completed(api: Api) -> Any:
    order = create_order(api)
    report(api, order, "delivered")
    return wait_for_status(api, order, "COMPLETED")


def cancelled(api: Api) -> Any:
    order = create_order(api)
    assert api.post(f"/ramp/orders/{order['id']}/cancel").status_code == 200
    return order


def expired(api: Api) -> Any:
    order = create_order(api)
    pass_time(api, 7_200)
    return wait_for_status(api, order, "EXPIRED")


REACHED: dict[str, Callable[[Api], Any]] = {
    "PENDING": pending,
    "INITIATED": create_order,
    "PROCESSING": confirmed,
    "COMPLETED": completed,
    "CANCELLED": cancelled,
    "EXPIRED": expired,
    "FAILED": failed,
    "REFUNDED": refunded,
}
ALLOWED = {
    ("PENDING", "cancel"): "CANCELLED",
    ("INITIATED", "confirm"): "PROCESSING",
    ("INITIATED", "cancel"): "CANCELLED",
}


@pytest.mark.parametrize("action", ["confirm", "cancel"])
@pytest.mark.parametrize("status", REACHED)
def test_confirm_and_cancel_do_what_the_table_allows(api: Api, status: str, action: str) -> None:
    order = REACHED[status](api)
    assert get_order(api, order)["status"] == status
    answer = api.post(f"/ramp/orders/{order['id']}/{action}")
    to = ALLOWED.get((status, action))
    if to is None:
        assert answer.status_code == 400, answer.text
        message = f"Order has invalid status: {status}"
        assert answer.json() == {"success": False, "message": message, "code": "invalid_status"}
        assert get_order(api, order)["status"] == status
    else:
        assert answer.status_code == 200, answer.text
        assert set(answer.json()) == {"success", "order"}
        assert answer.json()["success"] is True
        assert answer.json()["order"]["status"] == to
        assert get_order(api, order) == answer.json()["order"]


def test_an_amount_is_a_number_or_a_decimal_string(api: Api) -> None:
    for amount, expected in (
        (25, "25"),
        (25.5, "25.5"),
        ("25.000001", "25.000001"),
        (0.1e3, "100"),
    ):
        answer = api.post("/ramp/orders", {**order_body(api), "cryptoAmount": amount})
        assert answer.status_code == 201, answer.text
        assert json.loads(answer.text, parse_float=str, parse_int=str)["cryptoAmount"] == expected


def test_a_list_is_newest_first_filtered_and_paged(api: Api) -> None:
    ids = [create_order(api)["id"] for _ in range(3)]
    ids.append(create_order(api, "FONBNK", fiatCurrency="KES")["id"])
    ids.append(create_order(api, type="off-ramp")["id"])
    api.post(f"/ramp/orders/{ids[0]}/cancel")
    page = api.get("/ramp/orders", limit=2).json()
    names = {"orders", "total", "totalIsMinimum", "limit", "offset", "nextCursor"}
    assert set(page) == names
    assert (page["total"], page["limit"], page["offset"]) == (5, 2, 0)
    listed_ids = [order["id"] for order in page["orders"]]
    while page["nextCursor"] is not None:
        page = api.get("/ramp/orders", limit=2, cursor=page["nextCursor"]).json()
        listed_ids += [order["id"] for order in page["orders"]]
    assert listed_ids == ids[::-1]
    skipped = api.get("/ramp/orders", limit=2, offset=2).json()["orders"]
    assert [order["id"] for order in skipped] == ids[::-1][2:4]
    for params, total in [
        ({"status": "CANCELLED"}, 1), ({"status": "initiated"}, 4), ({"type": "off-ramp"}, 1),
        ({"provider": "FONBNK"}, 1), ({"fiatCurrency": "NGN"}, 4), ({"status": "REFUNDED"}, 0),
        ({"type": "on-ramp", "provider": "YELLOW_CARD", "status": "INITIATED"}, 2),
    ]:  # fmt: skip
        assert api.get("/ramp/orders", **params).json()["total"] == total, params


def test_the_same_idempotency_key_creates_one_order(api: Api) -> None:
    body = order_body(api)
    first = api.post("/ramp/orders", body, Idempotency_Key="order-1")
    second = api.post("/ramp/orders", body, Idempotency_Key="order-1")
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert second.headers["idempotent-replayed"] == "true"
    assert api.get("/ramp/orders").json()["total"] == 1
    assert first.json()["status"] == "INITIATED", "kept with what the provider answered"
    other = {**body, "cryptoAmount": 26}
    assert api.post("/ramp/orders", other, Idempotency_Key="order-1").status_code == 422
    stopped = {**body, "userEmail": new_email()}
    refused = api.post("/ramp/orders", stopped, Idempotency_Key="order-2")
    again = api.post("/ramp/orders", stopped, Idempotency_Key="order-2")
    assert (refused.status_code, again.content) == (400, refused.content)
    assert verified_customer(api, "YELLOW_CARD") not in refused.text


def test_a_replay_returns_the_first_response_after_the_order_changed(api: Api) -> None:
    body = order_body(api)
    silent = [Silent(provider) for provider in api.service.services.ramps]
    with new_test_client(replace(api.service.services, ramps=silent)) as http:
        first = replace(api, http=http).post("/ramp/orders", body, Idempotency_Key="order-3")
    assert first.json()["status"] == "PENDING"
    assert wait_for_status(api, first.json(), "INITIATED")["paymentInstructions"]
    again = api.post("/ramp/orders", body, Idempotency_Key="order-3")
    assert again.content == first.content


def test_responses_match_the_documented_schemas(api: Api) -> None:
    for kind in ("on-ramp", "off-ramp"):
        body = order_body(api, type=kind)
        order = api.post("/ramp/orders", body).json()
        shapes.OrderOut.model_validate(order)
        about = {k: v for k, v in body.items() if k in QUESTION}
        quoted.RampQuotesOut.model_validate(api.get("/ramp/quotes", **about).json())
    expanded.OrderPage.model_validate(api.get("/ramp/orders").json())
    shapes.OrderDone.model_validate(api.post(f"/ramp/orders/{order['id']}/cancel").json())
    refused = api.post("/ramp/orders", {**body, "userEmail": new_email()}).json()
    checked.KycNeeded.model_validate(refused)
    corridor = {"provider": "YELLOW_CARD", "fiatCurrency": "NGN"}
    required = api.get("/ramp/kyc/requirements", **corridor).json()
    checked.RequirementsOut.model_validate(required)
    for listed, model in (
        ("currencies", quoted.CurrencyOut),
        ("countries", quoted.CountryOut),
    ):
        for item in api.get(f"/ramp/{listed}").json():
            model.model_validate(item)
