"""Parsing the provider, country, currency and amount of KYC requests."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.errors import (
    FieldError,
    InvalidInput,
    MissingInput,
)
from crossway.domain.kyc import Tier
from crossway.domain.kyc_fields import parse_email
from crossway.domain.money import parse_decimal
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.usecases.kyc.submission_sync import get_tiers
from crossway.usecases.validation_errors import ValidationErrors

USD_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class KycCorridor:
    """A provider, and a country and currency that it serves."""

    provider: RampProvider
    country: str
    currency: str

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The provider's KYC tiers in the country."""
        return get_tiers(self.provider.capabilities, self.country)

    @property
    def in_widget(self) -> bool:
        """Whether the provider runs KYC on its own page."""
        return self.provider.capabilities.kyc_mode == "widget"


def parse_provider(services: Services, name: object) -> RampProvider:
    """The configured provider of this name. Raises `InvalidInput`."""
    if name is None:
        raise MissingInput("provider is required")
    for provider in services.ramps:
        if provider.name == name:
            return provider
    raise InvalidInput(f"provider must be one of {', '.join(ProviderName)}")


def resolve_corridor(
    services: Services, provider: object, country: object, currency: object
) -> KycCorridor:
    """The corridor of a currency; the country defaults to the currency's first. Raises
    `InvalidInput` with all validation errors."""
    errors = ValidationErrors()
    ramp_provider = errors.collect(parse_provider, services, provider)
    fiat_corridor = errors.collect(services.fiat.corridor, currency)
    country_code = None
    if fiat_corridor is not None:
        country_code = errors.collect(services.fiat.country, fiat_corridor, country)
    errors.raise_if_any()
    assert ramp_provider is not None
    assert fiat_corridor is not None
    assert country_code is not None
    corridor = KycCorridor(ramp_provider, country_code, fiat_corridor.currency.code)
    if not _is_served(corridor):
        raise InvalidInput(
            f"provider: {ramp_provider.name} does not serve {corridor.currency} in {country_code}"
        )
    return corridor


def resolve_submission_corridor(
    services: Services, provider: object, country: object, currency: object
) -> KycCorridor:
    """The corridor of a KYC submission; the country implies the currency when it is omitted."""
    ramp_provider = parse_provider(services, provider)
    if currency is not None:
        corridor = resolve_corridor(services, provider, country, currency)
    else:
        if country is None:
            raise MissingInput(
                "countryCode or fiatCurrency is required", fields=("countryCode", "fiatCurrency")
            )
        currencies_by_country = {
            code: channel.currency
            for channel in ramp_provider.capabilities.channels
            for code in channel.countries
        }
        if not isinstance(country, str) or country not in currencies_by_country:
            countries = ", ".join(sorted(currencies_by_country))
            raise InvalidInput(
                f"countryCode must be a country of {ramp_provider.name}: {countries}"
            )
        corridor = KycCorridor(ramp_provider, country, currencies_by_country[country])
    if corridor.in_widget:
        raise InvalidInput(
            f"provider: {ramp_provider.name} verifies users on its own page and takes no "
            "submissions here"
        )
    return corridor


def parse_kyc_query(
    services: Services,
    provider: object,
    email: object,
    country: object,
    currency: object,
    amount: object,
    amount_field: str,
) -> tuple[KycCorridor, str, int | None]:
    """The corridor, e-mail address and amount in micro-USD of a KYC query. Raises `InvalidInput`
    with all validation errors."""
    errors = ValidationErrors()
    corridor = errors.collect(resolve_corridor, services, provider, country, currency)
    parsed_email = errors.collect(parse_email, email)
    micro_usd = errors.collect(parse_usd_amount, amount, amount_field)
    errors.raise_if_any()
    assert corridor is not None
    assert parsed_email is not None
    return corridor, parsed_email, micro_usd


def parse_submission_target(
    services: Services,
    provider: object,
    email: object,
    country: object,
    currency: object,
    field_errors: Sequence[FieldError] = (),
) -> tuple[KycCorridor, str]:
    """The corridor and e-mail address of a KYC submission. Raises `InvalidInput` with all
    validation errors."""
    errors = ValidationErrors(field_errors)
    corridor = errors.collect(resolve_submission_corridor, services, provider, country, currency)
    parsed_email = errors.collect(parse_email, email)
    errors.raise_if_any()
    assert corridor is not None
    assert parsed_email is not None
    return corridor, parsed_email


def parse_usd_amount(amount: object, field: str) -> int | None:
    """An amount of USDC in micro-USD, converted exactly as written; None when omitted."""
    if amount is None:
        return None
    is_number = isinstance(amount, int | float) and not isinstance(amount, bool)
    micro_usd = parse_decimal(field, str(amount) if is_number else amount, USD_DECIMALS)
    if not micro_usd:
        raise InvalidInput(f"{field} must be greater than zero")
    return micro_usd


def _is_served(corridor: KycCorridor) -> bool:
    return any(
        channel.currency == corridor.currency and corridor.country in channel.countries
        for channel in corridor.provider.capabilities.channels
    )
