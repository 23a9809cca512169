"""Attacks on people's KYC across clients and modes: nobody reads, blocks, overwrites or erases what
another client handed in, and no limit is reset by erasing or by going to another client."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.bootstrap import Service
from crossway.domain.clients import Mode, OwnerFilter, staff_principal
from crossway.usecases.developers import api_keys
from crossway.usecases.kyc import verification
from tests.api.conftest import Api, new_key, new_service, new_test_client
from tests.api.ramp_requests import new_email, order_body, pass_time
from tests.kyc_provider import BASIC, EMAIL, KycHarness, new_kyc_harness

PROVIDER = "YELLOW_CARD"
CORRIDOR = {"provider": PROVIDER, "countryCode": "NG", "fiatCurrency": "NGN"}
NOT_STARTED = ("none", "not_started", 0, 0, 0)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture(scope="module")
def http(service: Service) -> Iterator[TestClient]:
    with new_test_client(service.services) as client:
        yield client


@pytest.fixture
def first(http: TestClient, service: Service) -> Api:
    return Api(http, service, *new_key(service))


@pytest.fixture(params=["another client", "the other mode"])
def second(request: pytest.FixtureRequest, first: Api, http: TestClient, service: Service) -> Api:
    """Whoever must not see what the first hands in."""
    if request.param == "another client":
        return Api(http, service, *new_key(service))
    operator = staff_principal("test")
    live = api_keys.create_api_key(service.services, first.client_id, Mode.LIVE, operator)
    return Api(http, service, first.client_id, live.key.id, live.secret)


@pytest.fixture
def another(http: TestClient, service: Service) -> Api:
    """Another client, in the first one's mode: a provider's limits count over both."""
    return Api(http, service, *new_key(service))


def state(api: Api, email: str, amount: float | None = None) -> dict[str, Any]:
    more = {} if amount is None else {"cryptoAmount": amount}
    answer = api.get("/ramp/kyc", userEmail=email, **CORRIDOR, **more)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def standing(api: Api, email: str) -> tuple[Any, ...]:
    found = state(api, email)
    names = ("currentKycType", "currentKycStatus", "limitUsd", "usedUsd", "remainingUsd")
    return tuple(found[name] for name in names)


def decide(api: Api, email: str, kyc_type: str = "basic", status: str = "approved") -> None:
    body = {"provider": PROVIDER, "userEmail": email, "kycType": kyc_type, "status": status}
    assert api.post("/sandbox/kyc", body).status_code == 200


def hand_in(api: Api, email: str, **changes: str) -> Any:
    fields = {**BASIC, **changes}
    return api.post("/ramp/kyc", {**CORRIDOR, "userEmail": email, "fields": fields})


def order(api: Api, email: str, amount: float) -> Any:
    body = order_body(api, PROVIDER, cryptoAmount=amount) | {"userEmail": email}
    return api.post("/ramp/orders", body)


def erase(api: Api, email: str) -> Any:
    path = "/api/v1/ramp/kyc"
    return api.http.delete(path, params={"userEmail": email}, headers=api.headers())


def end_orders(api: Api) -> None:
    """Let every open order of the client be delivered or fail, so that people can be erased."""
    for placed in api.get("/ramp/orders").json()["orders"]:
        if placed["status"] in ("PENDING", "INITIATED", "PROCESSING"):
            api.post(f"/sandbox/ramp/orders/{placed['id']}", {"outcome": "delivered"})
    for _ in range(40):
        open_orders = [
            one for one in api.get("/ramp/orders").json()["orders"]
            if one["status"] in ("PENDING", "INITIATED", "PROCESSING")
        ]  # fmt: skip
        if not open_orders:
            return
        pass_time(api, 3)
    raise AssertionError(open_orders)


def test_a_person_of_another_is_unknown(first: Api, second: Api) -> None:
    email = new_email()
    assert hand_in(first, email).status_code == 200
    decide(first, email, "advanced")
    assert standing(first, email)[:2] == ("advanced", "approved")
    assert standing(second, email) == NOT_STARTED
    assert set(state(second, email)["missingRequirements"]) >= {"firstName", "idNumber"}
    assert state(second, email, 100)["canProceed"] is False
    answer = second.get("/kyc/state", userEmail=email, amount=100, **CORRIDOR).json()
    assert (answer["currentKycStatus"], answer["canProceed"]) == ("not_started", False)


def test_nobody_blocks_or_overwrites_a_person_of_another(first: Api, second: Api) -> None:
    email = new_email()
    assert hand_in(first, email).status_code == 200
    decide(first, email, "advanced")
    before = state(first, email, 100)
    assert hand_in(second, email, idNumber="00000000000").status_code in (200, 400)
    decide(second, email, "basic", "rejected")
    assert standing(second, email)[1] == "rejected"
    assert state(first, email, 100) == before
    assert before["canProceed"] is True


def test_nobody_erases_a_person_of_another(first: Api, second: Api) -> None:
    email = new_email()
    assert hand_in(first, email).status_code == 200
    decide(first, email)
    before = state(first, email)
    assert erase(second, email).json()["ordersCleared"] == 0
    assert state(first, email) == before


def test_a_recommendation_tells_nothing_about_a_person_of_another(first: Api, second: Api) -> None:
    email = new_email()
    for provider in ("YELLOW_CARD", "PAYCREST", "FONBNK"):
        body = {"provider": provider, "userEmail": email, "kycType": "advanced"}
        first.post("/sandbox/kyc", {**body, "status": "approved"})
    params = {"fiatCurrency": "NGN", "cryptoAmount": 25, "destinationChain": "ARBITRUM_MAINNET"}
    stranger = second.get("/ramp/quotes", userEmail=new_email(), **params).json()["recommended"]
    told = second.get("/ramp/quotes", userEmail=email, **params).json()["recommended"]
    assert told["provider"] == stranger["provider"]


def test_an_approval_is_not_lent_to_another(first: Api, second: Api) -> None:
    email = new_email()
    decide(first, email, "advanced")
    refused = order(second, email, 25)
    assert (refused.status_code, refused.json()["code"]) == (400, "KYC_REQUIRED")
    assert refused.json()["kyc"]["currentKycStatus"] == "not_started"
    assert order(first, email, 25).status_code == 201


def test_a_limit_counts_over_clients_and_shows_none_of_anothers_volume(
    first: Api, another: Api
) -> None:
    email = new_email()
    for api in (first, another):
        decide(api, email)
    assert order(first, email, 300).status_code == 201
    assert standing(another, email)[2:] == (500, 0, 500)
    told = state(another, email, 300)
    assert (told["canProceed"], told["usedUsd"], told["remainingUsd"]) == (False, 0, 500)
    assert "used by other orders" in told["reason"]
    assert "reason" not in state(another, email, 100)
    refused = order(another, email, 300)
    assert refused.status_code == 400, refused.text
    assert (refused.json()["code"], refused.json()["kyc"]["usedUsd"]) == ("KYC_REQUIRED", 0)
    for text in (json.dumps(told), refused.text):
        assert not {"200", "300", "200.0", "300.0"} & set(text.replace(",", " ").split())
    assert order(another, email, 100).status_code == 201
    assert standing(first, email)[3] >= 300
    assert standing(another, email)[3] >= 100


def test_a_limit_of_live_people_is_not_used_up_in_test(
    first: Api, http: TestClient, service: Service
) -> None:
    operator = staff_principal("test")
    live = api_keys.create_api_key(service.services, first.client_id, Mode.LIVE, operator)
    live_key = Api(http, service, first.client_id, live.key.id, live.secret)
    email = new_email()
    for api in (first, live_key):
        decide(api, email)
    assert order(first, email, 400).status_code == 201
    assert order(live_key, email, 400).status_code == 201


@pytest.mark.parametrize("returning", ["first", "another"])
def test_erasing_a_person_resets_no_limit(first: Api, another: Api, returning: str) -> None:
    email, api = new_email(), first if returning == "first" else another
    decide(first, email)
    assert order(first, email, 300).status_code == 201
    end_orders(first)
    assert erase(first, email).json()["ordersCleared"] == 1
    decide(api, email)
    assert state(api, email, 300)["canProceed"] is False
    refused = order(api, email, 300)
    assert (refused.status_code, refused.json()["code"]) == (400, "KYC_REQUIRED")
    assert order(api, email, 100).status_code == 201
    assert (standing(api, email)[3] >= 400) is (returning == "first")


def test_an_erased_person_leaves_a_keyed_digest_alone(first: Api, service: Service) -> None:
    email = new_email()
    decide(first, email)
    assert order(first, email, 50).status_code == 201
    end_orders(first)
    erase(first, email)
    index = service.services.vault.blind_index(email)
    with service.services.store.read() as unit:
        assert unit.kyc_customers.list_by_email(OwnerFilter(), index) == []
    folder = service.store.writer.url.database
    assert folder is not None
    for suffix in ("", "-wal"):
        with open(folder + suffix, "rb") as file:
            assert email.encode() not in file.read()


def test_a_result_reaches_the_client_that_handed_in(first: Api, second: Api) -> None:
    email = new_email()
    for api, status in ((first, "approved"), (second, "pending")):
        assert hand_in(api, email).status_code == 200
        decide(api, email, "basic", status)
    assert standing(first, email)[:2] == ("basic", "approved")
    assert standing(second, email)[:2] == ("basic", "pending")


@pytest.fixture
def by_email(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KycHarness]:
    """A provider that knows people by their e-mail address alone."""
    folder = tmp_path_factory.mktemp("kyc")
    with new_kyc_harness(folder, verifies_by_email_alone=True) as world:
        yield world


def test_a_provider_that_knows_addresses_only_is_not_asked_for_strangers(
    by_email: KycHarness,
) -> None:
    asked = (PROVIDER, EMAIL, "NG", "NGN")
    verification.submit_kyc(*by_email.staff_args, PROVIDER, EMAIL, "NG", BASIC)
    own = verification.assess_customer(*by_email.staff_args, *asked)
    assert own.status == "pending"
    stranger = replace(by_email.world.caller, mode=Mode.LIVE)
    told = verification.assess_customer(by_email.services, stranger, *asked)
    assert (told.kyc_type, told.status) == ("none", "not_started")
