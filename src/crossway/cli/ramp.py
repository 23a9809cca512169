"""`crossway ramp`: quotes, currencies, countries and orders of fiat ramps, and identity checks."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.api_client import api_json, open_client, report_api_errors
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway.cli.ramp_orders import orders
from crossway_client.records.kyc import KycTier
from crossway_client.records.ramps import Country, Currency, RampQuote

group = typer.Typer(no_args_is_help=True, help="Fiat ramps, over the API of a running service.")
group.add_typer(orders, name="orders")
kyc = typer.Typer(no_args_is_help=True, help="Identity checks of end users.")
group.add_typer(kyc, name="kyc")
Provider = Annotated[str, typer.Option(help="Such as YELLOW_CARD.")]
Fiat = Annotated[str, typer.Option("--fiat-currency", help="ISO 4217, such as NGN.")]
CountryCode = Annotated[
    str | None,
    typer.Option("--country", help="ISO 3166-1 code, for currencies of several countries."),
]
_CURRENCIES: Final[Mapping[str, Callable[[Currency], object]]] = {
    "code": lambda currency: currency.code,
    "name": lambda currency: currency.name,
    "minimum": lambda currency: f"{currency.min_amount:f}",
    "maximum": lambda currency: f"{currency.max_amount:f}",
    "countries": lambda currency: currency.countries,
    "providers": lambda currency: currency.providers,
}
_COUNTRIES: Final[Mapping[str, Callable[[Country], object]]] = {
    "country": lambda country: country.country_code,
    "name": lambda country: country.name,
    "currency": lambda country: country.currency.code,
    "minimum": lambda country: f"{country.currency.min_amount:f}",
    "providers": lambda country: country.currency.providers,
}
_TIERS: Final[Mapping[str, Callable[[KycTier], object]]] = {
    "check": lambda tier: tier.kyc_type,
    "up to USD": lambda tier: f"{tier.max_amount_usd:f}",
    "per": lambda tier: tier.per_period,
    "needs": lambda tier: "; ".join(need.label for need in tier.requirements if need.required),
}


@group.command("quotes")
@report_api_errors
@prints
def quotes(
    fiat_currency: Fiat,
    crypto_amount: Annotated[str, typer.Option(help="Such as 25.")],
    chain: Annotated[
        str, typer.Option(help="Destination chain of an on-ramp, source chain of an off-ramp.")
    ],
    type: Annotated[str, typer.Option(help="on-ramp or off-ramp.")] = "on-ramp",
    symbol: Annotated[str | None, typer.Option(help="Token symbol; USDC by default.")] = None,
    country: CountryCode = None,
) -> ListOutput[RampQuote]:
    """Quote every provider, cheapest first."""
    on = type == "on-ramp"
    with open_client() as crossway:
        result = crossway.ramps.quotes(
            type=type,
            fiat_currency=fiat_currency,
            crypto_amount=crypto_amount,
            destination_chain=chain if on else None,
            source_chain=None if on else chain,
            amount_symbol=symbol,
            country_code=country,
        )
    columns: dict[str, Callable[[RampQuote], object]] = {
        "provider": lambda quote: quote.provider,
        "the user pays" if on else "the user gets": lambda quote: (
            f"{quote.fiat_amount:f} {quote.fiat_currency}"
        ),
        "all fees": lambda quote: f"{quote.total_fees_fiat:f}",
        "its chain": lambda quote: quote.ramp_chain,
        "channels": lambda quote: [channel.name for channel in quote.payment_channels],
    }
    return ListOutput(result.quotes, columns, "No provider quotes this.", api_json)


@group.command("currencies")
@report_api_errors
@prints
def currencies(
    type: Annotated[str | None, typer.Option(help="on-ramp or off-ramp.")] = None,
    provider: Annotated[str | None, typer.Option(help="Such as YELLOW_CARD.")] = None,
) -> ListOutput[Currency]:
    """List the supported currencies."""
    with open_client() as crossway:
        found = crossway.ramps.currencies(type=type, provider=provider)
    return ListOutput(found, _CURRENCIES, "No currency is supported so.", api_json)


@group.command("countries")
@report_api_errors
@prints
def countries(
    currency: Annotated[str | None, typer.Option(help="ISO 4217, such as NGN.")] = None,
) -> ListOutput[Country]:
    """List the countries where ramps are offered."""
    with open_client() as crossway:
        found = crossway.ramps.countries(currency=currency)
    return ListOutput(found, _COUNTRIES, "No country has this currency.", api_json)


@kyc.command("state")
@report_api_errors
@prints
def state(
    provider: Provider,
    fiat_currency: Fiat,
    user_email: Annotated[str, typer.Option(help="The user's e-mail address.")],
    country: CountryCode = None,
    amount: Annotated[str | None, typer.Option(help="In USDC: what the user wants to buy.")] = None,
) -> RecordOutput:
    """Show how far a user is verified, what is missing, and the way to it."""
    with open_client() as crossway:
        found = crossway.kyc.state(
            provider=provider,
            user_email=user_email,
            fiat_currency=fiat_currency,
            country_code=country,
            crypto_amount=amount,
        )
    facts = {
        "left this month": f"{found.remaining_usd:f} of {found.limit_usd:f} USD",
        "needed": found.required_kyc_type,
        "missing": list(found.missing_requirements),
        "verify at": found.verification_url,
    }
    sentence = f"{provider}: {found.current_kyc_type} check, {found.current_kyc_status}"
    return RecordOutput(sentence, facts, api_json(found))


@kyc.command("requirements")
@report_api_errors
@prints
def requirements(
    provider: Provider, fiat_currency: Fiat, country: CountryCode = None
) -> ListOutput[KycTier]:
    """List what a provider requires in a country, tier by tier."""
    with open_client() as crossway:
        found = crossway.kyc.requirements(
            provider=provider, fiat_currency=fiat_currency, country_code=country
        )
    return ListOutput(found.tiers, _TIERS, "It verifies users on its own page.", api_json)
