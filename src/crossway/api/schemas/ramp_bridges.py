"""Response models of what a bridge does with the crypto of a ramp order."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.bridge_transfers import (
    CUSTODY,
    CUSTODY_TEXT,
    STATES,
    STATUS_TEXT,
    TRANSFER_EXAMPLE,
    BridgeStep,
)
from crossway.api.schemas.fields import TIME, TX, Model, bridge_field, field
from crossway.domain.bridge_transfer import Custody
from crossway.usecases.instants import timestamp
from crossway.usecases.payments.bridge_progress import BridgeProgress

_CAMEL = {
    "source_tx": "sourceTx",
    "destination_tx": "destinationTx",
    "message_id": "messageId",
    "expected_at": "expectedAt",
}
ORDER_TRANSFER_EXAMPLE = {_CAMEL.get(key, key): value for key, value in TRANSFER_EXAMPLE.items()}


class OrderBridgeTransfer(Model):
    """How far the bridge has carried an order's crypto: the intent's `bridge_transfer`, with the
    names of orders."""

    bridge: str = bridge_field("The bridge.", "CCTP")
    custody: str = field(CUSTODY_TEXT, Custody.BRIDGE.value, extra=CUSTODY)
    status: str = field(STATUS_TEXT, "seen", extra={"enum": STATES})
    sourceTx: str | None = field("The transaction that sent it; null before.", TX)
    destinationTx: str | None = field("The transaction by which it arrived; null before.", None)
    messageId: str | None = field(
        "The bridge's own number of it (CCTP: the message's nonce); null before it is known.",
        TRANSFER_EXAMPLE["message_id"],
    )
    steps: list[BridgeStep] = Field(description="What happened, oldest first.")
    expectedAt: str | None = field(
        "When the bridge usually lets it be delivered; null before it is sent.", TIME
    )
    reason: str | None = field("Why it waits, as a sentence; null where nothing is unusual.", None)

    @classmethod
    def from_progress(cls, progress: BridgeProgress) -> Self:
        """The transfer in this form."""
        expected_at = progress.expected_at
        return cls(
            bridge=progress.bridge,
            custody=Custody.BRIDGE.value,
            status=progress.state.lower(),
            sourceTx=progress.source_tx or None,
            destinationTx=progress.destination_tx or None,
            messageId=progress.message_id or None,
            steps=[BridgeStep.from_step(step) for step in progress.steps],
            expectedAt=timestamp(expected_at) if expected_at else None,
            reason=progress.reason or None,
        )
