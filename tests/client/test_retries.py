"""How both clients handle failures: retries, timeouts and exceptions."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from typing import Any

import httpx
import pytest

from crossway_client import (
    APIConnectionError,
    ApiError,
    BadRequest,
    Conflict,
    Crossway,
    CrosswayError,
    InvalidArgument,
    KycRequired,
    NotFound,
    RateLimited,
    RetryPolicy,
    ServerError,
    Unauthorized,
    UnexpectedResponse,
)
from crossway_client.records.exports import Export
from tests.client.failing_server import FailingServer, failing_server

EXPORT = {
    "id": 1, "resource": "intents", "format": "csv", "filters": {}, "status": "completed",
    "progress": 100, "rows": 1, "error": None, "size": 1, "expires_at": None,
    "created_at": "2026-11-21T10:53:00.000Z", "updated_at": "2026-11-21T10:53:00.000Z",
}  # fmt: skip
OK = (200, {}, {"fine": True})
Asking = Callable[..., AbstractContextManager[tuple[Crossway, FailingServer, list[float]]]]


@pytest.fixture
def asking(connect: Any) -> Asking:
    """Opens a client of a server with planned responses, with its waits between attempts."""

    @contextmanager
    def open_client(
        *planned: Any, **settings: Any
    ) -> Iterator[tuple[Crossway, FailingServer, list[float]]]:
        waits: list[float] = []
        with (
            failing_server(*planned) as server,
            connect("cr_test_x", server.url, sleep=waits.append, **settings) as client,
        ):
            yield client, server, waits

    return open_client


@pytest.mark.parametrize("first", [(503, {}, {}), (500, {}, {}), (429, {}, {}), None])
def test_a_get_is_retried(asking: Asking, first: Any) -> None:
    with asking(first, OK) as (crossway, server, waits):
        query = {"a": True, "b": None, "c": ["y", "z"]}
        assert crossway.request("GET", "/x", query=query) == {"fine": True}
    assert [path for _, path, _ in server.requests] == ["/api/v1/x?a=true&c=y%2Cz"] * 2
    assert len(waits) == 1


@pytest.mark.parametrize("key", ["", " a", "ä", "a\nb", "x" * 256])
def test_a_key_that_no_header_carries_is_refused_before_anything_is_sent(
    asking: Asking, key: str
) -> None:
    with (
        asking() as (crossway, server, _),
        pytest.raises(InvalidArgument, match="idempotency_key"),
    ):
        crossway.sandbox.deposit("0xabc", 1, idempotency_key=key)
    assert server.requests == []


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_leads_to_another_path_is_refused(asking: Asking, name: str) -> None:
    with (
        asking() as (crossway, server, _),
        pytest.raises(InvalidArgument, match="must name a"),
    ):
        crossway.intents.refund(name)
    assert server.requests == []


def test_retry_after_is_respected(asking: Asking) -> None:
    with asking((429, {"retry-after": "7"}, {}), OK) as (crossway, _, waits):
        crossway.request("GET", "/x")
    assert waits == [7.0]


@pytest.mark.parametrize("first", [(503, {}, {}), (409, {}, {}), None])
def test_a_post_is_repeated_under_one_idempotency_key(asking: Asking, first: Any) -> None:
    with asking(first, first, OK, OK) as (crossway, server, _):
        crossway.request("POST", "/x", body={"a": 1})
        crossway.request("POST", "/x", body={"a": 1})
    keys = [headers["idempotency-key"] for _, _, headers in server.requests]
    assert len(keys) == 4
    assert len(set(keys[:3])) == 1
    assert keys[3] not in keys[:3]


def test_a_request_in_progress_is_given_seconds(asking: Asking) -> None:
    with asking(*[(409, {}, {})] * 4) as (crossway, _, waits), pytest.raises(Conflict):
        crossway.request("POST", "/x")
    assert 3.5 <= sum(waits) <= 7


def test_no_wait_exceeds_a_minute(asking: Asking) -> None:
    with (
        asking((429, {"retry-after": "3600"}, {})) as (crossway, _, waits),
        pytest.raises(RateLimited) as refused,
    ):
        crossway.request("GET", "/x")
    assert (waits, refused.value.retry_after_seconds) == ([], 3600)


def test_a_replayed_response_is_final(asking: Asking) -> None:
    replayed = (503, {"idempotent-replayed": "true"}, {"message": "no answer"})
    with (
        asking((503, {}, {}), replayed) as (crossway, server, _),
        pytest.raises(ServerError, match="no answer"),
    ):
        crossway.request("POST", "/x")
    assert len(server.requests) == 2


def test_a_delete_without_a_response_is_not_retried(asking: Asking) -> None:
    with asking(None) as (crossway, server, _), pytest.raises(APIConnectionError):
        crossway.webhooks.delete(1)
    assert len(server.requests) == 1


def test_a_delete_that_was_refused_is_retried(asking: Asking) -> None:
    with asking((429, {}, {}), (200, {}, {})) as (crossway, server, _):
        crossway.webhooks.delete(1)
    assert len(server.requests) == 2


def test_a_post_with_a_server_error_is_not_retried(asking: Asking) -> None:
    with (
        asking((500, {}, {"message": "Internal error"})) as (crossway, _, waits),
        pytest.raises(ServerError),
    ):
        crossway.request("POST", "/x")
    assert waits == []


def test_retries_are_limited(asking: Asking) -> None:
    with (
        asking(None, None, None, None) as (crossway, server, _),
        pytest.raises(APIConnectionError, match="connection broke") as lost,
    ):
        crossway.request("POST", "/x", idempotency_key="order-7")
    assert len(server.requests) == 4
    assert lost.value.idempotency_key == "order-7"
    with (
        asking((429, {}, {}), retries=RetryPolicy(attempts=1)) as (crossway, _, _),
        pytest.raises(RateLimited),
    ):
        crossway.request("GET", "/x")


def test_an_unreachable_service_is_named(connect: Any) -> None:
    with (
        connect("cr_test_x", "http://127.0.0.1:1", sleep=[].append) as crossway,
        pytest.raises(APIConnectionError, match=r"GET /chains: 127\.0\.0\.1:1 cannot be reached"),
    ):
        crossway.chains.list()


def test_decimals_keep_every_digit_and_are_sent_plainly(asking: Asking, connect: Any) -> None:
    with asking(OK) as (crossway, server, _):
        crossway.request("GET", "/x", query={"a": Decimal("1E+2"), "b": Decimal("0.00000001")})
    assert server.requests[0][1] == "/api/v1/x?a=100&b=0.00000001"
    many = b'{"amount": 0.123456789012345678901234567890}'
    transport = httpx.MockTransport(lambda asked: httpx.Response(200, content=many))
    with connect("cr_test_x", transport=transport) as crossway:
        expected = {"amount": Decimal("0.123456789012345678901234567890")}
        assert crossway.request("GET", "/x") == expected


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"id": 1}', b"null"])
def test_a_response_of_another_service_is_told_from_the_apis(connect: Any, content: bytes) -> None:
    transport = httpx.MockTransport(lambda asked: httpx.Response(200, content=content))
    with connect("cr_test_x", transport=transport) as crossway:
        with pytest.raises(UnexpectedResponse, match="not from this API"):
            crossway.intents.get(1)
        with pytest.raises(UnexpectedResponse, match="not from this API"):
            next(crossway.intents.list())
    transport = httpx.MockTransport(lambda asked: httpx.Response(404, content=content))
    with (
        connect("cr_test_x", transport=transport) as crossway,
        pytest.raises(NotFound, match="404: the service responded 404"),
    ):
        crossway.intents.get(1)


def test_a_list_is_fetched_page_by_page(asking: Asking) -> None:
    use = {
        "intent_id": 1, "intent_address": "0x1", "intent_status": "PENDING",
        "source_chain": "BASE_MAINNET", "asset_token_symbol": "USDC",
        "total_amount_in_asset_token": "25", "payment_url": "https://x.example/",
        "created_at": "2026-11-21T10:53:00.000Z", "something_new": {"a": 1},
    }  # fmt: skip
    planned = [
        (200, {}, {"uses": [{"id": 1, **use}, {"id": 2, **use}], "nextCursor": "2"}),
        (200, {}, {"uses": [{"id": 3, **use}], "nextCursor": None}),
    ]
    with asking(*planned) as (crossway, server, _):
        uses = crossway.payment_links.uses("pl/1", page_size=2)
        first = next(uses)
        assert (first.id, first.total_amount_in_asset_token) == (1, 25)
        assert first.model_extra == {"something_new": {"a": 1}}
        assert first.response_json["something_new"] == {"a": 1}
        assert len(server.requests) == 1
        assert [found.id for found in uses] == [2, 3]
    assert [path for _, path, _ in server.requests] == [
        "/api/v1/payment-links/pl%2F1/uses?limit=2",
        "/api/v1/payment-links/pl%2F1/uses?limit=2&cursor=2",
    ]


@pytest.mark.parametrize(
    ("status", "body", "kind", "code", "params"),
    [
        (400, {"message": "amount is wrong"}, BadRequest, "", ()),
        (
            400,
            {"message": "amount is wrong", "code": "invalid_request", "param": "amount"},
            BadRequest,
            "invalid_request",
            ("amount",),
        ),
        (
            400,
            {"message": "two", "code": "invalid_request", "params": ["amount", "sender"]},
            BadRequest,
            "invalid_request",
            ("amount", "sender"),
        ),
        (
            400,
            {"message": "KYC", "code": "KYC_REQUIRED", "kyc": {"a": 1}},
            KycRequired,
            "KYC_REQUIRED",
            (),
        ),
        (422, {"message": "the key was used"}, BadRequest, "", ()),
        (401, {"message": "Unauthorized"}, Unauthorized, "", ()),
        (404, {"error": "Intent not found", "code": "not_found"}, NotFound, "not_found", ()),
    ],
)
def test_errors_have_the_services_message_and_names(
    asking: Asking, status: int, body: dict[str, Any], kind: Any, code: str, params: tuple[str, ...]
) -> None:
    with (
        asking((status, {"x-request-id": "req_1"}, body)) as (crossway, _, _),
        pytest.raises(kind) as refused,
    ):
        crossway.request("GET", "/x")
    error = refused.value
    assert isinstance(error, ApiError)
    assert (error.status, error.request_id, error.body) == (status, "req_1", body)
    assert (error.code, error.params) == (code, params)
    assert error.param == (params[0] if params else None)
    assert error.message == body.get("message", body.get("error"))


@pytest.mark.parametrize(
    ("key", "url"),
    [
        ("", "http://x"),
        ("cr test", "http://x"),
        ("cr_\n", "http://x"),
        ("cr_é", "http://x"),
        ("cr_test_x", "localhost:8600"),
    ],
)
def test_a_key_and_a_url_are_checked_before_anything_is_sent(
    connect: Any, key: str, url: str
) -> None:
    with pytest.raises(ValueError, match=r"API key must be|URL of the service must be"):
        connect(key, url).__enter__()


def test_a_key_does_not_follow_a_redirect(asking: Asking) -> None:
    moved = (308, {"location": "https://pay.example/api/v1/chains"}, {})
    with (
        asking(moved) as (crossway, server, _),
        pytest.raises(UnexpectedResponse, match=r"redirects to https://pay\.example"),
    ):
        crossway.chains.list()
    assert len(server.requests) == 1


def test_a_stream_does_not_follow_a_redirect(asking: Asking) -> None:
    moved = (302, {"location": "https://pay.example/api/v1/events"}, {})
    with (
        asking(moved) as (crossway, server, _),
        pytest.raises(UnexpectedResponse, match=r"redirects to https://pay\.example"),
    ):
        next(crossway.events.stream())
    assert len(server.requests) == 1


def test_no_error_names_the_query_of_a_link(asking: Asking) -> None:
    """Whoever reads a log cannot open the file of an export with what an error tells."""
    link = "/api/v1/export-files/1?expires=2&signature=secret"
    export = Export.parse({**EXPORT, "url": f"https://pay.example{link}"})
    for planned, told in (
        (None, "GET /export-files/1: the connection broke"),
        ((302, {"location": f"https://pay.example{link}"}, {}), "redirects to https://pay.example"),
    ):
        with asking(planned) as (crossway, server, _), pytest.raises(CrosswayError) as failed:
            list(crossway.exports.download(export))
        assert told in str(failed.value)
        assert "secret" not in str(failed.value)
        assert server.requests[0][1] == link


def test_a_log_of_requests_has_no_queries(asking: Asking, caplog: pytest.LogCaptureFixture) -> None:
    """httpx logs the URL of each request, at a level at which many programs log."""
    # A service that another test started in this process silences the library.
    caplog.set_level(logging.INFO, logger="httpx")
    link = "/api/v1/export-files/1?expires=2&signature=secret"
    with asking(OK, (200, {}, b"id"), OK) as (crossway, server, _):
        crossway.request("GET", "/ramp/kyc", query={"userEmail": "ada@example.com"})
        export = Export.parse({**EXPORT, "url": f"{server.url}{link}"})
        assert b"".join(crossway.exports.download(export)) == b"id"
        httpx.get(f"{server.url}/elsewhere?mine=1")
    assert "ada%40example.com" in server.requests[0][1]
    text = caplog.text
    assert all(path in text for path in ("/ramp/kyc", "/export-files/1 ", "/elsewhere?mine=1"))
    assert not any(word in text for word in ("ada", "secret"))


def test_a_secret_is_in_no_text_of_an_error(connect: Any) -> None:
    with (
        connect("cr_test_secret", "http://127.0.0.1:1", sleep=[].append) as crossway,
        pytest.raises(CrosswayError) as failed,
    ):
        crossway.chains.list()
    assert "cr_test_secret" not in repr(failed.value) + repr(crossway)
