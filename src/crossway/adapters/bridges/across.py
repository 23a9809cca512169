"""Across, modelled: a share of the amount and the destination's gas, repaid in bundles."""

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


class Across:
    """`pctFee` is of 10**18; `flatFee` is the destination's gas in USDC units."""

    name = BridgeName.ACROSS
    at_once = True

    def __init__(self, catalogue: Catalogue) -> None:
        data = data_of(self.name)
        self._model = Model(self.name, data, listed(catalogue, data["mainnets"] + data["testnets"]))
        self._rate = hundredths(data["relayer_bps"]) + hundredths(data["lp_bps"])
        self._fill_by: int = data["fill_deadline_seconds"]
        self._fill_mainnet: int = data["fill_seconds_mainnet"]
        self._fill_testnet: int = data["fill_seconds_testnet"]
        self._settle: int = data["settle_seconds"]

    def routes(self) -> Sequence[Route]:
        """Every pair of chains it serves."""
        return self._model.routes

    def offers(self, legs: Sequence[Leg], now: datetime) -> Sequence[Offer | NoOffer]:
        """One answer a leg, in order."""
        timestamp = int(now.timestamp())
        return self._model.answers(legs, lambda leg, lane: self._offer(leg, lane, timestamp))

    def _offer(self, leg: Leg, lane: Lane, timestamp: int) -> Offer:
        pct, deadline = self._rate * PCT_PER_HUNDREDTH, timestamp + self._fill_by
        own = rate_up(leg.amount_micro_usd, self._rate) + lane.arrival
        return Offer(
            bridge=self.name,
            leg=leg,
            fee_micro_usd=own + lane.start_and_fill,
            fill_seconds=self._fill_testnet if lane.source.testnet else self._fill_mainnet,
            settle_seconds=self._settle,
            details={
                "timestamp": timestamp,
                "fillDeadline": deadline,
                "pctFee": pct,
                "flatFee": str(lane.arrival),
            },
            extra_data=words(timestamp, deadline, pct, lane.arrival),
        )
