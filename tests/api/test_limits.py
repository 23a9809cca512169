"""Rate limits."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from crossway.api.rate_limits import RateLimiter
from crossway.bootstrap import Service
from crossway.domain.clients import staff_principal
from crossway.usecases.developers import clients
from tests.api.conftest import Api, new_key, new_test_client

TOO_MANY = {"statusCode": 429, "message": "Too Many Requests", "code": "rate_limited"}


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """A new process for each test, with empty rate windows."""
    with new_test_client(service.services) as client:
        yield client


def test_the_251st_request_of_a_minute_is_429_with_retry_after(
    http: TestClient, service: Service
) -> None:
    api = Api(http, service, *new_key(service, requests_per_minute=250))
    answers = [api.get("/client/auth/client-info") for _ in range(251)]
    assert [answer.status_code for answer in answers] == [200] * 250 + [429]
    refused = answers[-1]
    assert refused.json() == TOO_MANY
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["ratelimit-policy"] == '"default";q=250;w=60'
    assert refused.headers["ratelimit"].startswith('"default";r=0;t=')
    assert answers[0].headers["ratelimit"].startswith('"default";r=249;t=')


def test_a_client_can_have_its_own_rate_limit(http: TestClient, service: Service) -> None:
    slow = Api(http, service, *new_key(service, requests_per_minute=3))
    other = Api(http, service, *new_key(service))
    assert [slow.get("/chains").status_code for _ in range(4)] == [200, 200, 200, 429]
    assert other.get("/chains").status_code == 200
    clients.update_client(
        service.services,
        slow.client_id,
        clients.ClientUpdate(requests_per_minute=10),
        staff_principal("test"),
    )
    assert slow.get("/chains").status_code == 200


def test_the_61st_request_without_a_valid_key_is_429_and_valid_keys_go_on(
    http: TestClient, service: Service
) -> None:
    keyed_api = Api(http, service, *new_key(service))
    unseen = Api(http, service, *new_key(service))
    assert keyed_api.get("/chains").status_code == 200
    statuses = [http.get("/api/v1/chains").status_code for _ in range(30)]
    wrong = {"Authorization": "Bearer cr_test_guess"}
    statuses += [http.get("/api/v1/chains", headers=wrong).status_code for _ in range(31)]
    assert statuses == [401] * 60 + [429]
    assert http.get("/api/v1/chains", headers=wrong).json() == TOO_MANY
    assert unseen.get("/chains").status_code == 200, "a valid key never pays for its address"
    assert keyed_api.get("/chains").status_code == 200, "a key that was good goes on working"


def test_health_is_not_limited(http: TestClient) -> None:
    assert {http.get("/api/healthz").status_code for _ in range(100)} == {200}


class Hand:
    """A clock that tests set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_rate_window_slides() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for hand.now in (0.0, 10.0):
        assert limits.spend("a", 2).granted
    hand.now = 59.5
    refused = limits.spend("a", 2)
    assert (refused.granted, refused.remaining, refused.wait_seconds) == (False, 0, 1)
    hand.now = 60.0
    assert limits.spend("a", 2).granted
    assert limits.spend("a", 2).wait_seconds == 10


def test_after_a_lowered_quota_the_wait_lasts_until_there_is_room() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for hand.now in (0.0, 1.0, 2.0, 3.0):
        limits.spend("a", 4)
    refused = limits.spend("a", 2)
    assert (refused.granted, refused.remaining, refused.wait_seconds) == (False, 0, 59)


def test_idle_callers_are_forgotten() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for number in range(100):
        limits.spend(f"192.0.2.{number}", 60)
    hand.now = 61.0
    limits.spend("a", 1)
    assert len(limits._windows) == 1
