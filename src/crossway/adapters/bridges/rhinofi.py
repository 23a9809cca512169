"""rhino.fi, modelled: an agreed share of the amount and the destination's gas at cost."""

from collections.abc import Sequence
from datetime import datetime

from crossway.adapters.bridges.model import (
    PCT_PER_HUNDREDTH,
    Lane,
    Model,
    data_of,
    hundredths,
    listed,
    rate_up,
)
from crossway.adapters.bridges.words import words
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, Leg, NoOffer, Offer, Route


class Rhinofi:
    """`pctFee` is of 10**18; `gasFee` is in USDC units; `vaultId` names the source's vault."""

    name = BridgeName.RHINOFI
    at_once = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = data_of(self.name)
        self._model = Model(self.name, data, listed(catalogue, data["vaults"]))
        self._rate = hundredths(data["platform_bps"])
        self._vaults: dict[str, int] = data["vaults"]
        self._fill: int = data["fill_seconds"]
        self._settle: int = data["settle_seconds"]

    def routes(self) -> Sequence[Route]:
        """Every pair of chains it serves."""
        return self._model.routes

    def offers(self, legs: Sequence[Leg], now: datetime) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order."""
        return self._model.answers(legs, self._offer)

    def _offer(self, leg: Leg, lane: Lane) -> Offer:
        pct, vault = self._rate * PCT_PER_HUNDREDTH, self._vaults[leg.source]
        own = rate_up(leg.amount_micro_usd, self._rate) + lane.arrival
        return Offer(
            bridge=self.name,
            leg=leg,
            fee_micro_usd=own + lane.start_and_fill,
            fill_seconds=self._fill,
            settle_seconds=self._settle,
            details={"pctFee": pct, "gasFee": str(lane.arrival), "vaultId": vault},
            extra_data=words(pct, lane.arrival, vault),
        )
