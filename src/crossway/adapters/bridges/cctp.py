"""Model of Circle's CCTP v2: USDC is burned on the source and minted on the destination."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crossway.adapters.bridges.abi_encoding import address_word, encode_words
from crossway.adapters.bridges.model import (
    BridgeModel,
    BridgeRoute,
    apply_rate,
    chain_family,
    load_data,
    parse_rate,
)
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest

FAST = 1000
STANDARD = 2000


@dataclass(frozen=True, slots=True)
class _AttestationTerms:
    """How Circle attests burns on a source chain: fast transfer where available, else standard."""

    threshold: int
    rate: int
    seconds: int

    @staticmethod
    def of(row: dict[str, Any]) -> "_AttestationTerms":
        if "fast_bps" in row:
            return _AttestationTerms(FAST, parse_rate(row["fast_bps"]), row["fast_seconds"])
        return _AttestationTerms(STANDARD, 0, row["standard_seconds"])


class Cctp:
    """Quotes of CCTP. In the details, `maxFee` is in USDC units; a finality threshold of 1000 means
    fast transfer, 2000 standard transfer, which is free."""

    name = BridgeName.CCTP
    runs_in_process = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        self._sources = {name: _AttestationTerms.of(row) for name, row in data["source"].items()}
        chains = [chain for chain in catalogue.chains.values() if self._serves(catalogue, chain)]
        self._model = BridgeModel(self.name, data, chains)
        self._mint_targets = {
            chain.id: (
                chain.cctp_domain or 0,
                address_word(chain, catalogue.tokens[chain.id, "USDC"].address),
            )
            for chain in chains
        }

    def routes(self) -> Sequence[Route]:
        """The routes that the bridge serves."""
        return self._model.routes

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """A quote or a rejection for each request, in order."""
        return self._model.get_quotes(requests, self._quote)

    def _serves(self, catalogue: Catalogue, chain: Chain) -> bool:
        usdc = (chain.id, "USDC") in catalogue.tokens
        return chain.cctp_domain is not None and usdc and chain_family(chain.id) in self._sources

    def _quote(self, request: RouteRequest, route: BridgeRoute) -> BridgeQuote:
        source = self._sources[chain_family(request.source)]
        max_fee = apply_rate(request.amount_micro_usd, source.rate)
        domain, token = self._mint_targets[request.destination]
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=max_fee + route.arrival_cost + route.start_and_fill_cost,
            fill_seconds=source.seconds,
            settle_seconds=source.seconds,
            details={"maxFee": str(max_fee), "minFinalityThreshold": source.threshold},
            extra_data=encode_words(max_fee, source.threshold, domain, token),
        )
