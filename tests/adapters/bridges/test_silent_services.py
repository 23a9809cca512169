"""Quotes while services are silent, slow, refuse or limit: estimates in time, and no payment."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.live_bridges import open_bridges
from crossway.domain.errors import NoTerms
from crossway.domain.quotes import Quote
from crossway.ports.policy import Policy
from crossway.ports.services import Services
from crossway.usecases.pricing.intent_quotes import quote_intent
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.priced_request import QuoteRequest, RequestedRoute
from crossway.usecases.pricing.shown_quotes import list_shown_quotes
from tests.adapters.bridges.test_live_bridges import read
from tests.bridges.across_service import AcrossService, running_across
from tests.bridges.attestation_service import AttestationService, running_service
from tests.services import PRICES, address, caller, services

SHOP = caller()
BASE, ARBITRUM, POLYGON = "BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"
BOTH = ("ACROSS", "CCTP")
# The time that a comparison waits for a service, and what a busy machine takes for the rest.
AT_ONCE = Policy().quote_timeouts.deadline + 1.0


class World:
    """A live environment's bridges, priced by services of ours on this machine."""

    def __init__(self, across: AcrossService, iris: AttestationService, services: Services) -> None:
        self.across, self.iris, self.services = across, iris, services

    def list(self) -> list[Quote]:
        request = QuoteRequest(
            address(BASE), address(ARBITRUM), BASE, ARBITRUM, "25000000", None, "USDC"
        )
        return list_shown_quotes(self.services, SHOP, request)

    def pay(self) -> Quote:
        catalogue = self.services.catalogue
        chains = [catalogue.chains[chain] for chain in (BASE, ARBITRUM)]
        tokens = [catalogue.tokens[chain, "USDC"] for chain in (BASE, ARBITRUM)]
        route = RequestedRoute(chains[0], chains[1], tokens[0], tokens[1])
        return quote_intent(self.services, SHOP, route, 25_000_000, "USDC")


@contextmanager
def opened(folder: Path, across_head: str = "") -> Iterator[World]:
    with running_across() as across, running_service() as iris:
        head = (
            'bridges = ["CCTP", "ACROSS"]\n'
            f'[across]\nurl = "{across.url}"\n{across_head}\n[cctp]\nurl = "{iris.url}"'
        )
        live = read(folder, head, BASE, ARBITRUM, POLYGON)
        found = open_bridges(live, PRICES)
        configured = services(
            catalogue=live.catalogue, bridges=found.bridges, bridge_models=found.models
        )
        try:
            yield World(across, iris, configured)
        finally:
            for one in (*found.bridges, *found.clients.values()):
                getattr(one, "close", int)()
            live.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as world:
        yield world


def fail(world: World, how: str) -> None:
    if how == "silent":
        world.across.silent = world.iris.silent = True
    elif how == "slow":
        world.across.delay_seconds = 3.0
        world.iris.delays = iter([3.0] * 100)
    elif how == "refusing":
        world.across.status = world.iris.status = 503
    else:
        world.across.status, world.iris.too_many = 429, True


def test_while_services_answer_there_are_quotes_alone(world: World) -> None:
    quotes = world.list()
    assert {quote.bridge for quote in quotes} == set(BOTH)
    assert [quote.estimate_reason for quote in quotes] == ["", ""]
    assert world.pay().bridge in BOTH


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("silent", "did not respond: RemoteProtocolError"),
        ("slow", "did not respond in time"),
        ("refusing", "responded with status 503"),
        ("limiting", "too many|status 429"),
    ],
)
def test_services_that_give_no_quote_are_estimated_in_time_and_not_paid_over(
    how: str, words: str, world: World
) -> None:
    fail(world, how)
    began = time.monotonic()
    quotes = world.list()
    assert time.monotonic() - began < AT_ONCE
    assert {quote.bridge for quote in quotes} == set(BOTH)
    for quote in quotes:
        assert any(word in quote.estimate_reason for word in words.split("|"))
    with pytest.raises(NoTerms, match="A payment needs a quote, not an estimate"):
        world.pay()


def test_an_estimate_is_as_a_live_quote_but_for_the_figures(world: World) -> None:
    live = {quote.bridge: quote for quote in world.list()}
    world.services = replace(world.services, bridges=[_Down(b) for b in world.services.bridges])
    for estimate in world.list():
        quote = live[estimate.bridge]
        assert estimate.estimate_reason
        assert (estimate.custody, estimate.collector) == (quote.custody, quote.collector)
        assert estimate.details.keys() == quote.details.keys()


class _Down:
    """A live bridge of which nothing answers any more."""

    runs_in_process = False

    def __init__(self, bridge: Any) -> None:
        self.name, self.routes = bridge.name, bridge.routes

    def get_quotes(self, requests: Any, now: Any) -> Any:
        raise OSError("gone")


def test_one_silent_service_leaves_the_others_quote_first_and_payable(world: World) -> None:
    world.across.silent = True
    first, second = world.list()
    assert (first.bridge, first.estimate_reason) == ("CCTP", "")
    assert second.bridge == "ACROSS"
    assert second.estimate_reason
    assert world.pay().bridge == "CCTP"


def test_only_chains_of_the_profile_are_estimated(world: World) -> None:
    fail(world, "silent")
    usdc = address(ARBITRUM)
    comparison = quote_multi_source(world.services, SHOP, ARBITRUM, "25", usdc, with_estimates=True)
    estimated = {option.source for option in comparison.options if option.estimate_reason}
    assert estimated == {BASE, POLYGON}
    assert comparison.cheapest is not None
    assert comparison.cheapest.source == ARBITRUM


def test_requests_beyond_the_limit_are_not_sent(tmp_path: Path) -> None:
    head = "requests_per_second = 1000\nrequests_per_minute = 3"
    with opened(tmp_path, head) as world:
        for _ in range(3):
            world.list()
        assert {quote.estimate_reason for quote in world.list()} == {
            "",
            "Across is asked too often; ask again soon",
        }
        assert len(world.across.requests) == 3


def test_fees_are_kept_and_quotes_of_across_are_not(world: World) -> None:
    for _ in range(4):
        world.list()
    assert len(world.across.requests) == 4
    # One question for the fees, and one for the allowance.
    assert len(world.iris.requests) == 2


def test_the_key_of_the_profile_is_sent(tmp_path: Path) -> None:
    os.environ["CROSSWAY_TEST_ACROSS_KEY"] = "a key of ours"
    try:
        with opened(tmp_path, 'api_key = "env:CROSSWAY_TEST_ACROSS_KEY"') as world:
            world.list()
            assert world.across.keys == ["Bearer a key of ours"]
    finally:
        del os.environ["CROSSWAY_TEST_ACROSS_KEY"]


def test_a_request_ends_by_the_time_out_of_the_profile(tmp_path: Path) -> None:
    with opened(tmp_path, "timeout_seconds = 0.2") as world:
        world.across.delay_seconds = 0.5
        estimate = next(quote for quote in world.list() if quote.bridge == "ACROSS")
        assert estimate.estimate_reason == "Across did not respond: ReadTimeout"
