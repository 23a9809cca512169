"""Amounts as people type them: with separators of thousands, a decimal comma or a symbol."""

import re
from dataclasses import dataclass
from typing import Final

from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units, parse_decimal

_SPACES: Final = re.compile(r"[\s'’]+")
_SPACED: Final = re.compile(r"[0-9]{1,3}(?:[\s'’][0-9]{3})+(?:[.,][0-9]+)?\Z", re.ASCII)
_DIGITS: Final = re.compile(r"[0-9.,]*[0-9]\Z", re.ASCII)
_THOUSANDS: Final = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*\Z", re.ASCII)
_NUMBER_AND_WORD: Final = re.compile(r"([0-9].*?)\s*([^\W\d_]{2,12})\Z")
_MAX_PLACES: Final = 40
# Spaces as numbers are printed with; a regular expression's \s does not know the narrow ones only.
_PRINTED_SPACES: Final = str.maketrans(dict.fromkeys("\u00a0\u2007\u2009\u202f", " "))


@dataclass(frozen=True, slots=True)
class TypedAmount:
    """An amount in units of 10**-decimals as it was understood. `note` says which of two readings
    was taken and how to write the other; empty where only one is possible."""

    units: int
    note: str = ""


def read_amount(field: str, typed: str, decimals: int, symbol: str = "") -> TypedAmount:
    """Understand an amount as people type it: `1,000.50`, `1 000,50`, `1.000,50`, `1000.5 USDC`.

    A single separator before exactly three digits can be read in two ways: a comma then separates
    thousands and a point decimals, which `note` says: show the amount as understood before anything
    is done with it. Raises `InvalidInput` naming the field, and what the amount would be where that
    can be guessed.
    """
    number = _without_symbol(field, typed.translate(_PRINTED_SPACES).strip(), symbol)
    text = _without_spaces(field, number)
    if not _DIGITS.match(text):
        return TypedAmount(parse_decimal(field, text, decimals))  # It says what is expected.
    points, commas = text.count("."), text.count(",")
    if points and commas:
        return TypedAmount(_parse_both(field, number, text, decimals))
    separator = "." if points else ","
    if points + commas > 1:
        whole = _join_thousands(field, number, text, separator)
        return TypedAmount(parse_decimal(field, whole, decimals))
    if number == text and _THOUSANDS.match(text):
        return _read_either_way(field, text, separator, decimals)
    return TypedAmount(parse_decimal(field, _with_point(text), decimals))


def parse_typed_amount(field: str, typed: str, decimals: int, symbol: str = "") -> int:
    """As `read_amount`, for fields that show what was understood only afterwards. A comma before
    three digits separates thousands, as everywhere in this service; three decimals that end with a
    zero (`50.000`) are written by nobody who means fifty and raise `InvalidInput` with both
    readings."""
    amount = read_amount(field, typed, decimals, symbol)
    digits = re.sub(r"[^0-9.,]", "", typed)
    if amount.note and "." in digits and digits.endswith("0"):
        both = f"{digits.replace('.', '')} or as {_plain(digits, least_places=1)}"
        raise InvalidInput(f"{field} “{digits}” can be read as {both}: write it that way")
    return amount.units


def to_plain_decimal(field: str, typed: str, symbol: str = "") -> str:
    """As `parse_typed_amount`, where the decimals of the token are not known yet: the amount as a
    plain decimal number."""
    return format_units(parse_typed_amount(field, typed, _MAX_PLACES, symbol), _MAX_PLACES)


def _without_symbol(field: str, text: str, symbol: str) -> str:
    """The number without the symbol of its token before or after it."""
    if not symbol:
        return text
    folded = text.casefold()
    for own in (symbol.casefold(), *(("$",) if symbol == "USD" else ())):
        if folded.endswith(own):
            return text[: -len(own)].strip()
        if folded.startswith(own):
            return text[len(own) :].strip()
    other = _NUMBER_AND_WORD.match(text)
    if other is not None:
        raise InvalidInput(f"{field} is in {symbol}, not in {other.group(2)}")
    return text


def _without_spaces(field: str, number: str) -> str:
    """The number without the spaces or apostrophes that separate its thousands."""
    text = _SPACES.sub("", number)
    if text == number or not _DIGITS.match(text):
        return text
    if not _SPACED.match(number):
        raise _misplaced(field, number, text)
    return _with_point(text)


def _parse_both(field: str, number: str, text: str, decimals: int) -> int:
    """The last of both separators begins the decimals, and the other separates thousands."""
    decimal_mark = max(".", ",", key=text.rfind)
    whole, _, fraction = text.rpartition(decimal_mark)
    if decimal_mark in whole:
        raise _misplaced(field, number, text)
    thousands_mark = "," if decimal_mark == "." else "."
    joined = _join_thousands(field, number, whole, thousands_mark, f".{fraction}")
    return parse_decimal(field, joined, decimals)


def _join_thousands(field: str, number: str, whole: str, separator: str, fraction: str = "") -> str:
    if not _THOUSANDS.match(whole):
        raise _misplaced(field, number, whole.replace(separator, "") + fraction)
    return whole.replace(separator, "") + fraction


def _read_either_way(field: str, text: str, separator: str, decimals: int) -> TypedAmount:
    """One separator before three digits: thousands after a comma, decimals after a point."""
    whole = text.replace(separator, "")
    if separator == ",":
        units = parse_decimal(field, whole, decimals)
        note = f"“{text}” is read as {whole}. For {_plain(text)} write {_plain(text)}"
        return TypedAmount(units, note)
    note = f"“{text}” is read as {_plain(text)}. For {whole} write {whole}"
    return TypedAmount(parse_decimal(field, text, decimals), note)


def _plain(text: str, least_places: int = 0) -> str:
    """A number with a decimal comma or point, with a point and without zeros at its end."""
    whole, _, fraction = text.replace(",", ".").partition(".")
    fraction = fraction.rstrip("0").ljust(least_places, "0")
    return f"{whole}.{fraction}" if fraction else whole


def _with_point(text: str) -> str:
    """The number with a decimal point and a digit before it."""
    text = text.replace(",", ".")
    return f"0{text}" if text.startswith(".") else text


def _misplaced(field: str, number: str, without: str) -> InvalidInput:
    """The separators do not fall on thousands: name the number that is left without them."""
    last = max(without.rfind("."), without.rfind(","))
    whole = re.sub("[.,]", "", without[: max(last, 0)] if last >= 0 else without)
    meant = f"{whole}.{without[last + 1 :]}" if last >= 0 else whole
    return InvalidInput(
        f"{field} “{number}” has its separators in unusual places: "
        f"without them it would be {meant}. Write that if it is meant"
    )
