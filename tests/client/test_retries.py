"""How the client handles errors: retries, timeouts and exceptions."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx
import pytest

from crossway.client.errors import (
    APIConnectionError,
    ApiError,
    BadRequest,
    KycRequired,
    NotFound,
    RateLimited,
    ServerError,
    Unauthorized,
)
from crossway.client.transport import Transport
from tests.client.failing_server import FailingServer, failing_server

OK = (200, {}, {"fine": True})


@contextmanager
def asking(*planned: Any) -> Iterator[tuple[Transport, FailingServer, list[float]]]:
    """An API client of a server with planned responses, and its waits between attempts."""
    waits: list[float] = []
    with failing_server(*planned) as server, httpx.Client(base_url=server.url) as http:
        yield Transport(http, sleep=waits.append), server, waits


@pytest.mark.parametrize("first", [(503, {}, {}), (500, {}, {}), (429, {}, {}), None])
def test_a_get_is_retried(first: Any) -> None:
    with asking(first, OK) as (calls, server, waits):
        assert calls.get("/x", a=True, b=None, c=["y", "z"]) == {"fine": True}
    assert [path for _, path, _ in server.requests] == ["/x?a=true&c=y%2Cz"] * 2
    assert len(waits) == 1


def test_retry_after_is_respected() -> None:
    with asking((429, {"retry-after": "7"}, {}), OK) as (calls, _, waits):
        calls.get("/x")
    assert waits == [7.0]


@pytest.mark.parametrize("first", [(503, {}, {}), (409, {}, {}), None])
def test_a_post_is_repeated_under_one_idempotency_key(first: Any) -> None:
    with asking(first, first, OK) as (calls, server, _):
        calls.post("/x", {"a": 1, "b": None})
    keys = {headers["idempotency-key"] for _, _, headers in server.requests}
    assert len(server.requests) == 3
    assert len(keys) == 1


def test_no_wait_exceeds_a_minute() -> None:
    with (
        asking((429, {"retry-after": "3600"}, {})) as (calls, _, waits),
        pytest.raises(RateLimited) as refused,
    ):
        calls.get("/x")
    assert (waits, refused.value.retry_after_seconds) == ([], 3600)


def test_a_replayed_response_is_final() -> None:
    replayed = (503, {"idempotent-replayed": "true"}, {"message": "no answer"})
    with (
        asking((503, {}, {}), replayed) as (calls, server, _),
        pytest.raises(ServerError, match="no answer"),
    ):
        calls.post("/x")
    assert len(server.requests) == 2


def test_a_delete_without_a_response_is_not_retried() -> None:
    with asking(None) as (calls, server, _), pytest.raises(APIConnectionError):
        calls.delete("/x")
    assert len(server.requests) == 1


def test_decimals_keep_every_digit_and_are_sent_plainly() -> None:
    with asking(OK) as (calls, server, _):
        calls.get("/x", a=Decimal("1E+2"), b=Decimal("0.00000001"))
    assert server.requests[0][1] == "/x?a=100&b=0.00000001"
    with httpx.Client(transport=httpx.MockTransport(_many_digits), base_url="http://x") as http:
        assert Transport(http).get("/x") == {"amount": Decimal("0.123456789012345678901234567890")}


def _many_digits(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b'{"amount": 0.123456789012345678901234567890}')


def test_an_unexpected_response_raises_an_error() -> None:
    with httpx.Client(transport=httpx.MockTransport(_page), base_url="http://x") as http:
        for path in ("/fine", "/lost"):
            with pytest.raises(
                ApiError, match=r"200: the response is not|404: the service responded"
            ):
                Transport(http).get(path)


def _page(asked: httpx.Request) -> httpx.Response:
    return httpx.Response(404 if asked.url.path == "/lost" else 200, content=b"<html>")


def test_a_list_is_fetched_page_by_page() -> None:
    pages = [
        (200, {}, {"things": [1, 2], "nextCursor": "2"}),
        (200, {}, {"things": [3], "next_cursor": None}),
    ]
    with asking(*pages) as (calls, server, _):
        results = calls.pages("/things", "things", 2, status="x", other=None)
        assert next(results) == 1
        assert len(server.requests) == 1
        assert list(results) == [2, 3]
    assert [path for _, path, _ in server.requests] == [
        "/things?limit=2&status=x",
        "/things?limit=2&cursor=2&status=x",
    ]


def test_a_post_with_a_server_error_is_not_retried() -> None:
    with (
        asking((500, {}, {"message": "Internal error"})) as (calls, _, waits),
        pytest.raises(ServerError),
    ):
        calls.post("/x")
    assert waits == []


def test_retries_are_limited() -> None:
    with asking(None, None, None, None) as (calls, server, _), pytest.raises(APIConnectionError):
        calls.post("/x")
    assert len(server.requests) == 4
    with (
        asking(*[(429, {}, {"message": "Too Many Requests"})] * 4) as (calls, _, _),
        pytest.raises(RateLimited),
    ):
        calls.get("/x")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"message": "amount is wrong"}, BadRequest),
        (400, {"message": "KYC", "code": "KYC_REQUIRED", "kyc": {"a": 1}}, KycRequired),
        (422, {"message": "the key was used"}, BadRequest),
        (401, {"message": "Unauthorized"}, Unauthorized),
        (404, {"error": "Intent not found"}, NotFound),
    ],
)
def test_errors_are_typed_and_have_the_services_message(
    status: int, body: dict[str, Any], kind: Any
) -> None:
    with (
        asking((status, {"x-request-id": "req_1"}, body)) as (calls, _, _),
        pytest.raises(kind) as refused,
    ):
        calls.get("/x")
    error = refused.value
    assert (error.status, error.request_id, error.body) == (status, "req_1", body)
    assert error.message == body.get("message", body.get("error"))
