"""What the tools return: a payment, its timeline and options to pay, in few and plain fields."""

from datetime import datetime
from decimal import Decimal
from typing import Self

from pydantic import BaseModel

from crossway_client.records.intents import Intent
from crossway_client.records.quotes import SourceOption
from crossway_client.records.search import SearchResults
from crossway_client.records.timeline import Timeline


class PaymentView(BaseModel):
    """One payment. The payer sends `deposit` to `deposit_address` on `source_chain`."""

    id: int
    status: str
    deposit: str
    deposit_address: str
    source_chain: str
    destination_chain: str
    recipient: str
    refund_address: str
    total_usd: Decimal
    fees_usd: Decimal
    expires_at: datetime
    created_at: datetime
    payment_page: str
    latest_transaction: str | None
    metadata: dict[str, object]

    @classmethod
    def of(cls, intent: Intent) -> Self:
        """The payment of an intent."""
        return cls(
            id=intent.id,
            status=intent.intent_status,
            deposit=f"{intent.amount_to_deposit:f} {intent.asset_token_symbol}",
            deposit_address=intent.intent_address,
            source_chain=intent.source_chain,
            destination_chain=intent.destination_chain,
            recipient=intent.recipient,
            refund_address=intent.refund_address,
            total_usd=_usd(intent.total_amount_in_usd),
            fees_usd=_usd(intent.fees_in_usd + intent.app_fee_in_usd),
            expires_at=intent.expires_at,
            created_at=intent.created_at,
            payment_page=intent.payment_url,
            latest_transaction=intent.tx_hash,
            metadata=intent.metadata,
        )


class PaymentList(BaseModel):
    """Payments, newest first; `more` if there are further ones."""

    payments: list[PaymentView]
    more: bool


class OptionView(BaseModel):
    """One way to pay: what is deposited, by token, and what the fee is in the received token.

    `trust` is whom the payer trusts from start to payout; no payment is created at an `estimate`.
    """

    source_chain: str
    bridge: str
    fee: Decimal
    deposits: dict[str, Decimal]
    seconds: int
    trust: str
    estimate: bool

    @classmethod
    def of(cls, option: SourceOption) -> Self:
        """The way of a source option."""
        return cls(
            source_chain=option.source_chain,
            bridge=option.bridge or "none, within one chain",
            fee=option.total_fee_formatted,
            deposits={one.token: one.deposit_amount_formatted for one in option.payment_options},
            seconds=option.estimated_fill_seconds,
            trust="contracts alone" if option.custody == "BRIDGE" else "the operator",
            estimate=option.estimated,
        )


class OptionList(BaseModel):
    """The ways to pay: within one chain first, then by cost."""

    options: list[OptionView]


class TimelineView(BaseModel):
    """Where the money of a payment is: what happened, oldest first, and what happens next."""

    payment: PaymentView
    steps: list[str]
    next: str | None

    @classmethod
    def of(cls, intent: Intent, timeline: Timeline) -> Self:
        """The timeline of an intent."""
        steps = [f"{step.at:%Y-%m-%d %H:%M:%S} UTC: {step.sentence}" for step in timeline.steps]
        following = timeline.next_step
        reason = intent.bridge_transfer.reason if intent.bridge_transfer else None
        return cls(
            payment=PaymentView.of(intent),
            steps=[*steps, *([f"The bridge waits: {reason}"] if reason else [])],
            next=following.sentence if following else None,
        )


class FoundView(BaseModel):
    """A resource that an identifier finds."""

    type: str
    id: int | str
    title: str
    matched_by: str


class FoundList(BaseModel):
    """What an identifier finds, the surest first; `more` if there may be further ones."""

    found: list[FoundView]
    more: bool

    @classmethod
    def of(cls, results: SearchResults) -> Self:
        """The resources of search results."""
        found = [
            FoundView(type=one.type, id=one.id, title=one.title, matched_by=one.matched_by)
            for one in results.results
        ]
        return cls(found=found, more=results.truncated)


class RefundView(BaseModel):
    """A refund that would be done, or was.

    With `done` false nothing has happened: show `text` to the user, and if they agree, call the
    tool again with `confirmation`.
    """

    done: bool
    text: str
    confirmation: str | None = None
    transaction: str | None = None


def _usd(micro: int) -> Decimal:
    return Decimal(micro).scaleb(-6)
