"""Records of ramp orders."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from crossway_client.records.base import CamelCaseRecord
from crossway_client.records.intents import BridgeStep
from crossway_client.records.ramps import RampBridge

OPEN_STATUSES = frozenset({"PENDING", "INITIATED", "PROCESSING"})


class OrderBridgeTransfer(CamelCaseRecord):
    """How far a bridge has carried the crypto of an order."""

    bridge: str
    custody: str
    status: str
    source_tx: str | None
    destination_tx: str | None
    message_id: str | None
    steps: tuple[BridgeStep, ...]
    expected_at: datetime | None
    reason: str | None


class RampOrder(CamelCaseRecord):
    """An order with a ramp provider; `gross_deposit_amount` is in the token's smallest unit."""

    id: int
    type: str
    provider: str
    status: str
    fiat_currency: str
    fiat_amount: Decimal
    crypto_currency: str
    crypto_amount: Decimal
    source_chain: str
    destination_chain: str
    sender_address: str | None
    recipient_address: str | None
    country_code: str
    widget_url: str | None
    payment_instructions: dict[str, Any]
    intent_address: str | None
    gross_deposit_amount: int | None
    gross_deposit_amount_formatted: Decimal | None = None
    deposit_chain: str | None
    provider_tx_hash: str | None
    failure_reason: str | None
    delay_reason: str | None = None
    requires_bridge: bool = False
    bridge_details: RampBridge | None = None
    bridge_transfer: OrderBridgeTransfer | None = None
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    completed_at: datetime | None

    @property
    def ended(self) -> bool:
        """Whether the order is final, except for a refund."""
        return self.status not in OPEN_STATUSES
