"""Payments out of the operator's own inventory, which no bridge carries."""

from datetime import datetime

from crossway.adapters.bridges.base import (
    PCT_PER_HUNDREDTH,
    BridgeModel,
    BridgeRoute,
    apply_rate,
    encode_words,
    load_data,
    parse_rate,
)
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.quotes import BridgeName, BridgeQuote, RouteRequest


class Inventory(BridgeModel):
    """A payment across chains out of the operator's inventory: any two tokens, any two chains of
    main networks or of test networks. The payer trusts the operator from start to payout.

    In the details, `pctFee` is the spread as a fraction of 10**18, and `flatFee` in USDC units what
    a bridge's delivery on the destination costs, by which the inventory comes back. Nothing is
    settled with a bridge, so `settle_seconds` is 0.
    """

    name = BridgeName.INVENTORY

    def __init__(self, catalogue: Catalogue) -> None:
        data = load_data(self.name)
        super().__init__(data, catalogue.chains.values(), tokens=None)
        self._rate = parse_rate(data["spread_bps"])
        self._fill_seconds: int = data["fill_seconds"]

    def _quote(self, request: RouteRequest, route: BridgeRoute, now: datetime) -> BridgeQuote:
        pct_fee, flat_fee = self._rate * PCT_PER_HUNDREDTH, route.arrival_cost
        return BridgeQuote(
            bridge=self.name,
            request=request,
            fee_micro_usd=apply_rate(request.amount_micro_usd, self._rate) + route.network_cost,
            fill_seconds=self._fill_seconds,
            settle_seconds=0,
            details={"pctFee": pct_fee, "flatFee": str(flat_fee)},
            extra_data=encode_words(pct_fee, flat_fee),
            network_micro_usd=route.network_cost,
            custody=Custody.OPERATOR,
        )
