"""The IP address of a client, trusted proxies, and what depends on them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.api.app import create_api
from crossway.api.client_ip import client_address, is_local_request, rate_limit_address
from crossway.bootstrap import Service
from crossway.domain.clients import staff_principal
from crossway.ports.policy import IngressConfig
from crossway.usecases.developers import api_keys
from tests.api.conftest import Api, new_key

SHOP, ELSEWHERE, PROXY = "203.0.113.7", "198.51.100.9", "10.0.0.5"
WRONG_PLACE = {
    "statusCode": 403,
    "message": "This key may not be used from this address",
    "code": "address_not_allowed",
}
From = Callable[..., AbstractContextManager[TestClient]]


def scope(peer: str, *forwarded: str) -> dict[str, Any]:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    return {"type": "http", "client": (peer, 1), "headers": headers}


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "origin"),
    [
        (SHOP, [], (), SHOP),
        (SHOP, [ELSEWHERE], (), SHOP),
        (SHOP, [ELSEWHERE], (PROXY,), SHOP),
        (PROXY, [SHOP], (PROXY,), SHOP),
        (PROXY, [f"{ELSEWHERE}, {SHOP}"], (PROXY,), SHOP),
        (PROXY, [ELSEWHERE, SHOP], (PROXY,), SHOP),
        (PROXY, [f"{SHOP}, 10.0.0.6"], ("10.0.0.0/8",), SHOP),
        (PROXY, [], (PROXY,), PROXY),
        (PROXY, ["10.0.0.6"], ("10.0.0.0/8",), PROXY),
        (PROXY, [f"{SHOP}, nonsense"], (PROXY,), "nonsense"),
        # What the server put in the place of a peer on this machine.
        (SHOP, [SHOP], (), None),
        (SHOP, [f"{SHOP}, 10.0.0.6"], ("10.0.0.0/8",), None),
        (SHOP, [SHOP], ("127.0.0.1/32",), SHOP),
        # Some proxies write the port too, and so may whoever wants to be taken for another.
        (SHOP, [f"{SHOP}:4711"], (), None),
        ("2001:db8::7", ["[2001:db8::7]:4711"], (), None),
        (PROXY, [f"{SHOP}:4711"], (PROXY,), SHOP),
        (PROXY, ["[2001:db8::7]:4711"], (PROXY,), "2001:db8::7"),
    ],
)
def test_x_forwarded_for_is_trusted_from_trusted_proxies_only(
    peer: str, forwarded: list[str], trusted: tuple[str, ...], origin: str | None
) -> None:
    assert client_address(scope(peer, *forwarded), IngressConfig(trusted)) == origin


@pytest.mark.parametrize(
    ("peer", "forwarded", "here"),
    [
        ("127.0.0.1", [], True),
        ("::1", [], True),
        ("::ffff:127.0.0.1", [], True),
        ("127.0.0.1", [SHOP], False),
        (SHOP, [], False),
        ("unknown", [], False),
    ],
)
def test_requests_through_a_local_proxy_are_not_local(
    peer: str, forwarded: list[str], here: bool
) -> None:
    assert is_local_request(scope(peer, *forwarded), IngressConfig()) is here


@pytest.mark.parametrize("name", [b"via", b"x-forwarded-proto", b"forwarded", b"x-real-ip"])
def test_any_proxy_header_reveals_a_proxy(name: bytes) -> None:
    params = {**scope("127.0.0.1"), "headers": [(name, b"1.1 proxy")]}
    assert not is_local_request(params, IngressConfig())


def test_an_ipv6_network_counts_as_one_client() -> None:
    assert (
        rate_limit_address("2001:db8:1:2::7") == rate_limit_address("2001:db8:1:2:ffff::9") != SHOP
    )
    assert rate_limit_address("2001:db8:1:3::7") != rate_limit_address("2001:db8:1:2::7")
    assert rate_limit_address(f"::ffff:{SHOP}") == rate_limit_address(SHOP) == SHOP
    assert rate_limit_address("unknown") == "unknown"


@pytest.fixture
def calling(service: Service) -> From:
    """Makes HTTP clients with a peer address, for a process that trusts some proxies."""

    @contextmanager
    def opened(peer: str, trusted: tuple[str, ...] = ()) -> Iterator[TestClient]:
        services = replace(
            service.services,
            policy=replace(service.services.policy, ingress=IngressConfig(trusted)),
        )
        mounted = Starlette(routes=[Mount("/api", create_api(services))])
        client = TestClient(mounted, base_url="http://crossway.test", client=(peer, 1))
        with client as http:
            yield http

    return opened


def test_a_key_that_is_bound_to_addresses_is_403_from_any_other(
    service: Service, calling: From
) -> None:
    client, key, secret = new_key(service)
    api_keys.update_api_key(
        service.services,
        key,
        api_keys.ApiKeyUpdate(addresses=("203.0.113.0/24",)),
        staff_principal("t"),
    )
    forwarded = {"X-Forwarded-For": SHOP}

    def asked(peer: str, trusted: tuple[str, ...] = (), **headers: str) -> Any:
        with calling(peer, trusted) as http:
            api = Api(http, service, client, key, secret)
            return http.get("/api/v1/chains", headers=api.headers(**headers))

    assert asked(SHOP).status_code == 200
    refused = asked(ELSEWHERE)
    assert (refused.status_code, refused.json()) == (403, WRONG_PLACE)
    assert asked(ELSEWHERE, **forwarded).status_code == 403
    assert asked(SHOP, **forwarded).status_code == 403
    assert asked(PROXY, (f"{PROXY}/32",), **forwarded).status_code == 200
    api_keys.update_api_key(
        service.services, key, api_keys.ApiKeyUpdate(addresses=()), staff_principal("t")
    )
    assert asked(ELSEWHERE).status_code == 200


def test_behind_a_trusted_proxy_each_address_has_its_own_60_tries(
    service: Service, calling: From
) -> None:
    with calling(PROXY, (f"{PROXY}/32",)) as http:

        def tried(address: str) -> int:
            return http.get("/api/v1/chains", headers={"X-Forwarded-For": address}).status_code

        assert [tried(SHOP) for _ in range(61)] == [401] * 60 + [429]
        assert tried(ELSEWHERE) == 401
