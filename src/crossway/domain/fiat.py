"""Local money: currencies in minor units, countries, corridors, and what a dollar costs in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from crossway.domain.errors import InvalidInput

RATE_SCALE = 1_000_000


@dataclass(frozen=True, slots=True)
class Currency:
    """An ISO 4217 currency; `digits` is how many decimal places its minor unit has."""

    code: str
    name: str
    symbol: str
    digits: int


@dataclass(frozen=True, slots=True)
class Country:
    """An ISO 3166-1 country by its alpha-2 code."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class Rate:
    """What one USD costs: millionths of one whole unit of the currency, on a day."""

    currency: str
    micro_per_usd: int
    as_of: date


@dataclass(frozen=True, slots=True)
class Corridor:
    """Where a currency is bought and sold: its countries (the first is the default), and the least
    worth of an order in micro-USD by direction (`on-ramp`, `off-ramp`)."""

    currency: Currency
    countries: tuple[str, ...]
    least_micro_usd: Mapping[str, int]


@dataclass(frozen=True)
class Fiat:
    """All corridors by currency code, all their countries, and the dated table of rates."""

    corridors: Mapping[str, Corridor]
    countries: Mapping[str, Country]
    rates: Mapping[str, Rate]

    def corridor(self, code: object, field: str = "fiatCurrency") -> Corridor:
        """The corridor of an ISO 4217 code; any other is refused."""
        found = self.corridors.get(code) if isinstance(code, str) else None
        if found is None:
            raise InvalidInput(f"{field} must be one of the supported currencies, such as NGN")
        return found

    def country(self, corridor: Corridor, code: object, field: str = "countryCode") -> str:
        """A country of the corridor; left out, the corridor's default."""
        if code is None:
            return corridor.countries[0]
        if not isinstance(code, str) or code not in corridor.countries:
            among = ", ".join(corridor.countries)
            raise InvalidInput(f"{field} must be a country of {corridor.currency.code}: {among}")
        return code


def fiat_of_usd(micro_usd: int, rate: Rate, digits: int) -> int:
    """Minor units that this worth costs at a rate, rounded up."""
    return int(-(-micro_usd * rate.micro_per_usd * 10**digits // (10**6 * RATE_SCALE)))


def usd_of_fiat(minor: int, rate: Rate, digits: int) -> int:
    """Micro-USD that these minor units are worth at a rate, rounded down."""
    return int(minor * 10**6 * RATE_SCALE // (rate.micro_per_usd * 10**digits))
