"""What a payment costs in network fees on its two chains, and what of it the payer is charged."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

_PERCENT: Final = 100


class PayoutPath(StrEnum):
    """Who pays a recipient, which decides who pays for which calls.

    SAME_CHAIN, INVENTORY: the operator's relayer, on the chain of the deposit or on another.
    CLAIM: what a bridge delivers, once the operator has claimed it; SWAPPED_CLAIM: of what the
    deposit was swapped for. BRIDGE_RELAYER: a relayer of the bridge, whose gas is a part of the
    bridge's fee.
    """

    SAME_CHAIN = "SAME_CHAIN"
    INVENTORY = "INVENTORY"
    CLAIM = "CLAIM"
    SWAPPED_CLAIM = "SWAPPED_CLAIM"
    BRIDGE_RELAYER = "BRIDGE_RELAYER"


class Arrival(StrEnum):
    """How a deposit comes to its deposit address: the payer sends it (SENT), or we carry their
    signature out (SIGNED), or forward it from a standing address (FORWARDED)."""

    SENT = "SENT"
    SIGNED = "SIGNED"
    FORWARDED = "FORWARDED"


@dataclass(frozen=True, slots=True)
class ChainCosts:
    """What calls cost on one chain, in micro-USD: collecting a deposit, paying a recipient, taking
    the collected deposit out of escrow, a refund, the share of it that every quote bears, claiming
    what a bridge delivers there, and collecting a deposit into a bridge's contract and sending it,
    also with a swap of it between the two. `pay_in` carries a payer's signature out, `forward`
    moves a deposit from a standing address to its payment.
    """

    start: int
    fill: int
    settle: int
    refund: int
    refund_share: int = 0
    delivery: int = 0
    send: int = 0
    swap: int = 0
    pay_in: int = 0
    forward: int = 0

    def with_arrival(self, arrival: "Arrival") -> "ChainCosts":
        """The same where each deposit that is collected comes in this way."""
        extra = {Arrival.SIGNED: self.pay_in, Arrival.FORWARDED: self.forward}.get(arrival, 0)
        return replace(
            self, start=self.start + extra, send=self.send + extra, swap=self.swap + extra
        )

    def send_by(self, path: PayoutPath) -> int:
        """What sending a deposit over a bridge costs."""
        return self.swap if path is PayoutPath.SWAPPED_CLAIM else self.send


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


def payment_cost(source: ChainCosts, destination: ChainCosts, path: PayoutPath) -> int:
    """What the operator pays for one payment, the expected share of a refund included."""
    if path in (PayoutPath.SAME_CHAIN, PayoutPath.INVENTORY):
        return source.start + source.settle + source.refund_share + destination.fill
    delivery = 0 if path is PayoutPath.BRIDGE_RELAYER else destination.delivery
    return source.send_by(path) + source.refund_share + delivery


def network_fee(
    source: ChainCosts, destination: ChainCosts, service_micro_usd: int, path: PayoutPath
) -> int:
    """The network costs that a payer is charged beside the service fee.

    The calls of the path, without settlement and refunds, which the service fee pays as far as it
    suffices. Out of inventory across chains, a bridge's delivery as well, as one brings the
    inventory back, and never less than what is delivered would cost: no payer is to trust the
    operator because that is cheaper.
    """
    if path is PayoutPath.INVENTORY:
        own = source.start + destination.fill + destination.delivery
        claimed = network_fee(source, destination, service_micro_usd, PayoutPath.CLAIM)
        charged = max(own, claimed)
    elif path is PayoutPath.SAME_CHAIN:
        charged = source.start + destination.fill
    else:
        delivery = 0 if path is PayoutPath.BRIDGE_RELAYER else destination.delivery
        charged = source.send_by(path) + delivery
    return max(charged, payment_cost(source, destination, path) - service_micro_usd)
