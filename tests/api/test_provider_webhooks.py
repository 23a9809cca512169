"""Webhooks of providers: signed, without an API key, possibly repeated."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.adapters.ramps.sandbox.simulated_provider import SimulatedProvider
from crossway.adapters.ramps.sandbox.webhooks import SIGNATURE, TIMESTAMP
from crossway.api.rate_limits import PROVIDER_WEBHOOKS_PER_MINUTE
from crossway.bootstrap import Service
from crossway.domain.public_ids import RecordKind
from tests.api.conftest import Api, new_key, new_test_client
from tests.api.ramp_requests import (
    create_order,
    get_order,
    new_email,
    order_body,
    pass_time,
    verified_customer,
    wait_for_status,
)
from tests.record_numbers import record_id

UNAUTHORIZED = 401


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """A process of its own for each test: its windows are empty."""
    with new_test_client(service.services) as client:
        yield client


def call_of(api: Api, order: Any) -> tuple[dict[str, str], bytes]:
    """The headers and body of the webhook that the order's provider would send now."""
    services = api.service.services
    with services.store.read() as unit:
        stored = unit.orders.get(record_id(services, RecordKind.ORDER, order["id"]))
    assert stored is not None
    provider = next(ramp for ramp in services.ramps if ramp.name == stored.provider)
    assert isinstance(provider, SimulatedProvider)
    return provider.webhook(stored.provider_reference)


def sent(api: Api, provider: str, headers: dict[str, str], body: bytes) -> Any:
    """Send a provider's webhook, without an API key."""
    return api.http.post(f"/api/v1/ramp/webhooks/{provider}", content=body, headers=headers)


def paid(api: Api, order: Any) -> None:
    """Let the provider receive the payment without reporting it."""
    body = {"outcome": "paid"}
    assert api.post(f"/sandbox/ramp/orders/{order['id']}", body).status_code == 200


def test_a_signed_webhook_updates_its_order_once(api: Api) -> None:
    order = create_order(api)
    paid(api, order)
    call = call_of(api, order)
    for _ in range(3):
        answer = sent(api, "YELLOW_CARD", *call)
        assert (answer.status_code, answer.json()) == (200, {"success": True})
        assert get_order(api, order)["status"] == "PROCESSING"
    wait_for_status(api, order, "COMPLETED")
    assert sent(api, "YELLOW_CARD", *call).status_code == 200
    assert get_order(api, order)["status"] == "COMPLETED"


@pytest.mark.parametrize("what", ["nothing", "signature", "body", "provider", "age"])
def test_a_forged_webhook_is_401_and_changes_nothing(api: Api, what: str) -> None:
    order = create_order(api)
    paid(api, order)
    headers, body = call_of(api, order)
    provider = "YELLOW_CARD"
    if what == "nothing":
        headers = {}
    elif what == "signature":
        headers = {**headers, SIGNATURE: "0" * 64}
    elif what == "body":
        body = body.replace(b"paid", b"delivered")
    elif what == "provider":
        provider = "FONBNK"
    else:
        headers = {**headers, TIMESTAMP: "1"}
    before = get_order(api, order)
    answer = sent(api, provider, headers, body)
    assert answer.status_code == 401, answer.text
    assert answer.json()["statusCode"] == UNAUTHORIZED
    assert get_order(api, order) == before


def test_an_api_key_does_not_replace_the_signature(api: Api) -> None:
    answer = sent(api, "YELLOW_CARD", api.headers(), b"{}")
    assert answer.status_code == 401


@pytest.mark.parametrize("name", ["NOBODY", "yellow", "%20"])
def test_a_webhook_of_an_unknown_provider_is_rejected(api: Api, name: str) -> None:
    assert sent(api, name, {}, b"{}").status_code in (400, 401, 404)


def test_webhooks_are_rate_limited_by_ip_address(api: Api) -> None:
    statuses = [
        sent(api, "FONBNK", {}, b"{}").status_code for _ in range(PROVIDER_WEBHOOKS_PER_MINUTE + 1)
    ]
    assert statuses == [401] * PROVIDER_WEBHOOKS_PER_MINUTE + [429]
    assert api.get("/chains").status_code == 200
    assert api.http.get("/api/v1/chains").status_code == 401, "that window is another one"


def test_a_webhook_body_is_limited_to_64_kib(api: Api) -> None:
    assert sent(api, "FONBNK", {}, b" " * 65_537).status_code == 413


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/sandbox/ramp/orders/{id}", {}, "outcome"),
        ("/sandbox/ramp/orders/{id}", {"outcome": "lost"}, "outcome"),
        ("/sandbox/ramp/orders/{id}", {"outcome": "paid", "x": 1}, "x is not a known field"),
        ("/sandbox/ramp/orders/{id}", {"outcome": "refunded"}, "order"),
        ("/sandbox/kyc", {}, "provider"),
        ("/sandbox/kyc", {"provider": "NOBODY"}, "provider"),
        ("/sandbox/kyc", {"provider": "FONBNK"}, "userEmail"),
        ("/sandbox/kyc", {"kycType": "gold"}, "kycType"),
        ("/sandbox/kyc", {"status": "perhaps"}, "status"),
        ("/sandbox/ramp/providers/NOBODY/faults", {"repeat": True}, "provider"),
        ("/sandbox/ramp/providers/FONBNK/faults", {"repeat": "yes"}, "repeat"),
        ("/sandbox/ramp/providers/FONBNK/faults", {"downSeconds": -1}, "downSeconds"),
        ("/sandbox/ramp/providers/FONBNK/faults", {"refuseNext": "x"}, "refuseNext"),
        ("/sandbox/ramp/providers/FONBNK/faults", {"kyc": "perhaps"}, "kyc"),
        ("/sandbox/ramp/providers/FONBNK/faults", {"mood": 1}, "mood is not a known"),
    ],
)
def test_the_sandbox_rejects_invalid_fields_by_name(
    api: Api, path: str, body: dict[str, Any], field: str
) -> None:
    if "{id}" in path:
        path = path.format(id=create_order(api)["id"])
    if "kycType" in body or "status" in body:
        good = {"provider": "FONBNK", "userEmail": new_email(), "kycType": "basic"}
        body = {**good, "status": "approved", **body}
    answer = api.post(path, body)
    assert answer.status_code == 400, answer.text
    assert field.lower() in answer.json()["message"].lower()


def test_provider_faults_are_set_and_shown(api: Api) -> None:
    path = "/sandbox/ramp/providers/PAYCREST/faults"
    answer = api.post(path, {"repeat": True, "deliverSeconds": 60})
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"success", "provider", "faults"}
    assert answer.json()["faults"]
    off = api.post(path, {"repeat": False, "deliverSeconds": 15})
    assert not off.json()["faults"].get("repeat")


def test_an_unavailable_provider_is_excluded_and_named(api: Api) -> None:
    path = "/sandbox/ramp/providers/PAYCREST/faults"
    assert api.post(path, {"downSeconds": 60}).status_code == 200
    params = {"fiatCurrency": "NGN", "cryptoAmount": 25, "destinationChain": "BASE"}
    body = api.get("/ramp/quotes", **params).json()
    assert "PAYCREST" in body["providersQueried"]
    assert [left["provider"] for left in body["providersLeftOut"]] == ["PAYCREST"]
    assert "PAYCREST" not in {quote["provider"] for quote in body["quotes"]}
    pass_time(api, 61)
    assert len(api.get("/ramp/quotes", **params).json()["quotes"]) == 3


def test_a_price_above_the_quote_fails_the_order(api: Api) -> None:
    path = "/sandbox/ramp/providers/FONBNK/faults"
    body = order_body(api, "FONBNK")
    assert api.post(path, {"overchargeBps": 100}).status_code == 200
    order = api.post("/ramp/orders", body).json()
    api.post(path, {"overchargeBps": 0})
    assert order["status"] == "FAILED"
    assert str(order["fiatAmount"]).split(".")[0] in order["failureReason"].replace(",", "")


def test_the_live_environment_has_no_sandbox(service: Service) -> None:
    with new_test_client(replace(service.services, ramp_sandbox=None)) as http:
        live = Api(http, service, *new_key(service))
        for path in ("orders/1", "providers/FONBNK/faults"):
            answer = live.post(f"/sandbox/ramp/{path}", {})
            assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")
        assert live.post("/sandbox/kyc", {}).status_code == 404


def test_the_kyc_status_set_at_the_provider_applies(api: Api) -> None:
    email = verified_customer(api, "YELLOW_CARD", "basic")
    corridor = {"provider": "YELLOW_CARD", "countryCode": "NG", "fiatCurrency": "NGN"}
    status = api.get("/ramp/kyc", **corridor, userEmail=email).json()
    assert (status["currentKycType"], status["currentKycStatus"]) == ("basic", "approved")
    body = {"provider": "YELLOW_CARD", "userEmail": email, "kycType": "basic"}
    assert api.post("/sandbox/kyc", {**body, "status": "rejected"}).status_code == 200
    status = api.get("/ramp/kyc", **corridor, userEmail=email).json()
    assert (status["currentKycStatus"], status["limitUsd"]) == ("rejected", 0)
