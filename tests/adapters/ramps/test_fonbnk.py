"""Fonbnk's client against a local server that checks signatures as it would."""

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from crossway.adapters.ramps.fonbnk.client import Fonbnk
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Document, ProviderOrderStatus, ProviderRejected
from tests.adapters.ramps.provider_servers import (
    HOOK_SECRET,
    ProviderServer,
    is_signed_for_fonbnk,
    new_fonbnk,
    new_http_client,
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

NAME, ON, OFF = ProviderName.FONBNK, Direction.ON, Direction.OFF
HUNDRED = 100_000_000
ORDER, ID = "/api/v2/order", "68728fa56ff494df5f39faf5"
ANSWERS = recorded_responses("fonbnk")


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    with running_server(ProviderServer(is_signed_for_fonbnk)) as created:
        yield created


@pytest.fixture
def fonbnk(server: ProviderServer) -> Iterator[Fonbnk]:
    with new_http_client() as client:
        yield new_fonbnk(server.url, client)


def orders(server: ProviderServer, order: dict[str, Any]) -> None:
    """Let the server create this order once and return it from then on."""
    created: list[dict[str, Any]] = []

    def create(_: Any) -> Any:
        created.append(order)
        return {"order": order, "quoteUsed": False}

    server.responses[f"POST {ORDER}"] = create
    server.responses[f"GET {ORDER}"] = lambda _: (
        created[0] if created else (404, {"message": "No order"})
    )


def test_an_on_ramp_price_is_the_deposit_before_fees(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses["POST /api/v2/quote"] = ANSWERS["quote_on"]
    priced = fonbnk.get_quote(quote_request(ON, HUNDRED), [channel_for(NAME, ON, "NGN")], AT)
    assert (priced.fiat_minor, priced.rate_micro) == (15_312_800, 1_500_000_000)
    assert priced.fee_minor == 311_300 + 1_500
    assert priced.expires_at == datetime(2026, 11, 21, 12, 5, tzinfo=UTC)
    body = server.requests[0].json
    assert body["payout"]["amount"] == 100
    assert body["payout"]["currencyCode"] == "BASE_USDC"
    assert body["deposit"] == {
        "paymentChannel": "bank",
        "currencyType": "fiat",
        "currencyCode": "NGN",
    }


def test_an_off_ramp_price_is_the_payout_after_fees(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses["POST /api/v2/quote"] = ANSWERS["quote_off"]
    priced = fonbnk.get_quote(quote_request(OFF, HUNDRED), [channel_for(NAME, OFF, "NGN")], AT)
    assert (priced.fiat_minor, priced.fee_minor) == (14_844_999, 155_001)


def test_amounts_are_requested_exactly(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses["POST /api/v2/quote"] = ANSWERS["quote_on"]
    with pytest.raises(ProviderRejected, match="would deliver 100 USDC, not 123456789"):
        fonbnk.get_quote(quote_request(ON, 123_456_789_123_457), [channel_for(NAME, ON, "NGN")], AT)
    assert b'"amount":123456789.123457' in server.requests[0].body


@pytest.mark.parametrize("taken", [99.9, 100.000001])
def test_a_quote_for_another_amount_is_rejected(
    server: ProviderServer, fonbnk: Fonbnk, taken: float
) -> None:
    lying = json.loads(json.dumps(ANSWERS["quote_off"]))
    lying["deposit"]["cashout"]["amountBeforeFees"] = taken
    server.responses["POST /api/v2/quote"] = lying
    with pytest.raises(ProviderRejected, match="would take"):
        fonbnk.get_quote(quote_request(OFF, HUNDRED), [channel_for(NAME, OFF, "NGN")], AT)


def test_an_on_ramp_order_has_payment_instructions(server: ProviderServer, fonbnk: Fonbnk) -> None:
    orders(server, ANSWERS["order_on"])
    opened = fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))
    assert (opened.reference, opened.fiat_minor, opened.pay_to) == (ID, 15_312_800, "")
    assert opened.instructions["Account Number"] == "1234567890"
    assert opened.instructions["Important"].startswith("Make sure")
    sent = server.requests_to("POST", ORDER)[0].json
    assert sent["orderParams"] == "cw_7Hs2"
    assert sent["fieldsToCreateOrder"] == {
        "bankCode": "058",
        "bankAccountNumber": "0123456789",
        "accountName": "Ada Obi",
        "phoneNumber": "2348012345678",
        "blockchainWalletAddress": WALLET,
    }


def test_an_off_ramp_order_has_a_deposit_address(server: ProviderServer, fonbnk: Fonbnk) -> None:
    orders(server, ANSWERS["order_off"])
    opened = fonbnk.create_order(order_request(NAME, OFF, HUNDRED, 14_844_999))
    assert opened.pay_to == "0xe9bBDDCF0E8fcD41Bd1345aa5688B565931B0184"
    assert (opened.fiat_minor, opened.instructions) == (14_844_999, {})


def test_repeated_requests_create_one_order(server: ProviderServer, fonbnk: Fonbnk) -> None:
    orders(server, ANSWERS["order_on"])
    order = order_request(NAME, ON, HUNDRED, 15_312_800)
    assert fonbnk.create_order(order) == fonbnk.create_order(order)
    assert len(server.requests_to("POST", ORDER)) == 1


def test_an_order_with_another_reference_is_not_used(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_on"] | {"merchantOrderParams": "other"}
    server.responses[f"POST {ORDER}"] = {"order": ANSWERS["order_on"]}
    fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))
    assert len(server.requests_to("POST", ORDER)) == 1


def test_an_order_with_another_amount_is_cancelled(server: ProviderServer, fonbnk: Fonbnk) -> None:
    lying = json.loads(json.dumps(ANSWERS["order_on"]))
    lying["payout"]["cashout"]["amountAfterFees"] = 99
    orders(server, lying)
    server.responses[f"POST {ORDER}/cancel"] = lying | {"status": "deposit_canceled"}
    with pytest.raises(ProviderRejected, match="would deliver 99 USDC, not 100"):
        fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))
    assert server.requests_to("POST", f"{ORDER}/cancel")[0].json == {"orderId": ID}


def test_a_closed_order_gives_no_payment_instructions(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_on"] | {"status": "deposit_expired"}
    with pytest.raises(ProviderRejected, match="has closed the order already"):
        fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))


def test_a_rejection_repeats_no_personal_data(server: ProviderServer, fonbnk: Fonbnk) -> None:
    message = f"{EMAIL} with 2348012345678 is blocked"
    server.responses[f"POST {ORDER}"] = (400, {"message": message})
    with pytest.raises(ProviderRejected) as refusal:
        fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))
    assert str(refusal.value) == "Fonbnk refused: … with … is blocked"


def test_an_invalid_widget_url_is_not_shown(server: ProviderServer, fonbnk: Fonbnk) -> None:
    bad = json.loads(json.dumps(ANSWERS["order_on"]))
    bad["deposit"]["transferInstructions"] |= {"paymentUrl": "javascript:alert(1)"}
    orders(server, bad)
    with pytest.raises(Unreachable, match="https"):
        fonbnk.create_order(order_request(NAME, ON, HUNDRED, 15_312_800))


def test_an_off_ramp_is_confirmed_with_its_transaction(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_off"]
    server.responses[f"POST {ORDER}/confirm"] = ANSWERS["order_off"]
    fonbnk.confirm_payment(ID, "0xabc")
    sent = server.requests_to("POST", f"{ORDER}/confirm")[0].json
    assert sent == {"orderId": ID, "fieldsToConfirmOrder": {"blockchainTransactionHash": "0xabc"}}


def test_a_rejected_confirmation_has_a_reason(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses[f"POST {ORDER}/confirm"] = (400, {"message": "Order is validated already"})
    with pytest.raises(ProviderRejected, match="validated already"):
        fonbnk.confirm_payment(ID)


def test_cancelling_is_rejected_only_when_too_late(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses[f"POST {ORDER}/cancel"] = (400, {"message": "Order cannot be cancelled"})
    server.responses[f"GET {ORDER}"] = ANSWERS["order_on"] | {"status": "deposit_expired"}
    fonbnk.cancel_order(ID)
    server.responses[f"GET {ORDER}"] = ANSWERS["order_done"]
    with pytest.raises(ProviderRejected, match="cannot be cancelled"):
        fonbnk.cancel_order(ID)
    fonbnk.cancel_by_reference(order_request(NAME, ON, HUNDRED, 1, reference="never-opened"))


def test_updates_are_oldest_first_with_their_amounts(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_done"]
    updates = fonbnk.fetch_updates([ID])[ID]
    assert [report.status for report in updates] == [
        ProviderOrderStatus.WAITING,
        ProviderOrderStatus.PAID,
        ProviderOrderStatus.PAID,
        ProviderOrderStatus.DELIVERED,
    ]
    last = updates[-1]
    assert (last.id, last.amount, last.fiat_minor) == (f"{ID}:payout_successful", HUNDRED, 15312800)
    assert last.tx_hash.startswith("0x5f48")
    assert last.at == datetime(2026, 11, 21, 12, 16, tzinfo=UTC)


def test_an_unknown_order_has_no_updates(server: ProviderServer, fonbnk: Fonbnk) -> None:
    assert fonbnk.fetch_updates(["nobody"]) == {}


def webhook(order: dict[str, Any]) -> bytes:
    return json.dumps({"event": "order-status-change", "data": {"order": order}}).encode()


def hashes(body: bytes) -> list[str]:
    secret = hashlib.sha256(HOOK_SECRET.encode()).hexdigest().encode()
    return [hashlib.sha256(text).hexdigest() for text in (body + secret, secret + body)]


def test_webhooks_and_polling_give_the_same_updates(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_done"]
    body = webhook(ANSWERS["order_done"])
    for signature in hashes(body):
        assert fonbnk.parse_webhook({"x-signature": signature}, body) == [
            fonbnk.fetch_updates([ID])[ID][-1]
        ]


def test_a_webhook_without_an_order_id_is_resolved_by_reference(
    server: ProviderServer, fonbnk: Fonbnk
) -> None:
    server.responses[f"GET {ORDER}"] = ANSWERS["order_done"]
    body = webhook({k: v for k, v in ANSWERS["order_done"].items() if k != "_id"})
    updates = fonbnk.parse_webhook({"x-signature": hashes(body)[0]}, body)
    assert [report.reference for report in updates] == [ID]
    assert server.requests[0].query == {"orderParams": "cw_7Hs2"}


@pytest.mark.parametrize("headers", [{}, {"x-signature": ""}, {"x-signature": "0" * 64}])
def test_a_forged_webhook_is_rejected(fonbnk: Fonbnk, headers: dict[str, str]) -> None:
    with pytest.raises(Unauthorized):
        fonbnk.parse_webhook(headers, webhook(ANSWERS["order_done"]))


@pytest.mark.parametrize("body", [b"no json", b"[]", b'{"event": "x", "data": {}}', b'{"a": NaN}'])
def test_a_signed_but_malformed_webhook_is_rejected(fonbnk: Fonbnk, body: bytes) -> None:
    with pytest.raises(InvalidInput):
        fonbnk.parse_webhook({"x-signature": hashes(body)[0]}, body)


@pytest.mark.parametrize(
    ("passed", "status", "standing"),
    [
        (None, None, VerificationStatus()),
        (None, "initiated", VerificationStatus(KycType.BASIC, KycStatus.PENDING)),
        ("basic", "approved", VerificationStatus(KycType.BASIC, KycStatus.APPROVED)),
        ("basic", "initiated", VerificationStatus(KycType.ADVANCED, KycStatus.PENDING)),
        (
            "basic",
            "rejected",
            VerificationStatus(KycType.ADVANCED, KycStatus.REJECTED, reason="Blurred"),
        ),
        ("advanced", "approved", VerificationStatus(KycType.ADVANCED, KycStatus.APPROVED)),
    ],
)
def test_kyc_statuses_are_mapped(
    server: ProviderServer,
    fonbnk: Fonbnk,
    passed: str | None,
    status: str | None,
    standing: VerificationStatus,
) -> None:
    server.responses["GET /api/v2/user/kyc"] = ANSWERS["kyc"] | {
        "passedKycType": passed,
        "currentKycStatus": status,
        "currentKycStatusDescription": "Blurred",
    }
    assert fonbnk.get_kyc_status(USER, "NG") == standing


def test_submitted_fields_form_a_document(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses["GET /api/v2/user/kyc"] = ANSWERS["kyc"]
    server.responses["POST /api/v2/user/kyc"] = ANSWERS["kyc"] | {"currentKycStatus": "initiated"}
    fields = {"firstName": "Ada", "lastName": "Obi", "dateOfBirth": "1990-12-31"}
    basic = fields | {"idType": "NIN", "idNumber": "12345678901"}
    assert fonbnk.submit_kyc(USER, "NG", basic, []).status is KycStatus.PENDING
    images = [Document(key, "image/png", b"picture") for key in ("selfie", "idDocumentFront")]
    fonbnk.submit_kyc(USER, "NG", fields, images)
    first, second = (call.json for call in server.requests_to("POST", "/api/v2/user/kyc"))
    assert first["documentId"] == "67da909b739fc481aa525c43"
    assert first["userFields"] == fields_of(fields) | {"id_number": "12345678901"}
    assert [image["image_type_id"] for image in second["userFields"]["images"]] == [0, 1]
    assert base64.b64decode(second["userFields"]["images"][0]["image"]) == b"picture"


def fields_of(fields: dict[str, str]) -> dict[str, str]:
    theirs = {"firstName": "first_name", "lastName": "last_name", "dateOfBirth": "dob"}
    return {theirs[key]: value for key, value in fields.items()}


def test_a_missing_requirement_is_rejected_by_name(server: ProviderServer, fonbnk: Fonbnk) -> None:
    server.responses["GET /api/v2/user/kyc"] = ANSWERS["kyc"]
    with pytest.raises(ProviderRejected, match="still needs dob, id_number for NIN"):
        fonbnk.submit_kyc(USER, "NG", {"firstName": "A", "lastName": "O", "idType": "NIN"}, [])


def test_an_unsupported_chain_or_channel_is_rejected(fonbnk: Fonbnk) -> None:
    channel = channel_for(NAME, ON, "NGN")
    ask = quote_request(ON, HUNDRED)
    strange = replace(ask, token=replace(ask.token, chain="MONAD_MAINNET"))
    with pytest.raises(ProviderRejected, match="MONAD_MAINNET"):
        fonbnk.get_quote(strange, [channel], AT)
    with pytest.raises(ProviderRejected, match="No refund address is set for MONAD_MAINNET"):
        fonbnk.refund_address("MONAD_MAINNET")
