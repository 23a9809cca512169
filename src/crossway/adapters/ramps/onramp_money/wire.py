"""What Onramp Money says, in its own words, and what that means to Crossway."""

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

# An attempt that was given up (-2) or timed out (-1) ends nothing: the page stays open for the
# user to try again, until the order lapses. 1 is the user's word alone.
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
    -3: "The name on the bank account is not the name of the person",
}
# Which of several attempts counts: the one that got furthest.
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
        """Ours, as the page was opened with it."""
        return str(self.merchant_recognition_id or "")


class ResponseEnvelope(WireModel):
    """The shell of every answer: `status` 1 says that it went well."""

    status: int
    error: str | None = None
    message: str | None = None


class QuoteResponse(WireModel):
    """The answer of quotes."""

    data: Quote


class HistoryResponse(WireModel):
    """The answer of merchantHistory."""

    data: tuple[OrderAttempt, ...] = ()


def pick_furthest(attempts: Iterable[OrderAttempt]) -> OrderAttempt | None:
    """The attempt that counts, if any says something."""
    telling = [one for one in attempts if one.status in STATUS_MAP]
    return max(
        telling, key=lambda one: (PROGRESS[STATUS_MAP[one.status]], one.order_id), default=None
    )


def to_update(attempt: OrderAttempt, places: int | None) -> ProviderUpdate | None:
    """What an attempt says; `places` are the token's, None where unknown. Its fiat amount is what
    the user meant to pay, so it is told only once it was paid."""
    outcome = STATUS_MAP.get(attempt.status)
    if outcome is None:
        return None
    delivered, amount = outcome is ProviderOrderStatus.DELIVERED, attempt.actual_crypto_amount
    return ProviderUpdate(
        id=f"{attempt.order_id}:{attempt.status}",
        reference=attempt.reference,
        status=outcome,
        at=parse_instant(attempt.updated_at or attempt.created_at, EPOCH),
        amount=round_down(amount, places) if delivered and amount and places is not None else None,
        tx_hash=(attempt.transaction_hash or "") if delivered else "",
        reason=REASONS.get(attempt.status, ""),
    )
