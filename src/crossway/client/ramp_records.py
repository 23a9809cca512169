"""Typed records of fiat ramps: quotes, orders and KYC checks."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from crossway.client.records import BridgeStep, CamelCaseRecord


class RampChannel(CamelCaseRecord):
    """A payment channel of a provider; send its `fields_required` under `fields`."""

    id: str
    name: str
    type: str
    transfer_type: str
    currency: str
    min_amount: Decimal
    max_amount: Decimal
    fees: dict[str, Decimal]
    fields_required: tuple[dict[str, Any], ...]


class RampQuote(CamelCaseRecord):
    """A quote of one provider."""

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
    gross_deposit_amount_formatted: Decimal | None = None
    deposit_chain: str | None = None


class ExcludedProvider(CamelCaseRecord):
    """A provider that gave no quote, and why."""

    provider: str
    reason: str


class RampQuotes(CamelCaseRecord):
    """Every provider's quote, cheapest total cost first."""

    recommended: RampQuote | None
    quotes: tuple[RampQuote, ...]
    providers_queried: tuple[str, ...]
    providers_left_out: tuple[ExcludedProvider, ...]


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
    """An order with a ramp provider."""

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
    gross_deposit_amount_formatted: Decimal | None
    deposit_chain: str | None
    provider_tx_hash: str | None
    failure_reason: str | None
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    completed_at: datetime | None
    delay_reason: str | None = None
    requires_bridge: bool = False
    bridge_details: dict[str, Any] | None = None
    bridge_transfer: OrderBridgeTransfer | None = None

    @property
    def ended(self) -> bool:
        """Whether the order is final, except for a refund."""
        return self.status not in ("PENDING", "INITIATED", "PROCESSING")


class Currency(CamelCaseRecord):
    """A supported currency; amounts are in it."""

    code: str
    name: str
    symbol: str
    min_amount: Decimal
    max_amount: Decimal
    countries: tuple[str, ...]
    providers: tuple[str, ...]


class Country(CamelCaseRecord):
    """A country where ramps are offered."""

    code: str
    name: str
    currencies: tuple[str, ...]


class KycState(CamelCaseRecord):
    """A customer's KYC state with a provider, and what a transaction requires."""

    provider: str
    user_email: str
    country_code: str
    fiat_currency: str
    current_kyc_type: str
    current_kyc_status: str
    limit_usd: Decimal
    used_usd: Decimal
    remaining_usd: Decimal
    required_kyc_type: str | None = None
    can_proceed: bool | None = None
    blocked: bool
    missing_requirements: tuple[str, ...]
    verification_url: str | None = None


class KycTier(CamelCaseRecord):
    """What one type of check allows, and what it requires."""

    kyc_type: str
    max_amount_usd: Decimal
    per_period: str
    requirements: tuple[dict[str, Any], ...]


class KycRequirements(CamelCaseRecord):
    """What a provider requires in a country."""

    provider: str
    country_code: str
    fiat_currency: str
    tiers: tuple[KycTier, ...]
