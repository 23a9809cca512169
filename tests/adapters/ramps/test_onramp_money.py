"""Onramp Money's client against a local server that checks signatures as it would."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from crossway.adapters.ramps.onramp_money.client import OnrampMoney
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.kyc import VerificationStatus
from crossway.domain.payment_channels import ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderRejected
from tests.adapters.ramps.provider_servers import (
    NOW,
    SECRET,
    ProviderServer,
    ReceivedRequest,
    is_signed_for_onramp_money,
    new_http_client,
    new_onramp_money,
    recorded_responses,
    running_server,
)
from tests.adapters.ramps.requests import (
    AT,
    EMAIL,
    USER,
    WALLET,
    channel_for,
    order_request,
    quote_request,
)

NAME, ON, OFF = ProviderName.ONRAMP_MONEY, Direction.ON, Direction.OFF
HUNDRED = 100_000_000
QUOTES = "POST /onramp/api/v2/common/transaction/quotes"
HISTORY = "POST /onramp/api/v1/transaction/merchantHistory"
ANSWERS = recorded_responses("onramp_money")
DONE = ANSWERS["history"]["data"][0]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with running_server(ProviderServer(is_signed_for_onramp_money)) as created:
        created.responses[QUOTES] = ANSWERS["quote"]
        created.responses[HISTORY] = ANSWERS["history"]
        yield created


@pytest.fixture
def onramp(server: ProviderServer) -> Iterator[OnrampMoney]:
    with new_http_client() as client:
        yield new_onramp_money(server.url, client)


def order(direction: Direction = ON, **more: Any) -> Any:
    created = order_request(NAME, ON, HUNDRED, 884_858, "INR", **more)
    return replace(created, direction=direction)


def history(*attempts: dict[str, Any]) -> dict[str, Any]:
    return {"status": 1, "code": 200, "data": [DONE | attempt for attempt in attempts]}


def test_a_price_covers_the_units_after_all_fees(
    server: ProviderServer, onramp: OnrampMoney
) -> None:
    priced = onramp.get_quote(quote_request(ON, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)
    assert (priced.fiat_minor, priced.fee_minor) == (884_100 + 758, 758)
    assert priced.rate_micro == 88_410_000
    first, second = (call.json for call in server.requests[:2])
    assert first["fiatAmount"] == 1000
    assert second["fiatAmount"] == 8848.58
    assert (first["coinCode"], first["network"], first["fiatType"]) == ("usdc", "base", 1)


def test_amount_dependent_fees_are_found_by_repeated_quotes(
    server: ProviderServer, onramp: OnrampMoney
) -> None:
    def quote(call: ReceivedRequest) -> dict[str, Any]:
        fiat = Fraction(json.loads(call.body, parse_float=str, parse_int=str)["fiatAmount"])
        fee = round(float(fiat / 100), 2)
        return {"status": 1, "data": {"rate": 88.41, "quantity": 1, "onrampFee": fee}}

    server.responses[QUOTES] = quote
    priced = onramp.get_quote(quote_request(ON, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)
    bought = (priced.fiat_minor - round(priced.fiat_minor / 100)) * Fraction(10**6, 8841)
    assert abs(bought - HUNDRED) < 200
    assert len(server.requests) == 4


def test_an_error_inside_a_successful_response_is_a_rejection(
    server: ProviderServer, onramp: OnrampMoney
) -> None:
    server.responses[QUOTES] = ANSWERS["refused"]
    with pytest.raises(ProviderRejected, match="refused: Minimum buy amount is 100"):
        onramp.get_quote(quote_request(ON, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)


def test_a_zero_price_is_rejected(server: ProviderServer, onramp: OnrampMoney) -> None:
    server.responses[QUOTES] = {"status": 1, "data": {"quantity": 1, "rate": 0}}
    with pytest.raises(ProviderRejected, match="no price for this amount"):
        onramp.get_quote(quote_request(ON, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)


@pytest.mark.parametrize("offer", [{"rate": -1}, {"gasFee": -5}, {"rate": "1e999"}, {"rate": True}])
def test_an_implausible_number_is_an_invalid_response(
    server: ProviderServer, onramp: OnrampMoney, offer: dict[str, Any]
) -> None:
    server.responses[QUOTES] = {"status": 1, "data": {"quantity": 1, "rate": 88} | offer}
    with pytest.raises(Unreachable, match="does not have the documented form"):
        onramp.get_quote(quote_request(ON, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)


def test_unsupported_requests_are_rejected(onramp: OnrampMoney) -> None:
    with pytest.raises(ProviderRejected, match="does not serve CAD"):
        onramp.get_quote(quote_request(ON, HUNDRED, "CAD"), [channel_for(NAME, ON, "CAD")], AT)
    with pytest.raises(ProviderRejected, match="only sells crypto"):
        onramp.get_quote(quote_request(OFF, HUNDRED, "INR"), [channel_for(NAME, ON, "INR")], AT)
    with pytest.raises(ProviderRejected, match="only sells crypto"):
        onramp.create_order(order(OFF))


def test_a_new_order_is_a_stable_widget_url(server: ProviderServer, onramp: OnrampMoney) -> None:
    opened = onramp.create_order(order())
    assert opened == onramp.create_order(order())
    assert server.requests == []
    assert (opened.reference, opened.fiat_minor) == ("cw_7Hs2", 884_858)
    parts = urlsplit(opened.widget_url)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "onramp.money", "/main/buy/")
    assert parse_qs(parts.query) == {
        "appId": ["4242"],
        "walletAddress": [WALLET],
        "coinCode": ["usdc"],
        "network": ["base"],
        "fiatType": ["1"],
        "fiatAmount": ["8848.58"],
        "merchantRecognitionId": ["cw_7Hs2"],
        "paymentMethod": ["1"],
    }
    assert EMAIL not in opened.widget_url


def test_an_unknown_channel_lets_the_user_choose_the_method(onramp: OnrampMoney) -> None:
    channel = channel_for(NAME, ON, "GBP", ChannelType.CARD)
    assert "paymentMethod" not in onramp.create_order(order(channel=channel)).widget_url


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (0, ProviderOrderStatus.WAITING),
        (1, ProviderOrderStatus.WAITING),
        (2, ProviderOrderStatus.PAID),
        (12, ProviderOrderStatus.PAID),
        (4, ProviderOrderStatus.DELIVERED),
        (16, ProviderOrderStatus.DELIVERED),
        (-3, ProviderOrderStatus.FAILED),
        (-4, ProviderOrderStatus.FAILED),
    ],
)
def test_every_status_is_mapped(
    server: ProviderServer, onramp: OnrampMoney, status: int, outcome: ProviderOrderStatus
) -> None:
    server.responses[HISTORY] = history({"status": status})
    (report,) = onramp.fetch_updates(["cw_7Hs2", "unknown"])["cw_7Hs2"]
    assert (report.id, report.reference, report.status) == (f"338:{status}", "cw_7Hs2", outcome)
    assert bool(report.tx_hash) == (outcome is ProviderOrderStatus.DELIVERED)
    assert bool(report.reason) == (outcome is ProviderOrderStatus.FAILED)


@pytest.mark.parametrize("status", [-1, -2, 99])
def test_an_abandoned_attempt_does_not_end_the_order(
    server: ProviderServer, onramp: OnrampMoney, status: int
) -> None:
    server.responses[HISTORY] = history({"status": status})
    assert onramp.fetch_updates(["cw_7Hs2"]) == {}


def test_of_several_attempts_the_most_advanced_counts(
    server: ProviderServer, onramp: OnrampMoney
) -> None:
    server.responses[HISTORY] = history(
        {"orderId": 3, "status": -4},
        {"orderId": 2, "status": 2},
        {"orderId": 1, "status": -2},
        {"orderId": 9, "status": 4, "merchantRecognitionId": "another"},
    )
    assert onramp.fetch_updates(["cw_7Hs2"])["cw_7Hs2"][0].id == "2:2"


def test_an_order_is_searched_on_earlier_pages(server: ProviderServer, onramp: OnrampMoney) -> None:
    other_orders = [{"orderId": n, "merchantRecognitionId": f"other-{n}"} for n in range(500)]
    server.responses[HISTORY] = lambda call: (
        history(*other_orders) if call.json["page"] == 1 else ANSWERS["history"]
    )
    assert onramp.fetch_updates(["cw_7Hs2"])["cw_7Hs2"][0].status is ProviderOrderStatus.DELIVERED


def test_a_paid_hosted_order_cannot_be_cancelled(
    server: ProviderServer, onramp: OnrampMoney
) -> None:
    with pytest.raises(ProviderRejected, match="has the payment already"):
        onramp.cancel_order("cw_7Hs2")
    server.responses[HISTORY] = history({"status": 1})
    onramp.cancel_order("cw_7Hs2")
    onramp.cancel_order("unknown")
    onramp.cancel_by_reference(order())
    onramp.confirm_payment("cw_7Hs2")


def hook(said: Any) -> dict[str, str]:
    payload = base64.b64encode(json.dumps(said).encode()).decode()
    return signed(payload)


def signed(payload: str) -> dict[str, str]:
    signature = hmac.new(SECRET.encode(), payload.encode(), hashlib.sha512).hexdigest()
    return {"x-onramp-payload": payload, "x-onramp-signature": signature}


def test_webhooks_and_polling_give_the_same_update(onramp: OnrampMoney) -> None:
    headers = hook({"timestamp": int(NOW * 1000), "body": DONE})
    assert onramp.parse_webhook(headers, b"{}") == onramp.fetch_updates(["cw_7Hs2"])["cw_7Hs2"]
    assert onramp.parse_webhook(hook(DONE), b"{}") == onramp.fetch_updates(["cw_7Hs2"])["cw_7Hs2"]


def test_the_body_of_a_webhook_is_not_trusted(onramp: OnrampMoney) -> None:
    headers = hook({"timestamp": int(NOW * 1000), "body": DONE | {"status": 1}})
    (report,) = onramp.parse_webhook(headers, json.dumps(DONE).encode())
    assert report.status is ProviderOrderStatus.WAITING


def test_an_old_webhook_is_rejected(onramp: OnrampMoney) -> None:
    with pytest.raises(Unauthorized, match="too long ago"):
        onramp.parse_webhook(hook({"timestamp": int((NOW - 601) * 1000), "body": DONE}), b"")


def test_a_forged_or_malformed_webhook_is_rejected(onramp: OnrampMoney) -> None:
    right = hook(DONE)
    for headers in ({}, right | {"x-onramp-signature": "00"}, right | {"x-onramp-payload": "e30="}):
        with pytest.raises(Unauthorized):
            onramp.parse_webhook(headers, b"{}")
    for headers in (signed("no base64"), signed("bm8ganNvbg=="), hook([]), hook({"status": 4})):
        with pytest.raises(InvalidInput):
            onramp.parse_webhook(headers, b"{}")


def test_a_webhook_without_our_reference_is_ignored(onramp: OnrampMoney) -> None:
    assert onramp.parse_webhook(hook(DONE | {"merchantRecognitionId": None}), b"{}") == ()


def test_kyc_happens_on_the_hosted_page(onramp: OnrampMoney) -> None:
    assert onramp.get_kyc_status(USER, "IN") == VerificationStatus()
    with pytest.raises(ProviderRejected, match="on its own page"):
        onramp.submit_kyc(USER, "IN", {}, [])
