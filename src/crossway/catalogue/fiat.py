"""Loading of fiat corridors and reference rates."""

import tomllib
from collections.abc import Mapping
from datetime import date
from importlib.resources import files
from typing import Any, Final

from crossway.domain.fiat import RATE_SCALE, Corridor, Country, Currency, Fiat, Rate
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.ramps import Direction

RATE_PLACES: Final = len(str(RATE_SCALE)) - 1


def load_fiat() -> Fiat:
    """Load every corridor with its countries and rate; raises `ValueError` on invalid data."""
    corridors = {code: _corridor(code, entry) for code, entry in _read("corridors.toml").items()}
    codes = {country for corridor in corridors.values() for country in corridor.countries}
    names = _read("countries.toml")
    if strays := set(names) ^ codes:
        raise ValueError(f"corridors.toml and countries.toml do not agree on {sorted(strays)}")
    rates = _read("rates.toml")
    as_of = rates["_about"]["as_of"]
    listed = {code: _rate(code, text, as_of) for code, text in rates["per_usd"].items()}
    if strays := set(listed) ^ set(corridors):
        raise ValueError(f"corridors.toml and rates.toml do not agree on {sorted(strays)}")
    return Fiat(corridors, {code: Country(code, names[code]) for code in sorted(codes)}, listed)


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
    currency = Currency(code, entry["name"], entry["symbol"], entry["digits"])
    return Corridor(currency, countries, least)


def _rate(code: str, text: str, as_of: date) -> Rate:
    micro = parse_decimal(f"rates.{code}", text, RATE_PLACES)
    if micro <= 0:
        raise ValueError(f"rates.{code} must be greater than zero")
    return Rate(code, micro, as_of)
