"""What a payment costs in network fees on its two chains, and what of it the payer is charged."""

from dataclasses import dataclass
from typing import Final

_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class ChainCosts:
    """What calls cost on one chain, in micro-USD: collecting a deposit, paying a recipient, taking
    the collected deposit out of escrow, a refund, the share of it that every quote bears, and what
    a modelled bridge would pay to deliver there."""

    start: int
    fill: int
    settle: int
    refund: int
    refund_share: int = 0
    delivery: int = 0


@dataclass(frozen=True, slots=True)
class NetworkCostPolicy:
    """How live costs are read: again after `refresh_seconds`, never older than `max_age_seconds`,
    and waited for at most `timeout_seconds`.

    `margin_percent` is added, because prices rise until a payment ends. `refund_percent` of all
    payments are expected to end with a refund, whose cost every payment shares.
    """

    margin_percent: int = 25
    refund_percent: int = 5
    refresh_seconds: float = 10.0
    max_age_seconds: float = 60.0
    timeout_seconds: float = 2.0

    def with_margin(self, micro_usd: int) -> int:
        """A cost with the margin, rounded up."""
        return -(-micro_usd * (_PERCENT + self.margin_percent) // _PERCENT)

    def share_of_refund(self, micro_usd: int) -> int:
        """What every payment bears of a refund that costs this much, rounded up."""
        return -(-micro_usd * self.refund_percent // _PERCENT)


def payment_cost(source: ChainCosts, destination: ChainCosts) -> int:
    """What the relayer pays for one payment, the expected share of a refund included."""
    return source.start + source.settle + source.refund_share + destination.fill


def network_fee(
    source: ChainCosts, destination: ChainCosts, service_micro_usd: int, bridged: bool
) -> int:
    """The network costs that a payer is charged beside the service fee.

    A start, a fill and a bridge's delivery; more where that and the service fee together would be
    less than what the relayer pays.
    """
    charged = source.start + destination.fill + (destination.delivery if bridged else 0)
    return max(charged, payment_cost(source, destination) - service_micro_usd)
