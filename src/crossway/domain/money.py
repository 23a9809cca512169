"""Exact amounts: parsing, showing and converting integer token units and US dollars."""

import re
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.errors import InvalidInput

MICRO_USD_DECIMALS = 6
PICO_USD_DECIMALS = 12
_INTEGER = re.compile(r"[0-9]{1,78}\Z", re.ASCII)
_DECIMAL = re.compile(r"([0-9]{1,60})(?:\.([0-9]{1,60}))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """One token on one chain; `units` everywhere means its smallest unit, 10**-decimals."""

    chain: str
    symbol: str
    address: str
    decimals: int
    name: str = ""
    native: bool = False
    enabled: bool = True
    why_disabled: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """What one whole token is worth, in 10**-12 USD, as of an instant."""

    symbol: str
    pico_usd: int
    as_of: datetime


def _scale(decimals: int) -> int:
    """How many smallest units make one whole."""
    return int(10**decimals)


def parse_units(field: str, text: object) -> int:
    """A positive integer of smallest units; `InvalidInput` names the field."""
    if not isinstance(text, str) or not _INTEGER.match(text):
        raise InvalidInput(f"{field} must be a positive integer string in the smallest unit")
    units = int(text)
    if units <= 0:
        raise InvalidInput(f"{field} must be greater than zero")
    return units


def parse_decimal(field: str, text: object, decimals: int) -> int:
    """Human-readable decimal text as units of 10**-decimals, exactly; more places are refused."""
    match = _DECIMAL.match(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidInput(f"{field} must be a plain decimal number such as 25.50")
    whole, fraction = match.group(1), match.group(2) or ""
    fraction = fraction.rstrip("0")
    if len(fraction) > decimals:
        raise InvalidInput(f"{field} has more than {decimals} decimal places")
    return int(whole) * _scale(decimals) + int(fraction.ljust(decimals, "0") or "0")


def format_units(units: int, decimals: int, least_places: int = 0) -> str:
    """Units as a plain decimal number, trailing zeros dropped down to `least_places`."""
    sign = "-" if units < 0 else ""
    whole, fraction = divmod(abs(units), _scale(decimals))
    digits = str(fraction).rjust(decimals, "0").rstrip("0") if decimals else ""
    digits = digits.ljust(least_places, "0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def rescale_up(units: int, decimals: int, to_decimals: int) -> int:
    """The same amount with other decimals, rounded up to a whole unit."""
    if to_decimals >= decimals:
        return units * _scale(to_decimals - decimals)
    return -(-units // _scale(decimals - to_decimals))


def micro_usd_up(units: int, decimals: int, pico_usd: int) -> int:
    """What these units are worth in micro-USD, rounded up."""
    return -(-units * pico_usd // _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS))


def micro_usd_down(units: int, decimals: int, pico_usd: int) -> int:
    """What these units are worth in micro-USD, rounded down."""
    return units * pico_usd // _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS)


def units_for_micro_usd_up(micro_usd: int, decimals: int, pico_usd: int) -> int:
    """How many units buy this many micro-USD, rounded up to a whole unit."""
    return -(-micro_usd * _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS) // pico_usd)


def share_up(amount: int, basis_points: int) -> int:
    """basis_points / 10 000 of this amount, rounded up to a whole unit."""
    return -(-amount * basis_points // 10_000)
