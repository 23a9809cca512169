"""What the client does when the service does not answer as hoped."""

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
from tests.client.shaky import Shaky, shaky

OK = (200, {}, {"fine": True})


@contextmanager
def asking(*planned: Any) -> Iterator[tuple[Transport, Shaky, list[float]]]:
    """Calls to a server that answers as planned, and how long they waited between tries."""
    waits: list[float] = []
    with shaky(*planned) as server, httpx.Client(base_url=server.url) as http:
        yield Transport(http, sleep=waits.append), server, waits


@pytest.mark.parametrize("first", [(503, {}, {}), (500, {}, {}), (429, {}, {}), None])
def test_a_get_is_asked_again(first: Any) -> None:
    with asking(first, OK) as (calls, server, waits):
        assert calls.get("/x", a=True, b=None, c=["y", "z"]) == {"fine": True}
    assert [path for _, path, _ in server.asked] == ["/x?a=true&c=y%2Cz"] * 2
    assert len(waits) == 1


def test_retry_after_is_kept() -> None:
    with asking((429, {"retry-after": "7"}, {}), OK) as (calls, _, waits):
        calls.get("/x")
    assert waits == [7.0]


@pytest.mark.parametrize("first", [(503, {}, {}), (409, {}, {}), None])
def test_a_post_is_repeated_under_one_idempotency_key(first: Any) -> None:
    with asking(first, first, OK) as (calls, server, _):
        calls.post("/x", {"a": 1, "b": None})
    keys = {headers["idempotency-key"] for _, _, headers in server.asked}
    assert len(server.asked) == 3
    assert len(keys) == 1


def test_nobody_waits_longer_than_a_minute() -> None:
    with (
        asking((429, {"retry-after": "3600"}, {})) as (calls, _, waits),
        pytest.raises(RateLimited) as refused,
    ):
        calls.get("/x")
    assert (waits, refused.value.retry_after_seconds) == ([], 3600)


def test_a_replayed_answer_is_final() -> None:
    replayed = (503, {"idempotent-replayed": "true"}, {"message": "no answer"})
    with (
        asking((503, {}, {}), replayed) as (calls, server, _),
        pytest.raises(ServerError, match="no answer"),
    ):
        calls.post("/x")
    assert len(server.asked) == 2


def test_a_delete_without_an_answer_is_not_sent_again() -> None:
    with asking(None) as (calls, server, _), pytest.raises(APIConnectionError):
        calls.delete("/x")
    assert len(server.asked) == 1


def test_decimals_keep_every_digit_and_are_sent_plainly() -> None:
    with asking(OK) as (calls, server, _):
        calls.get("/x", a=Decimal("1E+2"), b=Decimal("0.00000001"))
    assert server.asked[0][1] == "/x?a=100&b=0.00000001"
    with httpx.Client(transport=httpx.MockTransport(_many_digits), base_url="http://x") as http:
        assert Transport(http).get("/x") == {"amount": Decimal("0.123456789012345678901234567890")}


def _many_digits(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b'{"amount": 0.123456789012345678901234567890}')


def test_an_answer_of_something_else_is_told_so() -> None:
    with httpx.Client(transport=httpx.MockTransport(_page), base_url="http://x") as http:
        for path in ("/fine", "/lost"):
            with pytest.raises(
                ApiError, match=r"200: the response is not|404: the service responded"
            ):
                Transport(http).get(path)


def _page(asked: httpx.Request) -> httpx.Response:
    return httpx.Response(404 if asked.url.path == "/lost" else 200, content=b"<html>")


def test_a_list_is_asked_for_page_by_page() -> None:
    pages = [
        (200, {}, {"things": [1, 2], "nextCursor": "2"}),
        (200, {}, {"things": [3], "nextCursor": None}),
    ]
    with asking(*pages) as (calls, server, _):
        found = calls.pages("/things", "things", 2, status="x", other=None)
        assert next(found) == 1
        assert len(server.asked) == 1
        assert list(found) == [2, 3]
    assert [path for _, path, _ in server.asked] == [
        "/things?limit=2&status=x",
        "/things?limit=2&cursor=2&status=x",
    ]


def test_a_post_that_failed_inside_the_service_is_not_repeated() -> None:
    with (
        asking((500, {}, {"message": "Internal error"})) as (calls, _, waits),
        pytest.raises(ServerError),
    ):
        calls.post("/x")
    assert waits == []


def test_patience_ends() -> None:
    with asking(None, None, None, None) as (calls, server, _), pytest.raises(APIConnectionError):
        calls.post("/x")
    assert len(server.asked) == 4
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
def test_a_refusal_is_a_type_with_the_services_sentence(
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
