"""Response models of what is done to an intent, and of its address elsewhere."""

from typing import Self

from pydantic import SkipValidation
from starlette.requests import Request

from crossway.api.schemas.fields import INTENT, TX, Model, RequestModel, field
from crossway.usecases.payments.refund_reasons import MAX_LENGTH


class ProcessingTriggered(Model):
    """The answer of a triggered intent."""

    success: bool = field("Always true.", True)
    message: str = field("What was done.", "Intent started successfully")


class RefundIntent(RequestModel):
    """What may be said about a refund."""

    reason: SkipValidation[str | None] = field(
        "Why, for the payer, who reads it as it is: one line of plain text.",
        "Sold out: we are sorry.",
        default=None,
        extra={"maxLength": MAX_LENGTH},
    )

    @classmethod
    async def valid_from_request(cls, request: Request) -> Self:
        """As for every body; without one, nothing is said."""
        return await super().valid_from_request(request) if request.state.body else cls()


class RefundSent(Model):
    """The answer of a refunded intent."""

    success: bool = field("Always true.", True)
    message: str = field("What was done.", "Refund successful")
    txHash: str = field("The refund's transaction.", TX)


class DestinationAddress(Model):
    """The counterpart of an intent's address."""

    destinationAddress: str = field("Its address on the destination chain.", INTENT)
