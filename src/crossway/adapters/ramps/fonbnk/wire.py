"""Models of Fonbnk's API, and their mapping to provider updates."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from pydantic import Field

from crossway.adapters.ramps.wire_models import (
    EPOCH,
    DecimalText,
    WireModel,
    parse_instant,
    round_down,
)
from crossway.domain.kyc import KYC_TYPES, KycStatus, KycType, VerificationStatus
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate

# `deposit_validating` only reflects the user's confirmation: the payment is not found yet.
STATUS_MAP: Final = {
    "deposit_awaiting": ProviderOrderStatus.WAITING,
    "deposit_validating": ProviderOrderStatus.WAITING,
    "deposit_successful": ProviderOrderStatus.PAID,
    "payout_pending": ProviderOrderStatus.PAID,
    "payout_successful": ProviderOrderStatus.DELIVERED,
    "payout_failed": ProviderOrderStatus.FAILED,
    "refund_pending": ProviderOrderStatus.FAILED,
    "refund_failed": ProviderOrderStatus.FAILED,
    "refund_successful": ProviderOrderStatus.REFUNDED,
    "deposit_invalid": ProviderOrderStatus.FAILED,
    "deposit_canceled": ProviderOrderStatus.CANCELLED,
    "deposit_expired": ProviderOrderStatus.EXPIRED,
}
REASONS: Final = {
    "deposit_invalid": "The payment did not match the order",
    "payout_failed": "Fonbnk could not pay out",
    "refund_pending": "Fonbnk could not pay out and refunds the payment",
    "refund_failed": "Fonbnk could not pay out and could not refund the payment",
}
# In statuses with these prefixes Fonbnk holds the user's payment.
PAID_PREFIXES: Final = ("deposit_successful", "payout_", "refund_")
KYC_STATUS_MAP: Final = {
    "initiated": KycStatus.PENDING,
    "rejected": KycStatus.REJECTED,
    "invalid": KycStatus.REJECTED,
}


class FeeBreakdown(WireModel):
    """The amounts and fees of one side of an order. The user pays a deposit's amount before fees
    and receives a payout's amount after fees."""

    exchange_rate: DecimalText
    amount_before_fees: DecimalText
    amount_after_fees: DecimalText
    total_charged_fees: DecimalText = "0"
    total_charged_fees_usd: DecimalText = "0"


class TransferDetail(WireModel):
    """One labelled value of the payment instructions."""

    id: str
    label: str
    value: str | None = None


class RequiredField(WireModel):
    """A field that Fonbnk requires."""

    key: str
    type: str = "string"
    required: bool = False


class TransferInstructions(WireModel):
    """How to make the deposit."""

    type: str
    instructions_text: str = ""
    warning_text: str | None = None
    payment_url: str | None = None
    ussd_code: str | None = None
    transfer_details: tuple[TransferDetail, ...] = ()
    fields_to_confirm_order: tuple[RequiredField, ...] = ()

    def detail(self, id_: str) -> str:
        """The value of a detail; empty when it is missing."""
        return next((d.value or "" for d in self.transfer_details if d.id == id_), "")


class Meta(WireModel):
    """The payout's on-chain transaction."""

    transaction_hash: str | None = None


class Transaction(WireModel):
    """The payout's transaction record."""

    meta: Meta | None = None


class OrderSide(WireModel):
    """The deposit or the payout of an order or a quote."""

    currency_type: str
    currency_code: str
    cashout: FeeBreakdown
    transfer_instructions: TransferInstructions | None = None
    transaction: Transaction | None = None


class Quote(WireModel):
    """The response to POST /api/v2/quote."""

    quote_id: str
    quote_expires_at: str | None = None
    deposit: OrderSide
    payout: OrderSide


class StatusChange(WireModel):
    """One entry of an order's history."""

    new_status: str
    date: str


class Order(WireModel):
    """An order as GET /api/v2/order returns it; a webhook omits some of its fields."""

    id: str = Field(default="", alias="_id")
    merchant_order_params: str | None = None
    status: str
    deposit: OrderSide
    payout: OrderSide
    created_at: str | None = None
    updated_at: str | None = None
    status_change_history: tuple[StatusChange, ...] = ()


class CreateOrderResponse(WireModel):
    """The response to POST /api/v2/order."""

    order: Order


class WebhookData(WireModel):
    """The data of a webhook."""

    order: Order


class Webhook(WireModel):
    """A webhook's body."""

    event: str
    data: WebhookData


class KycDocument(WireModel):
    """A kind of document that Fonbnk checks in a country."""

    id: str = Field(alias="_id")
    type: KycType
    value: str = ""
    required_fields: tuple[RequiredField, ...] = ()


class KycResponse(WireModel):
    """The response of /api/v2/user/kyc."""

    passed_kyc_type: KycType | None = None
    current_kyc_status: str | None = None
    current_kyc_status_description: str | None = None
    kyc_documents: tuple[KycDocument, ...] = ()


def to_updates(order: Order, digits: int | None, decimals: int | None) -> list[ProviderUpdate]:
    """The updates in an order's history, oldest first; unknown statuses are skipped.

    `digits` are the currency's decimal places and `decimals` the token's, None when unknown."""
    return [
        _build_update(order, status, at, digits, decimals)
        for status, at in _history(order)
        if status in STATUS_MAP
    ]


def _history(order: Order) -> Iterator[tuple[str, datetime]]:
    """Statuses with their times, always including the current status."""
    fallback = parse_instant(order.updated_at or order.created_at, EPOCH)
    seen_statuses = set()
    for change in sorted(
        order.status_change_history, key=lambda c: parse_instant(c.date, fallback)
    ):
        seen_statuses.add(change.new_status)
        yield change.new_status, parse_instant(change.date, fallback)
    if order.status not in seen_statuses:
        yield order.status, fallback


def _build_update(
    order: Order, status: str, at: datetime, digits: int | None, decimals: int | None
) -> ProviderUpdate:
    fiat_minor = amount = None
    if status.startswith(PAID_PREFIXES):
        is_on_ramp = order.deposit.currency_type == "fiat"
        deposited = order.deposit.cashout.amount_before_fees
        paid_out = order.payout.cashout.amount_after_fees
        fiat_minor = _down(deposited if is_on_ramp else paid_out, digits)
        amount = _down(paid_out if is_on_ramp else deposited, decimals)
    meta = order.payout.transaction.meta if order.payout.transaction else None
    delivered = STATUS_MAP[status] is ProviderOrderStatus.DELIVERED
    return ProviderUpdate(
        id=f"{order.id}:{status}",
        reference=order.id,
        status=STATUS_MAP[status],
        at=at,
        amount=amount,
        fiat_minor=fiat_minor,
        tx_hash=(meta.transaction_hash or "") if delivered and meta else "",
        reason=REASONS.get(status, ""),
    )


def _down(number: str, decimals: int | None) -> int | None:
    return None if decimals is None else round_down(number, decimals)


def to_kyc_status(response: KycResponse) -> VerificationStatus:
    """The verification status; a pending or rejected check is of the level above the passed one."""
    passed = response.passed_kyc_type or KycType.NONE
    status = KYC_STATUS_MAP.get(response.current_kyc_status or "")
    higher_types: Sequence[KycType] = KYC_TYPES[KYC_TYPES.index(passed) + 1 :]
    if status is not None and higher_types:
        reason = response.current_kyc_status_description or ""
        return VerificationStatus(
            higher_types[0], status, reason=reason if status is KycStatus.REJECTED else ""
        )
    return (
        VerificationStatus(passed, KycStatus.APPROVED)
        if passed is not KycType.NONE
        else VerificationStatus()
    )
