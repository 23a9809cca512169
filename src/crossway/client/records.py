"""What the API answers, as typed records; a field that this version does not know is kept too."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Record(BaseModel):
    """A record of the API: attributes in Python's spelling, amounts as exact numbers."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)


class Camel(Record):
    """A record whose fields are in camel case on the wire."""

    model_config = ConfigDict(alias_generator=to_camel)


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

    @property
    def amount_to_deposit(self) -> Decimal:
        """What the payer must send, as people write it."""
        return Decimal(self.total_amount_in_asset_token).scaleb(-self.asset_token_decimals)

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come but perhaps a refund."""
        return self.intent_status in ("COMPLETED", "EXPIRED", "FAILED")


class QuotedRoute(Camel):
    """What a quote is for."""

    token_in: str
    token_out: str
    source_chain: str
    destination_chain: str
    amount: int
    bridge: str | None
    recipient: str | None


class Quote(Camel):
    """What one bridge asks; amounts in smallest units."""

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
    expires_at: datetime


class PaymentOption(Camel):
    """One token with which to pay from a chain."""

    token: str
    token_address: str
    deposit_amount: int
    deposit_amount_formatted: Decimal
    slippage: Decimal
    fee: int
    fee_formatted: Decimal


class SourceOption(Camel):
    """The best way to pay from one chain."""

    source_chain: str
    destination_chain: str
    total_fee: int
    total_fee_formatted: Decimal
    app_fee: int = 0
    service_fee: int
    bridge_fee: int
    bridge: str | None
    estimated_fill_seconds: int
    payment_options: tuple[PaymentOption, ...]


class MultiSourceQuote(Camel):
    """Every way to pay to one chain."""

    destination_chain: str
    quotes: tuple[SourceOption, ...]
    cheapest_option: SourceOption | None


class RampChannel(Camel):
    """One way to pay a ramp provider or be paid by it; `fields_required` go into `fields`."""

    id: str
    name: str
    type: str
    transfer_type: str
    currency: str
    min_amount: Decimal
    max_amount: Decimal
    fees: dict[str, Decimal]
    fields_required: tuple[dict[str, Any], ...]


class RampQuote(Camel):
    """What one ramp provider asks or pays."""

    provider: str
    type: str
    fiat_currency: str
    fiat_amount: Decimal
    crypto_currency: str
    crypto_amount: Decimal
    exchange_rate: Decimal
    total_fees_fiat: Decimal
    total_fees_usd: Decimal
    ramp_chain: str
    requires_bridge: bool
    bridge_details: dict[str, Any] | None
    payment_channels: tuple[RampChannel, ...]
    quote_id: str
    expires_at: datetime
    gross_deposit_amount: int | None = None
    deposit_chain: str | None = None


class RampQuotes(Camel):
    """Every provider's quote, cheapest total cost first."""

    recommended: RampQuote | None
    quotes: tuple[RampQuote, ...]
    providers_queried: tuple[str, ...]


class RampOrder(Camel):
    """An order with a ramp provider."""

    id: int
    type: str
    provider: str
    status: str
    fiat_currency: str
    fiat_amount: Decimal
    crypto_currency: str
    crypto_amount: Decimal
    source_chain: str | None = None
    destination_chain: str | None = None
    country_code: str | None = None
    widget_url: str | None = None
    payment_instructions: dict[str, Any] | None = None
    intent_address: str | None = None
    gross_deposit_amount: int | None = None
    deposit_chain: str | None = None
    provider_tx_hash: str | None = None
    failure_reason: str | None = None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    completed_at: datetime | None = None


class KycState(Camel):
    """Where somebody stands with a provider, and what a transaction would need."""

    provider: str
    user_email: str | None = None
    country_code: str | None = None
    fiat_currency: str | None = None
    current_kyc_type: str
    current_kyc_status: str
    limit_usd: Decimal
    used_usd: Decimal
    remaining_usd: Decimal
    required_kyc_type: str | None = None
    can_proceed: bool | None = None
    blocked: bool
    missing_requirements: tuple[Any, ...]
    verification_url: str | None = None


class Webhook(Camel):
    """An endpoint that events are sent to; `secret` is there at creation and rotation alone."""

    id: Any
    url: str
    events: tuple[str, ...]
    enabled: bool
    secret: str | None = None
    disabled_reason: str | None = None


class Event(Record):
    """Something that happened; `data` is the resource as its read endpoint shows it."""

    id: str
    type: str
    created_at: datetime
    data: dict[str, Any]
