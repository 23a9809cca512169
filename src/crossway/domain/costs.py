"""What a payment costs its payer, and what is collected of its deposit."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """The payer's costs, in micro-USD and in smallest units of the asset token.

    `network_fee_units` are the network costs in `fees_units`. They are kept where the recipient
    refuses a payment that was started.
    """

    amount_micro_usd: int
    service_micro_usd: int
    bridge_micro_usd: int
    app_micro_usd: int
    fees_units: int
    app_fee_units: int
    network_fee_units: int = 0

    @property
    def fee_micro_usd(self) -> int:
        """The fee of bridge and service in micro-USD."""
        return self.service_micro_usd + self.bridge_micro_usd

    @property
    def service_fee_units(self) -> int:
        """The service fee's part of the fees, in units of the asset token, rounded down."""
        fee = self.fee_micro_usd
        return self.fees_units * self.service_micro_usd // fee if fee else 0

    @property
    def treasury_units(self) -> int:
        """The operator's and the client's fees, in units of the asset token."""
        return self.service_fee_units + self.app_fee_units

    @property
    def total_micro_usd(self) -> int:
        """The total in micro-USD."""
        return self.amount_micro_usd + self.fee_micro_usd + self.app_micro_usd


@dataclass(frozen=True, slots=True)
class Collected:
    """What a start puts into a contract on the source chain, and the costs in units of it."""

    token: str
    symbol: str
    decimals: int
    amount: int
    costs: Costs
