"""Ramp orders on PostgreSQL, with several processes' worth of callers at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from crossway.bootstrap import Service
from crossway.ports.process import ApiKeyCache
from tests.api.conftest import Api, new_key, new_service, served
from tests.api.ramps import known, open_order, order_of, person, read, report, until
from tests.databases import new_postgres


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Service]:
    with new_postgres(postgres_url) as url:
        service = new_service(tmp_path_factory.mktemp("data"), database_url=url)
        yield service
        service.close()


def processes(service: Service) -> list[Api]:
    """Two processes that know nothing of each other but the database."""
    key = new_key(service)
    return [
        Api(
            served(
                replace(
                    service.services,
                    process=replace(service.services.process, api_keys=ApiKeyCache()),
                )
            ),
            service,
            *key,
        )
        for _ in range(2)
    ]


def test_both_directions_are_completed(service: Service) -> None:
    api = processes(service)[0]
    bought = open_order(api)
    report(api, bought, "delivered")
    until(api, bought, "COMPLETED")
    sold = open_order(api, type="off-ramp")
    report(api, sold, "paid")
    until(api, sold, "COMPLETED", times=80)


def test_one_idempotency_key_in_two_processes_opens_one_order(service: Service) -> None:
    here, there = processes(service)
    body = order_of(here)

    def create(n: int) -> int:
        api = (here, there)[n % 2]
        return int(api.post("/ramp/orders", body, Idempotency_Key="order-1").status_code)

    with ThreadPoolExecutor(6) as pool:
        statuses = set(pool.map(create, range(12)))
    assert 201 in statuses
    assert statuses <= {201, 409}
    assert here.get("/ramp/orders").json()["total"] == 1


def test_of_confirm_and_cancel_at_once_one_is_done(service: Service) -> None:
    here, there = processes(service)
    for _ in range(4):
        order = open_order(here)
        callers = (here, there, here, there)
        actions = ("confirm", "cancel", "cancel", "confirm")
        paths = [f"/ramp/orders/{order['id']}/{action}" for action in actions]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(Api.post, callers, paths))
        assert {answer.status_code for answer in answers} <= {200, 400}
        status = read(here, order)["status"]
        done = {
            action
            for action, answer in zip(actions, answers, strict=True)
            if answer.status_code == 200
        }
        assert (done, status) in (
            ({"confirm"}, "PROCESSING"),
            ({"cancel"}, "CANCELLED"),
            # It was closed at the provider first, so that nothing can be delivered.
            ({"confirm"}, "FAILED"),
        )


def test_a_limit_is_not_used_twice_at_once(service: Service) -> None:
    here, there = processes(service)
    body = {**order_of(here, cryptoAmount=300), "userEmail": known(here, "YELLOW_CARD", "basic")}

    def create(n: int) -> int:
        return int((here, there)[n % 2].post("/ramp/orders", body).status_code)

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(create, range(4)))
    assert statuses == [201, 400, 400, 400], "500 USD a month are enough for one"


@pytest.mark.parametrize("value", ["a\x00b", "\ud7ff", "' OR 1=1 --", "%_\\", "é" * 300])
def test_strange_text_is_never_a_defect(service: Service, value: str) -> None:
    api = processes(service)[0]
    good = order_of(api)
    for field in good:
        answer = api.post("/ramp/orders", {**good, field: value})
        assert answer.status_code in (201, 400), (field, answer.text)
    for asked in ("status", "type", "provider", "fiatCurrency", "cursor"):
        assert api.get("/ramp/orders", **{asked: value}).status_code == 400
    for asked in ("provider", "userEmail", "countryCode", "fiatCurrency", "cryptoAmount"):
        corridor = {"provider": "YELLOW_CARD", "fiatCurrency": "NGN", "userEmail": person()}
        assert api.get("/ramp/kyc", **{**corridor, asked: value}).status_code == 400
    handed_in = {"provider": "YELLOW_CARD", "userEmail": person(), "countryCode": "NG"}
    for body in ({**handed_in, "fields": {value: value}}, {**handed_in, "userEmail": value}):
        assert api.post("/ramp/kyc", body).status_code == 400
