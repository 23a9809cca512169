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
from tests.adapters.ramps.asking import (
    AT,
    EMAIL,
    FIELDS,
    IDENTITY,
    WALLET,
    ask_of,
    channel_of,
    order_of,
)
from tests.adapters.ramps.standins import (
    SECRET,
    StandIn,
    b64,
    quick_client,
    recorded,
    running,
    yellow_card_allows,
    yellow_card_at,
)

NAME, ON, OFF = ProviderName.YELLOW_CARD, Direction.ON, Direction.OFF
HUNDRED = 100_000_000
ANSWERS = recorded("yellow_card")
RECEIVE, SEND = "/business/receive", "/business/send"
BY_OURS = {
    ON: f"GET {RECEIVE}/sequence-id/cw_7Hs2",
    OFF: "GET /business/payments/sequence-id/cw_7Hs2",
}
QUOTED = {ON: 16_308_400, OFF: 15_878_400}
NONE = (404, ANSWERS["none"])


@pytest.fixture
def server() -> Iterator[StandIn]:
    with running(StandIn(yellow_card_allows)) as made:
        made.answers["GET /business/rates"] = ANSWERS["rates"]
        made.answers["POST /business/fees/get-config"] = ANSWERS["fees"]
        made.answers["GET /business/networks"] = ANSWERS["networks"]
        made.answers[f"POST {RECEIVE}"] = ANSWERS["receive"]
        made.answers[f"POST {SEND}"] = ANSWERS["send"]
        yield made


@pytest.fixture
def card(server: StandIn) -> Iterator[YellowCard]:
    with quick_client() as client:
        yield yellow_card_at(server.url, client)


def order(direction: Direction, **more: Any) -> Any:
    return order_of(NAME, direction, HUNDRED, QUOTED[direction], **more)


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
    server: StandIn,
    card: YellowCard,
    direction: Direction,
    fee: dict[str, Any],
    fiat: int,
    fees: int,
) -> None:
    told = {"serviceFee": ANSWERS["fees"]["serviceFee"] | fee}
    server.answers["POST /business/fees/get-config"] = told
    priced = card.get_quote(ask_of(direction, HUNDRED), [channel_of(NAME, direction, "NGN")], AT)
    assert (priced.fiat_minor, priced.fee_minor) == (fiat * 100, fees * 100)
    asked = server.asked("POST", "/business/fees/get-config")[0].json
    assert (asked["txType"], asked["channelType"]) == (ORDER_KINDS[direction], "bank")


def test_an_amount_that_the_fees_eat_is_refused(server: StandIn, card: YellowCard) -> None:
    server.answers["POST /business/fees/get-config"] = {"serviceFee": {"minFeeLocal": 5000}}
    with pytest.raises(ProviderRejected, match="so small an amount"):
        card.get_quote(ask_of(OFF, 1_000_000), [channel_of(NAME, OFF, "NGN")], AT)


def test_fees_of_the_whole_amount_are_refused(server: StandIn, card: YellowCard) -> None:
    server.answers["POST /business/fees/get-config"] = {"serviceFee": {"feePercentage": 100}}
    with pytest.raises(ProviderRejected, match="keep the whole amount"):
        card.get_quote(ask_of(ON, HUNDRED), [channel_of(NAME, ON, "NGN")], AT)


def test_a_currency_without_a_rate_is_refused(server: StandIn, card: YellowCard) -> None:
    for rates in ([], [{"code": "NGN", "buy": 0, "sell": 0}], [{"code": "NGN", "locale": "NG"}]):
        server.answers["GET /business/rates"] = {"rates": rates}
        with pytest.raises(ProviderRejected, match="no rate for NGN"):
            card.get_quote(ask_of(ON, HUNDRED), [channel_of(NAME, ON, "NGN")], AT)


def test_an_order_to_buy_tells_how_to_pay(server: StandIn, card: YellowCard) -> None:
    opened = card.create_order(order(ON))
    assert (opened.reference, opened.fiat_minor) == ("receive:cw_7Hs2", 16_308_400)
    assert opened.instructions["Bank"] == "PAGA"
    assert opened.instructions["Reference"] == "JJ5275168"
    assert opened.pay_by == datetime(2026, 11, 21, 12, 10, 13, 393_000, tzinfo=UTC)
    sent = server.asked("POST", RECEIVE)[0].json
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


def test_an_order_to_sell_tells_where_the_crypto_goes(server: StandIn, card: YellowCard) -> None:
    opened = card.create_order(order(OFF))
    assert opened.pay_to == "0xe9bBDDCF0E8fcD41Bd1345aa5688B565931B0184"
    assert (opened.reference, opened.fiat_minor) == ("send:cw_7Hs2", 15_878_400)
    sent = server.asked("POST", SEND)[0].json
    assert sent["destination"] == {
        "accountType": "bank",
        "accountNumber": "0123456789",
        "accountName": "Ada Obi",
        "networkId": "b0804b93-5899-4ccf-b13b-7d93981f36fd",
    }
    assert sent["settlementInfo"]["cryptoAmount"] == 100
    assert sent["settlementInfo"]["refundAddress"] == WALLET


def test_a_bank_that_is_off_is_refused_by_its_name(card: YellowCard) -> None:
    with pytest.raises(ProviderRejected, match="does not serve Zenith Bank now"):
        card.create_order(order(OFF, fields=FIELDS | {"bankCode": "057"}))


def test_what_must_be_known_of_the_person_is_named(card: YellowCard) -> None:
    lacking = {k: v for k, v in IDENTITY.items() if k not in ("address", "additionalIdType")}
    with pytest.raises(ProviderRejected, match="of the person: address, additionalIdType"):
        card.create_order(order(ON, kyc_fields=lacking))
    with pytest.raises(ProviderRejected, match="date of birth such as"):
        card.create_order(order(ON, kyc_fields=IDENTITY | {"dateOfBirth": "31.12.1990"}))


def test_a_channel_that_it_lacks_is_refused(card: YellowCard) -> None:
    channel = channel_of(ProviderName.ONRAMP_MONEY, ON, "GBP", ChannelType.CARD)
    with pytest.raises(ProviderRejected, match="does not serve"):
        card.create_order(order(ON, channel=channel))


@pytest.mark.parametrize("direction", [ON, OFF])
def test_an_order_is_opened_once_however_often_it_is_asked_for(
    server: StandIn, card: YellowCard, direction: Direction
) -> None:
    name, path = ("receive", RECEIVE) if direction is ON else ("send", SEND)
    server.answers[BY_OURS[direction]] = lambda _: (
        ANSWERS[name] if server.asked("POST", path) else NONE
    )
    assert card.create_order(order(direction)) == card.create_order(order(direction))
    assert len(server.asked("POST", path)) == 1


def test_nobody_is_told_to_pay_for_an_order_that_is_closed(
    server: StandIn, card: YellowCard
) -> None:
    server.answers[BY_OURS[ON]] = ANSWERS["receive"] | {"status": "expired"}
    with pytest.raises(ProviderRejected, match="has closed the order already"):
        card.create_order(order(ON))


def test_a_duplicate_that_is_refused_is_the_order_itself(server: StandIn, card: YellowCard) -> None:
    server.answers[f"POST {RECEIVE}"] = (400, {"code": "X", "message": "sequenceId is in use"})
    server.answers[BY_OURS[ON]] = lambda _: (
        ANSWERS["receive"] if server.asked("POST", RECEIVE) else NONE
    )
    assert card.create_order(order(ON)).reference == "receive:cw_7Hs2"


def test_a_refusal_hides_what_it_says_of_a_person(server: StandIn, card: YellowCard) -> None:
    said = {"code": "PaymentValidationError", "message": f"{EMAIL} is not {IDENTITY['idNumber']}"}
    server.answers[f"POST {RECEIVE}"] = (400, said)
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
    server: StandIn, card: YellowCard, changed: dict[str, Any], sentence: str
) -> None:
    settled = ANSWERS["receive"]["settlementInfo"] | changed
    server.answers[f"POST {RECEIVE}"] = ANSWERS["receive"] | {"settlementInfo": settled}
    server.answers[f"POST {RECEIVE}/{ANSWERS['receive']['id']}/cancel"] = ANSWERS["receive"]
    with pytest.raises(ProviderRejected, match=sentence):
        card.create_order(order(ON))
    assert server.calls[-1].path.endswith("/cancel")


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"cryptoAmount": 100.5}, "would take 100.5 USDC, not 100"),
        ({"walletTag": "7"}, "asks for a tag"),
        ({"walletAddress": None}, "where the crypto is to be sent"),
    ],
)
def test_an_order_to_sell_that_is_not_as_asked_for_is_refused(
    server: StandIn, card: YellowCard, changed: dict[str, Any], sentence: str
) -> None:
    settled = ANSWERS["send"]["settlementInfo"] | changed
    server.answers[f"POST {SEND}"] = ANSWERS["send"] | {"settlementInfo": settled}
    with pytest.raises((ProviderRejected, Unreachable), match=sentence):
        card.create_order(order(OFF))


def test_an_unpaid_order_is_cancelled_or_lapses(server: StandIn, card: YellowCard) -> None:
    cancel = f"POST {RECEIVE}/{ANSWERS['receive']['id']}/cancel"
    server.answers[BY_OURS[ON]] = ANSWERS["receive"]
    server.answers[cancel] = ANSWERS["receive"] | {"status": "cancelled"}
    card.cancel_order("receive:cw_7Hs2")
    card.cancel_by_reference(order(ON))
    server.answers[cancel] = (400, {"message": "not in processing/pending state."})
    card.cancel_order("receive:cw_7Hs2")
    server.answers[BY_OURS[OFF]] = ANSWERS["send"]
    card.cancel_order("send:cw_7Hs2")
    card.cancel_order("send:never-opened")


def test_a_paid_order_cannot_be_cancelled(server: StandIn, card: YellowCard) -> None:
    server.answers[BY_OURS[ON]] = ANSWERS["receive"] | {"status": "complete"}
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
def test_every_status_means_something(
    server: StandIn,
    card: YellowCard,
    kind: str,
    changed: dict[str, Any],
    outcome: ProviderOrderStatus,
) -> None:
    server.answers[BY_OURS[ON if kind == "receive" else OFF]] = ANSWERS[kind] | changed
    reference = f"{kind}:cw_7Hs2"
    (report,) = card.fetch_updates([reference, "send:unknown"])[reference]
    assert (report.reference, report.status) == (reference, outcome)
    if (kind, outcome) == ("receive", ProviderOrderStatus.PAID):
        assert report.fiat_minor == 16_308_400


def test_a_receive_is_delivered_with_its_transaction(server: StandIn, card: YellowCard) -> None:
    settled = ANSWERS["receive"]["settlementInfo"] | {"txHash": "0xabc"}
    server.answers[BY_OURS[ON]] = ANSWERS["receive"] | {
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


def test_a_webhook_tells_what_went_wrong(card: YellowCard) -> None:
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
def test_older_and_newer_names_of_events_mean_the_same(
    card: YellowCard, event: str, reference: str
) -> None:
    assert [report.reference for report in told(card, event=event)] == [reference]


def test_events_of_other_things_say_nothing(card: YellowCard) -> None:
    assert told(card, event="CUSTODY.COMPLETE") == ()
    assert told(card, status="pondering") == ()


def test_a_forged_or_senseless_webhook_is_turned_away(card: YellowCard) -> None:
    body = json.dumps(ANSWERS["webhook"]).encode()
    for headers in ({}, {"x-yc-signature": "00"}, signed(body + b" ")):
        with pytest.raises(Unauthorized):
            card.parse_webhook(headers, body)
    with pytest.raises(Unauthorized, match="another key"):
        told(card, apiKey="somebody-else-s")
    for body in (b"no json", b"{}"):
        with pytest.raises(InvalidInput):
            card.parse_webhook(signed(body), body)


def test_identities_are_the_operator_s_to_check(server: StandIn, card: YellowCard) -> None:
    assert card.get_kyc_status(EMAIL, "NG") == VerificationStatus()
    with pytest.raises(ProviderRejected, match="the operator has to"):
        card.submit_kyc(EMAIL, "NG", {}, [])
    with quick_client() as client:
        vouched = yellow_card_at(server.url, client, identities="checked_by_operator")
        assert vouched.get_kyc_status(EMAIL, "NG").passed is KycType.ADVANCED
