"""Intents over HTTP."""

import re
from typing import Any

import pytest

from tests.api.conftest import USDC_ARBITRUM, USDC_BASE, WALLET, Api

CREATED = {
    "id", "client_id", "sender", "initialAmount", "fees_in_usd", "app_fee_in_usd",
    "total_amount_in_usd", "total_amount_in_asset_token", "fees_in_asset_token",
    "network_fee_in_asset_token", "app_fee_in_asset_token", "asset_token_symbol",
    "asset_token_decimals", "slippage", "swap", "tokenIn",
    "tokenOut", "intent_address", "source_chain", "destination_chain", "recipient",
    "refund_address", "relayer", "coordinator", "bridger", "bridgeExtraData", "intent_nonce",
    "intent_status", "tx_hash", "needs_relay", "expires_at", "metadata", "created_at", "updated_at",
    "payment_url",
}  # fmt: skip
READ = (
    CREATED
    | {"destination_intent_address", "relayer_claimed", "paymaster_used", "mode"}
    | {"custody", "bridge_transfer", "self_service"}
)
SOLANA_WALLET = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
USDC_SOLANA = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
MILLISECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def test_a_created_intent_has_exactly_the_specified_fields(api: Api) -> None:
    answer = api.create(metadata={"order": "A-1", "n": 2**80})
    body = answer.json()
    assert answer.status_code == 201
    assert set(body) == CREATED
    assert body["intent_status"] == "PENDING"
    assert body["initialAmount"] == "25000000"
    assert body["tokenOut"] == USDC_ARBITRUM, "USDC of the destination by default"
    assert body["refund_address"] == WALLET, "the sender by default"
    assert (body["relayer"], body["tx_hash"], body["needs_relay"]) == ("", None, False)
    assert body["metadata"] == {"order": "A-1", "n": 2**80}
    assert int(body["total_amount_in_asset_token"]) == 25_000_000 + int(body["fees_in_asset_token"])
    assert int(body["total_amount_in_usd"]) == 25_000_000 + int(body["fees_in_usd"])


def test_times_are_utc_and_expiry_is_in_whole_seconds(api: Api) -> None:
    body = api.create().json()
    assert MILLISECONDS.fullmatch(body["created_at"])
    assert MILLISECONDS.fullmatch(body["updated_at"])
    assert MILLISECONDS.fullmatch(body["expires_at"])
    assert body["expires_at"].endswith(".000Z")


def test_an_intent_read_by_address_has_the_additional_fields(api: Api) -> None:
    intent = api.create().json()
    read = api.get(f"/intents/address/{intent['intent_address']}").json()
    assert set(read) == READ
    assert (read["mode"], read["relayer_claimed"], read["paymaster_used"]) == ("test", False, False)
    assert {k: v for k, v in read.items() if k in CREATED} == intent
    assert api.get(f"/intents/{intent['id']}").json() == read
    lower = api.get(f"/intents/address/{intent['intent_address'].lower()}")
    assert lower.json() == read, "an address is found in any spelling"


def test_an_intent_on_solana_shows_its_token_account(api: Api) -> None:
    intent = api.create(source_chain="SOLANA_MAINNET", tokenIn=USDC_SOLANA, sender=SOLANA_WALLET)
    assert intent.status_code == 201, intent.text
    read = api.get(f"/intents/{intent.json()['id']}").json()
    assert set(read) == READ | {"deposit_token_account"}


def test_the_destination_address_matches_the_intent(api: Api) -> None:
    intent = api.create().json()
    read = api.get(f"/intents/{intent['id']}").json()
    answer = api.get(f"/intents/destination-address/{intent['intent_address']}")
    assert answer.json() == {"destinationAddress": read["destination_intent_address"]}


def test_short_mainnet_names_are_accepted_and_canonical_names_returned(api: Api) -> None:
    body = api.create(source_chain="BASE", destination_chain="ARBITRUM").json()
    assert (body["source_chain"], body["destination_chain"]) == ("BASE_MAINNET", "ARBITRUM_MAINNET")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"amount": 25}, "amount"),
        ({"amount": "0"}, "amount"),
        ({"amount": "1.5"}, "amount"),
        ({"amount": "-1"}, "amount"),
        ({"amount": "1e6"}, "amount"),
        ({"amount": None}, "amount"),
        ({"amount": "1" + "0" * 70}, "amount"),
        ({"source_chain": "MARS_MAINNET"}, "source_chain"),
        ({"destination_chain": 7}, "destination_chain"),
        ({"tokenIn": WALLET}, "tokenIn"),
        ({"tokenIn": USDC_BASE.lower().replace("a", "A")}, "tokenIn"),
        ({"tokenOut": "x"}, "tokenOut"),
        ({"recipient": "0x12"}, "recipient"),
        ({"recipient": "0x" + "0" * 40}, "recipient"),
        ({"sender": ["x"]}, "sender"),
        ({"sender": None}, "refund_address"),
        ({"refund_address": SOLANA_WALLET}, "refund_address"),
        ({"metadata": "text"}, "metadata"),
        ({"metadata": {"x": "y" * 8200}}, "metadata"),
        ({"payment_link_id": 5}, "payment_link_id"),
        ({"payment_link_id": "pl_42"}, "payment_link_id"),
        ({"amountSymbol": "DOGE"}, "amountSymbol"),
        ({"amountSymbol": 0}, "amountSymbol"),
        ({"amountSymbol": []}, "amountSymbol"),
    ],
)
def test_each_invalid_field_is_400_and_named(api: Api, changes: dict[str, Any], field: str) -> None:
    answer = api.create(**changes)
    assert answer.status_code == 400, answer.text
    assert answer.json()["statusCode"] == 400
    assert field in answer.json()["message"]


def test_a_list_is_newest_first_and_paged_by_cursor(api: Api) -> None:
    ids = [api.create().json()["id"] for _ in range(5)]
    page = api.get("/intents", limit=2).json()
    names = {"intents", "total", "totalIsMinimum", "limit", "offset", "nextCursor"}
    assert set(page) == names
    assert (page["total"], page["limit"], page["offset"]) == (5, 2, 0)
    assert [intent["id"] for intent in page["intents"]] == ids[:2:-1]
    api.create()
    observed = []
    while page["nextCursor"] is not None:
        page = api.get("/intents", limit=2, cursor=page["nextCursor"]).json()
        observed += [intent["id"] for intent in page["intents"]]
    assert observed == ids[2::-1], "nothing twice, nothing skipped, though one came in between"
    assert [i["id"] for i in api.get("/intents", limit=2, offset=2).json()["intents"]] == ids[
        3:1:-1
    ]


def test_a_list_that_ends_on_a_full_page_has_no_next_cursor(api: Api) -> None:
    for _ in range(4):
        api.create()
    first = api.get("/intents", limit=2).json()
    assert api.get("/intents", limit=2, cursor=first["nextCursor"]).json()["nextCursor"] is None


def test_a_list_is_filtered(api: Api) -> None:
    api.create()
    api.create(source_chain="OPTIMISM", tokenIn="0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85")
    for params, total in [
        ({"status": "pending"}, 2), ({"status": "processing"}, 0), ({"status": "completed"}, 0),
        ({"status": "failed"}, 0), ({"source_chain": "OPTIMISM"}, 1),
        ({"source_chain": "BASE_MAINNET", "destination_chain": "ARBITRUM"}, 1),
        ({"destination_chain": "BASE"}, 0),
    ]:  # fmt: skip
        assert api.get("/intents", **params).json()["total"] == total, params
    assert len(api.get(f"/intents/user/{WALLET}").json()) == 2


@pytest.mark.parametrize(
    "params",
    [
        {"limit": 0}, {"limit": 101}, {"limit": "x"}, {"offset": -1}, {"status": "SENT"},
        {"cursor": "x"}, {"cursor": "9" * 30}, {"cursor": "1" * 5000}, {"cursor": str(2**63)},
        {"cursor": "١"}, {"cursor": "1\n"}, {"cursor": "-1"}, {"source_chain": "MARS"},
        {"offset": 10**30},
    ],
)  # fmt: skip
def test_a_list_rejects_invalid_parameters(api: Api, params: dict[str, Any]) -> None:
    answer = api.get("/intents", **params)
    assert answer.status_code == 400
    assert next(iter(params)) in answer.json()["message"]


@pytest.mark.parametrize("number", ["abc", "-1", "1.5", "9" * 30])
def test_an_id_must_be_a_whole_number(api: Api, number: str) -> None:
    assert api.get(f"/intents/{number}").status_code == 400
    assert api.get("/intents/999999999").status_code == 404
