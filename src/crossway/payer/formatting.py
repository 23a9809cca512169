"""Amounts, times and durations as the payer's language writes them."""

from datetime import datetime, timedelta
from decimal import Decimal, localcontext

from babel import Locale
from babel.dates import format_datetime, format_timedelta
from babel.numbers import format_currency, format_decimal

from crossway.domain.money import MICRO_USD_DECIMALS, format_units

_MARKS = 8
_BRIEF_PLACES = 8
_DIGITS = 200


def plain_amount(units: int, decimals: int) -> str:
    """An exact amount as wallets take it: `1234.5`."""
    return format_units(units, decimals)


def format_exact(units: int, decimals: int, symbol: str, locale: Locale) -> str:
    """An exact amount with its token, no digit left out and none put together."""
    number = Decimal(format_units(units, decimals))
    with localcontext(prec=_DIGITS):
        written = format_decimal(
            number, locale=locale, decimal_quantization=False, group_separator=False
        )
    return f"{written}\u00a0{symbol}"


def format_short(units: int, decimals: int, symbol: str, locale: Locale) -> str:
    """An amount with its token in at most eight places, for reading and not for typing."""
    number = Decimal(format_units(units, decimals))
    places = max(2, min(_BRIEF_PLACES, 6 - number.adjusted())) if number else 2
    with localcontext(prec=_DIGITS):
        written = format_decimal(number, format="#,##0." + "#" * places, locale=locale)
    return f"{written}\u00a0{symbol}"


def format_usd(micro_usd: int, locale: Locale) -> str:
    """US dollars and cents."""
    number = Decimal(format_units(micro_usd, MICRO_USD_DECIMALS))
    with localcontext(prec=_DIGITS):
        return format_currency(number, "USD", locale=locale)


def format_instant(at: datetime, locale: Locale) -> str:
    """An instant in UTC, to the minute; a script puts the reader's own time in its place."""
    return f"{format_datetime(at, 'medium', locale=locale)} UTC"


def format_duration(seconds: int, locale: Locale) -> str:
    """A duration in its largest unit."""
    return format_timedelta(timedelta(seconds=max(seconds, 1)), threshold=1.5, locale=locale)


def epoch_millis(at: datetime) -> int:
    """An instant in milliseconds since 1970, for scripts."""
    return int(at.timestamp() * 1000)


def badge_color(name: str) -> int:
    """Which of the eight colours a chain's or a token's mark has: always the same one."""
    return sum(name.encode()) % _MARKS
