"""Yellow Card's client against a local server that checks signatures as it would."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from crossway.adapters.ramps.yellow_card.client import YellowCard
from crossway.adapters.ramps.yellow_card.wire import ORDER_KINDS
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.kyc import KycType, VerificationStatus
from crossway.domain.payment_channels import ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderRejected
from tests.adapters.ramps.provider_servers import (
    SECRET,
    ProviderServer,
    b64,
    is_signed_for_yellow_card,
    new_http_client,
    new_yellow_card,
    recorded_responses,
    running_server,
)
from tests.adapters.ramps.requests import (
    AT,
    EMAIL,
    FIELDS,
    IDENTITY,
    USER,
    WALLET,
    channel_for,
    order_request,
    quote_request,
)

NAME, ON, OFF = ProviderName.YELLOW_CARD, Direction.ON, Direction.OFF
HUNDRED = 100_000_000
ANSWERS = recorded_responses("yellow_card")
RECEIVE, SEND = "/business/receive", "/business/send"
BY_OURS = {
    ON: f"GET {RECEIVE}/sequence-id/cw_7Hs2",
    OFF: "GET /business/payments/sequence-id/cw_7Hs2",
}
QUOTED = {ON: 16_308_400, OFF: 15_878_400}
NONE = (404, ANSWERS["none"])


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with running_server(ProviderServer(is_signed_for_yellow_card)) as created:
        created.responses["GET /business/rates"] = ANSWERS["rates"]
        created.responses["POST /business/fees/get-config"] = ANSWERS["fees"]
        created.responses["GET /business/networks"] = ANSWERS["networks"]
        created.responses[f"POST {RECEIVE}"] = ANSWERS["receive"]
        created.responses[f"POST {SEND}"] = ANSWERS["send"]
        yield created


@pytest.fixture
def card(server: ProviderServer) -> Iterator[YellowCard]:
    with new_http_client() as client:
        yield new_yellow_card(server.url, client)


def order(direction: Direction, **more: Any) -> Any:
    return order_request(NAME, direction, HUNDRED, QUOTED[direction], **more)


@pytest.mark.parametrize(
    ("direction", "fee", "fiat", "fees"),
    [
        # (100 USDC + 0.25 USD for the network) at 1617.3, and a quarter of a percent of the whole.
        (ON, {}, 162_541, 162_541 - 161_730),
        (ON, {"minFeeLocal": 1000}, 163_135, 163_135 - 161_730),
        (ON, {"flatFeeLocal": 10.5}, 162_552, 162_552 - 161_730),
        # 100 USDC at 1601.25, less a quarter of a percent.
        (OFF, {}, 159_724, 160_125 - 159_724),
        (OFF, {"minFeeLocal": 1000, "flatFeeLocal": 25}, 159_100, 160_125 - 159_100),
    ],
)
def test_a_price_is_whole_and_has_all_fees(
    server: ProviderServer,
    card: YellowCard,
    direction: Direction,
    fee: dict[str, Any],
    fiat: int,
    fees: int,
) -> None:
    told = {"serviceFee": ANSWERS["fees"]["serviceFee"] | fee}
    server.responses["POST /business/fees/get-config"] = told
    priced = card.get_quote(
        quote_request(direction, HUNDRED), [channel_for(NAME, direction, "NGN")], AT
    )
    assert (priced.fiat_minor, priced.fee_minor) == (fiat * 100, fees * 100)
    body = server.requests_to("POST", "/business/fees/get-config")[0].json
    assert (body["txType"], body["channelType"]) == (ORDER_KINDS[direction], "bank")


def test_an_amount_below_the_fees_is_rejected(server: ProviderServer, card: YellowCard) -> None:
    server.responses["POST /business/fees/get-config"] = {"serviceFee": {"minFeeLocal": 5000}}
    with pytest.raises(ProviderRejected, match="so small an amount"):
        card.get_quote(quote_request(OFF, 1_000_000), [channel_for(NAME, OFF, "NGN")], AT)


def test_fees_of_the_whole_amount_are_refused(server: ProviderServer, card: YellowCard) -> None:
    server.responses["POST /business/fees/get-config"] = {"serviceFee": {"feePercentage": 100}}
    with pytest.raises(ProviderRejected, match="keep the whole amount"):
        card.get_quote(quote_request(ON, HUNDRED), [channel_for(NAME, ON, "NGN")], AT)


def test_a_currency_without_a_rate_is_refused(server: ProviderServer, card: YellowCard) -> None:
    for rates in ([], [{"code": "NGN", "buy": 0, "sell": 0}], [{"code": "NGN", "locale": "NG"}]):
        server.responses["GET /business/rates"] = {"rates": rates}
        with pytest.raises(ProviderRejected, match="no rate for NGN"):
            card.get_quote(quote_request(ON, HUNDRED), [channel_for(NAME, ON, "NGN")], AT)


def test_an_on_ramp_order_has_payment_instructions(
    server: ProviderServer, card: YellowCard
) -> None:
    opened = card.create_order(order(ON))
    assert (opened.reference, opened.fiat_minor) == ("receive:cw_7Hs2", 16_308_400)
    assert opened.instructions["Bank"] == "PAGA"
    assert opened.instructions["Reference"] == "JJ5275168"
    assert opened.pay_by == datetime(2026, 11, 21, 12, 10, 13, 393_000, tzinfo=UTC)
    sent = server.requests_to("POST", RECEIVE)[0].json
    assert (sent["localAmount"], sent["channelType"]) == (163_084, "bank")
    assert sent["settlementInfo"] == {
        "cryptoCurrency": "USDC",
        "cryptoNetwork": "BASE",
        "walletAddress": WALLET,
    }
    assert sent["recipient"] == {
        "name": "Ada Obi",
        "phone": "+2348012345678",
        "address": "1 Marina Road, Lagos",
        "dob": "12/31/1990",
        "idNumber": "12345678901",
        "idType": "NIN",
        "additionalIdType": "BVN",
        "additionalIdNumber": "22345678901",
        "email": EMAIL,
        "country": "NG",
    }
    assert EMAIL not in sent["customerUID"]


def test_an_off_ramp_order_has_a_deposit_address(server: ProviderServer, card: YellowCard) -> None:
    opened = card.create_order(order(OFF))
    assert opened.pay_to == "0xe9bBDDCF0E8fcD41Bd1345aa5688B565931B0184"
    assert (opened.reference, opened.fiat_minor) == ("send:cw_7Hs2", 15_878_400)
    sent = server.requests_to("POST", SEND)[0].json
    assert sent["destination"] == {
        "accountType": "bank",
        "accountNumber": "0123456789",
        "accountName": "Ada Obi",
        "networkId": "b0804b93-5899-4ccf-b13b-7d93981f36fd",
    }
    assert sent["settlementInfo"]["cryptoAmount"] == 100
    assert sent["settlementInfo"]["refundAddress"] == WALLET


def test_a_disabled_bank_is_rejected_by_name(card: YellowCard) -> None:
    with pytest.raises(ProviderRejected, match="does not serve Zenith Bank now"):
        card.create_order(order(OFF, fields=FIELDS | {"bankCode": "057"}))


def test_missing_customer_fields_are_named(card: YellowCard) -> None:
    lacking = {k: v for k, v in IDENTITY.items() if k not in ("address", "additionalIdType")}
    with pytest.raises(ProviderRejected, match="of the user: address, additionalIdType"):
        card.create_order(order(ON, kyc_fields=lacking))
    with pytest.raises(ProviderRejected, match="date of birth such as"):
        card.create_order(order(ON, kyc_fields=IDENTITY | {"dateOfBirth": "31.12.1990"}))


def test_an_unsupported_channel_is_rejected(card: YellowCard) -> None:
    channel = channel_for(ProviderName.ONRAMP_MONEY, ON, "GBP", ChannelType.CARD)
    with pytest.raises(ProviderRejected, match="does not serve"):
        card.create_order(order(ON, channel=channel))


@pytest.mark.parametrize("direction", [ON, OFF])
def test_repeated_requests_create_one_order(
    server: ProviderServer, card: YellowCard, direction: Direction
) -> None:
    name, path = ("receive", RECEIVE) if direction is ON else ("send", SEND)
    server.responses[BY_OURS[direction]] = lambda _: (
        ANSWERS[name] if server.requests_to("POST", path) else NONE
    )
    assert card.create_order(order(direction)) == card.create_order(order(direction))
    assert len(server.requests_to("POST", path)) == 1


def test_a_closed_order_gives_no_payment_instructions(
    server: ProviderServer, card: YellowCard
) -> None:
    server.responses[BY_OURS[ON]] = ANSWERS["receive"] | {"status": "expired"}
    with pytest.raises(ProviderRejected, match="has closed the order already"):
        card.create_order(order(ON))


def test_a_rejected_duplicate_returns_the_existing_order(
    server: ProviderServer, card: YellowCard
) -> None:
    server.responses[f"POST {RECEIVE}"] = (400, {"code": "X", "message": "sequenceId is in use"})
    server.responses[BY_OURS[ON]] = lambda _: (
        ANSWERS["receive"] if server.requests_to("POST", RECEIVE) else NONE
    )
    assert card.create_order(order(ON)).reference == "receive:cw_7Hs2"


def test_a_rejection_hides_personal_data(server: ProviderServer, card: YellowCard) -> None:
    error_body = {
        "code": "PaymentValidationError",
        "message": f"{EMAIL} is not {IDENTITY['idNumber']}",
    }
    server.responses[f"POST {RECEIVE}"] = (400, error_body)
    with pytest.raises(ProviderRejected) as refusal:
        card.create_order(order(ON))
    assert str(refusal.value) == "Yellow Card refused: … is not …"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"cryptoAmount": 99.99}, "would deliver 99.99 USDC, not 100"),
        ({"walletAddress": "0xdead"}, "to another address"),
    ],
)
def test_an_order_to_buy_that_is_not_as_asked_for_is_cancelled(
    server: ProviderServer, card: YellowCard, changed: dict[str, Any], sentence: str
) -> None:
    settled = ANSWERS["receive"]["settlementInfo"] | changed
    server.responses[f"POST {RECEIVE}"] = ANSWERS["receive"] | {"settlementInfo": settled}
    server.responses[f"POST {RECEIVE}/{ANSWERS['receive']['id']}/cancel"] = ANSWERS["receive"]
    with pytest.raises(ProviderRejected, match=sentence):
        card.create_order(order(ON))
    assert server.requests[-1].path.endswith("/cancel")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"cryptoAmount": 100.5}, "would take 100.5 USDC, not 100"),
        ({"walletTag": "7"}, "asks for a tag"),
        ({"walletAddress": None}, "where the crypto is to be sent"),
    ],
)
def test_an_order_to_sell_that_is_not_as_asked_for_is_refused(
    server: ProviderServer, card: YellowCard, changed: dict[str, Any], sentence: str
) -> None:
    settled = ANSWERS["send"]["settlementInfo"] | changed
    server.responses[f"POST {SEND}"] = ANSWERS["send"] | {"settlementInfo": settled}
    with pytest.raises((ProviderRejected, Unreachable), match=sentence):
        card.create_order(order(OFF))


def test_an_unpaid_order_is_cancelled_or_expires(server: ProviderServer, card: YellowCard) -> None:
    cancel = f"POST {RECEIVE}/{ANSWERS['receive']['id']}/cancel"
    server.responses[BY_OURS[ON]] = ANSWERS["receive"]
    server.responses[cancel] = ANSWERS["receive"] | {"status": "cancelled"}
    card.cancel_order("receive:cw_7Hs2")
    card.cancel_by_reference(order(ON))
    server.responses[cancel] = (400, {"message": "not in processing/pending state."})
    card.cancel_order("receive:cw_7Hs2")
    server.responses[BY_OURS[OFF]] = ANSWERS["send"]
    card.cancel_order("send:cw_7Hs2")
    card.cancel_order("send:never-opened")


def test_a_paid_order_cannot_be_cancelled(server: ProviderServer, card: YellowCard) -> None:
    server.responses[BY_OURS[ON]] = ANSWERS["receive"] | {"status": "complete"}
    with pytest.raises(ProviderRejected, match="has the payment already"):
        card.cancel_order("receive:cw_7Hs2")


@pytest.mark.parametrize(
    ("kind", "changed", "outcome"),
    [
        ("receive", {"status": "pending"}, ProviderOrderStatus.WAITING),
        ("receive", {"status": "complete"}, ProviderOrderStatus.PAID),
        ("receive", {"status": "refunded"}, ProviderOrderStatus.REFUNDED),
        ("receive", {"status": "pending_refund"}, ProviderOrderStatus.FAILED),
        ("receive", {"status": "expired"}, ProviderOrderStatus.EXPIRED),
        ("receive", {"status": "cancelled"}, ProviderOrderStatus.CANCELLED),
        ("send", {"status": "created"}, ProviderOrderStatus.WAITING),
        ("send", {"status": "pending"}, ProviderOrderStatus.PAID),
        ("send", {"status": "complete"}, ProviderOrderStatus.DELIVERED),
        (
            "send",
            {"status": "failed", "errorCode": "INVALID_RECIPIENT"},
            ProviderOrderStatus.FAILED,
        ),
    ],
)
def test_every_status_is_mapped(
    server: ProviderServer,
    card: YellowCard,
    kind: str,
    changed: dict[str, Any],
    outcome: ProviderOrderStatus,
) -> None:
    server.responses[BY_OURS[ON if kind == "receive" else OFF]] = ANSWERS[kind] | changed
    reference = f"{kind}:cw_7Hs2"
    (report,) = card.fetch_updates([reference, "send:unknown"])[reference]
    assert (report.reference, report.status) == (reference, outcome)
    if (kind, outcome) == ("receive", ProviderOrderStatus.PAID):
        assert report.fiat_minor == 16_308_400


def test_a_receive_is_delivered_with_its_transaction(
    server: ProviderServer, card: YellowCard
) -> None:
    settled = ANSWERS["receive"]["settlementInfo"] | {"txHash": "0xabc"}
    server.responses[BY_OURS[ON]] = ANSWERS["receive"] | {
        "status": "complete",
        "settlementInfo": settled,
    }
    (report,) = card.fetch_updates(["receive:cw_7Hs2"])["receive:cw_7Hs2"]
    assert (report.status, report.amount, report.tx_hash) == (
        ProviderOrderStatus.DELIVERED,
        HUNDRED,
        "0xabc",
    )


def signed(body: bytes) -> dict[str, str]:
    return {"x-yc-signature": b64(hmac.new(SECRET.encode(), body, hashlib.sha256).digest())}


def told(card: YellowCard, **changed: Any) -> Any:
    body = json.dumps(ANSWERS["webhook"] | changed).encode()
    return card.parse_webhook(signed(body), body)


def test_a_webhook_contains_the_failure_reason(card: YellowCard) -> None:
    (report,) = told(card)
    assert (report.reference, report.status) == ("receive:cw_7Hs2", ProviderOrderStatus.FAILED)
    assert report.reason == "The payer did not approve the payment"


@pytest.mark.parametrize(
    ("event", "reference"),
    [
        ("COLLECTION.FAILED", "receive:cw_7Hs2"),
        ("SEND.FAILED", "send:cw_7Hs2"),
        ("PAYMENT.FAILED", "send:cw_7Hs2"),
        ("CONVERT.FAILED", "receive:cw_7Hs2"),
    ],
)
def test_old_and_new_event_names_are_equivalent(
    card: YellowCard, event: str, reference: str
) -> None:
    assert [report.reference for report in told(card, event=event)] == [reference]


def test_unrelated_events_are_ignored(card: YellowCard) -> None:
    assert told(card, event="CUSTODY.COMPLETE") == ()
    assert told(card, status="pondering") == ()


def test_a_forged_or_malformed_webhook_is_rejected(card: YellowCard) -> None:
    body = json.dumps(ANSWERS["webhook"]).encode()
    for headers in ({}, {"x-yc-signature": "00"}, signed(body + b" ")):
        with pytest.raises(Unauthorized):
            card.parse_webhook(headers, body)
    with pytest.raises(Unauthorized, match="another key"):
        told(card, apiKey="somebody-else-s")
    for body in (b"no json", b"{}"):
        with pytest.raises(InvalidInput):
            card.parse_webhook(signed(body), body)


def test_kyc_is_attested_by_the_operator(server: ProviderServer, card: YellowCard) -> None:
    assert card.get_kyc_status(USER, "NG") == VerificationStatus()
    with pytest.raises(ProviderRejected, match="the operator has to"):
        card.submit_kyc(USER, "NG", {}, [])
    with new_http_client() as client:
        vouched = new_yellow_card(server.url, client, identities="checked_by_operator")
        assert vouched.get_kyc_status(USER, "NG").passed is KycType.ADVANCED
