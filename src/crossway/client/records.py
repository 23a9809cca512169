"""Typed records of payments, quotes, chains and keys; unknown fields are kept."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from pydantic.alias_generators import to_camel


class Record(BaseModel):
    """A record of the API: attributes in snake case, amounts as exact numbers."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)
    _response_json: Any = PrivateAttr(None)

    @classmethod
    def parse(cls, response: Any) -> Self:
        """The record in a JSON response."""
        record = cls.model_validate(response)
        record._response_json = response
        return record

    @property
    def response_json(self) -> Any:
        """The JSON that the API returned, with its own names."""
        return self._response_json


class CamelCaseRecord(Record):
    """A record whose fields are in camel case on the wire."""

    model_config = ConfigDict(alias_generator=to_camel)


class BridgeStep(Record):
    """One step of a bridge transfer."""

    name: str
    at: datetime
    tx: str | None


class BridgeTransfer(Record):
    """How far a bridge has carried a payment."""

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
    """A payment: `*_usd` in micro-USD, `*_in_asset_token` in the token's smallest unit."""

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
    intent_status: str
    tx_hash: str | None
    expires_at: datetime
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    relayer: str = ""
    relayer_claimed: bool = False
    needs_relay: bool = False
    custody: str | None = None
    bridge_transfer: BridgeTransfer | None = None
    self_service: SelfService | None = None
    payment_url: str = ""

    @property
    def amount_to_deposit(self) -> Decimal:
        """The deposit as a decimal number."""
        return Decimal(self.total_amount_in_asset_token).scaleb(-self.asset_token_decimals)

    @property
    def ended(self) -> bool:
        """Whether the payment is final, except for a refund."""
        return self.intent_status in ("COMPLETED", "EXPIRED", "FAILED")


class QuotedRoute(CamelCaseRecord):
    """The quoted route."""

    token_in: str
    token_out: str
    source_chain: str
    destination_chain: str
    amount: int
    bridge: str | None
    recipient: str | None


class Quote(CamelCaseRecord):
    """A quote of one bridge; amounts in smallest units. `custody` is `BRIDGE` where contracts alone
    decide where the money goes, `OPERATOR` where the payer trusts the operator until the payout,
    usually for `trusted_seconds`.
    `estimated`: a model's figures, at which no payment is created."""

    bridge_fee_details: dict[str, Any]
    total_fee: int
    total_fee_formatted: Decimal
    app_fee: int = 0
    route: QuotedRoute
    asset_token: str
    fee_in_asset_token: int
    deposit_amount: int
    deposit_amount_formatted: Decimal
    estimated_fill_seconds: int
    custody: str
    trusted_seconds: int = 0
    swap: Swap | None = None
    slippage: Decimal = Decimal(0)
    estimated: bool = False
    expires_at: datetime


class PaymentOption(CamelCaseRecord):
    """A token that can be paid with on a chain."""

    token: str
    token_address: str
    deposit_amount: int
    deposit_amount_formatted: Decimal
    slippage: Decimal
    fee: int
    fee_formatted: Decimal


class SourceOption(CamelCaseRecord):
    """The tokens of one chain that one bridge carries best; `custody` and `estimated` as in
    `Quote`."""

    source_chain: str
    destination_chain: str
    total_fee: int
    total_fee_formatted: Decimal
    app_fee: int = 0
    service_fee: int
    bridge_fee: int
    bridge: str | None
    estimated_fill_seconds: int
    custody: str
    trusted_seconds: int = 0
    estimated: bool = False
    payment_options: tuple[PaymentOption, ...]


class MultiSourceQuote(CamelCaseRecord):
    """Payment options from every chain to one destination."""

    destination_chain: str
    quotes: tuple[SourceOption, ...]
    cheapest_option: SourceOption | None


class Token(CamelCaseRecord):
    """A token on one chain."""

    symbol: str
    address: str
    decimals: int
    name: str
    native: bool


class ClientInfo(CamelCaseRecord):
    """The client of a key, and the key's permissions."""

    client_id: str
    name: str
    mode: str
    scopes: tuple[str, ...]
    requests_per_minute: int
    allowed_addresses: tuple[str, ...]
    ends_at: datetime | None
    app_fee_bps: int
    app_fee_cap_usd: int | None
    refund_addresses: dict[str, str]
    branding: dict[str, str | None]
    created_at: datetime
