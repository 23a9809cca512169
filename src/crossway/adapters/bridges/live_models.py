"""The models of bridges within the reach of their live services, for figures where these are
silent."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

from crossway.adapters.bridges.base import BridgeModel
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import (
    BridgeName,
    BridgeQuote,
    QuoteRejected,
    Route,
    RouteRequest,
)
from crossway.ports.bridge import Bridge

_MODELS: Mapping[BridgeName, Callable[[Catalogue], BridgeModel]] = {
    BridgeName.CCTP: partial(Cctp, enforced=True),
    BridgeName.ACROSS: partial(Across, enforced=True),
    BridgeName.GATEWAY: Gateway,
    BridgeName.RHINOFI: Rhinofi,
}


class LiveModel:
    """`ports.bridge.Bridge`: what a model says of the routes that a live bridge serves, and of no
    others. A quote whose payer would trust somebody else than over the live bridge is none."""

    runs_in_process = True

    def __init__(self, model: Bridge, live: Bridge) -> None:
        self.name = model.name
        self._model = model
        self._routes = {(route.source, route.destination): route for route in live.routes()}

    def routes(self) -> Sequence[Route]:
        """The routes of the live bridge."""
        return list(self._routes.values())

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """The model's quote for each request that the live bridge serves, in order."""
        outcomes = self._model.get_quotes(requests, now)
        return [
            outcome if self._is_served(outcome) else self._reject(outcome.request)
            for outcome in outcomes
        ]

    def _is_served(self, outcome: BridgeQuote | QuoteRejected) -> bool:
        if isinstance(outcome, QuoteRejected):
            return True
        request = outcome.request
        route = self._routes.get((request.source, request.destination))
        return (
            route is not None
            and route.custody is outcome.custody
            and route.carries(request.symbol_in, request.symbol_out)
        )

    def _reject(self, request: RouteRequest) -> QuoteRejected:
        pair = f"{request.source} -> {request.destination}"
        reason = f"{self.name} does not carry {request.symbol_in} {pair}"
        return QuoteRejected(self.name, request, reason, param="tokenIn")


def live_models(catalogue: Catalogue, bridges: Sequence[Bridge]) -> Mapping[str, Bridge]:
    """The models of those of these bridges that ask a service, by name."""
    return {
        bridge.name: LiveModel(_MODELS[bridge.name](catalogue), bridge)
        for bridge in bridges
        if not bridge.runs_in_process and bridge.name in _MODELS
    }
