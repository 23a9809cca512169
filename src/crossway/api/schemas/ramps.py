"""Response models of `/v1/ramp` quotes, currencies and countries."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import (
    CHAINS,
    COUNTRIES,
    TIME,
    ExactNumber,
    IntegerString,
    Model,
    bridge_field,
    chain_field,
    country_field,
    currency_field,
    field,
    symbol_field,
)
from crossway.api.schemas.ramp_channels import ChannelOut
from crossway.api.schemas.responses import json_decimal
from crossway.domain.fiat import RATE_SCALE
from crossway.domain.intent import Intent
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.ramps import Direction, ProviderName
from crossway.usecases.instants import timestamp
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quotes import RampComparison, SupportedCountry, SupportedCurrency

RATE_PLACES = len(str(RATE_SCALE)) - 1
TYPES = [direction.value for direction in Direction]
PROVIDERS = [name.value for name in ProviderName]
_COUNTRIES = {"items": {"type": "string", COUNTRIES: True}}
_PROVIDERS = {"items": {"type": "string", "enum": PROVIDERS}}


class RampBridge(Model):
    """The bridge between the provider's chain and the requested one."""

    bridgeProvider: str = bridge_field("The bridge.")
    bridgeFeeUsd: ExactNumber = field("The bridge's fee in US dollars.", 0.034567)
    sourceChain: str = chain_field("Source chain of the bridge transfer.", "POLYGON_MAINNET")
    destinationChain: str = chain_field("Destination chain of the bridge transfer.")

    @classmethod
    def from_intent(cls, intent: Intent) -> Self:
        """The bridge that carries an order's intent."""
        return cls(
            bridgeProvider=intent.terms.bridge,
            bridgeFeeUsd=json_decimal(intent.costs.bridge_micro_usd, MICRO_USD_DECIMALS),
            sourceChain=intent.terms.source_chain,
            destinationChain=intent.terms.destination_chain,
        )

    @classmethod
    def from_quote(cls, quote: RampQuote) -> Self | None:
        """The bridge of a quote; None without one."""
        intent_quote = quote.intent_quote
        if intent_quote.bridge is None:
            return None
        return cls(
            bridgeProvider=intent_quote.bridge.value,
            bridgeFeeUsd=json_decimal(intent_quote.costs.bridge_micro_usd, MICRO_USD_DECIMALS),
            sourceChain=intent_quote.source,
            destinationChain=intent_quote.destination,
        )


class RampQuoteOut(Model):
    """A quote from one provider."""

    provider: str = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    type: str = field("The direction.", "on-ramp", extra={"enum": TYPES})
    fiatCurrency: str = currency_field()
    fiatAmount: ExactNumber = field(
        "Amount that the user pays (on-ramp) or receives (off-ramp), all fees included.", 41250.5
    )
    cryptoCurrency: str = symbol_field("The token of `cryptoAmount`.")
    cryptoAmount: ExactNumber = field(
        "Amount that the user receives (on-ramp) or sells (off-ramp).", 25
    )
    exchangeRate: ExactNumber = field("The provider's price of a US dollar.", 1612.5)
    totalFeesFiat: ExactNumber = field(
        "Total cost against the reference rate, in the currency; negative if the "
        "provider's rate is better.",
        812.5,
    )
    totalFeesUsd: ExactNumber = field("The same in US dollars.", 0.503876)
    rampChain: str = chain_field(
        "The chain on which the provider pays or is paid.", "POLYGON_MAINNET"
    )
    requiresBridge: bool = field("Whether that chain differs from the requested one.", True)
    bridgeDetails: RampBridge | None = Field(description="The bridge; null if none is needed.")
    paymentChannels: list[ChannelOut] = Field(description="Payment channels, cheapest first.")
    quoteId: str = field("The provider's identifier of this quote.", "q_7f3a")
    expiresAt: str = field("When the quote expires.", TIME)
    grossDepositAmount: IntegerString | None = field(
        "Off-ramp only: the user's deposit including all fees, smallest unit.",
        "25084567",
        default=None,
    )
    grossDepositAmountFormatted: str | None = field(
        "The same amount as a decimal number.", "25.084567", default=None
    )
    depositChain: str | None = field(
        "Off-ramp only: the chain of the deposit.",
        "BASE_MAINNET",
        default=None,
        extra={CHAINS: True},
    )

    @classmethod
    def from_quote(cls, quote: RampQuote) -> Self:
        """One provider's quote; the deposit of an off-ramp is left out for an on-ramp."""
        digits, deposit = quote.currency.digits, {}
        if quote.direction is Direction.OFF:
            deposit = {
                "grossDepositAmount": str(quote.gross_units),
                "grossDepositAmountFormatted": format_units(
                    quote.gross_units, quote.token.decimals
                ),
                "depositChain": quote.token.chain,
            }
        return cls(
            provider=quote.provider.value,
            type=quote.direction.value,
            fiatCurrency=quote.currency.code,
            fiatAmount=json_decimal(quote.fiat_minor, digits),
            cryptoCurrency=quote.token.symbol,
            cryptoAmount=json_decimal(quote.crypto_units, quote.decimals),
            exchangeRate=json_decimal(quote.rate_micro, RATE_PLACES),
            totalFeesFiat=json_decimal(quote.total_fees_minor, digits),
            totalFeesUsd=json_decimal(quote.total_fees_micro_usd, MICRO_USD_DECIMALS),
            rampChain=quote.ramp_token.chain,
            requiresBridge=quote.requires_bridge,
            bridgeDetails=RampBridge.from_quote(quote),
            paymentChannels=[ChannelOut.from_channel(c, digits) for c in quote.channels],
            quoteId=quote.quote_id,
            expiresAt=timestamp(quote.expires_at),
            **deposit,
        )


class LeftOutProvider(Model):
    """A provider that gave no quote."""

    provider: str = field("The provider.", "FONBNK", extra={"enum": PROVIDERS})
    reason: str = field("Why it is missing.", "did not respond in time")


class RampQuotesOut(Model):
    """Every provider's quote, cheapest total cost first."""

    recommended: RampQuoteOut | None = Field(
        description="The cheapest, or one within 1% of it that has verified the user; null "
        "if there is none."
    )
    quotes: list[RampQuoteOut] = Field(description="Cheapest total cost first.")
    providersQueried: list[str] = field(
        "The queried providers.", ["FONBNK", "YELLOW_CARD"], extra=_PROVIDERS
    )
    providersLeftOut: list[LeftOutProvider] = Field(
        description="Queried providers without a quote, and why."
    )

    @classmethod
    def from_comparison(cls, comparison: RampComparison) -> Self:
        """Every provider's quote, and the recommended one once more."""
        quotes = [RampQuoteOut.from_quote(quote) for quote in comparison.quotes]
        pairs = zip(comparison.quotes, quotes, strict=True)
        return cls(
            recommended=next(
                (out for quote, out in pairs if quote is comparison.recommended), None
            ),
            quotes=quotes,
            providersQueried=list(comparison.queried),
            providersLeftOut=[
                LeftOutProvider(provider=e.subject, reason=e.reason) for e in comparison.excluded
            ],
        )


class CurrencyOut(Model):
    """A currency that can be used."""

    code: str = currency_field()
    name: str = field("Its name.", "Nigerian Naira")
    symbol: str = field("Its sign.", "₦")
    minAmount: ExactNumber = field("Minimum amount of an order, in the currency.", 1612.5)
    maxAmount: ExactNumber = field("Maximum amount of an order, in the currency.", 5000000)
    countries: list[str] = field(
        "Its countries; the first is the default.", ["NG"], extra=_COUNTRIES
    )
    providers: list[str] = field(
        "Providers that offer it.", ["FONBNK", "PAYCREST", "YELLOW_CARD"], extra=_PROVIDERS
    )

    @classmethod
    def from_currency(cls, supported: SupportedCurrency) -> Self:
        """One currency with its limits."""
        currency = supported.currency
        return cls(
            code=currency.code,
            name=currency.name,
            symbol=currency.symbol,
            minAmount=json_decimal(supported.min_minor, currency.digits),
            maxAmount=json_decimal(supported.max_minor, currency.digits),
            countries=list(supported.countries),
            providers=list(supported.providers),
        )


class CountryCurrency(Model):
    """A currency as it is offered in one country."""

    code: str = currency_field()
    name: str = field("Its name.", "Nigerian Naira")
    symbol: str = field("Its sign.", "₦")
    minAmount: ExactNumber = field("Minimum amount of an order, in the currency.", 1612.5)
    providers: list[str] = field(
        "Providers that offer it there.", ["FONBNK", "YELLOW_CARD"], extra=_PROVIDERS
    )


class CountryOut(Model):
    """A country where ramps are offered, with one of its currencies."""

    countryCode: str = country_field()
    name: str = field("Its name.", "Nigeria")
    currency: CountryCurrency = Field(description="The currency.")

    @classmethod
    def from_country(cls, supported: SupportedCountry) -> Self:
        """One country with one of its currencies."""
        offered = supported.currency
        return cls(
            countryCode=supported.country.code,
            name=supported.country.name,
            currency=CountryCurrency(
                code=offered.currency.code,
                name=offered.currency.name,
                symbol=offered.currency.symbol,
                minAmount=json_decimal(offered.min_minor, offered.currency.digits),
                providers=list(offered.providers),
            ),
        )
