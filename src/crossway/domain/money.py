"""Exact amounts: parsing, formatting and converting token units and USD."""

import re
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.errors import InvalidInput, MissingInput

MICRO_USD_DECIMALS = 6
PICO_USD_DECIMALS = 12
_INTEGER = re.compile(r"[0-9]{1,78}\Z", re.ASCII)
_DECIMAL = re.compile(r"([0-9]{1,60})(?:\.([0-9]{1,60}))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """One token on one chain; `units` always means its smallest unit, 10**-decimals."""

    chain: str
    symbol: str
    address: str
    decimals: int
    name: str = ""
    native: bool = False
    enabled: bool = True
    disabled_reason: str = ""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one whole token in 10**-12 USD at a point in time.

    The source is confident that the true price lies within `confidence_pico_usd` of it.
    """

    symbol: str
    pico_usd: int
    as_of: datetime
    confidence_pico_usd: int = 0


def _scale(decimals: int) -> int:
    """The number of smallest units in one whole token."""
    return int(10**decimals)


def parse_units(field: str, text: object) -> int:
    """Parse a positive integer of smallest units; raises `InvalidInput` naming the field."""
    if text is None:
        raise MissingInput(f"{field} is required")
    if not isinstance(text, str) or not _INTEGER.match(text):
        raise InvalidInput(f"{field} must be a positive integer string in the smallest unit")
    units = int(text)
    if units <= 0:
        raise InvalidInput(f"{field} must be greater than zero")
    return units


def parse_decimal(field: str, text: object, decimals: int) -> int:
    """Parse a decimal number into units of 10**-decimals; more decimal places are rejected."""
    if text is None:
        raise MissingInput(f"{field} is required")
    match = _DECIMAL.match(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidInput(f"{field} must be a plain decimal number such as 25.50")
    whole, fraction = match.group(1), match.group(2) or ""
    fraction = fraction.rstrip("0")
    if len(fraction) > decimals:
        raise InvalidInput(f"{field} has more than {decimals} decimal places")
    return int(whole) * _scale(decimals) + int(fraction.ljust(decimals, "0") or "0")


def format_units(units: int, decimals: int, least_places: int = 0) -> str:
    """Format units as a decimal number with at least `least_places` decimal places."""
    sign = "-" if units < 0 else ""
    whole, fraction = divmod(abs(units), _scale(decimals))
    digits = str(fraction).rjust(decimals, "0").rstrip("0") if decimals else ""
    digits = digits.ljust(least_places, "0")
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def rescale_up(units: int, decimals: int, to_decimals: int) -> int:
    """Convert an amount to other decimals, rounded up."""
    if to_decimals >= decimals:
        return units * _scale(to_decimals - decimals)
    return -(-units // _scale(decimals - to_decimals))


def rescale_down(units: int, decimals: int, to_decimals: int) -> int:
    """Convert an amount to other decimals, rounded down."""
    return int(units * _scale(to_decimals) // _scale(decimals))


def micro_usd_up(units: int, decimals: int, pico_usd: int) -> int:
    """The value of units in micro-USD, rounded up."""
    return -(-units * pico_usd // _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS))


def micro_usd_down(units: int, decimals: int, pico_usd: int) -> int:
    """The value of units in micro-USD, rounded down."""
    return units * pico_usd // _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS)


def units_for_micro_usd_up(micro_usd: int, decimals: int, pico_usd: int) -> int:
    """The number of units worth this many micro-USD, rounded up."""
    return -(-micro_usd * _scale(decimals + PICO_USD_DECIMALS - MICRO_USD_DECIMALS) // pico_usd)


def share_up(amount: int, basis_points: int) -> int:
    """basis_points / 10 000 of an amount, rounded up."""
    return -(-amount * basis_points // 10_000)
