"""Models of Onramp Money's API, and their mapping to provider updates."""

from collections.abc import Iterable
from typing import Final

from crossway.adapters.ramps.wire_models import (
    EPOCH,
    DecimalText,
    WireModel,
    parse_instant,
    round_down,
)
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate

# An attempt that was abandoned (-2) or timed out (-1) ends nothing: the user may try again on the
# page until the order expires. 1 only reflects the user's confirmation.
STATUS_MAP: Final = {
    -4: ProviderOrderStatus.FAILED,
    -3: ProviderOrderStatus.FAILED,
    0: ProviderOrderStatus.WAITING,
    1: ProviderOrderStatus.WAITING,
    2: ProviderOrderStatus.PAID,
    3: ProviderOrderStatus.PAID,
    11: ProviderOrderStatus.PAID,
    12: ProviderOrderStatus.PAID,
    13: ProviderOrderStatus.PAID,
    14: ProviderOrderStatus.PAID,
    4: ProviderOrderStatus.DELIVERED,
    5: ProviderOrderStatus.DELIVERED,
    15: ProviderOrderStatus.DELIVERED,
    16: ProviderOrderStatus.DELIVERED,
}
REASONS: Final = {
    -4: "The user paid another amount than the order's",
    -3: "The name on the bank account is not the user's name",
}
# Of several attempts the one with the highest progress counts.
PROGRESS: Final = {
    ProviderOrderStatus.WAITING: 0,
    ProviderOrderStatus.FAILED: 1,
    ProviderOrderStatus.PAID: 2,
    ProviderOrderStatus.DELIVERED: 3,
}


class Quote(WireModel):
    """What a fiat amount buys: all fees are in the fiat currency, the rate per coin."""

    rate: DecimalText
    quantity: DecimalText
    onramp_fee: DecimalText = "0"
    client_fee: DecimalText = "0"
    gateway_fee: DecimalText = "0"
    gas_fee: DecimalText = "0"


class OrderAttempt(WireModel):
    """One order that a user made on the page, from the history or a webhook."""

    order_id: int
    status: int
    merchant_recognition_id: str | int | None = None
    fiat_amount: DecimalText | None = None
    actual_crypto_amount: DecimalText | None = None
    transaction_hash: str | None = None
    wallet_address: str | None = None
    updated_at: str | None = None
    created_at: str | None = None

    @property
    def reference(self) -> str:
        """Our reference, with which the page was opened."""
        return str(self.merchant_recognition_id or "")


class ResponseEnvelope(WireModel):
    """The envelope of every response; `status` is 1 on success."""

    status: int
    error: str | None = None
    message: str | None = None


class QuoteResponse(WireModel):
    """The response of quotes."""

    data: Quote


class HistoryResponse(WireModel):
    """The response of merchantHistory."""

    data: tuple[OrderAttempt, ...] = ()


def pick_furthest(attempts: Iterable[OrderAttempt]) -> OrderAttempt | None:
    """The attempt with the highest progress among those with a known status."""
    recognised = [attempt for attempt in attempts if attempt.status in STATUS_MAP]
    return max(
        recognised,
        key=lambda attempt: (PROGRESS[STATUS_MAP[attempt.status]], attempt.order_id),
        default=None,
    )


def to_update(attempt: OrderAttempt, decimals: int | None) -> ProviderUpdate | None:
    """The update for an attempt; None for an unknown status. `decimals` are the token's, None when
    unknown."""
    order_status = STATUS_MAP.get(attempt.status)
    if order_status is None:
        return None
    delivered, amount = order_status is ProviderOrderStatus.DELIVERED, attempt.actual_crypto_amount
    return ProviderUpdate(
        id=f"{attempt.order_id}:{attempt.status}",
        reference=attempt.reference,
        status=order_status,
        at=parse_instant(attempt.updated_at or attempt.created_at, EPOCH),
        amount=round_down(amount, decimals)
        if delivered and amount and decimals is not None
        else None,
        tx_hash=(attempt.transaction_hash or "") if delivered else "",
        reason=REASONS.get(attempt.status, ""),
    )
