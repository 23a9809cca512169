"""Errors of ramp orders, naming the field."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope
from tests.api.conftest import WALLET, Api, new_key
from tests.api.ramp_requests import PROVIDERS, create_order, get_order, order_body


@pytest.mark.parametrize("action", ["confirm", "cancel"])
def test_an_unknown_order_is_404_in_the_shape_of_its_endpoint(api: Api, action: str) -> None:
    answer = api.post(f"/ramp/orders/999999999/{action}")
    assert answer.status_code == 404
    assert answer.json() == {
        "success": False,
        "message": "Order not found",
        "code": "order_not_found",
    }
    for path in ("/ramp/orders/999999999", f"/ramp/orders/by-intent/{WALLET}"):
        answer = api.get(path)
        assert answer.status_code == 404
        assert answer.json() == {
            "statusCode": 404,
            "message": "Order not found",
            "code": "order_not_found",
        }


@pytest.mark.parametrize("number", ["abc", "-1", "1.5", "9" * 30])
def test_an_id_must_be_a_whole_number(api: Api, number: str) -> None:
    assert api.get(f"/ramp/orders/{number}").status_code == 400
    for action in ("confirm", "cancel"):
        answer = api.post(f"/ramp/orders/{number}/{action}")
        assert answer.status_code == 400
        assert "id" in answer.json()["message"]


BAD: list[tuple[str, Any, str]] = [
    ("type", "sideways", "type"),
    ("type", 1, "type"),
    ("provider", None, "provider"),
    ("provider", "NOBODY", "provider"),
    ("fiatCurrency", None, "fiatCurrency"),
    ("fiatCurrency", "XXX", "fiatCurrency"),
    ("fiatCurrency", "INR", "provider"),
    ("cryptoAmount", None, "cryptoAmount"),
    ("cryptoAmount", 0, "cryptoAmount"),
    ("cryptoAmount", -1, "cryptoAmount"),
    ("cryptoAmount", True, "cryptoAmount"),
    ("cryptoAmount", [25], "cryptoAmount"),
    ("cryptoAmount", "1e3", "cryptoAmount"),
    ("cryptoAmount", "1.0000001", "cryptoAmount"),
    ("cryptoAmount", 0.5, "cryptoAmount"),
    ("cryptoAmount", 10**12, "cryptoAmount"),
    ("destinationChain", None, "destinationChain"),
    ("destinationChain", "MARS", "destinationChain"),
    ("amountSymbol", "DOGE", "amountSymbol"),
    ("amountSymbol", 5, "amountSymbol"),
    ("recipientAddress", None, "recipientAddress"),
    ("recipientAddress", "0x12", "recipientAddress"),
    ("countryCode", "KE", "countryCode"),
    ("countryCode", 5, "countryCode"),
    ("userEmail", "nobody", "userEmail"),
    ("userEmail", 5, "userEmail"),
    ("fields", "text", "fields"),
    ("fields", {"shoe_size": "44"}, "fields.shoe_size"),
    ("colour", "red", "colour is not a known field"),
]


@pytest.mark.parametrize(("field", "value", "named"), BAD)
def test_each_invalid_order_field_is_named(api: Api, field: str, value: Any, named: str) -> None:
    body = {**order_body(api), field: value}
    answer = api.post("/ramp/orders", body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert named in answer.json()["message"]
    assert api.get("/ramp/orders").json()["total"] == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sourceChain", None),
        ("sourceChain", "MARS"),
        ("senderAddress", None),
        ("senderAddress", "0x12"),
        ("provider", "ONRAMP_MONEY"),
    ],
)
def test_each_invalid_off_ramp_field_is_named(api: Api, field: str, value: Any) -> None:
    answer = api.post("/ramp/orders", {**order_body(api, type="off-ramp"), field: value})
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"]


def test_an_unknown_provider_is_rejected_listing_the_four(api: Api) -> None:
    message = api.post("/ramp/orders", {**order_body(api), "provider": "NOBODY"}).json()["message"]
    assert all(name in message for name in PROVIDERS)


def test_each_missing_channel_field_is_named(api: Api) -> None:
    for kind in ("on-ramp", "off-ramp"):
        body = order_body(api, type=kind)
        for key in body["fields"]:
            without = {k: v for k, v in body["fields"].items() if k != key}
            answer = api.post("/ramp/orders", {**body, "fields": without})
            assert answer.status_code == 400, answer.text
            assert f"fields.{key}" in answer.json()["message"]


def test_a_direct_order_without_the_users_email_is_403(api: Api) -> None:
    for kind in ("on-ramp", "off-ramp"):
        body = {k: v for k, v in order_body(api, type=kind).items() if k != "userEmail"}
        answer = api.post("/ramp/orders", body)
        assert answer.status_code == 403, answer.text
        assert answer.json()["statusCode"] == 403
        assert "userEmail" in answer.json()["message"]
    hosted = order_body(api, "ONRAMP_MONEY", fiatCurrency="INR")
    del hosted["userEmail"]
    assert api.post("/ramp/orders", hosted).status_code == 201


def test_a_live_key_cannot_be_used_with_test_networks(http: TestClient, service: Service) -> None:
    live = Api(http, service, *new_key(service, Mode.LIVE))
    answer = live.post("/ramp/orders", {**order_body(live), "destinationChain": "ARBITRUM_TESTNET"})
    assert answer.status_code == 400
    assert "A live key cannot be used with test networks" in answer.json()["message"]
    assert create_order(live)["status"] == "INITIATED"


@pytest.mark.parametrize(
    "params",
    [
        {"limit": 0}, {"limit": 101}, {"limit": "x"}, {"offset": -1}, {"status": "PAID"},
        {"cursor": "x"}, {"cursor": "9" * 30}, {"cursor": "1" * 5000}, {"type": "up"},
        {"provider": "NOBODY"}, {"fiatCurrency": "XXX"},
    ],
)  # fmt: skip
def test_a_list_rejects_invalid_parameters(api: Api, params: dict[str, Any]) -> None:
    answer = api.get("/ramp/orders", **params)
    assert answer.status_code == 400
    assert next(iter(params)) in answer.json()["message"]


@pytest.fixture
def other(http: TestClient, service: Service) -> Api:
    return Api(http, service, *new_key(service))


def test_a_client_sees_its_own_orders_only(api: Api, other: Api) -> None:
    order = create_order(api)
    assert other.get(f"/ramp/orders/{order['id']}").status_code == 404
    assert other.get(f"/ramp/orders/by-intent/{order['intentAddress']}").status_code == 404
    assert other.get("/ramp/orders").json()["orders"] == []
    for action in ("confirm", "cancel"):
        assert other.post(f"/ramp/orders/{order['id']}/{action}").status_code == 404
    body = {"outcome": "paid"}
    assert other.post(f"/sandbox/ramp/orders/{order['id']}", body).status_code == 404
    assert get_order(api, order)["status"] == "INITIATED"


def test_a_read_only_key_cannot_create_orders(api: Api) -> None:
    order = create_order(api)
    scopes = frozenset({Scope.READ})
    reader = Api(api.http, api.service, *new_key(api.service, scopes=scopes))
    for path in ("", f"/{order['id']}/confirm", f"/{order['id']}/cancel"):
        answer = reader.post(f"/ramp/orders{path}", {})
        assert answer.status_code == 403
        assert answer.json() == {
            "statusCode": 403,
            "message": "This key lacks the scope: write",
            "code": "scope_missing",
        }
