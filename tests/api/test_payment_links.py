"""Payment links over HTTP: made, read, changed, listed with their uses; where payers find them."""

from typing import Any

import pytest

from crossway.usecases.payers import checkout
from crossway.usecases.payments.link_tokens import create_token
from tests.api.conftest import USDC_BASE, WALLET, Api, new_key, served

LINK = {"title": "Coffee", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET}


def made(api: Api, **more: Any) -> Any:
    answer = api.post("/payment-links", {**LINK, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def patched(api: Api, link: Any, **changes: Any) -> Any:
    path = f"/api/v1/payment-links/{link['id']}"
    return api.http.patch(path, json=changes, headers=api.headers())


def used(api: Api, link: Any, nonce: str) -> Any:
    form = checkout.CheckoutForm(nonce.ljust(20, "x"), "25", "BASE_MAINNET:USDC", WALLET)
    return checkout.pay_by_link(api.service.services, link["id"], form)


def test_a_link_is_made_once_read_changed_and_listed_newest_first(api: Api) -> None:
    body = {**LINK, "amount": "25000000", "metadata": {"sku": 7}, "reference": "A-1"}
    first = api.post("/payment-links", body, Idempotency_Key="k").json()
    assert api.post("/payment-links", body, Idempotency_Key="k").json() == first
    assert first["url"] == f"http://crossway.test/pay/l/{first['id']}"
    assert api.get(f"/payment-links/{first['id']}").json() == first
    second = made(api)
    page = api.get("/payment-links", limit=1).json()
    assert [one["id"] for one in page["payment_links"]] == [second["id"]]
    page = api.get("/payment-links", limit=1, cursor=page["nextCursor"]).json()
    assert [one["id"] for one in page["payment_links"]] == [first["id"]]
    assert page["nextCursor"] is None
    changed = patched(api, first, amount=None, min_amount="1000000", active=False).json()
    assert (changed["amount"], changed["min_amount"], changed["active"]) == (None, "1000000", False)
    assert changed["metadata"] == {"sku": 7}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""), ("title", "a\nb"), ("amount", "0"), ("amount", 5), ("recipient", "nobody"),
        ("destination_chain", "NOWHERE"), ("tokenOut", USDC_BASE), ("source_chains", "BASE"),
        ("source_chains", ["ETHEREUM_TESTNET"]), ("source_tokens", ["DOGE"]), ("max_uses", 0),
        ("max_uses", True), ("expires_at", "2020-01-01T00:00:00Z"), ("expires_at", "soon"),
        ("metadata", []), ("active", "yes"), ("frame", 1),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field(api: Api, field: str, value: object) -> None:
    answer = api.post("/payment-links", {**LINK, field: value})
    assert answer.status_code == 400
    assert field in answer.json()["message"]


def test_where_the_money_goes_never_changes(api: Api) -> None:
    link = made(api)
    answer = patched(api, link, recipient=WALLET)
    assert answer.status_code == 400
    assert "recipient is not a known field" in answer.json()["message"]


def test_uses_are_listed_with_their_intents_and_pages(api: Api) -> None:
    link = made(api, max_uses=2, reference="A-7")
    first, again = used(api, link, "one"), used(api, link, "one")
    assert first.id == again.id
    second = used(api, link, "two")
    page = api.get(f"/payment-links/{link['id']}/uses", limit=1).json()
    assert page["uses"][0]["intent_id"] == second.id
    page = api.get(f"/payment-links/{link['id']}/uses", cursor=page["nextCursor"]).json()
    assert [use["intent_id"] for use in page["uses"]] == [first.id]
    assert api.get(f"/payment-links/{link['id']}").json()["uses"] == 2
    intent = api.get(f"/intents/{first.id}").json()
    assert intent["metadata"] == {"reference": "A-7"}
    assert intent["payment_url"] == page["uses"][0]["payment_url"]


def test_another_clients_link_is_not_there(api: Api) -> None:
    link = made(api)
    with served(api.service.services) as http:
        other = Api(http, api.service, *new_key(api.service))
        assert other.get(f"/payment-links/{link['id']}").status_code == 404
        assert other.get(f"/payment-links/{link['id']}/uses").status_code == 404
        assert patched(other, link, active=False).status_code == 404
        assert other.get("/payment-links").json()["payment_links"] == []


def test_an_intents_answers_name_the_payers_page(api: Api) -> None:
    made = api.create().json()
    name = create_token(api.service.services, made["id"])
    assert made["payment_url"] == f"http://crossway.test/pay/{name}"
    assert api.get(f"/intents/{made['id']}").json()["payment_url"] == made["payment_url"]
    listed = api.get("/intents").json()["intents"]
    assert listed[0]["payment_url"] == made["payment_url"]
