"""Payment links over HTTP: created, read, changed, listed with their uses, and their pages."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, staff_principal
from crossway.domain.public_ids import RecordKind
from crossway.usecases.developers.api_keys import create_api_key
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway.usecases.payments.checkout_urls import create_token
from tests.api.conftest import USDC_BASE, WALLET, Api, new_key, new_test_client
from tests.record_numbers import public_id, record_id

LINK = {"title": "Coffee", "destination_chain": "ARBITRUM_MAINNET", "recipient": WALLET}


def create_link(api: Api, **more: Any) -> Any:
    answer = api.post("/payment-links", {**LINK, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def patch_link(api: Api, link: Any, **changes: Any) -> Any:
    path = f"/api/v1/payment-links/{link['id']}"
    return api.http.patch(path, json=changes, headers=api.headers())


def submit_form(api: Api, link: Any, nonce: str) -> Any:
    form = CheckoutForm(nonce.ljust(20, "x"), "25", "BASE_MAINNET:USDC", WALLET)
    return pay_by_link(api.service.services, link["id"], form)


def test_a_link_is_created_once_read_changed_and_listed_newest_first(api: Api) -> None:
    body = {**LINK, "amount": "25000000", "metadata": {"sku": 7}, "reference": "A-1"}
    first = api.post("/payment-links", body, Idempotency_Key="k").json()
    assert api.post("/payment-links", body, Idempotency_Key="k").json() == first
    assert first["url"] == f"http://crossway.test/pay/l/{first['id']}"
    assert api.get(f"/payment-links/{first['id']}").json() == first
    second = create_link(api)
    page = api.get("/payment-links", limit=1).json()
    assert [payment_link["id"] for payment_link in page["payment_links"]] == [second["id"]]
    page = api.get("/payment-links", limit=1, cursor=page["next_cursor"]).json()
    assert [payment_link["id"] for payment_link in page["payment_links"]] == [first["id"]]
    assert page["next_cursor"] is None
    changed = patch_link(api, first, amount=None, min_amount="1000000", active=False).json()
    assert (changed["amount"], changed["min_amount"], changed["active"]) == (None, "1000000", False)
    assert changed["metadata"] == {"sku": 7}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""), ("title", "a\nb"), ("amount", "0"), ("amount", 5), ("recipient", "nobody"),
        ("destination_chain", "NOWHERE"), ("token_out", USDC_BASE), ("source_chains", "BASE"),
        ("source_chains", ["ETHEREUM_TESTNET"]), ("source_tokens", ["DOGE"]), ("max_uses", 0),
        ("max_uses", True), ("expires_at", "2020-01-01T00:00:00Z"), ("expires_at", "soon"),
        ("metadata", []), ("active", "yes"), ("frame", 1),
    ],
)  # fmt: skip
def test_an_error_names_the_field(api: Api, field: str, value: object) -> None:
    answer = api.post("/payment-links", {**LINK, field: value})
    assert answer.status_code == 400
    assert field in answer.json()["message"]


def test_the_recipient_of_a_link_never_changes(api: Api) -> None:
    link = create_link(api)
    answer = patch_link(api, link, recipient=WALLET)
    assert answer.status_code == 400
    assert "recipient is not a known field" in answer.json()["message"]


def test_uses_are_listed_with_their_intents_and_pages(api: Api) -> None:
    link = create_link(api, max_uses=2, reference="A-7")
    first, again = submit_form(api, link, "one"), submit_form(api, link, "one")
    assert first.id == again.id
    second = submit_form(api, link, "two")
    number, newer = (
        public_id(api.service.services, RecordKind.INTENT, intent.id) for intent in (first, second)
    )
    page = api.get(f"/payment-links/{link['id']}/uses", limit=1).json()
    assert page["uses"][0]["intent_id"] == newer
    page = api.get(f"/payment-links/{link['id']}/uses", cursor=page["next_cursor"]).json()
    assert [use["intent_id"] for use in page["uses"]] == [number]
    assert api.get(f"/payment-links/{link['id']}").json()["reserved"] == 2
    intent = api.get(f"/intents/{number}").json()
    assert intent["metadata"] == {"reference": "A-7"}
    assert intent["payment_url"] == page["uses"][0]["payment_url"]


def test_another_clients_link_is_not_found(api: Api) -> None:
    link = create_link(api)
    with new_test_client(api.service.services) as http:
        other = Api(http, api.service, *new_key(api.service))
        assert other.get(f"/payment-links/{link['id']}").status_code == 404
        assert other.get(f"/payment-links/{link['id']}/uses").status_code == 404
        assert patch_link(other, link, active=False).status_code == 404
        assert other.get("/payment-links").json()["payment_links"] == []


def test_intent_responses_contain_the_payer_page_url(api: Api) -> None:
    intent = api.create().json()
    services = api.service.services
    name = create_token(services, record_id(services, RecordKind.INTENT, intent["id"]))
    assert intent["payment_url"] == f"http://crossway.test/pay/{name}"
    assert api.get(f"/intents/{intent['id']}").json()["payment_url"] == intent["payment_url"]
    listed = api.get("/intents").json()["intents"]
    assert listed[0]["payment_url"] == intent["payment_url"]


def test_an_intent_names_a_link_of_its_own(api: Api) -> None:
    """wire.md §2, POST /intents, `payment_link_id`."""
    link = create_link(api, max_uses=1)
    submit_form(api, link, "only-use")
    intent = api.create(payment_link_id=link["id"])
    assert intent.status_code == 201, intent.text
    number = record_id(api.service.services, RecordKind.INTENT, intent.json()["id"])
    with api.service.store.read() as unit:
        stored = unit.intents.get(number)
    assert stored is not None
    assert stored.payment_link_id == link["id"]
    page = api.get(f"/payment-links/{link['id']}/uses").json()
    assert len(page["uses"]) == 1, "only payments by the page of a link count for it"


def test_a_wrong_destination_hides_no_other_error(api: Api) -> None:
    body = {"destination_chain": "MARS", "recipient": WALLET, "title": "", "max_uses": 0, "a": 1}
    answer = api.post("/payment-links", body).json()
    assert answer["params"] == ["destination_chain", "title", "max_uses", "a"]
    elsewhere = {**LINK, "recipient": "nobody", "amount": "x", "source_chains": ["BASE_TESTNET"]}
    answer = api.post("/payment-links", elsewhere).json()
    assert answer["params"] == ["recipient", "amount", "source_chains"]
    assert api.get("/payment-links").json()["payment_links"] == []


@pytest.mark.parametrize("whose", ["nobody", "another client", "the other mode", "off", "expired"])
def test_an_intent_of_another_or_a_closed_link_is_refused(
    api: Api, service: Service, whose: str
) -> None:
    client_id, _, secret = new_key(service, Mode.LIVE if whose == "the other mode" else Mode.TEST)
    if whose == "the other mode":
        operator = staff_principal("test")
        key = create_api_key(service.services, api.client_id, Mode.LIVE, operator)
        secret = key.secret
    other = Api(api.http, service, client_id, 0, secret)
    link = create_link(api if whose in ("off", "expired") else other)
    if whose == "off":
        patch_link(api, link, active=False)
    if whose == "expired":
        soon = datetime.now(UTC) + timedelta(days=300)
        assert patch_link(api, link, expires_at=soon.isoformat()).status_code == 200
        api.post("/sandbox/clock", {"advanceSeconds": 301 * 86_400})
    link_id = "pl_42" if whose == "nobody" else link["id"]
    answer = api.create(payment_link_id=link_id, amount="x")
    assert answer.status_code == 400
    problem = {
        "off": "this payment link is switched off", "expired": "this payment link has expired"
    }.get(whose, "no payment link of yours has this id")  # fmt: skip
    assert f"payment_link_id: {problem}" in answer.json()["message"]
    assert "amount must be" in answer.json()["message"], "every complaint at once"
    assert api.get("/intents").json()["total"] == 0
