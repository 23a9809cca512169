"""Response models of `/v1/intents/{id}/timeline`."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import (
    INTENT,
    RECORD,
    TIME,
    TX,
    USDC_BASE,
    IntegerString,
    Model,
    chain_field,
    field,
)
from crossway.domain.intent import READ_VOCABULARY
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.usecases.instants import timestamp
from crossway.usecases.payments.merchant_timeline import Amount, MerchantTimeline, Step
from crossway.usecases.payments.merchant_timeline_texts import STEP_NAMES


class AmountOut(Model):
    """An amount of a token."""

    amount: IntegerString = field("In the smallest unit.", "25034567")
    token: str = field("Token address.", USDC_BASE)
    symbol: str | None = field("Its symbol; null where the token is unknown.", "USDC")
    formatted: str | None = field("For people; null where the token is unknown.", "25.034567 USDC")

    @classmethod
    def from_amount(cls, amount: Amount) -> Self:
        """One amount."""
        return cls(
            amount=str(amount.units),
            token=amount.token,
            symbol=amount.symbol or None,
            formatted=amount.text if amount.symbol else None,
        )


class StepOut(Model):
    """One step of a payment."""

    name: str = field("What happened.", "deposit_credited", extra={"enum": list(STEP_NAMES)})
    sentence: str = field(
        "The same for people, in English.", "25.034567 USDC from the payer was credited."
    )
    at: str = field("When it happened.", TIME)
    chain: str | None = chain_field("The chain on which it happened; null for none.")
    tx: str | None = field("The transaction; null for none.", TX)
    amount: AmountOut | None = Field(description="The amount; null for none.")

    @classmethod
    def from_step(cls, step: Step) -> Self:
        """One step."""
        return cls(
            name=step.name,
            sentence=step.sentence,
            at=timestamp(step.at),
            chain=step.chain,
            tx=step.tx,
            amount=None if step.amount is None else AmountOut.from_amount(step.amount),
        )


class NextStepOut(Model):
    """What happens next."""

    sentence: str = field("Who does what, in English.", "Payer: send 25.034567 USDC on Base.")
    due_at: str | None = field("Until when; null without a deadline.", TIME)


class TimelineOut(Model):
    """The timeline of an intent."""

    intent_id: int = field("The intent.", RECORD)
    intent_address: str = field("Its deposit address.", INTENT)
    intent_status: str = field(
        "Its status.", "PENDING", extra={"enum": sorted(set(READ_VOCABULARY.values()))}
    )
    steps: list[StepOut] = Field(description="What happened, oldest first.")
    next_step: NextStepOut | None = Field(description="What happens next; null once nothing does.")
    truncated: bool = field("Whether older steps are left out: the newest 100 are kept.", False)

    @classmethod
    def from_timeline(cls, ids: PublicIds, timeline: MerchantTimeline) -> Self:
        """One timeline."""
        due_at = timeline.next_due_at
        following = None
        if timeline.next_sentence:
            following = NextStepOut(
                sentence=timeline.next_sentence, due_at=timestamp(due_at) if due_at else None
            )
        return cls(
            intent_id=ids.encode(RecordKind.INTENT, timeline.intent.id),
            intent_address=timeline.intent.address,
            intent_status=READ_VOCABULARY[timeline.intent.state],
            steps=[StepOut.from_step(step) for step in timeline.steps],
            next_step=following,
            truncated=timeline.is_truncated,
        )
