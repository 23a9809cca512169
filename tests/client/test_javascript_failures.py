"""How the JavaScript client handles failures: the rules are those of the Python client."""

import json
import socket
from typing import Any

import pytest

from tests.client.failing_server import FailingServer, failing_server
from tests.client.javascript_programs import Programs
from tests.ports import free_port

OK = (200, {}, {"fine": True})
GET = {"method": "GET", "path": "/v1/x"}
POST = {"method": "POST", "path": "/v1/x", "body": {"a": 1}}
DELETE = {"method": "DELETE", "path": "/v1/webhooks/1"}


def ask(programs: Programs, url: str, request: dict[str, Any], **options: Any) -> dict[str, Any]:
    """What one request gives: `answer` or `error`, and the `waits` in milliseconds."""
    settings = options.pop("settings", {})
    told: dict[str, Any] = json.loads(
        programs.run("ask.js", url, *map(json.dumps, (request, options, settings)))
    )
    return told


def keys(server: FailingServer) -> list[str]:
    return [headers["idempotency-key"] for _, _, headers in server.requests]


@pytest.mark.parametrize("first", [(503, {}, {}), (500, {}, {}), (429, {}, {}), None])
def test_a_get_is_retried(programs: Programs, first: Any) -> None:
    request = {**GET, "query": {"a": True, "b": None, "c": ["y", "z"]}}
    with failing_server(first, OK) as server:
        told = ask(programs, server.url, request)
    assert told["answer"] == {"fine": True}
    assert [path for _, path, _ in server.requests] == ["/api/v1/x?a=true&c=y%2Cz"] * 2
    assert server.requests[0][2]["authorization"] == "Bearer cr_test_secret"
    [wait] = told["waits"]
    assert 125 <= wait <= 250


def test_retry_after_is_respected_up_to_a_minute(programs: Programs) -> None:
    with failing_server((429, {"retry-after": "7"}, {}), OK) as server:
        assert ask(programs, server.url, GET)["waits"] == [7000]
    with failing_server((429, {"retry-after": "3600"}, {})) as server:
        told = ask(programs, server.url, GET)
    assert told["waits"] == []
    assert (told["error"]["name"], told["error"]["retryAfterSeconds"]) == ("RateLimited", 3600)


@pytest.mark.parametrize("first", [(503, {}, {}), (409, {}, {}), None])
def test_a_post_is_repeated_under_one_idempotency_key(programs: Programs, first: Any) -> None:
    with failing_server(first, first, OK, OK) as server:
        assert len(ask(programs, server.url, POST)["waits"]) == 2
        ask(programs, server.url, POST)
    assert len(keys(server)) == 4
    assert len(set(keys(server)[:3])) == 1
    assert keys(server)[3] not in keys(server)[:3]


def test_a_request_in_progress_is_given_seconds(programs: Programs) -> None:
    with failing_server(*[(409, {}, {})] * 4) as server:
        told = ask(programs, server.url, POST)
    assert told["error"]["name"] == "Conflict"
    assert 3500 <= sum(told["waits"]) <= 7000


def test_a_replayed_response_is_final(programs: Programs) -> None:
    replayed = (503, {"idempotent-replayed": "true"}, {"message": "no answer"})
    with failing_server((503, {}, {}), replayed) as server:
        told = ask(programs, server.url, POST)
    assert (told["error"]["name"], told["error"]["message"]) == ("ServerError", "no answer")
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("request_", "first", "sent"),
    [
        (DELETE, None, 1),
        (DELETE, (429, {}, {}), 2),
        (POST, (500, {}, {"message": "Internal error"}), 1),
    ],
)
def test_what_may_have_been_done_is_not_repeated(
    programs: Programs, request_: dict[str, Any], first: Any, sent: int
) -> None:
    with failing_server(first, OK) as server:
        told = ask(programs, server.url, request_)
    assert len(server.requests) == sent
    assert ("answer" in told) == (sent == 2)


def test_retries_are_limited_and_leave_the_key(programs: Programs) -> None:
    with failing_server(None, None, None, None) as server:
        error = ask(programs, server.url, POST, idempotencyKey="order-7")["error"]
    assert keys(server) == ["order-7"] * 4
    assert (error["name"], error["idempotencyKey"]) == ("APIConnectionError", "order-7")
    assert "POST /v1/x: the connection broke" in error["message"]
    with failing_server((429, {}, {})) as server:
        told = ask(programs, server.url, GET, settings={"attempts": 1})
    assert (told["error"]["name"], told["waits"]) == ("RateLimited", [])


def test_an_unreachable_service_is_named_and_no_secret_is_told(programs: Programs) -> None:
    # Nobody listens there. A DELETE that reached nobody is repeated.
    host = f"127.0.0.1:{free_port()}"
    told = ask(programs, f"http://{host}", DELETE)
    assert len(told["waits"]) == 3
    assert f"{host} cannot be reached" in told["error"]["message"]
    assert "cr_test_secret" not in json.dumps(told)


def test_errors_have_the_services_message_and_names(programs: Programs) -> None:
    body = {"message": "two", "code": "invalid_request", "params": ["amount", "sender"]}
    with failing_server((400, {"x-request-id": "req_1"}, body)) as server:
        error = ask(programs, server.url, GET)["error"]
    assert error == {
        "name": "BadRequest",
        "message": "two",
        "status": 400,
        "code": "invalid_request",
        "params": ["amount", "sender"],
        "param": "amount",
        "requestId": "req_1",
        "body": body,
    }
    with failing_server((400, {}, {"message": "KYC", "code": "KYC_REQUIRED"})) as server:
        assert ask(programs, server.url, GET)["error"]["name"] == "KycRequired"


def test_a_key_does_not_follow_a_redirect(programs: Programs) -> None:
    moved = (308, {"location": "https://pay.example/api/v1/x?email=ada@example.com"}, {})
    with failing_server(moved) as server:
        error = ask(programs, server.url, GET)["error"]
    assert error["name"] == "UnexpectedResponse"
    assert "redirects to https://pay.example" in error["message"]
    assert "ada@example.com" not in error["message"]
    assert len(server.requests) == 1


@pytest.mark.parametrize("key", ["", " order 7", "order 7\n", "order 7 …", "k" * 256])
def test_a_key_that_no_header_carries_is_refused(programs: Programs, key: str) -> None:
    told = ask(programs, "http://127.0.0.1:8600", POST, idempotencyKey=key)
    assert (told["error"]["name"], told["waits"]) == ("InvalidArgument", [])
    assert "idempotencyKey must be 1 to 255 printable ASCII characters" in told["error"]["message"]


def test_a_url_is_checked_before_anything_is_sent(programs: Programs) -> None:
    error = ask(programs, "localhost:8600", GET)["error"]
    assert error["name"] == "TypeError"
    assert "the URL of the service must be one such as http://127.0.0.1:8600" in error["message"]


def test_a_service_that_does_not_answer_is_told(programs: Programs) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        told = ask(programs, url, POST, settings={"timeoutMs": 50, "attempts": 2})
    assert told["error"]["name"] == "APIConnectionError"
    assert "the service did not respond in time" in told["error"]["message"]
    assert len(told["waits"]) == 1
