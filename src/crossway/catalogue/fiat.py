"""Loading of fiat corridors and reference rates; names come from Babel, codes are ISO codes."""

import tomllib
from collections.abc import Mapping
from datetime import date
from importlib.resources import files
from typing import Any, Final

import pycountry
from babel.core import Locale
from babel.languages import get_official_languages
from babel.numbers import get_currency_name, get_currency_precision, get_currency_symbol

from crossway.domain.fiat import RATE_SCALE, Corridor, Country, Currency, Fiat, Rate
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.ramps import Direction

RATE_PLACES: Final = len(str(RATE_SCALE)) - 1
_LANGUAGE: Final = "en"
_NARROW_SPACES: Final = str.maketrans("\u202f\u00a0", "  ")


def load_fiat() -> Fiat:
    """Load every corridor with its countries and rate; raises `ValueError` on invalid data."""
    corridors = {code: _corridor(code, entry) for code, entry in _read("corridors.toml").items()}
    codes = {country for corridor in corridors.values() for country in corridor.countries}
    rates = _read("rates.toml")
    as_of = rates["_about"]["as_of"]
    listed = {code: _rate(code, text, as_of) for code, text in rates["per_usd"].items()}
    if strays := set(listed) ^ set(corridors):
        raise ValueError(f"corridors.toml and rates.toml do not agree on {sorted(strays)}")
    return Fiat(corridors, {code: _country(code) for code in sorted(codes)}, listed)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("crossway.catalogue").joinpath(name).read_text(encoding="utf-8"))


def _corridor(code: str, entry: Mapping[str, Any]) -> Corridor:
    countries = tuple(entry["countries"])
    if not countries or len(set(countries)) != len(countries):
        raise ValueError(f"{code}: countries must be named, each once")
    least = {
        Direction(direction).value: parse_decimal(f"{code}.least_usd", text, MICRO_USD_DECIMALS)
        for direction, text in entry["least_usd"].items()
    }
    return Corridor(_currency(code, countries[0]), countries, least)


def _currency(code: str, country: str) -> Currency:
    """The currency, with the symbol used in its own country."""
    if pycountry.currencies.get(alpha_3=code) is None:
        raise ValueError(f"{code} is not an ISO 4217 currency")
    language = get_official_languages(country, de_facto=True)[0]
    sign: str = get_currency_symbol(code, locale=f"{language}_{country}")
    return Currency(
        code=code,
        name=get_currency_name(code, locale=_LANGUAGE),
        symbol=sign.translate(_NARROW_SPACES),
        digits=get_currency_precision(code),
    )


def _country(code: str) -> Country:
    if pycountry.countries.get(alpha_2=code) is None:
        raise ValueError(f"{code} is not an ISO 3166-1 country")
    return Country(code, Locale(_LANGUAGE).territories[code])


def _rate(code: str, text: str, as_of: date) -> Rate:
    micro = parse_decimal(f"rates.{code}", text, RATE_PLACES)
    if micro <= 0:
        raise ValueError(f"rates.{code} must be greater than zero")
    return Rate(code, micro, as_of)
