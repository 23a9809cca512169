"""Error responses: three shapes, always JSON, never a traceback."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from crossway.bootstrap import Service
from crossway.domain.errors import Unreachable
from crossway.ports.services import Services
from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, Api, new_key, new_test_client

NOWHERE = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
NO_QUOTE = "Failed to retrieve quote. Please try again later."
QUOTE = {
    "tokenIn": USDC_BASE,
    "tokenOut": USDC_ARBITRUM,
    "sourceChain": "BASE_MAINNET",
    "destinationChain": "ARBITRUM_MAINNET",
    "amount": "25000000",
}


def test_an_unknown_intent_is_404_in_the_shape_of_its_endpoint(api: Api) -> None:
    read = api.get(f"/intents/address/{NOWHERE}")
    assert (read.status_code, read.json()) == (
        404,
        {"statusCode": 404, "message": "Intent not found", "code": "intent_not_found"},
    )
    for action in ("trigger-processing", "refund"):
        done = api.post(f"/intents/{NOWHERE}/{action}")
        assert done.status_code == 404
        assert done.json() == {
            "success": False,
            "message": "Intent not found",
            "code": "intent_not_found",
        }
    computed = api.get(f"/intents/destination-address/{NOWHERE}")
    assert (computed.status_code, computed.json()) == (
        404,
        {"error": "Intent not found", "code": "intent_not_found"},
    )


def test_unknown_paths_and_methods_are_json(api: Api) -> None:
    for path in ("/nope", "/intents/1/2/3", "/intents/", "/quotes"):
        answer = api.get(path)
        assert answer.status_code == 404
        assert answer.json() == {"statusCode": 404, "message": "Not Found", "code": "not_found"}
    answer = api.http.delete("/api/v1/intents", headers=api.headers())
    assert answer.json() == {
        "statusCode": 405,
        "message": "Method Not Allowed",
        "code": "method_not_allowed",
    }
    assert answer.headers["allow"] == "GET, POST"
    assert api.http.get("/api/elsewhere").json()["statusCode"] == 404


def test_a_body_over_64_kib_is_413_and_one_of_64_kib_is_read(api: Api) -> None:
    def sent(size: int) -> Any:
        return api.http.post("/api/v1/intents", content=b" " * size, headers=api.headers())

    assert sent(64 * 1024).status_code == 400
    assert sent(64 * 1024 + 1).status_code == 413
    assert sent(64 * 1024 + 1).json()["statusCode"] == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(70):
            yield b" " * 1024

    streamed = api.http.post("/api/v1/intents", content=chunks(), headers=api.headers())
    assert streamed.status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"x", b"[]", b'"text"', b"null", b"\xff\xfe", b"[" * 5000),
        *(b'{"amount": NaN}', b'{"a": 1e999}', b'{"a": "\\ud800"}'),
        b'{"amount": ' + b"9" * 5000 + b"}",
        b'{"amount": "25", "amount": "3000"}',
    ],
)
def test_a_body_that_is_not_a_json_object_is_400(api: Api, body: bytes) -> None:
    answer = api.http.post("/api/v1/intents", content=body, headers=api.headers())
    assert answer.status_code == 400
    assert answer.json()["statusCode"] == 400


def test_a_duplicate_field_is_named(api: Api) -> None:
    body = b'{"amount": "25", "metadata": {"a": 1, "b": 2, "a": 3}}'
    answer = api.http.post("/api/v1/intents", content=body, headers=api.headers())
    assert answer.json()["message"] == "body is not valid JSON: a is there twice"


def test_unknown_fields_are_named_together_with_all_other_errors(api: Api) -> None:
    answer = api.create(amount="-1", colour="red", size=3)
    assert answer.status_code == 400
    assert answer.json()["message"].split("; ") == [
        "colour is not a known field",
        "size is not a known field",
        "amount must be a positive integer string in the smallest unit",
    ]


def test_an_empty_body_names_every_required_field(api: Api) -> None:
    message = api.post("/intents", {}).json()["message"]
    for field in ("amount", "tokenIn", "source_chain", "destination_chain", "recipient"):
        assert field in message


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/xml", ""])
@pytest.mark.parametrize("action", ["trigger-processing", "refund"])
def test_a_post_without_a_body_takes_any_content_type(api: Api, action: str, kind: str) -> None:
    headers = api.headers(**{"Content-Type": kind})
    answer = api.http.post(f"/api/v1/intents/{NOWHERE}/{action}", headers=headers)
    assert answer.status_code == 404


def test_every_response_has_a_request_id_and_keeps_the_callers(api: Api) -> None:
    assert len(api.get("/chains").headers["x-request-id"]) >= 16
    for path in ("/chains", "/nope"):
        mine = api.http.get(f"/api/v1{path}", headers=api.headers(**{"X-Request-Id": "order-17"}))
        assert mine.headers["x-request-id"] == "order-17"
    forged = api.headers(**{"X-Request-Id": "a b"})
    assert api.http.get("/api/v1/chains", headers=forged).headers["x-request-id"] != "a b"


class Broken:
    """Takes the place of a missing service."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error

    def __iter__(self) -> Any:
        raise self._error


def asking(service: Service, **broken: Any) -> Api:
    """Makes test clients of the API with some services broken."""
    services: Services = replace(service.services, **broken)
    return Api(new_test_client(services), service, *new_key(service))


@pytest.mark.parametrize("error", [Unreachable("https://node.example/secret"), KeyError("secret")])
@pytest.mark.parametrize(
    ("path", "params", "message"),
    [
        ("/quotes/single", {**QUOTE, "bridge": "ACROSS"}, NO_QUOTE),
        ("/quotes/best", QUOTE, NO_QUOTE),
        (
            "/quotes/multi-source",
            {"destinationChain": "BASE", "amount": "1", "tokenOut": USDC_BASE},
            "Failed to retrieve multi-source quotes. Please try again later.",
        ),
        ("/router/supported-bridges/all", {}, "Failed to retrieve bridge information"),
    ],
)  # fmt: skip
def test_a_response_that_cannot_be_computed_is_500_with_its_own_message(
    service: Service, error: Exception, path: str, params: dict[str, str], message: str
) -> None:
    answer = asking(service, prices=Broken(error), bridges=Broken(error)).get(path, **params)
    code = "upstream_unavailable" if isinstance(error, Unreachable) else "internal_error"
    assert answer.status_code == 500
    assert answer.json() == {"statusCode": 500, "message": message, "code": code}


def test_an_address_that_cannot_be_computed_is_500_error(service: Service, api: Api) -> None:
    intent = api.create().json()
    broken = asking(service, chains={"ARBITRUM_MAINNET": Broken(KeyError("secret"))})
    twin = Api(broken.http, service, api.client_id, api.key_id, api.secret)
    answer = twin.get(f"/intents/destination-address/{intent['intent_address']}")
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("Failed to calculate destination address: ")
    assert "secret" not in answer.text


def test_an_unexpected_error_is_500_json_without_details(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    answer = asking(service, catalogue=Broken(RuntimeError("inner secret"))).get("/chains")
    assert answer.status_code == 500
    assert answer.json() == {
        "statusCode": 500,
        "message": "Internal server error",
        "code": "internal_error",
    }
    logged = [vars(record).get("fields", {}) for record in caplog.records]
    assert answer.headers["x-request-id"] in [fields.get("request_id") for fields in logged]


def test_an_unreachable_chain_is_503_and_changes_nothing(service: Service, api: Api) -> None:
    intent = api.create().json()
    broken = asking(service, chains={"BASE_MAINNET": Broken(Unreachable("rpc url"))})
    twin = Api(broken.http, service, api.client_id, api.key_id, api.secret)
    answer = twin.post(f"/intents/{intent['intent_address']}/trigger-processing")
    assert answer.status_code == 503
    assert answer.json()["success"] is False
    assert "rpc url" not in answer.text
