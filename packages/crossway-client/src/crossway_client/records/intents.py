"""Records of intents: payments with a deposit address of their own."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import Field

from crossway_client.records.base import CamelCaseRecord, Record

FINAL_STATUSES = frozenset({"COMPLETED", "EXPIRED", "FAILED"})


class BridgeStep(Record):
    """One step of a bridge transfer."""

    name: str
    at: datetime
    tx: str | None


class BridgeTransfer(Record):
    """How far a bridge has carried a payment; `reason` says why it waits, if it does."""

    bridge: str
    custody: str
    status: str
    source_tx: str | None
    destination_tx: str | None
    message_id: str | None
    steps: tuple[BridgeStep, ...]
    expected_at: datetime | None
    reason: str | None


class SelfServiceCall(Record):
    """A contract call that anyone may make; `data` is None where its arguments do not exist yet."""

    name: str
    description: str
    chain: str
    chain_id: str
    contract: str
    function: str
    data: str | None
    available_from: datetime | None
    available_until: datetime | None


class SelfService(Record):
    """What a payer keeps to finish or undo a payment without the operator."""

    note: str
    terms: dict[str, Any]
    calls: tuple[SelfServiceCall, ...]
    attestation_url: str | None


class Swap(Record):
    """The swap with which a payment starts: `output` of `token` for an expected `input` of the
    deposited token, both in smallest units; `impact` is in percent, `cost` in micro-USD."""

    exchange: str
    symbol: str
    token: str
    decimals: int
    output: int
    input: int
    impact: Decimal
    cost: int


class Intent(Record):
    """A payment: `*_in_usd` in micro-USD, `*_in_asset_token` in the token's smallest unit.

    A created intent has no `destination_intent_address`, `mode`, `custody` and `bridge_transfer`
    yet; `self_service` is there where one intent is read.
    """

    id: int
    client_id: str
    sender: str
    initial_amount: int = Field(alias="initialAmount")
    fees_in_usd: int
    app_fee_in_usd: int
    total_amount_in_usd: int
    total_amount_in_asset_token: int
    fees_in_asset_token: int
    app_fee_in_asset_token: int
    network_fee_in_asset_token: int = 0
    asset_token_symbol: str
    asset_token_decimals: int
    slippage: Decimal
    swap: Swap | None = None
    token_in: str = Field(alias="tokenIn")
    token_out: str = Field(alias="tokenOut")
    intent_address: str
    deposit_token_account: str | None = None
    destination_intent_address: str | None = None
    source_chain: str
    destination_chain: str
    recipient: str
    refund_address: str
    relayer: str = ""
    relayer_claimed: bool = False
    coordinator: str = ""
    bridger: str = ""
    bridge_extra_data: str = Field(default="", alias="bridgeExtraData")
    intent_nonce: int = 0
    intent_status: str
    tx_hash: str | None
    needs_relay: bool = False
    paymaster_used: bool = False
    mode: str | None = None
    custody: str | None = None
    bridge_transfer: BridgeTransfer | None = None
    self_service: SelfService | None = None
    expires_at: datetime
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    payment_url: str = ""

    @property
    def amount_to_deposit(self) -> Decimal:
        """What the payer must deposit, as a decimal number of `asset_token_symbol`."""
        return Decimal(self.total_amount_in_asset_token).scaleb(-self.asset_token_decimals)

    @property
    def ended(self) -> bool:
        """Whether the payment is final, except for a refund."""
        return self.intent_status in FINAL_STATUSES


class BatchError(CamelCaseRecord):
    """Why one intent of a batch was not created, as its own request would have been answered."""

    status_code: int
    message: str
    code: str
    param: str = ""
    params: tuple[str, ...] = ()


class BatchItem(Record):
    """What came of one intent of a batch: the intent, or why there is none."""

    index: int
    intent: Intent | None = None
    error: BatchError | None = None


class IntentBatch(Record):
    """What came of a batch, in the order of its intents."""

    created: int
    failed: int
    results: tuple[BatchItem, ...]


class ProcessingTriggered(Record):
    """The answer of a triggered intent."""

    success: bool
    message: str


class RefundSent(CamelCaseRecord):
    """The answer of a refund, with its transaction."""

    success: bool
    message: str
    tx_hash: str


class DestinationAddress(CamelCaseRecord):
    """The address of an intent on its destination chain."""

    destination_address: str
