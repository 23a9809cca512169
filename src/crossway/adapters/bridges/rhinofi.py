"""Model of rhino.fi: an agreed share of the amount plus destination gas at cost."""

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


class Rhinofi:
    """Quotes of rhino.fi. In the details, `pctFee` is a fraction of 10**18, `gasFee` is in USDC
    units, and `vaultId` is the vault on the source chain."""

    name = BridgeName.RHINOFI
    runs_in_process = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._model = BridgeModel(self.name, data, select_chains(catalogue, data["vaults"]))
        self._rate = parse_rate(data["platform_bps"])
        self._vaults: dict[str, int] = data["vaults"]
        self._fill_seconds: int = data["fill_seconds"]
        self._settle_seconds: int = data["settle_seconds"]

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._model.routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        return self._model.get_quotes(requests, self._quote)

    def _quote(self, request: RouteRequest, route: BridgeRoute) -> BridgeQuote:
        pct, vault = self._rate * PCT_PER_HUNDREDTH, self._vaults[request.source]
        bridge_fee = apply_rate(request.amount_micro_usd, self._rate) + route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=bridge_fee + route.start_and_fill_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=self._settle_seconds,
            details={"pctFee": pct, "gasFee": str(route.arrival_cost), "vaultId": vault},
            extra_data=encode_words(pct, route.arrival_cost, vault),
        )
