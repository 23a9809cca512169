"""Fiat currencies, countries, corridors and exchange rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from crossway.domain.errors import InvalidInput, MissingInput

RATE_SCALE = 1_000_000


@dataclass(frozen=True, slots=True)
class Currency:
    """An ISO 4217 currency; `digits` is the number of decimal places of its minor unit."""

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
    """The price of one USD in millionths of one unit of the currency, on a date."""

    currency: str
    micro_per_usd: int
    as_of: date


@dataclass(frozen=True, slots=True)
class Corridor:
    """Where a currency is traded: its countries (the first is the default), and the minimum order
    value in micro-USD by direction (`on-ramp`, `off-ramp`)."""

    currency: Currency
    countries: tuple[str, ...]
    min_micro_usd: Mapping[str, int]


@dataclass(frozen=True)
class Fiat:
    """All corridors by currency code, all countries, and the exchange rates."""

    corridors: Mapping[str, Corridor]
    countries: Mapping[str, Country]
    rates: Mapping[str, Rate]

    def corridor(self, code: object, field: str = "fiatCurrency") -> Corridor:
        """The corridor of an ISO 4217 code; raises `InvalidInput` for any other."""
        if code is None:
            raise MissingInput(f"{field} is required")
        corridor = self.corridors.get(code) if isinstance(code, str) else None
        if corridor is None:
            raise InvalidInput(f"{field} must be one of the supported currencies, such as NGN")
        return corridor

    def country(self, corridor: Corridor, code: object, field: str = "countryCode") -> str:
        """A country of the corridor, by default its first one."""
        if code is None:
            return corridor.countries[0]
        if not isinstance(code, str) or code not in corridor.countries:
            countries = ", ".join(corridor.countries)
            raise InvalidInput(
                f"{field} must be a country of {corridor.currency.code}: {countries}"
            )
        return code


def fiat_of_usd(micro_usd: int, rate: Rate, digits: int) -> int:
    """The price of a USD amount in minor units, rounded up."""
    return int(-(-micro_usd * rate.micro_per_usd * 10**digits // (10**6 * RATE_SCALE)))


def usd_of_fiat(minor: int, rate: Rate, digits: int) -> int:
    """The value of minor units in micro-USD, rounded down."""
    return int(minor * 10**6 * RATE_SCALE // (rate.micro_per_usd * 10**digits))
