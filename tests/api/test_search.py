"""Search over HTTP: what an identifier finds of a client's own, on each kind of database."""

from typing import Any

import pytest

from crossway.domain.clients import Mode
from tests.api.conftest import WALLET, Api, new_key
from tests.api.ramp_requests import create_order, verified_customer
from tests.api.test_list_filters import LINK, OTHER_WALLET

STANDING = {
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": OTHER_WALLET,
    "recovery_address": WALLET,
}


@pytest.fixture
def api(api_on_each: Api) -> Api:
    return api_on_each


def found(api: Api, q: str, **more: Any) -> list[tuple[str, Any, str]]:
    answer = api.get("/search", q=q, **more)
    assert answer.status_code == 200, answer.text
    return [(one["type"], one["id"], one["matched_field"]) for one in answer.json()["results"]]


def test_an_intent_is_found_by_what_is_known_of_it(api: Api) -> None:
    intent = api.create(metadata={"order": "A-1001"}, recipient=OTHER_WALLET).json()
    deposit = {"address": intent["intent_address"], "amount": "1000000"}
    tx = api.post("/sandbox/deposits", deposit).json()["txHash"]
    for _ in range(10):
        api.post("/sandbox/clock", {"advanceSeconds": 5})
        api.tick()
    for q, field in [
        (intent["intent_address"], "address"),
        (f"  {intent['intent_address'].lower()} ", "address"),
        (str(intent["id"]), "number"),
        (f"intent {intent['id']}", "number"),
        (str(intent["intent_nonce"]), "nonce"),
        (tx, "deposit"),
        (intent["payment_url"], "payers_page"),
        ("a-1001", "metadata"),
        (OTHER_WALLET, "recipient"),
        (f"https://basescan.org/tx/{tx}", "deposit"),
    ]:
        assert ("intent", intent["id"], field) in found(api, q), q
    [result] = api.get("/search", q=intent["intent_address"]).json()["results"]
    assert result["url"] == f"http://crossway.test/api/v1/intents/{intent['id']}"
    assert result["matched_by"] == "deposit address"
    assert result["unique"] is True
    assert result["title"].startswith("Payment of 25.0")
    assert result["title"].endswith("PENDING")
    assert api.http.get(result["url"], headers=api.headers()).json()["id"] == intent["id"]


def test_standing_addresses_and_what_came_to_them_are_found(api: Api) -> None:
    address = api.post("/standing-addresses", {**STANDING, "reference": "Customer 7"}).json()
    sent = {"address": address["address"], "amount": "50000000"}
    tx = api.post("/sandbox/deposits", sent).json()["txHash"]
    for _ in range(20):
        api.post("/sandbox/clock", {"advanceSeconds": 5})
        api.tick()
    page = api.get("/standing-deposits", standing_address=address["id"]).json()
    [deposit] = page["standing_deposits"]
    for q, field in [
        (address["id"], "id"),
        (address["address"].lower(), "standing_address"),
        ("Customer 7", "reference"),
    ]:
        assert ("standing_address", address["id"], field) in found(api, q), q
    for q, field in [
        (tx, "deposit"),
        (f"https://basescan.org/tx/{tx}", "deposit"),
        (str(deposit["id"]), "number"),
    ]:
        assert found(api, q) == [("standing_deposit", deposit["id"], field)], q
    [result] = api.get("/search", q=tx).json()["results"]
    assert api.http.get(result["url"], headers=api.headers()).json() == deposit
    stranger = Api(api.http, api.service, *new_key(api.service))
    for q in (address["id"], address["address"], "Customer 7", tx, str(deposit["id"])):
        assert found(stranger, q) == [], q
    assert stranger.get(f"/standing-deposits/{deposit['id']}").status_code == 404


def test_other_resources_are_found_too(api: Api) -> None:
    order = create_order(api)
    link = api.post("/payment-links", LINK).json()["id"]
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()["id"]
    delivery = api.post(f"/webhooks/{webhook}/test").json()["id"]
    assert ("ramp_order", order["id"], "number") in found(api, f"order {order['id']}")
    assert ("payment_link", link, "id") in found(api, link)
    assert ("webhook", webhook, "number") in found(api, str(webhook))
    assert ("delivery", delivery, "number") in found(api, f"delivery {delivery}")
    for q in (f"order {order['id']}", link, str(webhook), f"delivery {delivery}"):
        [result] = api.get("/search", q=q).json()["results"]
        answer = api.http.get(result["url"], headers=api.headers())
        assert answer.json()["id"] == result["id"]


def test_nothing_of_others_is_found(api: Api) -> None:
    intent = api.create(metadata={"order": "shared-7"}).json()
    order = create_order(api)
    for key in (new_key(api.service), new_key(api.service, Mode.LIVE)):
        other = Api(api.http, api.service, *key)
        for q in (
            intent["intent_address"], str(intent["id"]), intent["payment_url"], "shared-7", WALLET,
            order["intentAddress"], str(order["id"]), api.client_id, "1", "payment 1",
        ):  # fmt: skip
            assert found(other, q) == [], q


def test_many_records_of_others_hide_none_of_ones_own(api: Api) -> None:
    mine = api.create(metadata={"order": "1001"}).json()["id"]
    crowd = Api(api.http, api.service, *new_key(api.service))
    for _ in range(60):
        crowd.create(metadata={"order": "1001"})
    assert found(api, "1001") == [("intent", mine, "metadata")]
    answer = crowd.get("/search", q="1001").json()
    assert (len(answer["results"]), answer["truncated"]) == (50, True)


def test_an_email_address_is_searched_for_in_a_body(api: Api) -> None:
    email = verified_customer(api, "YELLOW_CARD")
    order = create_order(api, userEmail=email)
    refused = api.get("/search", q=email)
    assert refused.status_code == 400
    assert "POST /search" in refused.json()["message"]
    assert email not in refused.text
    results = api.post("/search", {"q": email}).json()["results"]
    kinds = {one["type"]: one["id"] for one in results}
    assert kinds["ramp_order"] == order["id"]
    assert kinds["intent"] == api.get(f"/intents/address/{order['intentAddress']}").json()["id"]
    other = Api(api.http, api.service, *new_key(api.service))
    assert other.post("/search", {"q": email}).json()["results"] == []


@pytest.mark.parametrize("q", ["", "   ", "x" * 2_001])
def test_what_is_no_identifier_is_refused(api: Api, q: str) -> None:
    for answer in (api.get("/search", q=q), api.post("/search", {"q": q})):
        assert answer.status_code == 400
        assert answer.json()["message"].startswith("q must be an identifier")
    assert api.get("/search").status_code == 400
    assert api.post("/search", {"q": 5}).status_code == 400
