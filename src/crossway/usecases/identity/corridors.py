"""Reading what an identity check is asked for: provider, country, currency and worth."""

from dataclasses import dataclass

from crossway.domain.errors import InvalidInput
from crossway.domain.identity import read_email
from crossway.domain.kyc import Tier
from crossway.domain.money import parse_decimal
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.identity.handover import tiers_of

USD_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Corridor:
    """A provider in a country that it serves in a currency."""

    provider: RampProvider
    country: str
    currency: str

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """What the provider's checks allow and ask for there."""
        return tiers_of(self.provider.capabilities, self.country)

    @property
    def elsewhere(self) -> bool:
        """Whether the provider checks identities on its own page."""
        return self.provider.capabilities.verifies == "widget"


def provider_named(services: Services, name: object) -> RampProvider:
    """The provider of this name, if it is configured."""
    for provider in services.ramps:
        if provider.name == name:
            return provider
    raise InvalidInput(f"provider must be one of {', '.join(ProviderName)}")


def corridor_of(
    services: Services, provider: object, country: object, currency: object
) -> Corridor:
    """The corridor of a currency; a country that is left out is the currency's first."""
    complaints = Complaints()
    named = complaints.read(lambda: provider_named(services, provider))
    found = complaints.read(lambda: services.fiat.corridor(currency))
    code = None
    if found is not None:
        code = complaints.read(lambda: services.fiat.country(found, country))
    complaints.refuse()
    assert named is not None
    assert found is not None
    assert code is not None
    corridor = Corridor(named, code, found.currency.code)
    if not _serves(corridor):
        raise InvalidInput(f"provider: {named.name} does not serve {corridor.currency} in {code}")
    return corridor


def corridor_for_handing_in(
    services: Services, provider: object, country: object, currency: object
) -> Corridor:
    """The corridor where something is handed in; its country says the currency, if need be."""
    named = provider_named(services, provider)
    if currency is not None:
        corridor = corridor_of(services, provider, country, currency)
    else:
        served = {c: one.currency for one in named.capabilities.channels for c in one.countries}
        if not isinstance(country, str) or country not in served:
            among = ", ".join(sorted(served))
            raise InvalidInput(f"countryCode must be a country of {named.name}: {among}")
        corridor = Corridor(named, country, served[country])
    if corridor.elsewhere:
        raise InvalidInput(
            f"provider: {named.name} checks identities on its own page; nothing is handed in here"
        )
    return corridor


def subject_of(
    services: Services,
    provider: object,
    email: object,
    country: object,
    currency: object,
    amount: object,
    amount_field: str,
) -> tuple[Corridor, str, int | None]:
    """Corridor, e-mail address and worth of a question; refuses with every complaint."""
    complaints = Complaints()
    corridor = complaints.read(lambda: corridor_of(services, provider, country, currency))
    read = complaints.read(lambda: read_email(email))
    worth = complaints.read(lambda: worth_of(amount, amount_field))
    complaints.refuse()
    assert corridor is not None
    assert read is not None
    return corridor, read, worth


def handed_in_for(
    services: Services, provider: object, email: object, country: object, currency: object
) -> tuple[Corridor, str]:
    """Corridor and e-mail address of what is handed in; refuses with every complaint."""
    complaints = Complaints()
    corridor = complaints.read(
        lambda: corridor_for_handing_in(services, provider, country, currency)
    )
    read = complaints.read(lambda: read_email(email))
    complaints.refuse()
    assert corridor is not None
    assert read is not None
    return corridor, read


def worth_of(amount: object, field: str) -> int | None:
    """An amount of USDC in micro-USD. Numbers are read as they are written, never calculated."""
    if amount is None:
        return None
    numeric = isinstance(amount, int | float) and not isinstance(amount, bool)
    worth = parse_decimal(field, str(amount) if numeric else amount, USD_DECIMALS)
    if not worth:
        raise InvalidInput(f"{field} must be greater than zero")
    return worth


def _serves(corridor: Corridor) -> bool:
    return any(
        channel.currency == corridor.currency and corridor.country in channel.countries
        for channel in corridor.provider.capabilities.channels
    )
