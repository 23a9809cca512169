"""`expand` over HTTP: intents with orders and deliveries, orders and uses of links with intents."""

import pytest

from crossway.domain.clients import Mode
from crossway.storage.store import SqlStore
from tests.api.conftest import Api, new_key
from tests.api.ramp_requests import create_order
from tests.api.test_list_filters import LINK
from tests.api.test_payment_links import submit_form
from tests.statements import recorded


@pytest.fixture
def api(api_on_each: Api) -> Api:
    return api_on_each


def test_an_intent_is_read_with_its_order_and_deliveries(api: Api) -> None:
    webhook = api.post("/webhooks", {"url": "http://127.0.0.1:9/"}).json()
    order = create_order(api)
    api.tick(2)
    assert api.service.dispatcher is not None
    api.service.dispatcher.run_once()
    path = f"/intents/address/{order['intentAddress']}"
    plain = api.get(path).json()
    assert not {"order", "deliveries"} & set(plain)
    intent = api.get(path, expand="order, deliveries,bridge_transfer").json()
    assert intent["order"]["id"] == order["id"]
    assert {one["webhook_id"] for one in intent["deliveries"]} == {webhook["id"]}
    assert {one["resource"]["id"] for one in intent["deliveries"]} == {intent["id"]}
    assert api.get(f"/intents/{intent['id']}", expand="order").json()["order"] == intent["order"]
    [listed] = api.get("/intents", expand="order,deliveries").json()["intents"]
    assert listed["order"] == intent["order"]
    assert listed["deliveries"] == intent["deliveries"]


def test_an_intent_without_an_order_has_null(api: Api) -> None:
    made = api.create().json()["id"]
    intent = api.get(f"/intents/{made}", expand="order,deliveries").json()
    assert (intent["order"], intent["deliveries"]) == (None, [])


def test_orders_and_uses_are_read_with_their_intents(api: Api) -> None:
    order = create_order(api)
    assert "intent" not in api.get(f"/ramp/orders/{order['id']}").json()
    for path in (
        f"/ramp/orders/{order['id']}",
        f"/ramp/orders/by-intent/{order['intentAddress']}",
    ):
        expanded = api.get(path, expand="intent").json()
        assert expanded["intent"]["intent_address"] == order["intentAddress"]
    [listed] = api.get("/ramp/orders", expand="intent").json()["orders"]
    assert listed["intent"] == expanded["intent"]
    link = api.post("/payment-links", LINK).json()
    submit_form(api, link, "one")
    [use] = api.get(f"/payment-links/{link['id']}/uses", expand="intent").json()["uses"]
    intent = api.get(f"/intents/{use['intent_id']}").json()
    del intent["self_service"]  # lists leave it out
    assert use["intent"] == intent


def test_an_unknown_name_is_refused_with_the_possible_ones(api: Api) -> None:
    made, order = api.create().json(), create_order(api)
    link = api.post("/payment-links", LINK).json()
    for path, names in [
        ("/intents", "order, bridge_transfer, deliveries"),
        (f"/intents/{made['id']}", "order, bridge_transfer, deliveries"),
        (f"/intents/address/{made['intent_address']}", "order, bridge_transfer, deliveries"),
        ("/ramp/orders", "intent"),
        (f"/ramp/orders/{order['id']}", "intent"),
        (f"/payment-links/{link['id']}/uses", "intent"),
    ]:
        answer = api.get(path, expand="order,secrets")
        assert answer.status_code == 400, path
        assert f"expand must name some of {names}" in answer.json()["message"]


def test_a_list_is_expanded_with_as_many_queries_however_long_it_is(api: Api) -> None:
    api.post("/webhooks", {"url": "http://127.0.0.1:9/"})

    def count(limit: int) -> int:
        store = api.service.services.store
        assert isinstance(store, SqlStore)
        with recorded(store.reader) as statements:
            answer = api.get("/intents", limit=limit, expand="order,deliveries").json()
        assert len(answer["intents"]) == limit
        return len(statements)

    for _ in range(2):
        create_order(api)
    first = count(1)
    assert first > 3, "the order and the deliveries are read too"
    for _ in range(4):
        create_order(api)
    assert count(5) == first


def test_expanding_shows_nothing_of_the_other_mode(api: Api) -> None:
    order = create_order(api)
    live = Api(api.http, api.service, *new_key(api.service, Mode.LIVE))
    path = f"/intents/address/{order['intentAddress']}"
    assert live.get(path, expand="order").status_code == 404
    assert live.get("/intents", expand="order,deliveries").json()["intents"] == []
