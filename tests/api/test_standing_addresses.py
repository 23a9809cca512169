"""Standing addresses over the API: made, paid into, changed, listed, and told of by webhooks."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.conftest import (
    USDC_BASE,
    WALLET,
    Api,
    new_key,
    new_service,
    new_test_client,
)
from tests.receivers import Receiver, running_receiver

BODY = {
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": WALLET,
    "recovery_address": WALLET,
    "reference": "customer-7",
}


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    service = new_service(tmp_path_factory.mktemp("data"))
    with new_test_client(service.services) as http:
        yield Api(http, service, *new_key(service))
    service.close()


def change(api: Api, address: dict[str, Any], body: dict[str, Any]) -> Any:
    path = f"/api/v1/standing-addresses/{address['id']}"
    return api.http.patch(path, json=body, headers=api.headers())


def run(api: Api, seconds: int = 60) -> None:
    for _ in range(seconds // 2):
        api.post("/sandbox/clock", {"advanceSeconds": 2})
        api.tick()
    while api.service.dispatcher.run_once():
        pass


def deposits_of(api: Api, address: dict[str, Any]) -> list[dict[str, Any]]:
    answer = api.get("/standing-deposits", standing_address=address["id"])
    found: list[dict[str, Any]] = answer.json()["standing_deposits"]
    return found


def test_a_deposit_at_a_new_address_is_paid_out_and_told_of(api: Api) -> None:
    with running_receiver() as receiver:
        webhook = api.post("/webhooks", {"url": receiver.url, "events": ["*"]}).json()
        answer = api.post("/standing-addresses", BODY)
        assert answer.status_code == 201, answer.text
        address = answer.json()
        api.post("/sandbox/deposits", {"address": address["address"], "amount": "50000000"})
        run(api)
        [deposit] = deposits_of(api, address)
        assert (deposit["status"], deposit["amount"]) == ("FORWARDED", "50000000")
        assert (deposit["token"], deposit["chain"]) == (USDC_BASE, "BASE_MAINNET")
        intent = api.get(f"/intents/{deposit['intent_id']}").json()
        assert intent["intent_status"] == "COMPLETED"
        assert intent["refund_address"] == WALLET
        assert intent["metadata"] == {
            "reference": "customer-7",
            "standing_address": address["id"],
        }
        assert events(receiver, deposit) == ["FORWARDING", "FORWARDED"]
        completed = [e for e in receiver.events if e["type"] == "intent_completed"]
        assert [event["data"]["id"] for event in completed] == [deposit["intent_id"]]
        api.http.delete(f"/api/v1/webhooks/{webhook['id']}", headers=api.headers())


def test_a_quote_of_a_deposit_is_what_its_payment_gives_with_forwarding_in_its_fees(
    api: Api,
) -> None:
    address = api.post("/standing-addresses", {**BODY, "maximum": "90000000"}).json()
    quote = api.get(f"/standing-addresses/{address['id']}/quote", amount="50000000").json()
    api.post("/sandbox/deposits", {"address": address["address"], "amount": "50000000"})
    run(api)
    [deposit] = deposits_of(api, address)
    intent = api.get(f"/intents/{deposit['intent_id']}").json()
    assert intent["initialAmount"] == quote["payout_amount"]
    assert int(quote["payout_amount"]) + int(quote["fee"]) == 50_000_000
    assert int(quote["least_payout"]) <= int(quote["payout_amount"])
    # What a payer sends costs less by the forwarding alone, but for what no quote divides up.
    asked = {"tokenIn": USDC_BASE, "tokenOut": intent["tokenOut"],
             "sourceChain": "BASE_MAINNET", "destinationChain": "ARBITRUM_MAINNET",
             "amount": quote["payout_amount"], "amountSymbol": "USDC"}  # fmt: skip
    plain = api.get("/quotes/best", **asked).json()
    more = int(quote["fee"]) - int(plain["feeInAssetToken"])
    assert 0 < int(quote["forwarding_fee"]) <= more < int(quote["forwarding_fee"]) + 20
    assert int(quote["network_fee"]) > int(quote["forwarding_fee"])


@pytest.mark.parametrize(
    ("amount", "token", "reason"),
    [
        ("100", USDC_BASE, "It is below the minimum."),
        ("90000001", USDC_BASE.lower(), "It is above the maximum."),
    ],
)
def test_a_quote_says_why_a_deposit_would_go_back(
    api: Api, amount: str, token: str, reason: str
) -> None:
    address = api.post("/standing-addresses", {**BODY, "maximum": "90000000"}).json()
    path = f"/standing-addresses/{address['id']}/quote"
    quote = api.get(path, amount=amount, token=token).json()
    assert quote == {"token": USDC_BASE, "amount": amount, "reason": reason} | dict.fromkeys(
        ("payout_amount", "least_payout", "fee", "app_fee", "network_fee", "forwarding_fee")
    )
    for query, sentence in (
        ({"amount": amount, "token": WALLET}, "token must be one that the address accepts"),
        ({"amount": "1.5"}, "amount must be a positive integer string"),
        ({}, "amount is required"),
    ):
        refused = api.get(path, **query)
        assert (refused.status_code, sentence in refused.json()["message"]) == (400, True)


def events(receiver: Receiver, deposit: dict[str, Any]) -> list[str]:
    told = [e["data"] for e in receiver.events if e["type"] == "standing_deposit_updated"]
    assert all(data["standing_address_id"] == deposit["standing_address_id"] for data in told)
    return [data["status"] for data in told if data["id"] == deposit["id"]]


def test_limits_of_an_address_are_shown_and_changed(api: Api) -> None:
    address = api.post("/standing-addresses", {**BODY, "minimum": "20000000"}).json()
    assert (address["minimum"], address["maximum"]) == ("20000000", None)
    assert address["tokens"] == [USDC_BASE]
    assert address["max_fee_bps"] == 100
    changed = change(api, address, {"maximum": "90000000"}).json()
    assert (changed["maximum"], changed["address"]) == ("90000000", address["address"])
    assert change(api, address, {"maximum": None}).json()["maximum"] is None
    refused = change(api, address, {"recipient": WALLET})
    assert (refused.status_code, refused.json()["param"]) == (400, "recipient")


def test_the_same_request_makes_one_address(api: Api) -> None:
    made = [api.post("/standing-addresses", BODY, Idempotency_Key="once").json() for _ in "12"]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source_chain", "SOLANA_MAINNET"),
        ("source_chain", "BASE_TESTNET"),
        ("recipient", "nobody"),
        ("recovery_address", None),
        ("minimum", "1"),
        ("maximum", "2"),
        ("tokens", []),
        ("tokens", "USDC"),
        ("metadata", "gold"),
        ("reference", "x" * 101),
        ("surprise", 1),
    ],
)
def test_a_refused_field_is_named(api: Api, field: str, value: object) -> None:
    answer = api.post("/standing-addresses", {**BODY, field: value})
    assert answer.status_code == 400, answer.text
    body = answer.json()
    assert field in (body.get("param"), *body.get("params", ())), body


def test_what_is_not_paid_out_is_listed_with_its_reason(api: Api) -> None:
    address = api.post("/standing-addresses", {**BODY, "minimum": "20000000"}).json()
    for amount in ("100", "10000000"):
        api.post("/sandbox/deposits", {"address": address["address"], "amount": amount})
    run(api)
    returned, kept = deposits_of(api, address)
    assert (returned["status"], returned["reason"]) == ("RETURNED", "It is below the minimum.")
    assert (kept["status"], kept["intent_id"]) == ("KEPT", None)
    only = api.get("/standing-deposits", status="KEPT").json()["standing_deposits"]
    assert kept["id"] in [one["id"] for one in only]
    assert {one["status"] for one in only} == {"KEPT"}


def test_lists_go_on_by_their_cursors(api: Api) -> None:
    for _ in range(3):
        api.post("/standing-addresses", BODY)
    first = api.get("/standing-addresses", limit=2).json()
    second = api.get("/standing-addresses", limit=100, cursor=first["next_cursor"]).json()
    ids = [one["id"] for page in (first, second) for one in page["standing_addresses"]]
    assert len(ids) == len(set(ids)) > 3
    assert second["next_cursor"] is None
    page = api.get("/standing-deposits", limit=1).json()
    rest = api.get("/standing-deposits", cursor=page["next_cursor"]).json()["standing_deposits"]
    assert page["standing_deposits"][0]["id"] not in [one["id"] for one in rest]
