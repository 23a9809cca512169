"""Circle Gateway, modelled: a balance on one chain that is minted on another at once."""

from collections.abc import Sequence
from datetime import datetime

from crossway.adapters.bridges.model import (
    PCT_PER_HUNDREDTH,
    Lane,
    Model,
    data_of,
    family,
    hundredths,
    rate_up,
)
from crossway.adapters.bridges.words import words
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName, Leg, NoOffer, Offer, Route


class Gateway:
    """`pctFee` is of 10**18; `gasFee` is Circle's charge for the burn, in USDC units."""

    name = BridgeName.GATEWAY
    at_once = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = data_of(self.name)
        sources = data["source"]
        served = [c for c in catalogue.chains.values() if family(c.id) in sources]
        self._model = Model(self.name, data, served)
        self._rate = hundredths(data["transfer_bps"])
        self._fill: int = data["fill_seconds"]
        self._gas = {
            name: parse_decimal("gas_usd", row["gas_usd"], MICRO_USD_DECIMALS)
            for name, row in sources.items()
        }
        self._settle: dict[str, int] = {n: row["settle_seconds"] for n, row in sources.items()}

    def routes(self) -> Sequence[Route]:
        """Every pair of chains it serves."""
        return self._model.routes

    def offers(self, legs: Sequence[Leg], now: datetime) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order."""
        return self._model.answers(legs, self._offer)

    def _offer(self, leg: Leg, lane: Lane) -> Offer:
        source = family(leg.source)
        pct, gas = self._rate * PCT_PER_HUNDREDTH, self._gas[source]
        own = rate_up(leg.amount_micro_usd, self._rate) + gas + lane.arrival
        return Offer(
            bridge=self.name,
            leg=leg,
            fee_micro_usd=own + lane.start_and_fill,
            fill_seconds=self._fill,
            settle_seconds=self._settle[source],
            details={"pctFee": pct, "gasFee": str(gas)},
            extra_data=words(pct, gas),
        )
