"""Records of fiat ramps: quotes, currencies and countries."""

from datetime import datetime
from decimal import Decimal

from crossway_client.records.base import CamelCaseRecord


class FieldOption(CamelCaseRecord):
    """One choice of an enumerated field."""

    value: str
    label: str


class ChannelField(CamelCaseRecord):
    """A field that a payment channel requires; its value is sent under `fields` as `key`."""

    key: str
    label: str
    type: str
    required: bool
    options: tuple[FieldOption, ...]
    pattern: str = ""
    example: str = ""


class ChannelFees(CamelCaseRecord):
    """Fees of a payment channel: an amount of its currency, and percent."""

    fixed: Decimal
    percentage: Decimal


class PaymentChannel(CamelCaseRecord):
    """A payment channel of a provider; amounts in its currency."""

    id: str
    name: str
    type: str
    transfer_type: str
    currency: str
    min_amount: Decimal
    max_amount: Decimal
    fees: ChannelFees
    fields_required: tuple[ChannelField, ...]


class RampBridge(CamelCaseRecord):
    """The bridge between the provider's chain and the requested one."""

    bridge_provider: str
    bridge_fee_usd: Decimal
    source_chain: str
    destination_chain: str


class RampQuote(CamelCaseRecord):
    """A quote of one provider; `gross_deposit_amount` is in the token's smallest unit."""

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
    bridge_details: RampBridge | None
    payment_channels: tuple[PaymentChannel, ...]
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
    providers_left_out: tuple[ExcludedProvider, ...] = ()


class Currency(CamelCaseRecord):
    """A supported currency; amounts are in it."""

    code: str
    name: str
    symbol: str
    min_amount: Decimal
    max_amount: Decimal
    countries: tuple[str, ...]
    providers: tuple[str, ...]


class CountryCurrency(CamelCaseRecord):
    """The currency of a country where ramps are offered; `min_amount` is in it."""

    code: str
    name: str
    symbol: str
    min_amount: Decimal
    providers: tuple[str, ...]


class Country(CamelCaseRecord):
    """A country where ramps are offered, with one of its currencies."""

    country_code: str
    name: str
    currency: CountryCurrency
