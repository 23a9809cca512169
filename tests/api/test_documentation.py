"""The OpenAPI document: complete, correct and available offline."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.api.app import create_api

ENDPOINTS = {
    ("post", "/v1/intents"),
    ("get", "/v1/intents"),
    ("get", "/v1/intents/address/{address}"),
    ("get", "/v1/intents/destination-address/{address}"),
    ("get", "/v1/intents/user/{sender}"),
    ("get", "/v1/intents/{id}"),
    ("post", "/v1/intents/{intentAddress}/trigger-processing"),
    ("post", "/v1/intents/{intentAddress}/refund"),
    ("get", "/v1/quotes/single"),
    ("get", "/v1/quotes/multiple"),
    ("get", "/v1/quotes/best"),
    ("get", "/v1/quotes/multi-source"),
    ("get", "/v1/router/supported-bridges/all"),
    ("get", "/v1/intents/{id}/timeline"),
    ("get", "/v1/router/supported-bridges/route"),
    ("get", "/v1/router/supported-routes/bridge/{bridge}"),
    ("get", "/v1/router/optimal-route"),
    ("get", "/v1/chains"),
    ("get", "/v1/chains/tokens/all"),
    ("get", "/v1/chains/balances/{address}"),
    ("get", "/v1/chains/{chain}/tokens"),
    ("get", "/v1/client/auth/client-info"),
    ("post", "/v1/ramp/orders"),
    ("get", "/v1/ramp/orders"),
    ("get", "/v1/ramp/orders/by-intent/{intentAddress}"),
    ("get", "/v1/ramp/orders/{id}"),
    ("post", "/v1/ramp/orders/{id}/confirm"),
    ("post", "/v1/ramp/orders/{id}/cancel"),
    ("post", "/v1/ramp/webhooks/{provider}"),
    ("get", "/v1/ramp/quotes"),
    ("get", "/v1/ramp/currencies"),
    ("get", "/v1/ramp/countries"),
    ("get", "/v1/ramp/kyc"),
    ("post", "/v1/ramp/kyc"),
    ("delete", "/v1/ramp/kyc"),
    ("post", "/v1/ramp/kyc/documents"),
    ("get", "/v1/ramp/kyc/requirements"),
    ("get", "/v1/kyc/state"),
    ("post", "/v1/sandbox/ramp/orders/{id}"),
    ("post", "/v1/sandbox/kyc"),
    ("post", "/v1/sandbox/ramp/providers/{provider}/faults"),
    ("get", "/v1/events"),
    ("get", "/v1/search"),
    ("post", "/v1/search"),
    ("post", "/v1/payment-links"),
    ("get", "/v1/payment-links"),
    ("get", "/v1/payment-links/{id}"),
    ("patch", "/v1/payment-links/{id}"),
    ("get", "/v1/payment-links/{id}/uses"),
    ("post", "/v1/webhooks"),
    ("get", "/v1/webhooks"),
    ("get", "/v1/webhooks/{id}"),
    ("patch", "/v1/webhooks/{id}"),
    ("delete", "/v1/webhooks/{id}"),
    ("post", "/v1/webhooks/{id}/rotate-secret"),
    ("post", "/v1/webhooks/{id}/test"),
    ("post", "/v1/webhooks/{id}/replay"),
    ("get", "/v1/webhooks/{id}/deliveries"),
    ("get", "/v1/webhooks/deliveries/{id}"),
    ("post", "/v1/webhooks/deliveries/{id}/replay"),
    ("post", "/v1/sandbox/deposits"),
    ("post", "/v1/sandbox/clock"),
    ("post", "/v1/sandbox/chains/{chain}/faults"),
    ("post", "/v1/sandbox/bridges/{bridge}/faults"),
    ("get", "/v1/sandbox/balances/{address}"),
}


@pytest.fixture
def document(http: TestClient) -> dict[str, Any]:
    body: dict[str, Any] = http.get("/api/openapi.json").json()
    return body


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(m, p, o) for p, item in document["paths"].items() for m, o in item.items()]


def test_the_documented_endpoints_are_those_of_the_specification(document: dict[str, Any]) -> None:
    assert {(method, path) for method, path, _ in operations(document)} == ENDPOINTS


def test_every_endpoint_and_field_is_described_with_an_example(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)
        for parameter in operation.get("parameters", []):
            assert parameter["description"], (path, parameter["name"])
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("description"), name
        for field, described in schema.get("properties", {}).items():
            assert described.get("description") or "$ref" in described, (name, field)


def test_every_request_and_response_has_an_example(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for method, path, operation in operations(document):
        for parameter in operation.get("parameters", []):
            schema = parameter["schema"]
            keywords = {"default", "examples", "minimum", "maxLength", "enum", "anyOf"} & set(
                schema
            )
            assert keywords, (path, parameter["name"])
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for body in bodies:
            for media_type in body["content"].values():
                for name, asked in media_type["schema"].get("properties", {}).items():
                    assert asked.get("description"), (method, path, name)
                    assert asked.get("examples"), (method, path, name)
        for status, answer in operation["responses"].items():
            for media_type in answer.get("content", {}).values():
                assert int(status) < 400 or media_type["example"], (method, path, status)
    for name, schema in schemas.items():
        for field, described in schema["properties"].items():
            leads_on = "$ref" in str(described)
            assert described.get("examples") or leads_on, (name, field)


def test_every_endpoint_documents_its_errors_and_none_of_the_framework(
    document: dict[str, Any],
) -> None:
    for method, path, operation in operations(document):
        assert {"401", "403", "429", "500"} <= set(operation["responses"]), (method, path)
        if method == "post":
            assert {"409", "413", "422"} <= set(operation["responses"]), path
            keyed = "Idempotency-Key" in {p["name"] for p in operation["parameters"]}
            assert keyed == ("security" not in operation), path
    assert "HTTPValidationError" not in str(document)
    assert "x-chains" not in str(document)


def test_every_endpoint_but_provider_webhooks_needs_a_key(document: dict[str, Any]) -> None:
    assert document["security"] == [{"key": []}]
    free = [path for _, path, operation in operations(document) if "security" in operation]
    assert free == ["/v1/ramp/webhooks/{provider}"]


def test_chains_and_symbols_are_enumerated(document: dict[str, Any]) -> None:
    intent = document["components"]["schemas"]["CreatedIntent"]["properties"]
    assert "BASE_MAINNET" in intent["source_chain"]["enum"]
    assert "cbBTC" in intent["asset_token_symbol"]["enum"]
    schema = document["paths"]["/v1/intents"]["post"]["requestBody"]["content"]["application/json"]
    needed = {"amount", "tokenIn", "source_chain", "destination_chain", "recipient"}
    assert set(schema["schema"]["required"]) == needed
    assert intent["intent_status"]["enum"] == ["COMPLETED", "FAILED", "PENDING", "PROCESSING"]


def test_the_reference_page_loads_nothing_from_other_hosts(http: TestClient) -> None:
    page = http.get("/api/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert links
    for link in links:
        if not link.startswith("data:"):
            assert http.get(f"/api/{link}").status_code == 200, link
    script = http.get("/api/docs/swagger-ui-bundle.js")
    assert script.text.startswith("/*!") or len(script.text) > 1_000_000
    assert http.get("/api/docs/../app.py").status_code == 404
    assert http.get("/api/docs/LICENSE").status_code == 404


def test_the_api_reports_that_its_services_have_not_started() -> None:
    with TestClient(create_api()) as http:
        for path in ("/v1", "/v1/chains", "/readyz"):
            assert http.get(path).status_code == 503
            assert http.get(path).json()["statusCode"] == 503
        assert http.get("/healthz").status_code == 200
