"""Estimates where services give no quote: shown, and never the terms of anything."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import pytest

from crossway.adapters.bridges.live_models import live_models
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput, NoTerms, NotFound, QuotesUnavailable, Unreachable
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    BridgeUnavailable,
    Comparison,
    QuoteRejected,
    Route,
    RouteRequest,
    SourceOption,
)
from crossway.ports.services import Services
from crossway.usecases.pricing.estimates import fetch_shown_quotes
from crossway.usecases.pricing.intent_quotes import quote_intent
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.priced_request import QuoteRequest, RequestedRoute
from crossway.usecases.pricing.quotes import best_quote, list_quotes
from crossway.usecases.pricing.router import find_optimal_route
from crossway.usecases.pricing.shown_quotes import list_shown_quotes
from tests.services import CATALOGUE, KillSwitchStore, address, caller, services

SHOP = caller()
BASE, ARBITRUM, SOLANA = "BASE_MAINNET", "ARBITRUM_MAINNET", "SOLANA_MAINNET"
MODELS = {
    "ACROSS": Across(CATALOGUE, enforced=True),
    "CCTP": Cctp(CATALOGUE, enforced=True),
    "GATEWAY": Gateway(CATALOGUE),
    "RHINOFI": Rhinofi(CATALOGUE),
}
SERVICE_IS_DOWN = Unreachable("responded with status 503")


class Live:
    """A bridge whose service answers with the model's quotes, or not: `silent` is all of it or the
    source chains of which it says nothing. Its routes are `pairs` with `symbols`, by default the
    model's."""

    runs_in_process = False

    def __init__(
        self,
        name: str,
        silent: bool | set[str] = False,
        pairs: set[tuple[str, str]] | None = None,
        symbols: frozenset[str] | None = None,
        custody: Custody | None = None,
    ) -> None:
        self.name, self.silent = BridgeName(name), silent
        self._pairs, self._symbols, self._custody = pairs, symbols, custody

    def routes(self) -> Sequence[Route]:
        return [
            Route(
                self.name,
                route.source,
                route.destination,
                True,
                symbols=self._symbols or route.symbols,
                custody=self._custody or route.custody,
            )
            for route in MODELS[self.name].routes()
            if self._pairs is None or (route.source, route.destination) in self._pairs
        ]

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        if self.silent is True:
            raise SERVICE_IS_DOWN
        silent = self.silent or set()
        return [
            BridgeUnavailable(self.name, outcome.request, "is asked too often")
            if isinstance(outcome, BridgeQuote) and outcome.request.source in silent
            else outcome
            for outcome in MODELS[self.name].get_quotes(requests, now)
        ]


def live(*bridges: Live, **changes: Any) -> Services:
    return services(bridges=bridges, bridge_models=live_models(CATALOGUE, bridges), **changes)


def request(destination: str = ARBITRUM, source: str = BASE) -> QuoteRequest:
    return QuoteRequest(
        address(source), address(destination), source, destination, "25000000", None, "USDC"
    )


def route(source: str = BASE, destination: str = ARBITRUM) -> RequestedRoute:
    chains = [CATALOGUE.chains[chain] for chain in (source, destination)]
    tokens = [CATALOGUE.tokens[chain, "USDC"] for chain in (source, destination)]
    return RequestedRoute(chains[0], chains[1], tokens[0], tokens[1])


def compare(configured: Services, with_estimates: bool = True) -> Comparison:
    usdc = address(ARBITRUM)
    return quote_multi_source(configured, SHOP, ARBITRUM, "25", usdc, with_estimates=with_estimates)


def by_source(comparison: Comparison) -> Mapping[str, SourceOption]:
    return {option.source: option for option in comparison.options}


def test_a_silent_bridge_is_estimated_by_its_model_after_all_quotes() -> None:
    configured = live(Live("CCTP", silent=True), Live("GATEWAY"))
    gateway, cctp = list_shown_quotes(configured, SHOP, request())
    assert (gateway.bridge, gateway.estimate_reason) == ("GATEWAY", "")
    assert (cctp.bridge, cctp.estimate_reason) == ("CCTP", "responded with status 503")
    assert (cctp.custody, cctp.collector) == (Custody.BRIDGE, "CCTP_FAST")
    (same,) = list_shown_quotes(live(Live("CCTP")), SHOP, request())
    assert (cctp.deposit_amount, cctp.costs) == (same.deposit_amount, same.costs)
    # It is cheaper than the quote that comes first.
    assert cctp.deposit_amount < gateway.deposit_amount


def test_what_payments_are_made_from_knows_no_estimate() -> None:
    configured = live(Live("CCTP", silent=True), Live("GATEWAY"))
    assert [quote.bridge for quote in list_quotes(configured, SHOP, request())] == ["GATEWAY"]
    assert best_quote(configured, SHOP, request()).bridge == "GATEWAY"
    assert find_optimal_route(configured, SHOP, request()).quote.bridge == "GATEWAY"
    quote = quote_intent(configured, SHOP, route(), 25_000_000, "USDC")
    assert (quote.bridge, quote.estimate_reason) == ("GATEWAY", "")


def test_an_intent_is_refused_in_words_where_only_estimates_exist() -> None:
    configured = live(Live("CCTP", silent=True), Live("ACROSS", silent=True))
    assert len(list_shown_quotes(configured, SHOP, request())) == 2
    words = "A payment needs a quote, not an estimate. No bridge responded: ACROSS responded with"
    with pytest.raises(NoTerms, match=words):
        quote_intent(configured, SHOP, route(), 25_000_000, "USDC")
    for ask in (best_quote, find_optimal_route, list_quotes):
        with pytest.raises(QuotesUnavailable, match="No bridge responded"):
            ask(configured, SHOP, request())


def test_a_route_that_no_silent_bridge_could_serve_is_refused_as_ever() -> None:
    configured = live(Live("CCTP"))
    with pytest.raises(InvalidInput, match="destination_chain: no bridge serves"):
        quote_intent(configured, SHOP, route(BASE, SOLANA), 25_000_000, "USDC")
    with pytest.raises(NotFound):
        best_quote(configured, SHOP, request(SOLANA))
    assert list_shown_quotes(configured, SHOP, request(SOLANA)) == []


def test_a_comparison_estimates_only_what_no_bridge_quotes() -> None:
    configured = live(Live("CCTP", silent={BASE, "POLYGON_MAINNET"}), Live("GATEWAY", {BASE}))
    options = by_source(compare(configured))
    assert options["POLYGON_MAINNET"].bridge == "GATEWAY"
    assert {source for source, option in options.items() if option.estimate_reason} == {BASE}
    assert options[BASE].estimate_reason == "is asked too often"
    # A silent bridge is no reason to show its figure beside another's quote.
    assert options["ETHEREUM_MAINNET"].estimate_reason == ""


def test_estimates_come_last_and_are_never_the_cheapest() -> None:
    comparison = compare(live(Live("CCTP", silent={BASE})))
    estimates = [bool(option.estimate_reason) for option in comparison.options]
    assert estimates == sorted(estimates)
    assert comparison.options[-1].source == BASE
    quoted = [o for o in comparison.options if not o.estimate_reason]
    assert comparison.cheapest in quoted
    alone = compare(live(Live("CCTP", silent=True)))
    bridged = [option for option in alone.options if option.bridge]
    assert bridged
    assert all(option.estimate_reason for option in bridged)
    assert alone.cheapest is not None
    assert alone.cheapest.bridge is None
    assert [source.subject for source in alone.excluded if source.subject == "CCTP"]


def test_a_comparison_from_which_payments_are_made_has_no_estimates() -> None:
    silent = live(Live("CCTP", silent={BASE}), Live("GATEWAY", silent=True))
    comparison = compare(silent, with_estimates=False)
    assert not any(option.estimate_reason for option in comparison.options)
    assert BASE not in by_source(comparison)
    with pytest.raises(QuotesUnavailable):
        compare(live(Live("CCTP", silent=True)), with_estimates=False)


def test_a_disabled_route_is_not_estimated() -> None:
    off = KillSwitchStore({"bridge:CCTP": "an incident"})
    configured = live(Live("CCTP", silent=True), Live("GATEWAY", silent=True), store=off)
    (only,) = list_shown_quotes(configured, SHOP, request())
    assert only.bridge == "GATEWAY"
    with pytest.raises(QuotesUnavailable):
        list_shown_quotes(live(Live("CCTP", silent=True), store=off), SHOP, request())
    assert list_shown_quotes(configured, SHOP, request(), "GATEWAY, CCTP") == []


def test_a_model_reaches_what_the_live_bridge_reaches_and_no_more() -> None:
    pair = {(BASE, ARBITRUM)}
    narrow = Live("ACROSS", True, pair, frozenset({"USDC"}))
    configured = live(narrow)
    requests = [
        RouteRequest(BASE, ARBITRUM, 25_000_000),
        RouteRequest(ARBITRUM, BASE, 25_000_000),
        RouteRequest(BASE, ARBITRUM, 25_000_000, "WETH", "WETH"),
    ]
    shown = fetch_shown_quotes(configured, configured.bridges, requests, ())
    assert [len(estimates) for estimates in shown.estimates] == [1, 0, 0]
    (model,) = configured.bridge_models.values()
    assert [(r.source, r.destination) for r in model.routes()] == [*pair]


def test_a_model_that_asks_for_another_trust_than_the_live_bridge_says_nothing() -> None:
    configured = live(Live("ACROSS", silent=True, custody=Custody.OPERATOR))
    with pytest.raises(QuotesUnavailable):
        list_shown_quotes(configured, SHOP, request())


@pytest.mark.parametrize("name", MODELS)
def test_every_bridge_with_a_service_has_a_model(name: str) -> None:
    configured = live(Live(name, silent=True))
    (quote,) = list_shown_quotes(configured, SHOP, request())
    assert (quote.bridge, bool(quote.estimate_reason)) == (name, True)


def test_without_models_a_silent_bridge_is_left_out_as_ever() -> None:
    configured = services(bridges=[Live("CCTP", silent=True), Live("GATEWAY")])
    assert [q.bridge for q in list_shown_quotes(configured, SHOP, request())] == ["GATEWAY"]


def test_a_rejection_is_no_reason_for_an_estimate() -> None:
    """The amount is above what CCTP takes: it has answered."""
    configured = live(Live("CCTP"), Live("GATEWAY", silent=True))
    much = RouteRequest(BASE, ARBITRUM, 10**15)
    shown = fetch_shown_quotes(configured, configured.bridges, [much], ())
    assert shown.estimates == [[]]
