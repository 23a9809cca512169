"""Models of Paycrest's API, and their mapping to provider updates."""

from collections.abc import Mapping
from typing import Any, Final

from crossway.adapters.ramps.wire_models import (
    EPOCH,
    DecimalText,
    WireModel,
    parse_instant,
    round_down,
)
from crossway.domain.ramps import Direction
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate

_COMMON_STATUS_MAP: Final = {
    "initiated": ProviderOrderStatus.WAITING,
    "deposited": ProviderOrderStatus.PAID,
    "pending": ProviderOrderStatus.PAID,
    "fulfilling": ProviderOrderStatus.PAID,
    "fulfilled": ProviderOrderStatus.PAID,
    "settled": ProviderOrderStatus.DELIVERED,
    "cancelled": ProviderOrderStatus.CANCELLED,
    "refunding": ProviderOrderStatus.FAILED,
    "refunded": ProviderOrderStatus.REFUNDED,
    "expired": ProviderOrderStatus.EXPIRED,
}
# The fiat payout of an off-ramp has arrived once it is validated; the settlement after that is
# between Paycrest and its provider. An on-ramp's crypto is in transit until it is settled.
STATUS_MAP: Final[Mapping[Direction, Mapping[str, ProviderOrderStatus]]] = {
    Direction.ON: _COMMON_STATUS_MAP
    | {"validated": ProviderOrderStatus.PAID, "settling": ProviderOrderStatus.PAID},
    Direction.OFF: _COMMON_STATUS_MAP
    | {"validated": ProviderOrderStatus.DELIVERED, "settling": ProviderOrderStatus.DELIVERED},
}
DIRECTIONS: Final = {"onramp": Direction.ON, "offramp": Direction.OFF}
COMPLIANCE_HOLD: Final = "compliance_hold"
COMPLIANCE_HOLD_REASON: Final = "Paycrest holds the payment for review; contact its support"
REFUNDING_REASON: Final = "Paycrest found no provider to deliver and refunds the payment"


class RateSide(WireModel):
    """The rate of one direction, local money per token."""

    rate: DecimalText


class Rates(WireModel):
    """The rates at which users buy and sell a token."""

    buy: RateSide | None = None
    sell: RateSide | None = None


class RatesResponse(WireModel):
    """The response of GET /v2/rates."""

    data: Rates


class Account(WireModel):
    """Where the user pays: a bank account for an on-ramp, an address for an off-ramp."""

    institution: str | None = None
    account_identifier: str | None = None
    account_name: str | None = None
    amount_to_transfer: DecimalText | None = None
    currency: str | None = None
    valid_until: str | None = None
    network: str | None = None
    receive_address: str | None = None
    memo: str | None = None


class Order(WireModel):
    """An order in responses and webhooks."""

    id: str
    status: str
    direction: str | None = None
    amount: DecimalText
    rate: DecimalText | None = None
    sender_fee: DecimalText = "0"
    transaction_fee: DecimalText = "0"
    reference: str | None = None
    tx_hash: str | None = None
    provider_account: Account | None = None
    source: Mapping[str, Any] = {}
    destination: Mapping[str, Any] = {}
    updated_at: str | None = None
    created_at: str | None = None
    timestamp: str | None = None

    @property
    def resolved_direction(self) -> Direction:
        """The direction; derived from the type of the source when it is not named."""
        direction = DIRECTIONS.get(self.direction or "")
        if direction is not None:
            return direction
        return Direction.ON if self.source.get("type") == "fiat" else Direction.OFF

    @property
    def coin(self) -> tuple[str, str]:
        """The network and the symbol of the crypto side; empty when missing."""
        side = self.destination if self.resolved_direction is Direction.ON else self.source
        recipient = side.get("recipient")
        network_fields = recipient if isinstance(recipient, dict) else side
        return str(network_fields.get("network", "")), str(side.get("currency", ""))


class OrderResponse(WireModel):
    """The response with one order."""

    data: Order


class OrderPage(WireModel):
    """One page of orders, newest first."""

    total: int = 0
    orders: tuple[Order, ...] = ()


class OrderPageResponse(WireModel):
    """The response of GET /v2/sender/orders."""

    data: OrderPage


class Webhook(WireModel):
    """A webhook's body."""

    event: str
    data: Order


def to_update(order: Order, event: str = "", decimals: int | None = None) -> ProviderUpdate | None:
    """The update for an order's status; None for an unknown status. `event` is the webhook's, which
    may say more than the status; `decimals` are the token's, None when unknown."""
    status = COMPLIANCE_HOLD if event.endswith(COMPLIANCE_HOLD) else order.status
    order_status = (
        ProviderOrderStatus.FAILED
        if status == COMPLIANCE_HOLD
        else STATUS_MAP[order.resolved_direction].get(status)
    )
    if order_status is None:
        return None
    is_paid = order_status not in (
        ProviderOrderStatus.WAITING,
        ProviderOrderStatus.EXPIRED,
        ProviderOrderStatus.CANCELLED,
    )
    reasons = {COMPLIANCE_HOLD: COMPLIANCE_HOLD_REASON, "refunding": REFUNDING_REASON}
    timestamp = order.updated_at or order.timestamp or order.created_at
    return ProviderUpdate(
        id=f"{order.id}:{status}",
        reference=order.id,
        status=order_status,
        at=parse_instant(timestamp, EPOCH),
        amount=round_down(order.amount, decimals) if is_paid and decimals is not None else None,
        tx_hash=(order.tx_hash or "") if order_status is ProviderOrderStatus.DELIVERED else "",
        reason=reasons.get(status, ""),
    )
