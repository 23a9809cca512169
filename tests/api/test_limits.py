"""How often one may ask (service.md §Limits, wire.md §1)."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from crossway.api.rate_limits import RateLimiter
from crossway.bootstrap import Service
from crossway.domain.clients import staff_principal
from crossway.usecases.developers import clients
from tests.api.conftest import Api, new_key, served

TOO_MANY = {"statusCode": 429, "message": "Too Many Requests"}


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    """A process of its own for each test: its windows are empty."""
    with served(service.services) as client:
        yield client


def test_the_251st_request_of_a_minute_is_refused_and_told_when_to_come_back(
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


def test_a_client_can_have_another_rate_and_others_are_not_touched_by_it(
    http: TestClient, service: Service
) -> None:
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


def test_the_61st_request_without_a_good_key_is_refused_before_its_key_is_looked_up(
    http: TestClient, service: Service
) -> None:
    known = Api(http, service, *new_key(service))
    unseen = Api(http, service, *new_key(service))
    assert known.get("/chains").status_code == 200
    statuses = [http.get("/api/v1/chains").status_code for _ in range(30)]
    wrong = {"Authorization": "Bearer cr_test_guess"}
    statuses += [http.get("/api/v1/chains", headers=wrong).status_code for _ in range(31)]
    assert statuses == [401] * 60 + [429]
    assert unseen.get("/chains").json() == TOO_MANY
    assert known.get("/chains").status_code == 200, "a key that was good goes on working"


def test_health_is_not_limited(http: TestClient) -> None:
    assert {http.get("/api/healthz").status_code for _ in range(100)} == {200}


class Hand:
    """Seconds that are set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_window_moves_with_the_seconds() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for hand.now in (0.0, 10.0):
        assert limits.spend_key("a", 2).granted
    hand.now = 59.5
    refused = limits.spend_key("a", 2)
    assert (refused.granted, refused.remaining, refused.wait_seconds) == (False, 0, 1)
    hand.now = 60.0
    assert limits.spend_key("a", 2).granted
    assert limits.spend_key("a", 2).wait_seconds == 10


def test_after_a_quota_was_lowered_the_wait_is_until_there_is_room() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for hand.now in (0.0, 1.0, 2.0, 3.0):
        limits.spend_key("a", 4)
    refused = limits.spend_key("a", 2)
    assert (refused.granted, refused.remaining, refused.wait_seconds) == (False, 0, 59)


def test_who_no_longer_asks_is_forgotten() -> None:
    hand = Hand()
    limits = RateLimiter(hand)
    for number in range(100):
        limits.spend_address(f"192.0.2.{number}")
    hand.now = 61.0
    limits.spend_key("a", 1)
    assert len(limits._windows) == 1
