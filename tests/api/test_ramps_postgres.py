"""Ramp orders on PostgreSQL, with several processes and concurrent callers."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from crossway.bootstrap import Service
from crossway.ports.process import ApiKeyCache
from tests.api.conftest import Api, new_key, new_service, new_test_client
from tests.api.ramp_requests import (
    create_order,
    get_order,
    new_email,
    order_body,
    report,
    verified_customer,
    wait_for_status,
)
from tests.databases import new_postgres


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Service]:
    with new_postgres(postgres_url) as url:
        service = new_service(tmp_path_factory.mktemp("data"), database_url=url)
        yield service
        service.close()


def processes(service: Service) -> list[Api]:
    """Two processes that share only the database."""
    key = new_key(service)
    return [
        Api(
            new_test_client(
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
    bought = create_order(api)
    report(api, bought, "delivered")
    wait_for_status(api, bought, "COMPLETED")
    sold = create_order(api, type="off-ramp")
    report(api, sold, "paid")
    wait_for_status(api, sold, "COMPLETED", times=80)


def test_one_idempotency_key_in_two_processes_creates_one_order(service: Service) -> None:
    first_process, second_process = processes(service)
    body = order_body(first_process)

    def create(n: int) -> int:
        api = (first_process, second_process)[n % 2]
        return int(api.post("/ramp/orders", body, Idempotency_Key="order-1").status_code)

    with ThreadPoolExecutor(6) as pool:
        statuses = set(pool.map(create, range(12)))
    assert 201 in statuses
    assert statuses <= {201, 409}
    assert first_process.get("/ramp/orders").json()["total"] == 1


def test_of_concurrent_confirm_and_cancel_one_succeeds(service: Service) -> None:
    first_process, second_process = processes(service)
    for _ in range(4):
        order = create_order(first_process)
        callers = (first_process, second_process, first_process, second_process)
        actions = ("confirm", "cancel", "cancel", "confirm")
        paths = [f"/ramp/orders/{order['id']}/{action}" for action in actions]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(Api.post, callers, paths))
        assert {answer.status_code for answer in answers} <= {200, 400}
        status = get_order(first_process, order)["status"]
        done = {
            action
            for action, answer in zip(actions, answers, strict=True)
            if answer.status_code == 200
        }
        assert (done, status) in (
            ({"confirm"}, "PROCESSING"),
            ({"cancel"}, "CANCELLED"),
            # It was cancelled at the provider first, so nothing can be delivered.
            ({"confirm"}, "FAILED"),
        )


def test_concurrent_orders_do_not_exceed_a_limit(service: Service) -> None:
    first_process, second_process = processes(service)
    body = {
        **order_body(first_process, cryptoAmount=300),
        "userEmail": verified_customer(first_process, "YELLOW_CARD", "basic"),
    }

    def create(n: int) -> int:
        return int((first_process, second_process)[n % 2].post("/ramp/orders", body).status_code)

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(create, range(4)))
    assert statuses == [201, 400, 400, 400], "500 USD a month are enough for one"


@pytest.mark.parametrize("value", ["a\x00b", "\ud7ff", "' OR 1=1 --", "%_\\", "é" * 300])
def test_unusual_text_causes_no_server_error(service: Service, value: str) -> None:
    api = processes(service)[0]
    good = order_body(api)
    for field in good:
        answer = api.post("/ramp/orders", {**good, field: value})
        assert answer.status_code in (201, 400), (field, answer.text)
    for parameter in ("status", "type", "provider", "fiatCurrency", "cursor"):
        assert api.get("/ramp/orders", **{parameter: value}).status_code == 400
    for parameter in ("provider", "userEmail", "countryCode", "fiatCurrency", "cryptoAmount"):
        corridor = {"provider": "YELLOW_CARD", "fiatCurrency": "NGN", "userEmail": new_email()}
        assert api.get("/ramp/kyc", **{**corridor, parameter: value}).status_code == 400
    handed_in = {"provider": "YELLOW_CARD", "userEmail": new_email(), "countryCode": "NG"}
    for body in ({**handed_in, "fields": {value: value}}, {**handed_in, "userEmail": value}):
        assert api.post("/ramp/kyc", body).status_code == 400
