"""Model of Across: a share of the amount plus destination gas, reimbursed in bundles."""

from collections.abc import Sequence
from datetime import datetime

from crossway.adapters.bridges.abi_encoding import encode_words
from crossway.adapters.bridges.model import (
    PCT_PER_HUNDREDTH,
    BridgeModel,
    BridgeRoute,
    apply_rate,
    load_data,
    parse_rate,
    select_chains,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest


class Across:
    """Quotes of Across. In the details, `pctFee` is a fraction of 10**18 and `flatFee` the
    destination gas in USDC units."""

    name = BridgeName.ACROSS
    runs_in_process = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._model = BridgeModel(
            self.name, data, select_chains(catalogue, data["mainnets"] + data["testnets"])
        )
        self._rate = parse_rate(data["relayer_bps"]) + parse_rate(data["lp_bps"])
        self._fill_deadline_seconds: int = data["fill_deadline_seconds"]
        self._fill_seconds_mainnet: int = data["fill_seconds_mainnet"]
        self._fill_seconds_testnet: int = data["fill_seconds_testnet"]
        self._settle_seconds: int = data["settle_seconds"]

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._model.routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        timestamp = int(now.timestamp())
        return self._model.get_quotes(
            requests, lambda request, route: self._quote(request, route, timestamp)
        )

    def _quote(self, request: RouteRequest, route: BridgeRoute, timestamp: int) -> BridgeQuote:
        pct, deadline = self._rate * PCT_PER_HUNDREDTH, timestamp + self._fill_deadline_seconds
        bridge_fee = apply_rate(request.amount_micro_usd, self._rate) + route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=bridge_fee + route.start_and_fill_cost,
            fill_seconds=self._fill_seconds_testnet
            if route.source.testnet
            else self._fill_seconds_mainnet,
            settle_seconds=self._settle_seconds,
            details={
                "timestamp": timestamp,
                "fillDeadline": deadline,
                "pctFee": pct,
                "flatFee": str(route.arrival_cost),
            },
            extra_data=encode_words(timestamp, deadline, pct, route.arrival_cost),
        )
