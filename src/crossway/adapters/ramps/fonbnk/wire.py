"""What Fonbnk says, in its own words, and what that means to Crossway."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from pydantic import Field

from crossway.adapters.ramps.exact import Number, Wire, down, instant
from crossway.domain.kyc import ORDERED, KycStatus, KycType, Standing
from crossway.ports.ramps import Outcome, Report

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# `deposit_validating` is the user's word alone: the payment is not found yet.
OUTCOMES: Final = {
    "deposit_awaiting": Outcome.WAITING,
    "deposit_validating": Outcome.WAITING,
    "deposit_successful": Outcome.PAID,
    "payout_pending": Outcome.PAID,
    "payout_successful": Outcome.DELIVERED,
    "payout_failed": Outcome.FAILED,
    "refund_pending": Outcome.FAILED,
    "refund_failed": Outcome.FAILED,
    "refund_successful": Outcome.REFUNDED,
    "deposit_invalid": Outcome.FAILED,
    "deposit_canceled": Outcome.CANCELLED,
    "deposit_expired": Outcome.EXPIRED,
}
REASONS: Final = {
    "deposit_invalid": "The payment did not match the order",
    "payout_failed": "Fonbnk could not pay out",
    "refund_pending": "Fonbnk could not pay out and gives the payment back",
    "refund_failed": "Fonbnk could not pay out and could not give the payment back",
}
# From here on Fonbnk holds the user's payment.
TAKEN: Final = ("deposit_successful", "payout_", "refund_")
STATUSES: Final = {
    "initiated": KycStatus.PENDING,
    "rejected": KycStatus.REJECTED,
    "invalid": KycStatus.REJECTED,
}


class Cashout(Wire):
    """How one side of an order is reckoned: the user moves the amount before fees of a deposit,
    and gets the amount after fees of a payout."""

    exchange_rate: Number
    amount_before_fees: Number
    amount_after_fees: Number
    total_charged_fees: Number = "0"
    total_charged_fees_usd: Number = "0"


class Detail(Wire):
    """One line of how to pay."""

    id: str
    label: str
    value: str | None = None


class Asked(Wire):
    """A field that Fonbnk asks for."""

    key: str
    type: str = "string"
    required: bool = False


class Instructions(Wire):
    """How the deposit is made."""

    type: str
    instructions_text: str = ""
    warning_text: str | None = None
    payment_url: str | None = None
    ussd_code: str | None = None
    transfer_details: tuple[Detail, ...] = ()
    fields_to_confirm_order: tuple[Asked, ...] = ()

    def detail(self, id_: str) -> str:
        """The value of a line; empty without it."""
        return next((d.value or "" for d in self.transfer_details if d.id == id_), "")


class Meta(Wire):
    """Where the payout is found on chain."""

    transaction_hash: str | None = None


class Transaction(Wire):
    """The payout's own transaction."""

    meta: Meta | None = None


class Side(Wire):
    """The deposit or the payout of an order or a quote."""

    currency_type: str
    currency_code: str
    cashout: Cashout
    transfer_instructions: Instructions | None = None
    transaction: Transaction | None = None


class Quote(Wire):
    """The answer to POST /api/v2/quote."""

    quote_id: str
    quote_expires_at: str | None = None
    deposit: Side
    payout: Side


class Change(Wire):
    """One line of an order's history."""

    new_status: str
    date: str


class Order(Wire):
    """An order as GET /api/v2/order answers it; a webhook leaves out some of it."""

    id: str = Field(default="", alias="_id")
    merchant_order_params: str | None = None
    status: str
    deposit: Side
    payout: Side
    created_at: str | None = None
    updated_at: str | None = None
    status_change_history: tuple[Change, ...] = ()


class Created(Wire):
    """The answer to POST /api/v2/order."""

    order: Order


class Told(Wire):
    """The data of a webhook."""

    order: Order


class Webhook(Wire):
    """A webhook's body."""

    event: str
    data: Told


class KycDocument(Wire):
    """A kind of document that Fonbnk checks in a country."""

    id: str = Field(alias="_id")
    type: KycType
    value: str = ""
    required_fields: tuple[Asked, ...] = ()


class KycAnswer(Wire):
    """The answer of /api/v2/user/kyc."""

    passed_kyc_type: KycType | None = None
    current_kyc_status: str | None = None
    current_kyc_status_description: str | None = None
    kyc_documents: tuple[KycDocument, ...] = ()


def reports_of(order: Order, digits: int | None, places: int | None) -> list[Report]:
    """What an order's history says, oldest first; statuses of no known meaning say nothing.
    `digits` are the currency's places and `places` the token's, None where unknown."""
    return [
        _report(order, status, at, digits, places)
        for status, at in _history(order)
        if status in OUTCOMES
    ]


def _history(order: Order) -> Iterator[tuple[str, datetime]]:
    """Statuses with their instants, the present one among them even where history lacks it."""
    told = instant(order.updated_at or order.created_at, EPOCH)
    told_of = set()
    for change in sorted(order.status_change_history, key=lambda c: instant(c.date, told)):
        told_of.add(change.new_status)
        yield change.new_status, instant(change.date, told)
    if order.status not in told_of:
        yield order.status, told


def _report(
    order: Order, status: str, at: datetime, digits: int | None, places: int | None
) -> Report:
    fiat = units = None
    if status.startswith(TAKEN):
        on = order.deposit.currency_type == "fiat"
        taken = order.deposit.cashout.amount_before_fees
        paid_out = order.payout.cashout.amount_after_fees
        fiat = _down(taken if on else paid_out, digits)
        units = _down(paid_out if on else taken, places)
    meta = order.payout.transaction.meta if order.payout.transaction else None
    delivered = OUTCOMES[status] is Outcome.DELIVERED
    return Report(
        id=f"{order.id}:{status}",
        reference=order.id,
        outcome=OUTCOMES[status],
        at=at,
        units=units,
        fiat_minor=fiat,
        tx_hash=(meta.transaction_hash or "") if delivered and meta else "",
        reason=REASONS.get(status, ""),
    )


def _down(number: str, places: int | None) -> int | None:
    return None if places is None else down(number, places)


def standing_of(answer: KycAnswer) -> Standing:
    """Where a person stands. The check under way is the next above the one that is passed."""
    passed = answer.passed_kyc_type or KycType.NONE
    status = STATUSES.get(answer.current_kyc_status or "")
    following: Sequence[KycType] = ORDERED[ORDERED.index(passed) + 1 :]
    if status is not None and following:
        reason = answer.current_kyc_status_description or ""
        return Standing(following[0], status, reason=reason if status is KycStatus.REJECTED else "")
    return Standing(passed, KycStatus.APPROVED) if passed is not KycType.NONE else Standing()
