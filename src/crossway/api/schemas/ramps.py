"""What ramps cost and where they are offered, on the wire: quotes, currencies, countries."""

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from crossway.api.answers import decimal, instant
from crossway.api.schemas.fields import TIME, Model, Units, bridge, chain, symbol, text
from crossway.domain.channels import Channel, ChannelType
from crossway.domain.channels import Field as Asked
from crossway.domain.fiat import RATE_SCALE
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.ramps import Direction, ProviderName
from crossway.usecases.ramps.prices import RampQuote
from crossway.usecases.ramps.quotes import CountryOffer, CurrencyOffer, RampComparison

RATE_PLACES = len(str(RATE_SCALE)) - 1
TYPES = [direction.value for direction in Direction]
PROVIDERS = [name.value for name in ProviderName]


class OptionOut(Model):
    """One choice of an enumerated field."""

    value: str = text("What to send.", "044")
    label: str = text("What to show.", "Access Bank")


class FieldOut(Model):
    """A field that a payment channel asks for; send it under `fields`."""

    key: str = text("Its name under `fields`.", "phone")
    label: str = text("Its name for people.", "Phone number")
    type: str = text("What it is.", "phone", extra={"enum": ["string", "phone", "enum"]})
    required: bool = text("Whether an order is refused without it.", True)
    options: list[OptionOut] = Field(description="The choices of an `enum`; else empty.")
    pattern: str = text("A regular expression of the whole value; empty without one.", "")
    example: str = text("What a good value looks like.", "+2348012345678")


class ChannelFees(Model):
    """What a payment channel costs; it is part of `fiatAmount` already."""

    fixed: float = text("In the currency.", 50)
    percentage: float = text("In percent of the amount.", 1.5)


class ChannelOut(Model):
    """One way to pay the provider or to be paid by it."""

    id: str = text("The channel.", "ngn-bank-transfer")
    name: str = text("Its name for people.", "Bank transfer")
    type: str = text(
        "What the user needs.",
        "BANK_TRANSFER",
        extra={"enum": [kind.value for kind in ChannelType]},
    )
    transferType: str = text(
        "`direct` is server to server; `redirect` sends the user to the provider's own page.",
        "direct",
        extra={"enum": ["direct", "redirect"]},
    )
    currency: str = text("The currency (ISO 4217).", "NGN")
    minAmount: float = text("Least amount of an order, in the currency.", 1500)
    maxAmount: float = text("Largest amount of an order, in the currency.", 5000000)
    fees: ChannelFees = Field(description="What it costs.")
    fieldsRequired: list[FieldOut] = Field(description="What it asks for.")


class RampBridge(Model):
    """How crypto crosses between the provider's chain and the one asked for."""

    bridgeProvider: str = bridge("The bridge.")
    bridgeFeeUsd: float = text("What that costs, in US dollars.", 0.034567)
    sourceChain: str = chain("Where it begins.", "POLYGON_MAINNET")
    destinationChain: str = chain("Where it ends.")


class RampQuoteOut(Model):
    """What one provider asks."""

    provider: str = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    type: str = text("The direction.", "on-ramp", extra={"enum": TYPES})
    fiatCurrency: str = text("The currency (ISO 4217).", "NGN")
    fiatAmount: float = text(
        "What the user pays (on-ramp) or gets (off-ramp), every fee included.", 41250.5
    )
    cryptoCurrency: str = symbol("The token of `cryptoAmount`.")
    cryptoAmount: float = text("What the user gets (on-ramp) or sells (off-ramp).", 25)
    exchangeRate: float = text("The provider's rate: what a US dollar costs.", 1612.5)
    totalFeesFiat: float = text(
        "All that it costs against the reference rate, in the currency; below zero when the "
        "provider's rate is the better one.",
        812.5,
    )
    totalFeesUsd: float = text("The same in US dollars.", 0.503876)
    rampChain: str = chain("Where the provider pays or is paid.", "POLYGON_MAINNET")
    requiresBridge: bool = text("Whether that is another chain than the one asked for.", True)
    bridgeDetails: RampBridge | None = Field(description="The bridge; null without one.")
    paymentChannels: list[ChannelOut] = Field(description="How to pay or be paid, cheapest first.")
    quoteId: str = text("The provider's own number of this quote.", "q_7f3a")
    expiresAt: str = text("Until when the quote holds.", TIME)
    grossDepositAmount: Units | None = text(
        "Off-ramp only: what the user deposits, all fees included, smallest unit.",
        "25084567",
        default=None,
    )
    grossDepositAmountFormatted: str | None = text(
        "The same for people.", "25.084567", default=None
    )
    depositChain: str | None = text(
        "Off-ramp only: where the user deposits.", "BASE_MAINNET", default=None
    )


class LeftOutProvider(Model):
    """A provider that is asked in vain."""

    provider: str = text("The provider.", "FONBNK", extra={"enum": PROVIDERS})
    reason: str = text("Why it is missing.", "gave no answer in time")


class RampQuotesOut(Model):
    """Every provider's quote, cheapest total cost first."""

    recommended: RampQuoteOut | None = Field(
        description="The cheapest, or one within 1 % of it where the user has passed KYC; null "
        "when there is none."
    )
    quotes: list[RampQuoteOut] = Field(description="Cheapest total cost first.")
    providersQueried: list[str] = text("The providers that were asked.", ["FONBNK", "YELLOW_CARD"])
    providersLeftOut: list[LeftOutProvider] = Field(
        description="Those of them that gave no quote, and why."
    )


class CurrencyOut(Model):
    """A currency that can be used."""

    code: str = text("ISO 4217.", "NGN")
    name: str = text("Its name.", "Nigerian Naira")
    symbol: str = text("Its sign.", "₦")
    minAmount: float = text("Least amount of an order, in the currency.", 1612.5)
    maxAmount: float = text("Largest amount of an order, in the currency.", 5000000)
    countries: list[str] = text(
        "Where it is offered (ISO 3166-1 alpha-2); the first is the default.", ["NG"]
    )
    providers: list[str] = text("Who offers it.", ["FONBNK", "PAYCREST", "YELLOW_CARD"])


class CountryOut(Model):
    """A country where ramps are offered."""

    code: str = text("ISO 3166-1 alpha-2.", "NG")
    name: str = text("Its name.", "Nigeria")
    currencies: list[str] = text("Its currencies (ISO 4217).", ["NGN"])


def quotes(found: RampComparison) -> dict[str, Any]:
    """Every provider's quote, and the recommended one once more."""
    drawn = [(one, _quote(one)) for one in found.quotes]
    return {
        "recommended": next((body for one, body in drawn if one is found.recommended), None),
        "quotes": [body for _, body in drawn],
        "providersQueried": list(found.queried),
        "providersLeftOut": [
            {"provider": left.subject, "reason": left.reason} for left in found.left_out
        ],
    }


def _quote(found: RampQuote) -> dict[str, Any]:
    digits = found.currency.digits
    return {
        "provider": found.provider.value,
        "type": found.direction.value,
        "fiatCurrency": found.currency.code,
        "fiatAmount": decimal(found.fiat_minor, digits),
        "cryptoCurrency": found.token.symbol,
        "cryptoAmount": decimal(found.crypto_units, found.decimals),
        "exchangeRate": decimal(found.rate_micro, RATE_PLACES),
        "totalFeesFiat": decimal(found.total_fees_minor, digits),
        "totalFeesUsd": decimal(found.total_fees_micro_usd, MICRO_USD_DECIMALS),
        "rampChain": found.ramp_token.chain,
        "requiresBridge": found.requires_bridge,
        "bridgeDetails": _bridge(found),
        "paymentChannels": [_channel(one, digits) for one in found.channels],
        "quoteId": found.quote_id,
        "expiresAt": instant(found.expires_at),
        **_deposit(found),
    }


def currencies(found: Iterable[CurrencyOffer]) -> list[dict[str, Any]]:
    """The currencies that can be used."""
    return [
        {
            "code": offer.currency.code,
            "name": offer.currency.name,
            "symbol": offer.currency.symbol,
            "minAmount": decimal(offer.min_minor, offer.currency.digits),
            "maxAmount": decimal(offer.max_minor, offer.currency.digits),
            "countries": list(offer.countries),
            "providers": list(offer.providers),
        }
        for offer in found
    ]


def countries(found: Iterable[CountryOffer]) -> list[dict[str, Any]]:
    """The countries where ramps are offered."""
    return [
        {
            "code": offer.country.code,
            "name": offer.country.name,
            "currencies": list(offer.currencies),
        }
        for offer in found
    ]


def _bridge(found: RampQuote) -> dict[str, Any] | None:
    if found.routed.offer is None:
        return None
    quote = found.routed.quote
    return {
        "bridgeProvider": found.routed.offer.bridge.value,
        "bridgeFeeUsd": decimal(quote.bridge_micro_usd, MICRO_USD_DECIMALS),
        "sourceChain": quote.source,
        "destinationChain": quote.destination,
    }


def _deposit(found: RampQuote) -> dict[str, Any]:
    if found.direction is Direction.ON:
        return {}
    return {
        "grossDepositAmount": str(found.gross_units),
        "grossDepositAmountFormatted": format_units(found.gross_units, found.token.decimals),
        "depositChain": found.token.chain,
    }


def _channel(found: Channel, digits: int) -> dict[str, Any]:
    """A payment channel, its amounts in a currency of so many decimal places."""
    return {
        "id": found.id,
        "name": found.name,
        "type": found.type.value,
        "transferType": "direct" if found.direct else "redirect",
        "currency": found.currency,
        "minAmount": decimal(found.min_minor, digits),
        "maxAmount": decimal(found.max_minor, digits),
        "fees": {
            "fixed": decimal(found.fee_fixed_minor, digits),
            "percentage": decimal(found.fee_bps, 2),
        },
        "fieldsRequired": [_field(field) for field in found.fields],
    }


def _field(asked: Asked) -> dict[str, Any]:
    return {
        "key": asked.key,
        "label": asked.label,
        "type": asked.type,
        "required": asked.required,
        "options": [{"value": one.value, "label": one.label} for one in asked.options],
        "pattern": asked.pattern,
        "example": asked.example,
    }
