"""POST /intents/batch: up to 500 intents with one request, in the modes `all` and `each`."""

from dataclasses import replace
from typing import Any

import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.price_risk import PricePolicy
from crossway.usecases.developers import api_keys
from tests.api.conftest import INTENT, Api, new_key, new_test_client
from tests.services import BRIDGES, address

BAD = {**INTENT, "amount": "x", "recipient": "y"}
BAD_MESSAGE = (
    "amount must be a positive integer string in the smallest unit; recipient is not an EVM "
    "address: expected 0x and 40 hex digits"
)


def send(api: Api, intents: Any, mode: str = "all", **headers: str) -> Any:
    return api.post("/intents/batch", {"mode": mode, "intents": intents}, **headers)


def total(api: Api) -> int:
    found: int = api.get("/intents").json()["total"]
    return found


def test_all_intents_of_a_batch_are_created_in_their_order(api_on_each: Api) -> None:
    amounts = [str(25_000_000 + number) for number in range(20)]
    answer = send(api_on_each, [{**INTENT, "amount": amount} for amount in amounts])
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["created"], body["failed"]) == (20, 0)
    assert [one["index"] for one in body["results"]] == list(range(20))
    assert [one["intent"]["initialAmount"] for one in body["results"]] == amounts
    for one in (body["results"][0]["intent"], body["results"][-1]["intent"]):
        read = api_on_each.get(f"/intents/{one['id']}").json()
        assert read["intent_address"] == one["intent_address"]
    assert len({one["intent"]["id"] for one in body["results"]}) == 20
    assert total(api_on_each) == 20


def test_the_form_of_an_intent_is_that_of_its_own_request(api: Api) -> None:
    [item] = send(api, [INTENT]).json()["results"]
    assert set(item["intent"]) == set(api.create().json())


def test_each_creates_the_others_where_one_is_refused(api: Api) -> None:
    answer = send(api, [INTENT, BAD, 5, {**INTENT, "speed": "high"}, INTENT], "each")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["created"], body["failed"], total(api)) == (2, 3, 2)
    alone = api.post("/intents", BAD).json()
    assert alone["message"] == BAD_MESSAGE
    results = body["results"]
    assert [set(one) for one in results] == [
        {"index", "intent"}, {"index", "error"}, {"index", "error"}, {"index", "error"},
        {"index", "intent"},
    ]  # fmt: skip
    assert results[1]["error"] == alone
    assert results[2]["error"]["message"] == "body must be a JSON object"
    assert results[3]["error"]["message"] == "speed is not a known field"
    assert results[3]["error"]["param"] == "speed"


def test_all_creates_none_where_one_is_refused(api: Api) -> None:
    answer = send(api, [INTENT, BAD, 5, INTENT])
    assert answer.status_code == 400
    assert answer.json() == {
        "statusCode": 400,
        "code": "parameter_invalid",
        "params": ["intents[1].amount", "intents[1].recipient", "intents[2]"],
        "message": "intents[1].amount must be a positive integer string in the smallest unit; "
        "intents[1].recipient is not an EVM address: expected 0x and 40 hex digits; "
        "intents[2] must be a JSON object",
    }
    assert total(api) == 0


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        ({"intents": []}, "intents must be a list of 1 to 500 intents", "intents"),
        ({"intents": [INTENT] * 501}, "intents must be a list of 1 to 500 intents", "intents"),
        ({"intents": {}}, "intents must be a list of 1 to 500 intents", "intents"),
        ({"mode": "all"}, "intents is required", "intents"),
        ({"mode": "some", "intents": [INTENT]}, "mode must be all or each", "mode"),
        ({"mode": 1, "intents": [INTENT]}, "mode must be all or each", "mode"),
        ({"intents": [INTENT], "fast": True}, "fast is not a known field", "fast"),
    ],
)
def test_a_batch_that_is_none_is_refused_by_name(
    api: Api, body: Any, message: str, param: str
) -> None:
    answer = api.post("/intents/batch", body)
    assert answer.status_code == 400
    assert (answer.json()["message"], answer.json()["param"]) == (message, param)
    assert total(api) == 0


def test_500_intents_are_a_batch_and_equal_ones_are_payments_of_their_own(api: Api) -> None:
    answer = send(api, [{**INTENT, "metadata": {"note": "x" * 80}}] * 500)
    assert answer.status_code == 200, answer.text
    addresses = {one["intent"]["intent_address"] for one in answer.json()["results"]}
    assert (len(addresses), total(api)) == (500, 500)


def test_a_batch_may_have_1_mib(api: Api) -> None:
    answer = send(api, [{**INTENT, "metadata": {"note": "x" * 8_000}}] * 140)
    assert answer.status_code == 413
    assert answer.json()["message"] == "The request body is longer than 1 MiB"


@pytest.mark.parametrize("mode", ["all", "each"])
def test_a_key_repeats_the_answer_to_a_whole_batch(api_on_each: Api, mode: str) -> None:
    api, intents = api_on_each, [INTENT, INTENT] + ([BAD] if mode == "each" else [])
    first, again = (send(api, intents, mode, Idempotency_Key="batch") for _ in range(2))
    assert (first.status_code, again.content) == (200, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    assert send(api, [INTENT], mode, Idempotency_Key="batch").status_code == 422
    assert total(api) == 2


def test_a_batch_whose_process_died_after_the_commit_is_not_created_again(
    api: Api, service: Service
) -> None:
    class Killed(BaseException):
        """A simulated crash of the process."""

    def die(step: str) -> None:
        raise Killed(step)

    process = replace(service.services.process, failpoint=die)
    dying = replace(api, http=new_test_client(replace(service.services, process=process)))
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever the server makes of it
        send(dying, [INTENT, INTENT], Idempotency_Key="batch")
    again = send(api, [INTENT, INTENT], Idempotency_Key="batch")
    assert (again.status_code, again.headers["idempotent-replayed"]) == (200, "true")
    assert total(api) == 2


def test_only_what_fits_into_a_limit_of_exposure_is_created(
    api_on_each: Api, service_on_each: Service
) -> None:
    """Three payments of 25 USD paid out in ETH, of which 60 USD may be open; USDC has no limit."""
    services = service_on_each.services
    policy = replace(services.policy, prices=PricePolicy(exposure_micro_usd=60_000_000))
    # With bridges that swap no deposit: what is swapped depends on no price.
    http = new_test_client(replace(services, policy=policy, bridges=BRIDGES))
    api = replace(api_on_each, http=http)
    eth = {**INTENT, "tokenOut": address("ARBITRUM_MAINNET", "ETH")}
    refused = send(api, [eth, eth, INTENT, eth])
    assert (refused.status_code, total(api)) == (400, 0)
    assert "payments with ETH are limited" in refused.json()["message"]
    answer = send(api, [eth, eth, INTENT, eth, INTENT], "each")
    errors = [one.get("error", {}).get("param") for one in answer.json()["results"]]
    assert (errors, total(api)) == ([None, None, None, "amount", None], 4)


def test_a_batch_needs_the_scope_and_no_test_network_with_a_live_key(
    api: Api, service: Service
) -> None:
    reader = api_keys.create_api_key(
        service.services, api.client_id, Mode.TEST, staff_principal("test"),
        frozenset({Scope.READ}),
    )  # fmt: skip
    assert send(replace(api, secret=reader.secret), [INTENT]).status_code == 403
    live = Api(api.http, service, *new_key(service, Mode.LIVE))
    testnet = {**INTENT, "source_chain": "BASE_TESTNET"}
    [item] = send(live, [testnet], "each").json()["results"]
    assert "A live key cannot be used with test networks" in item["error"]["message"]


def test_the_path_of_batches_takes_no_other_method(api: Api) -> None:
    answer = api.get("/intents/batch")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_batch_counts_as_50_requests(service: Service) -> None:
    with new_test_client(service.services) as http:
        api = Api(http, service, *new_key(service, requests_per_minute=60))
        answers = [send(api, [INTENT]).status_code for _ in range(2)]
    assert answers == [200, 429]
