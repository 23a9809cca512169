"""The metrics endpoint and who may read it."""

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
    """A new process for each test, called from its own machine."""
    inner = create_api(service.services)
    served = Starlette(routes=[Mount("/api", inner), *root_probe_routes(inner)])
    with TestClient(served, client=("127.0.0.1", 1)) as client:
        yield client


def read_metrics(http: TestClient, **headers: str) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample by its name and label values."""
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
    intent = api.create().json()
    for _ in range(3):
        api.get(f"/intents/address/{intent['intent_address']}")
    api.get("/intents/address/0x0")
    http.get("/api/v1/intents/77")
    http.get("/api/v1/nope/nope", headers=api.headers())
    api.http.delete("/api/v1/intents", headers=api.headers())
    results = read_metrics(http)
    by_address, intents = "/v1/intents/address/{address}", "/v1/intents"
    assert results["crossway_requests_total", ("GET", by_address, "200")] == 3
    assert results["crossway_requests_total", ("GET", by_address, "404")] == 1
    assert results["crossway_requests_total", ("POST", intents, "201")] == 1
    assert results["crossway_requests_total", ("GET", "/v1/intents/{id}", "401")] == 1
    assert results["crossway_requests_total", ("GET", "(no such path)", "404")] == 1
    assert results["crossway_requests_total", ("DELETE", intents, "405")] == 1
    assert results["crossway_request_seconds_count", ("GET", by_address)] == 4
    assert intent["intent_address"] not in http.get("/metrics").text


def test_a_replayed_response_is_counted_under_its_route(http: TestClient, service: Service) -> None:
    api = Api(http, service, *new_key(service))
    for _ in range(2):
        assert api.post("/intents", {}, Idempotency_Key="k").status_code == 400
    results = read_metrics(http)
    assert results["crossway_requests_total", ("POST", "/v1/intents", "400")] == 2


def test_metrics_cover_payments_chains_and_alerts(http: TestClient, service: Service) -> None:
    api = Api(http, service, *new_key(service))
    before = read_metrics(http).get(("crossway_intents", ("PENDING",)), 0)
    api.create()
    api.tick(2)
    metrics.refresh_inventory(service.services)
    results = read_metrics(http)
    assert results["crossway_intents", ("PENDING",)] == before + 1
    for outcome in ("paid", "failed"):
        assert results["crossway_funded_payments_ended_24h", (outcome,)] >= 0
    base = ("BASE_MAINNET",)
    assert results["crossway_chain_height", base] >= results["crossway_engine_height", base] > 0
    assert 0 <= results["crossway_engine_lag_blocks", base] < 100
    assert 0 <= results["crossway_engine_pass_age_seconds", base] < 60
    assert results["crossway_relayer_stock", ("BASE_MAINNET", "USDC")] > 0
    for name in ("webhook_queue", "webhook_oldest_seconds", "request_log_waiting"):
        assert results[f"crossway_{name}", ()] >= 0


def test_chains_are_read_at_most_every_15_seconds_without_blocking(service: Service) -> None:
    services = replace(
        service.services, process=replace(service.services.process, inventory=InventoryCache())
    )
    requests: list[str] = []

    class Counting:
        own = services.chains["BASE_MAINNET"].accounts

        def heads(self) -> Any:
            requests.append("heads")
            raise Unreachable("the node is down")

    services = replace(services, chains={"BASE_MAINNET": Counting()})  # type: ignore[dict-item]
    for _ in range(5):
        assert metrics.collect_metrics(services).inventory == {}
    end = time.monotonic() + 10
    while services.process.inventory.refreshing and time.monotonic() < end:
        pass
    assert requests == ["heads"]
    services.process.inventory.asked_at -= metrics.INVENTORY_REFRESH_SECONDS
    metrics.collect_metrics(services)
    while services.process.inventory.refreshing and time.monotonic() < end:
        pass
    assert requests == ["heads", "heads"]


def test_without_a_token_only_this_machine_may_read(service: Service) -> None:
    app = create_probe_app(service.services)
    with TestClient(app, client=("127.0.0.1", 1)) as local_client:
        assert local_client.get("/metrics").status_code == 200
        through_a_proxy = local_client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.7"})
        assert through_a_proxy.status_code == 401
    with TestClient(app, client=("203.0.113.7", 1)) as away:
        refused = away.get("/metrics")
        assert refused.status_code == 401
        assert "CROSSWAY_METRICS_TOKEN" in refused.json()["message"]


def test_any_client_with_the_token_may_read(service: Service) -> None:
    services = replace(
        service.services, policy=replace(service.services.policy, ingress=IngressConfig((), TOKEN))
    )
    assert TOKEN not in repr(services.policy.ingress)
    with TestClient(create_probe_app(services), client=("203.0.113.7", 1)) as away:
        for authorization in (None, "Bearer", f"Bearer {TOKEN}x", TOKEN, "Bearer é"):
            headers = (
                {} if authorization is None else {"Authorization": authorization.encode("latin-1")}
            )
            assert away.get("/metrics", headers=headers).status_code == 401
        assert read_metrics(away, Authorization=f"Bearer {TOKEN}")
    with TestClient(create_probe_app(services), client=("127.0.0.1", 1)) as local_client:
        assert local_client.get("/metrics").status_code == 401
