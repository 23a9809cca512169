"""Paycrest's client against a local server that checks the key as it would."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from crossway.adapters.ramps.paycrest.client import Paycrest
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.kyc import KycType, VerificationStatus
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderRejected
from tests.adapters.ramps.provider_servers import (
    SECRET,
    ProviderServer,
    has_paycrest_key,
    new_http_client,
    new_paycrest,
    recorded_responses,
    running_server,
)
from tests.adapters.ramps.requests import (
    AT,
    FIELDS,
    USER,
    WALLET,
    channel_for,
    order_request,
    quote_request,
)

NAME, ON, OFF = ProviderName.PAYCREST, Direction.ON, Direction.OFF
HUNDRED = 100_000_000
ORDERS, RATES = "/v2/sender/orders", "/v2/rates/base/USDC/100/NGN"
ANSWERS = recorded_responses("paycrest")
BOUGHT, SOLD = ANSWERS["created_on"]["data"], ANSWERS["created_off"]["data"]


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with running_server(ProviderServer(has_paycrest_key)) as created:
        created.responses[f"GET {RATES}"] = ANSWERS["rates"]
        created.responses[f"GET {ORDERS}"] = ANSWERS["empty"]
        yield created


@pytest.fixture
def paycrest(server: ProviderServer) -> Iterator[Paycrest]:
    with new_http_client() as client:
        yield new_paycrest(server.url, client)


def order(direction: Direction, **more: Any) -> Any:
    quoted = 14_982_500 if direction is ON else 14_805_050
    return order_request(NAME, direction, HUNDRED, quoted, **more)


def answered(data: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {"status": "success", "message": "", "data": data | changed}


@pytest.mark.parametrize(
    ("direction", "side", "fiat", "rate"),
    [(ON, "buy", 14_982_500, 1_498_250_000), (OFF, "sell", 14_805_050, 1_480_505_000)],
)
def test_a_price_is_the_rate_of_its_side(
    server: ProviderServer,
    paycrest: Paycrest,
    direction: Direction,
    side: str,
    fiat: int,
    rate: int,
) -> None:
    priced = paycrest.get_quote(
        quote_request(direction, HUNDRED), [channel_for(NAME, direction, "NGN")], AT
    )
    assert (priced.fiat_minor, priced.rate_micro, priced.fee_minor) == (fiat, rate, 0)
    assert server.requests[0].query == {"side": side}


def test_a_price_is_rounded_against_nobody_by_more_than_a_minor_unit(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    server.responses["GET /v2/rates/base/USDC/1.000001/NGN"] = ANSWERS["rates"]
    channel = channel_for(NAME, ON, "NGN")
    assert paycrest.get_quote(quote_request(ON, 1_000_001), [channel], AT).fiat_minor == 149_826
    assert paycrest.get_quote(quote_request(OFF, 1_000_001), [channel], AT).fiat_minor == 148_050


def test_an_amount_without_a_rate_is_rejected(server: ProviderServer, paycrest: Paycrest) -> None:
    server.responses[f"GET {RATES}"] = (404, {"status": "error", "message": "No provider"})
    with pytest.raises(ProviderRejected, match="nobody who trades this amount"):
        paycrest.get_quote(quote_request(ON, HUNDRED), [channel_for(NAME, ON, "NGN")], AT)
    server.responses[f"GET {RATES}"] = {"status": "success", "data": {"sell": {"rate": "1"}}}
    with pytest.raises(ProviderRejected, match="no rate in this direction"):
        paycrest.get_quote(quote_request(ON, HUNDRED), [channel_for(NAME, ON, "NGN")], AT)


def test_an_order_to_buy_names_the_quoted_rate_and_tells_how_to_pay(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    server.responses[f"POST {ORDERS}"] = (201, ANSWERS["created_on"])
    opened = paycrest.create_order(order(ON))
    assert (opened.reference, opened.fiat_minor) == (BOUGHT["id"], 14_982_500)
    assert opened.instructions["Account number"] == "0123456789"
    assert opened.pay_by == datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
    sent = server.requests_to("POST", ORDERS)[0].json
    assert (sent["amount"], sent["amountIn"], sent["rate"]) == ("100", "crypto", "1498.25")
    assert sent["source"]["refundAccount"] == {
        "institution": "058",
        "accountIdentifier": "0123456789",
        "accountName": "Ada Obi",
    }
    assert sent["destination"]["recipient"] == {"address": WALLET, "network": "base"}


def test_an_off_ramp_order_has_a_deposit_address(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    server.responses[f"POST {ORDERS}"] = (201, ANSWERS["created_off"])
    opened = paycrest.create_order(order(OFF))
    assert opened.pay_to == "0xe9bBDDCF0E8fcD41Bd1345aa5688B565931B0184"
    assert opened.fiat_minor == 14_805_050
    sent = server.requests_to("POST", ORDERS)[0].json
    assert sent["source"]["refundAddress"] == WALLET
    assert sent["destination"]["recipient"]["memo"] == "cw_7Hs2"


def test_repeated_requests_create_one_order(server: ProviderServer, paycrest: Paycrest) -> None:
    made: list[dict[str, Any]] = []

    def create(_: Any) -> Any:
        made.append(BOUGHT)
        return 201, ANSWERS["created_on"]

    server.responses[f"POST {ORDERS}"] = create
    server.responses[f"GET {ORDERS}"] = lambda _: answered({"total": len(made), "orders": made})
    assert paycrest.create_order(order(ON)) == paycrest.create_order(order(ON))
    assert len(made) == 1


def test_an_order_is_searched_on_earlier_pages(server: ProviderServer, paycrest: Paycrest) -> None:
    other_orders = [BOUGHT | {"id": str(n), "reference": f"other-{n}"} for n in range(50)]

    def page(call: Any) -> Any:
        return answered({"orders": other_orders if call.query["page"] == "1" else [BOUGHT]})

    server.responses[f"GET {ORDERS}"] = page
    assert paycrest.create_order(order(ON)).reference == BOUGHT["id"]
    assert server.requests_to("POST", ORDERS) == []


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"amount": "99.5"}, "would deliver 99.5 USDC, not 100"),
        ({"providerAccount": None}, "documented form"),
        ({"status": "expired"}, "has closed the order already"),
        ({"providerAccount": {"amountToTransfer": "1"}}, "does not say where the user is to pay"),
    ],
)
def test_an_order_to_buy_that_is_not_as_asked_for_is_refused(
    server: ProviderServer, paycrest: Paycrest, changed: dict[str, Any], sentence: str
) -> None:
    server.responses[f"POST {ORDERS}"] = (201, answered(BOUGHT, **changed))
    with pytest.raises((ProviderRejected, Unreachable), match=sentence):
        paycrest.create_order(order(ON))


ACCOUNT = SOLD["providerAccount"]


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"providerAccount": ACCOUNT | {"amountToTransfer": "100.1"}}, "would take 100.1 USDC"),
        ({"providerAccount": ACCOUNT | {"memo": "7"}}, "asks for a memo"),
        ({"providerAccount": {"network": "base"}}, "where the crypto is to be sent"),
        (
            {
                "providerAccount": ACCOUNT | {"amountToTransfer": None},
                "transactionFee": "0.25",
            },
            "would take 100.25 USDC, not 100",
        ),
    ],
)
def test_an_order_to_sell_that_is_not_as_asked_for_is_refused(
    server: ProviderServer, paycrest: Paycrest, changed: dict[str, Any], sentence: str
) -> None:
    server.responses[f"POST {ORDERS}"] = (201, answered(SOLD, **changed))
    with pytest.raises((ProviderRejected, Unreachable), match=sentence):
        paycrest.create_order(order(OFF))


def test_a_provider_that_asks_more_than_was_quoted_says_so(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    dear = BOUGHT["providerAccount"] | {"amountToTransfer": "150000.005"}
    server.responses[f"POST {ORDERS}"] = (201, answered(BOUGHT, providerAccount=dear))
    assert paycrest.create_order(order(ON)).fiat_minor == 15_000_001


def test_a_missing_field_is_named(paycrest: Paycrest) -> None:
    with pytest.raises(ProviderRejected, match="needs the field accountName"):
        paycrest.create_order(
            order(ON, fields={k: v for k, v in FIELDS.items() if k != "accountName"})
        )


def test_an_unpaid_order_expires_and_a_paid_one_cannot_be_cancelled(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    path = f"GET {ORDERS}/{BOUGHT['id']}"
    for status in ("initiated", "expired", "cancelled"):
        server.responses[path] = answered(BOUGHT, direction="onramp", status=status)
        paycrest.cancel_order(BOUGHT["id"])
    server.responses[path] = answered(BOUGHT, direction="onramp", status="pending")
    with pytest.raises(ProviderRejected, match="has the payment already"):
        paycrest.cancel_order(BOUGHT["id"])
    paycrest.cancel_order("never-opened")
    paycrest.cancel_by_reference(order(ON))
    paycrest.confirm_payment(BOUGHT["id"])


@pytest.mark.parametrize(
    ("direction", "status", "outcome"),
    [
        ("onramp", "initiated", ProviderOrderStatus.WAITING),
        ("onramp", "pending", ProviderOrderStatus.PAID),
        ("onramp", "validated", ProviderOrderStatus.PAID),
        ("onramp", "settling", ProviderOrderStatus.PAID),
        ("onramp", "settled", ProviderOrderStatus.DELIVERED),
        ("offramp", "deposited", ProviderOrderStatus.PAID),
        ("offramp", "validated", ProviderOrderStatus.DELIVERED),
        ("offramp", "settling", ProviderOrderStatus.DELIVERED),
        ("offramp", "refunding", ProviderOrderStatus.FAILED),
        ("offramp", "refunded", ProviderOrderStatus.REFUNDED),
        ("onramp", "expired", ProviderOrderStatus.EXPIRED),
    ],
)
def test_every_status_is_mapped(
    server: ProviderServer,
    paycrest: Paycrest,
    direction: str,
    status: str,
    outcome: ProviderOrderStatus,
) -> None:
    data = BOUGHT if direction == "onramp" else SOLD
    server.responses[f"GET {ORDERS}/{data['id']}"] = answered(
        data, direction=direction, status=status, txHash="0xabc"
    )
    (report,) = paycrest.fetch_updates([data["id"], "unknown"])[data["id"]]
    assert (report.id, report.status) == (f"{data['id']}:{status}", outcome)
    assert bool(report.tx_hash) == (outcome is ProviderOrderStatus.DELIVERED)


def test_an_unknown_status_is_ignored(server: ProviderServer, paycrest: Paycrest) -> None:
    server.responses[f"GET {ORDERS}/{BOUGHT['id']}"] = answered(BOUGHT, status="pondering")
    assert paycrest.fetch_updates([BOUGHT["id"]]) == {}


def signed(body: bytes) -> dict[str, str]:
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return {"x-paycrest-signature": signature}


def test_webhooks_and_polling_give_the_same_update(
    server: ProviderServer, paycrest: Paycrest
) -> None:
    hook = ANSWERS["webhook"]
    server.responses[f"GET {ORDERS}/{BOUGHT['id']}"] = answered(hook["data"])
    body = json.dumps(hook).encode()
    updates = paycrest.parse_webhook(signed(body), body)
    assert updates == paycrest.fetch_updates([BOUGHT["id"]])[BOUGHT["id"]]
    assert (updates[0].status, updates[0].amount) == (ProviderOrderStatus.DELIVERED, HUNDRED)


def test_a_payment_held_for_review_has_failed(paycrest: Paycrest) -> None:
    hook = ANSWERS["webhook"] | {"event": "payment_order.compliance_hold"}
    body = json.dumps(hook | {"data": hook["data"] | {"status": "pending"}}).encode()
    (report,) = paycrest.parse_webhook(signed(body), body)
    assert (report.status, report.amount) == (ProviderOrderStatus.FAILED, HUNDRED)
    assert "review" in report.reason


def test_a_forged_or_malformed_webhook_is_rejected(paycrest: Paycrest) -> None:
    body = json.dumps(ANSWERS["webhook"]).encode()
    for headers in ({}, {"x-paycrest-signature": "00"}, signed(body + b" ")):
        with pytest.raises(Unauthorized):
            paycrest.parse_webhook(headers, body)
    for body in (b"no json", b"{}", b'{"event": 1}'):
        with pytest.raises(InvalidInput):
            paycrest.parse_webhook(signed(body), body)


def test_kyc_is_attested_by_the_operator(server: ProviderServer, paycrest: Paycrest) -> None:
    assert paycrest.get_kyc_status(USER, "NG") == VerificationStatus()
    with pytest.raises(ProviderRejected, match="the operator has to"):
        paycrest.submit_kyc(USER, "NG", {}, [])
    with new_http_client() as client:
        vouched = new_paycrest(server.url, client, identities="checked_by_operator")
        assert vouched.get_kyc_status(USER, "NG").passed is KycType.ADVANCED
        assert vouched.submit_kyc(USER, "NG", {}, []).passed is KycType.ADVANCED
