"""Limits that hit the one who causes the cost, and nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from crossway.api.rate_limits import RateLimiter
from crossway.api.request_weights import request_weight
from crossway.api.sse_broker import MAX_STREAMS_PER_CLIENT, SseBroker
from crossway.bootstrap import Service
from crossway.domain.errors import TooManyRequests
from crossway.usecases.developers import authentication
from tests.api.conftest import WALLET, Api, new_key, new_service, new_test_client
from tests.event_loops import run_async


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = new_service(tmp_path)
    yield service
    service.close()


@pytest.fixture
def http(service: Service) -> TestClient:
    return new_test_client(service.services)


def test_a_request_that_costs_more_counts_for_more(http: TestClient, service: Service) -> None:
    """A look-up of balances costs 18 times what creating an intent does."""
    api = Api(http, service, *new_key(service, requests_per_minute=40))
    path = f"/chains/balances/{WALLET}?network=mainnet&chainType=SOLANA"
    answers = [api.get(path), api.get(path), api.get(path)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [a.headers["ratelimit"].split(";")[1] for a in answers] == ["r=22", "r=4", "r=4"]
    assert [api.get("/chains").status_code for _ in range(5)] == [200] * 4 + [429]
    document = http.get("/api/openapi.json").json()
    described = document["paths"]["/v1/chains/balances/{address}"]["get"]["description"]
    assert described.endswith("Counts as 18 requests.")


@pytest.mark.parametrize(
    ("method", "path", "weight"),
    [
        ("GET", f"/v1/chains/balances/{WALLET}", 18),
        ("HEAD", f"/v1/chains/balances/{WALLET}", 18),
        ("POST", f"/v1/chains/balances/{WALLET}", 1),
        ("GET", "/v1/chains/balances", 1),
        ("GET", f"/v1/chains/balances/{WALLET}/x", 1),
        ("GET", "/v1/intents", 1),
    ],
)
def test_only_what_costs_more_has_a_weight(method: str, path: str, weight: int) -> None:
    assert request_weight(method, path) == weight


def test_a_weight_above_the_quota_waits_for_an_empty_window() -> None:
    now = [0.0]
    limits = RateLimiter(lambda: now[0])
    assert limits.spend("key", 5, 18).granted
    now[0] = 59.0
    refused = limits.spend("key", 5, 18)
    assert (refused.granted, refused.wait_seconds) == (False, 1)
    now[0] = 60.0
    assert limits.spend("key", 5, 18).granted


def test_a_valid_key_is_answered_while_its_address_guesses(
    http: TestClient, service: Service
) -> None:
    """Everybody behind one address pays for whoever guesses keys there, if it is the address that
    is refused; also in a process that has not seen the key yet."""
    guess = {"Authorization": "Bearer cr_test_guess"}
    while http.get("/api/v1/chains", headers=guess).status_code != 429:
        pass
    valid = Api(http, service, *new_key(service))
    service.services.process.api_keys.by_hash.clear()
    assert valid.get("/chains").status_code == 200
    assert http.get("/api/v1/chains").status_code == 429


def test_many_streams_at_once_get_no_more_places_than_there_are(service: Service) -> None:
    """They were counted when they began to send, so that a hundred found room at once."""
    *_, secret = new_key(service)
    caller = authentication.authenticate(service.services, secret)

    async def open_many() -> int:
        broker, opened = SseBroker(service.services), []
        for _ in range(100):
            try:
                opened.append(broker.open(caller, None))
            except TooManyRequests:
                continue
        for stream in opened:
            stream.release()
        broker.open(caller, None).release()
        return len(opened)

    assert run_async(open_many()) == MAX_STREAMS_PER_CLIENT
