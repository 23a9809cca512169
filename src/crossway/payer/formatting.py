"""Amounts, times and durations as the payer's language writes them."""

from datetime import datetime, timedelta
from decimal import Decimal, localcontext

from babel import Locale
from babel.dates import format_datetime, format_timedelta
from babel.numbers import format_currency, format_decimal
from markupsafe import Markup

from crossway.domain.money import MICRO_USD_DECIMALS, format_units

_MARKS = 8
_BRIEF_PLACES = 8
_DIGITS = 200


def plain_amount(units: int, decimals: int) -> str:
    """An exact amount in the form that wallets accept: `1234.5`."""
    return format_units(units, decimals)


def format_exact(units: int, decimals: int, symbol: str, locale: Locale) -> str:
    """An exact amount with its token symbol, every digit and no digit groups."""
    number = Decimal(format_units(units, decimals))
    with localcontext(prec=_DIGITS):
        written = format_decimal(
            number, locale=locale, decimal_quantization=False, group_separator=False
        )
    return f"{written}\u00a0{symbol}"


def format_short(units: int, decimals: int, symbol: str, locale: Locale) -> str:
    """An amount with its token symbol, rounded to at most eight decimal places for reading."""
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
    """An instant in UTC, to the minute; a script replaces it by the reader's local time."""
    return f"{format_datetime(at, 'medium', locale=locale)} UTC"


def format_duration(seconds: int, locale: Locale) -> str:
    """A duration in its largest unit."""
    return format_timedelta(timedelta(seconds=max(seconds, 1)), threshold=1.5, locale=locale)


def format_days(days: int, locale: Locale) -> str:
    """A number of days."""
    never = float("inf")  # As weeks or months.
    return format_timedelta(timedelta(days=days), "day", threshold=never, locale=locale)


def epoch_millis(at: datetime) -> int:
    """An instant in milliseconds since the Unix epoch, for scripts."""
    return int(at.timestamp() * 1000)


def badge_color(name: str) -> int:
    """The number, 0 to 7, of the badge colour of a chain or token."""
    return sum(name.encode()) % _MARKS


def format_time(at: datetime, locale: Locale) -> Markup:
    """An instant as HTML; a script shows it in the reader's time zone."""
    mark = Markup('<time datetime="{}" data-at="{}">{}</time>')
    return mark.format(at.isoformat(), epoch_millis(at), format_instant(at, locale))
