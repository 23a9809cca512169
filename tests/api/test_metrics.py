"""The figures that monitoring reads, and who may read them."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.health import create_probe_app, root_probe_routes
from crossway.bootstrap import Service
from crossway.domain.errors import Unreachable
from crossway.ports.policy import IngressConfig
from crossway.ports.process import InventoryCache
from crossway.usecases.operating import metrics
from tests.api.conftest import Api, new_key

TOKEN = "scrape-me-9f0c"


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """A process of its own for each test, asked from its own machine."""
    inner = create_api(service.services)
    served = Starlette(routes=[Mount("/api", inner), *root_probe_routes(inner)])
    with TestClient(served, client=("127.0.0.1", 1)) as client:
        yield client


def figures(http: TestClient, **headers: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample by its name and the values of its labels in their order."""
    answer = http.get("/metrics", headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, tuple(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_requests_are_counted_by_route_method_and_status(
    http: TestClient, service: Service
) -> None:
    api = Api(http, service, *new_key(service))
    made = api.create().json()
    for _ in range(3):
        api.get(f"/intents/address/{made['intent_address']}")
    api.get("/intents/address/0x0")
    http.get("/api/v1/intents/77")
    http.get("/api/v1/nope/nope", headers=api.headers())
    api.http.delete("/api/v1/intents", headers=api.headers())
    found = figures(http)
    by_address, intents = "/v1/intents/address/{address}", "/v1/intents"
    assert found["crossway_requests_total", ("GET", by_address, "200")] == 3
    assert found["crossway_requests_total", ("GET", by_address, "404")] == 1
    assert found["crossway_requests_total", ("POST", intents, "201")] == 1
    assert found["crossway_requests_total", ("GET", "/v1/intents/{id}", "401")] == 1
    assert found["crossway_requests_total", ("GET", "(no such path)", "404")] == 1
    assert found["crossway_requests_total", ("DELETE", intents, "405")] == 1
    assert found["crossway_request_seconds_count", ("GET", by_address)] == 4
    assert made["intent_address"] not in http.get("/metrics").text


def test_a_replayed_answer_is_counted_under_its_route(http: TestClient, service: Service) -> None:
    api = Api(http, service, *new_key(service))
    for _ in range(2):
        assert api.post("/intents", {}, Idempotency_Key="k").status_code == 400
    found = figures(http)
    assert found["crossway_requests_total", ("POST", "/v1/intents", "400")] == 2


def test_payments_chains_and_alarms_are_told(http: TestClient, service: Service) -> None:
    api = Api(http, service, *new_key(service))
    before = figures(http).get(("crossway_intents", ("PENDING",)), 0)
    api.create()
    api.tick(2)
    metrics.refresh_inventory(service.services)
    found = figures(http)
    assert found["crossway_intents", ("PENDING",)] == before + 1
    base = ("BASE_MAINNET",)
    assert found["crossway_chain_height", base] >= found["crossway_engine_height", base] > 0
    assert 0 <= found["crossway_engine_lag_blocks", base] < 100
    assert 0 <= found["crossway_engine_pass_age_seconds", base] < 60
    assert found["crossway_relayer_stock", ("BASE_MAINNET", "USDC")] > 0
    for name in ("webhook_queue", "webhook_oldest_seconds", "request_log_waiting"):
        assert found[f"crossway_{name}", ()] >= 0


def test_chains_are_asked_at_most_every_15_seconds_and_nobody_waits(service: Service) -> None:
    services = replace(
        service.services, process=replace(service.services.process, inventory=InventoryCache())
    )
    asked: list[str] = []

    class Counting:
        own = services.chains["BASE_MAINNET"].accounts

        def heads(self) -> Any:
            asked.append("heads")
            raise Unreachable("the node is down")

    services = replace(services, chains={"BASE_MAINNET": Counting()})  # type: ignore[dict-item]
    for _ in range(5):
        assert metrics.collect_metrics(services).inventory == {}
    end = time.monotonic() + 10
    while services.process.inventory.refreshing and time.monotonic() < end:
        pass
    assert asked == ["heads"]
    services.process.inventory.asked_at -= metrics.INVENTORY_REFRESH_SECONDS
    metrics.collect_metrics(services)
    while services.process.inventory.refreshing and time.monotonic() < end:
        pass
    assert asked == ["heads", "heads"]


def test_without_a_token_only_this_machine_may_read(service: Service) -> None:
    app = create_probe_app(service.services)
    with TestClient(app, client=("127.0.0.1", 1)) as here:
        assert here.get("/metrics").status_code == 200
        through_a_proxy = here.get("/metrics", headers={"X-Forwarded-For": "203.0.113.7"})
        assert through_a_proxy.status_code == 401
    with TestClient(app, client=("203.0.113.7", 1)) as away:
        refused = away.get("/metrics")
        assert refused.status_code == 401
        assert "CROSSWAY_METRICS_TOKEN" in refused.json()["message"]


def test_with_a_token_whoever_has_it_may_read(service: Service) -> None:
    services = replace(
        service.services, policy=replace(service.services.policy, ingress=IngressConfig((), TOKEN))
    )
    assert TOKEN not in repr(services.policy.ingress)
    with TestClient(create_probe_app(services), client=("203.0.113.7", 1)) as away:
        for given in (None, "Bearer", f"Bearer {TOKEN}x", TOKEN, "Bearer é"):
            headers = {} if given is None else {"Authorization": given.encode("latin-1")}
            assert away.get("/metrics", headers=headers).status_code == 401
        assert figures(away, Authorization=f"Bearer {TOKEN}")
    with TestClient(create_probe_app(services), client=("127.0.0.1", 1)) as here:
        assert here.get("/metrics").status_code == 401
