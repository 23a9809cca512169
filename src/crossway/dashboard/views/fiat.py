"""Display formats of fiat amounts, rates, currencies and countries."""

from collections.abc import Sequence

from crossway.dashboard.views.formatting import group_thousands
from crossway.domain.fiat import RATE_SCALE, Currency, Fiat
from crossway.domain.money import format_units

_FLAG_A = 0x1F1E6


def format_fiat(minor: int, digits: int, code: str) -> str:
    """`41,250.00 NGN`, with all decimals of the currency; `minor` is in minor units."""
    return f"{group_thousands(format_units(minor, digits, digits))} {code}"


def format_fee_share(part: int, total: int) -> str:
    """A share in percent with two places, rounded half away from zero: `1.25%`."""
    if not total:
        return "–"
    hundredths = (abs(part) * 10_000 * 2 + total) // (total * 2)
    return f"{'-' if part < 0 and hundredths else ''}{format_units(hundredths, 2, 2)}%"


def format_rate(micro: int, code: str) -> str:
    """The price of a dollar: `1 USD = 1,612.50 NGN`."""
    places = 2 if micro >= RATE_SCALE else 4
    scale = RATE_SCALE // 10**places
    rounded = (micro + scale // 2) // scale
    return f"1 USD = {group_thousands(format_units(rounded, places, places))} {code}"


def currency_name(currency: Currency) -> str:
    """`NGN · Nigerian Naira (₦)`; a symbol equal to the code is left out."""
    sign = f" ({currency.symbol})" if currency.symbol != currency.code else ""
    return f"{currency.code} · {currency.name}{sign}"


def country_name(fiat: Fiat, code: str) -> str:
    """A country with its flag; an unknown code unchanged."""
    country = fiat.countries.get(code)
    return f"{flag(code)} {country.name}" if country else code


def flag(code: str) -> str:
    """The flag of an ISO 3166-1 alpha-2 code."""
    return "".join(chr(_FLAG_A + ord(letter) - ord("A")) for letter in code)


def list_currencies(fiat: Fiat) -> Sequence[Currency]:
    """All configured currencies, sorted by code."""
    return [fiat.corridors[code].currency for code in sorted(fiat.corridors)]
