"""Model of Circle Gateway: a unified balance on one chain is minted instantly on another."""

from collections.abc import Sequence
from datetime import datetime

from crossway.adapters.bridges.abi_encoding import encode_words
from crossway.adapters.bridges.model import (
    PCT_PER_HUNDREDTH,
    BridgeModel,
    BridgeRoute,
    apply_rate,
    chain_family,
    load_data,
    parse_rate,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest


class Gateway:
    """Quotes of Gateway. In the details, `pctFee` is a fraction of 10**18 and `gasFee` is Circle's
    charge for the burn in USDC units."""

    name = BridgeName.GATEWAY
    runs_in_process = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        sources = data["source"]
        served = [c for c in catalogue.chains.values() if chain_family(c.id) in sources]
        self._model = BridgeModel(self.name, data, served)
        self._rate = parse_rate(data["transfer_bps"])
        self._fill_seconds: int = data["fill_seconds"]
        self._gas = {
            name: parse_decimal("gas_usd", row["gas_usd"], MICRO_USD_DECIMALS)
            for name, row in sources.items()
        }
        self._settle_seconds: dict[str, int] = {
            n: row["settle_seconds"] for n, row in sources.items()
        }

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._model.routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        return self._model.get_quotes(requests, self._quote)

    def _quote(self, request: RouteRequest, route: BridgeRoute) -> BridgeQuote:
        source = chain_family(request.source)
        pct, gas = self._rate * PCT_PER_HUNDREDTH, self._gas[source]
        bridge_fee = apply_rate(request.amount_micro_usd, self._rate) + gas + route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=bridge_fee + route.start_and_fill_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=self._settle_seconds[source],
            details={"pctFee": pct, "gasFee": str(gas)},
            extra_data=encode_words(pct, gas),
        )
