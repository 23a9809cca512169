"""Circle's CCTP v2, modelled: USDC burnt on the source and minted on the destination."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crossway.adapters.bridges.model import (
    Lane,
    Model,
    data_of,
    family,
    hundredths,
    rate_up,
)
from crossway.adapters.bridges.words import address_word, words
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.quotes import BridgeName, Leg, NoOffer, Offer, Route

FAST = 1000
STANDARD = 2000


@dataclass(frozen=True, slots=True)
class _Source:
    """How Circle attests burns of one source: the fast way where it has one, else the free one."""

    threshold: int
    rate: int
    seconds: int

    @staticmethod
    def of(row: dict[str, Any]) -> "_Source":
        if "fast_bps" in row:
            return _Source(FAST, hundredths(row["fast_bps"]), row["fast_seconds"])
        return _Source(STANDARD, 0, row["standard_seconds"])


class Cctp:
    """`maxFee` is in USDC units; a threshold of 1000 asks for the fast way, 2000 is free."""

    name = BridgeName.CCTP
    at_once = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = data_of(self.name)
        self._sources = {name: _Source.of(row) for name, row in data["source"].items()}
        chains = [chain for chain in catalogue.chains.values() if self._serves(catalogue, chain)]
        self._model = Model(self.name, data, chains)
        self._arrivals = {
            chain.id: (
                chain.cctp_domain or 0,
                address_word(chain, catalogue.tokens[chain.id, "USDC"].address),
            )
            for chain in chains
        }

    def routes(self) -> Sequence[Route]:
        """Every pair of chains it serves."""
        return self._model.routes

    def offers(self, legs: Sequence[Leg], now: datetime) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order."""
        return self._model.answers(legs, self._offer)

    def _serves(self, catalogue: Catalogue, chain: Chain) -> bool:
        usdc = (chain.id, "USDC") in catalogue.tokens
        return chain.cctp_domain is not None and usdc and family(chain.id) in self._sources

    def _offer(self, leg: Leg, lane: Lane) -> Offer:
        source = self._sources[family(leg.source)]
        most = rate_up(leg.amount_micro_usd, source.rate)
        domain, token = self._arrivals[leg.destination]
        return Offer(
            bridge=self.name,
            leg=leg,
            fee_micro_usd=most + lane.arrival + lane.start_and_fill,
            fill_seconds=source.seconds,
            settle_seconds=source.seconds,
            details={"maxFee": str(most), "minFinalityThreshold": source.threshold},
            extra_data=words(most, source.threshold, domain, token),
        )
