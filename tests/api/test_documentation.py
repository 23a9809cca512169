"""The OpenAPI document: complete, correct and available offline."""

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31
from starlette.testclient import TestClient

from crossway.api.app import create_api
from tests.api.conftest import Api

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
    ("post", "/v1/intents/batch"),
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
    ("get", "/v1/exports"),
    ("post", "/v1/exports"),
    ("get", "/v1/exports/{id}"),
    ("delete", "/v1/exports/{id}"),
    ("get", "/v1/export-files/{id}"),
    ("post", "/v1/search"),
    ("post", "/v1/standing-addresses"),
    ("get", "/v1/standing-addresses"),
    ("get", "/v1/standing-addresses/{id}"),
    ("patch", "/v1/standing-addresses/{id}"),
    ("get", "/v1/standing-addresses/{id}/quote"),
    ("get", "/v1/standing-deposits"),
    ("get", "/v1/standing-deposits/{id}"),
    ("post", "/v1/payment-links"),
    ("get", "/v1/payment-links"),
    ("get", "/v1/payment-links/{id}"),
    ("patch", "/v1/payment-links/{id}"),
    ("get", "/v1/payment-links/{id}/uses"),
    ("get", "/v1/x402/supported"),
    ("post", "/v1/x402/offers"),
    ("post", "/v1/x402/verify"),
    ("post", "/v1/x402/settle"),
    ("post", "/v1/invoices"),
    ("get", "/v1/invoices"),
    ("get", "/v1/invoices/{id}"),
    ("post", "/v1/invoices/{id}/void"),
    ("post", "/v1/subscriptions"),
    ("get", "/v1/subscriptions"),
    ("get", "/v1/subscriptions/{id}"),
    ("patch", "/v1/subscriptions/{id}"),
    ("post", "/v1/webhooks"),
    ("get", "/v1/webhooks"),
    ("get", "/v1/webhooks/{id}"),
    ("patch", "/v1/webhooks/{id}"),
    ("delete", "/v1/webhooks/{id}"),
    ("post", "/v1/webhooks/{id}/rotate-secret"),
    ("post", "/v1/webhooks/{id}/test"),
    ("post", "/v1/webhooks/{id}/replay"),
    ("post", "/v1/webhooks/{id}/replay-missed"),
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
    """Method, path and operation, with what they refer to but schemas in place."""
    return [
        (method, path, {name: resolve(document, value) for name, value in operation.items()})
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


def resolve(document: dict[str, Any], node: Any) -> Any:
    """A part of the document with components in place of references to them, but for schemas."""
    if isinstance(node, list):
        return [resolve(document, one) for one in node]
    if not isinstance(node, dict):
        return node
    target = node.get("$ref", "#/components/schemas/")
    if target.startswith("#/components/schemas/"):
        return {name: resolve(document, value) for name, value in node.items()}
    _, _, kind, name = target.split("/")
    return resolve(document, document["components"][kind][name])


def schemas_of(document: dict[str, Any]) -> dict[str, Any]:
    """The schemas of objects; the others are enumerations."""
    schemas = document["components"]["schemas"]
    return {name: schema for name, schema in schemas.items() if schema["type"] == "object"}


def test_the_documented_endpoints_are_those_of_the_specification(document: dict[str, Any]) -> None:
    assert {(method, path) for method, path, _ in operations(document)} == ENDPOINTS


def test_every_endpoint_and_field_is_described(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)
        for parameter in operation["parameters"]:
            assert parameter["description"], (path, parameter["name"])
    for name, schema in document["components"]["schemas"].items():
        assert schema.get("description"), name
    for name, schema in schemas_of(document).items():
        for field, described in schema.get("properties", {}).items():
            assert described.get("description") or "$ref" in described, (name, field)


def test_operations_have_readable_names_of_their_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(document)]
    assert len({*names}) == len(names)
    for name in names:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)+", name), name
    assert {"createIntent", "getIntentByAddress", "triggerProcessing"} <= {*names}


def test_what_the_service_needs_is_required(document: dict[str, Any]) -> None:
    required = {
        operation["operationId"]: {p["name"] for p in operation["parameters"] if p.get("required")}
        for _, _, operation in operations(document)
    }
    route = {"tokenIn", "tokenOut", "sourceChain", "destinationChain", "amount"}
    assert required["getQuote"] == {*route, "bridge"}
    assert (
        required["listQuotes"] == required["getBestQuote"] == required["getOptimalRoute"] == route
    )
    assert required["getMultiSourceQuote"] == {"destinationChain", "amount", "tokenOut"}
    assert required["listRampQuotes"] == {"fiatCurrency", "cryptoAmount"}
    assert required["getKycState"] == {"provider", "userEmail", "fiatCurrency"}
    assert required["getKycRequirements"] == {"provider", "fiatCurrency"}
    assert required["getIntent"] == {"id"}
    assert required["listIntents"] == set()


def test_an_enumeration_is_written_once(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert "BASE_MAINNET" in schemas["ChainId"]["enum"]
    assert "cbBTC" in schemas["TokenSymbol"]["enum"]
    assert schemas["CreatedIntentStatus"]["enum"] == [
        "COMPLETED",
        "FAILED",
        "PENDING",
        "PROCESSING",
    ]
    intent = schemas["CreatedIntent"]["properties"]
    assert intent["source_chain"]["$ref"] == "#/components/schemas/ChainId"
    written = Counter(
        tuple(node["enum"]) for node in every_node(document) if isinstance(node.get("enum"), list)
    )
    assert [values for values, times in written.items() if times > 1 and len(values) > 2] == []
    assert not [name for name in ("x-chains", "x-required") if name in str(document)]


def every_node(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    if isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from every_node(inner)


def test_every_reference_leads_to_a_component(document: dict[str, Any]) -> None:
    targets = {node["$ref"] for node in every_node(document) if "$ref" in node}
    assert len(targets) > 100
    for target in targets:
        _, _, kind, name = target.split("/")
        assert name in document["components"][kind], target


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(OPENAPI_31).validate(document)
    assert document["jsonSchemaDialect"] == "https://spec.openapis.org/oas/3.1/dialect/base"
    assert document["info"]["summary"]
    assert document["servers"] == [{"url": "/api", "description": "This installation."}]
    used = {tag for _, _, operation in operations(document) for tag in operation["tags"]}
    assert sorted(used) == sorted(tag["name"] for tag in document["tags"] if tag["description"])


def test_the_document_stays_small(document: dict[str, Any], http: TestClient) -> None:
    """Its first 71 operations had 3,605 bytes each, without examples and samples."""
    sizes = dict.fromkeys(("example", "x-codeSamples"), 0)
    for node in every_node(document):
        for name in sizes.keys() & node.keys():
            sizes[name] += len(json.dumps(node[name], separators=(",", ":")))
    whole = http.get("/api/openapi.json").content
    assert len(whole) - sum(sizes.values()) < 3_500 * len(ENDPOINTS), sizes
    assert len(gzip.compress(whole)) < 64 * 1024


def test_every_request_body_is_described_with_examples(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    bodies = [o["requestBody"] for _, _, o in operations(document) if "requestBody" in o]
    named = [
        body["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
        for body in bodies
        if "application/json" in body["content"]
    ]
    assert len([name for name in named if name]) >= 15
    for name in named:
        for field, asked in schemas.get(name, {}).get("properties", {}).items():
            assert asked.get("description"), (name, field)
            assert asked.get("examples"), (name, field)


def test_every_endpoint_documents_its_errors_and_none_of_the_framework(
    document: dict[str, Any],
) -> None:
    for method, path, operation in operations(document):
        has_key, statuses = "security" not in operation, {*operation["responses"]}
        assert {"401", "429", "500"} <= statuses, (method, path)
        assert ("403" in statuses) == has_key, path
        if method == "post":
            assert "413" in statuses, path
            assert ({"409", "422"} <= statuses) == has_key, path
            keyed = "Idempotency-Key" in {p["name"] for p in operation["parameters"]}
            assert keyed == has_key, path
        for status, response in operation["responses"].items():
            for media_type in response.get("content", {}).values():
                assert int(status) < 400 or media_type["example"], (method, path, status)
    assert "HTTPValidationError" not in str(document)


def test_every_response_documents_its_headers(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        for status, response in operation["responses"].items():
            names = {*response["headers"]}
            assert {"RateLimit", "RateLimit-Policy", "X-Request-Id"} <= names, (path, status)
            assert ("Retry-After" in names) == (status in ("409", "429", "503")), (path, status)
            is_replayed = method == "post" and status[0] == "2" and "security" not in operation
            assert ("Idempotent-Replayed" in names) == is_replayed, (path, status)


def test_the_documented_headers_are_sent(api: Api) -> None:
    first = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}, Idempotency_Key="documented")
    again = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}, Idempotency_Key="documented")
    for answer in (first, again, api.get("/webhooks/1"), api.get("/chains")):
        assert re.fullmatch(r'"default";r=[0-9]+;t=[0-9]+', answer.headers["ratelimit"])
        assert re.fullmatch(r'"default";q=[0-9]+;w=60', answer.headers["ratelimit-policy"])
        assert answer.headers["x-request-id"]
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"


def test_every_endpoint_but_those_signed_otherwise_needs_a_key(document: dict[str, Any]) -> None:
    assert document["security"] == [{"key": []}]
    free = [path for _, path, operation in operations(document) if "security" in operation]
    assert free == ["/v1/ramp/webhooks/{provider}", "/v1/export-files/{id}"]


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
