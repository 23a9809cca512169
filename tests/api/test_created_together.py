"""Requests to create intents that come together are stored together, each with its own answer."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import httpx
import pytest

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Owner, Principal
from crossway.domain.intent import Intent
from crossway.domain.price_risk import PricePolicy
from crossway.ports.process import ProcessState
from crossway.ports.records import IdempotencySlot, KeyedRequest
from crossway.ports.services import Services
from crossway.usecases.developers import idempotency
from crossway.usecases.developers.authentication import authenticate
from crossway.usecases.developers.create_together import CreateCall, create_together
from crossway.usecases.payments.intent_request import CreateIntentRequest
from tests.api.conftest import INTENT, WALLET, Api, listening, new_test_client
from tests.services import BRIDGES, address

REQUEST = CreateIntentRequest(
    amount="25000000",
    token_in=address("BASE_MAINNET"),
    source_chain="BASE_MAINNET",
    destination_chain="ARBITRUM_MAINNET",
    recipient=WALLET,
    sender=WALLET,
)
IN_ETH = replace(REQUEST, token_out=address("ARBITRUM_MAINNET", "ETH"))


@dataclass(frozen=True)
class Told:
    """What a caller is told: 201 and the address, or 400 and the error."""

    status_code: int
    body: bytes


def respond(came_of_it: Intent | Exception) -> Told:
    if isinstance(came_of_it, Intent):
        return Told(201, came_of_it.address.encode())
    return Told(400, str(came_of_it).encode())


def call(caller: Principal, key: str, request: CreateIntentRequest = REQUEST) -> CreateCall[Told]:
    keyed = KeyedRequest(caller.owner, key, sha256(str(request).encode()).hexdigest())
    return CreateCall(caller, request, keyed, respond)


def limited(services: Services) -> Services:
    """Services under which payments of 60 USD in a token may be open, with bridges that swap no
    deposit: what is swapped depends on no price."""
    policy = replace(services.policy, prices=PricePolicy(exposure_micro_usd=60_000_000))
    return replace(services, policy=policy, bridges=BRIDGES)


def test_one_that_fails_leaves_the_rest_of_its_group(api_on_each: Api) -> None:
    """Three of 25 USD in ETH do not fit into a limit of 60; what fails, fails with its key."""
    services = limited(api_on_each.service.services)
    caller = authenticate(services, api_on_each.secret)
    bad = replace(REQUEST, amount="0")
    group = [call(caller, "a", IN_ETH), call(caller, "b"), call(caller, "c", IN_ETH),
             call(caller, "d", IN_ETH), call(caller, "e", bad), call(caller, "f")]  # fmt: skip
    answers = create_together(services, group)
    assert [a.status_code for a in answers if isinstance(a, Told)] == [201, 201, 201, 400, 400, 201]
    assert api_on_each.get("/intents").json()["total"] == 4
    again = create_together(services, group)
    assert [(a.status, a.body) for a in again if isinstance(a, IdempotencySlot)] == [
        (a.status_code, a.body) for a in answers if isinstance(a, Told)
    ]
    assert api_on_each.get("/intents").json()["total"] == 4


def test_a_group_tells_repeats_and_other_requests_of_a_key_apart(api_on_each: Api) -> None:
    services = api_on_each.service.services
    caller = authenticate(services, api_on_each.secret)
    [first] = create_together(services, [call(caller, "a")])
    told = create_together(
        services,
        [call(caller, "a"), call(caller, "a", replace(REQUEST, amount="26000000")),
         call(caller, "b"), replace(call(caller, "c"), keyed=None)],
    )  # fmt: skip
    assert isinstance(told[0], IdempotencySlot)
    assert isinstance(first, Told)
    assert told[0].body == first.body
    others = [(a.status_code, a.body) for a in told[1:] if isinstance(a, Told)]
    assert [status for status, _ in others] == [400, 201, 201]
    assert others[0][1] == b"Idempotency-Key was used before with another request"
    assert api_on_each.get("/intents").json()["total"] == 3


def test_equal_keys_at_once_in_two_processes_get_one_answer(api_on_each: Api) -> None:
    """Each app has the memory of a process of its own; both have the same database."""
    services = api_on_each.service.services
    other = replace(services, process=ProcessState())
    with listening(services) as one, listening(other) as two:
        for key in ("first", "second", "third"):
            answers = at_once([one, two] * 10, api_on_each, key)
            created = [body for status, body in answers if status == 201]
            assert {status for status, _ in answers} <= {201, 409}
            assert created
            assert len(set(created)) == 1
    assert api_on_each.get("/intents").json()["total"] == 3


def at_once(ports: list[int], api: Api, key: str) -> list[tuple[int, bytes]]:
    """The answers to equal requests, one for each port."""
    headers = api.headers(**{"Idempotency-Key": key})

    def post(port: int) -> tuple[int, bytes]:
        url = f"http://127.0.0.1:{port}/api/v1/intents"
        # The URL of the payer's page begins with the host that is asked.
        answer = httpx.post(url, json=INTENT, headers={**headers, "Host": "pay.test"}, timeout=60)
        return answer.status_code, answer.content

    with ThreadPoolExecutor(len(ports)) as pool:
        return list(pool.map(post, ports))


def test_different_requests_at_once_get_their_own_answers(api_on_each: Api) -> None:
    def post(number: int) -> tuple[str, int, str]:
        amount = str(25_000_000 + number)
        body = {**INTENT, "amount": amount if number % 5 else "0", "metadata": {"n": number}}
        answer = api_on_each.post("/intents", body, Idempotency_Key=f"order-{number}")
        return amount, answer.status_code, answer.json().get("initialAmount", "")

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(post, range(40)))
    for number, (amount, status, created) in enumerate(answers):
        assert (status, created) == ((201, amount) if number % 5 else (400, ""))
    assert api_on_each.get("/intents").json()["total"] == 32


@pytest.mark.parametrize("held", [True, False])
def test_the_key_of_a_create_that_was_lost_goes_to_the_same_request(api: Api, held: bool) -> None:
    """As a process of an earlier version leaves it, which stored keys before the work."""
    services, body = api.service.services, json.dumps(INTENT).encode()
    digest = sha256(b"/api/v1/intents?\n" + body).hexdigest()
    owner = Owner(api.client_id, Mode.TEST)
    lost = idempotency.open_slot(services, owner, "lost", digest)
    assert isinstance(lost, idempotency.OpenSlot)
    if not held:
        ended = [(owner, "lost", lost.holder)]
        services.store.write(lambda unit: unit.api_keys.renew_idempotency_slots(ended, seconds=-1))

    def post(content: bytes) -> Any:
        headers = api.headers(**{"Idempotency-Key": "lost", "Content-Type": "application/json"})
        return api.http.post("/api/v1/intents", content=content, headers=headers)

    assert post(body + b" ").status_code == 422
    first = post(body)
    if held:
        assert (first.status_code, first.headers["retry-after"]) == (409, "4")
    else:
        assert (first.status_code, post(body).content) == (201, first.content)
    assert api.get("/intents").json()["total"] == (0 if held else 1)


def test_a_body_that_is_no_json_is_refused_under_its_key(api: Api, service: Service) -> None:
    headers = api.headers(**{"Idempotency-Key": "bad"})
    first, again = (
        api.http.post("/api/v1/intents", content=b"{", headers=headers) for _ in range(2)
    )
    assert (first.status_code, again.content) == (400, first.content)
    assert again.headers["idempotent-replayed"] == "true"
    assert new_test_client(service.services).post("/api/v1/intents").status_code == 401
