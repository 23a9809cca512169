"""Local money as people read it: amounts, rates, currencies and countries."""

from collections.abc import Sequence

from crossway.dashboard.views.figures import grouped
from crossway.domain.fiat import RATE_SCALE, Currency, Fiat
from crossway.domain.money import format_units

_FLAG_A = 0x1F1E6


def fiat_amount(minor: int, digits: int, code: str) -> str:
    """`41,250.00 NGN`, with every decimal place that the currency has."""
    return f"{grouped(format_units(minor, digits, digits))} {code}"


def percent(part: int, whole: int) -> str:
    """A share in percent with two places, rounded half away from zero: `1.25 %`."""
    if not whole:
        return "–"
    hundredths = (abs(part) * 10_000 * 2 + whole) // (whole * 2)
    return f"{'-' if part < 0 and hundredths else ''}{format_units(hundredths, 2, 2)} %"


def rate(micro: int, code: str) -> str:
    """What a dollar costs: `1 USD = 1,612.50 NGN`."""
    places = 2 if micro >= RATE_SCALE else 4
    scale = RATE_SCALE // 10**places
    rounded = (micro + scale // 2) // scale
    return f"1 USD = {grouped(format_units(rounded, places, places))} {code}"


def currency_name(currency: Currency) -> str:
    """`NGN · Nigerian Naira (₦)`; a symbol that only repeats the code is left out."""
    sign = f" ({currency.symbol})" if currency.symbol != currency.code else ""
    return f"{currency.code} · {currency.name}{sign}"


def country_name(fiat: Fiat, code: str) -> str:
    """A country with its flag; an unknown code as it is."""
    found = fiat.countries.get(code)
    return f"{flag(code)} {found.name}" if found else code


def flag(code: str) -> str:
    """The flag of an ISO 3166-1 alpha-2 code."""
    return "".join(chr(_FLAG_A + ord(letter) - ord("A")) for letter in code)


def currencies(fiat: Fiat) -> Sequence[Currency]:
    """Every currency that can be used, by its code."""
    return [fiat.corridors[code].currency for code in sorted(fiat.corridors)]
