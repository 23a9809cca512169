"""The filters of a list as people put them: all of these, and any of those."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

from crossway.domain.errors import InvalidInput
from crossway.domain.money import MICRO_USD_DECIMALS

# The bridge of a payment within one chain.
NO_BRIDGE: Final = "none"
MOST_CONDITIONS: Final = 12
MOST_VALUES: Final = 30
_LARGEST = Decimal(10) ** 12


class Subject(StrEnum):
    """What a condition is about."""

    STATE = "state"
    EXCEPTION = "exception"
    SOURCE = "from"
    DESTINATION = "to"
    TOKEN = "token"
    BRIDGE = "bridge"
    CLIENT = "client"
    MODE = "mode"
    LINK = "link"
    REFERENCE = "reference"
    WORTH = "worth"
    CREATED = "created"


class Exceptional(StrEnum):
    """What is out of the ordinary about a payment."""

    SHORT = "short"
    OVER = "over"
    LATE = "late"
    FOREIGN = "foreign"
    REFUND_FAILED = "refund_failed"
    STUCK = "stuck"


RANGES: Final = frozenset({Subject.WORTH, Subject.CREATED})


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of a filter: the subject is one of `values`, or lies from `least` (included) to
    `most` (left out); `negated` turns it round. Worth is in micro-USD, time in microseconds since
    1970; None leaves a side open."""

    subject: Subject
    values: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a list keeps: whatever meets `every` one of these and, where there are some, at least
    one of `some`."""

    every: tuple[Condition, ...] = ()
    some: tuple[Condition, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.every or self.some)


def written(conditions: Iterable[Condition]) -> str:
    """Conditions as the address of a page carries them: `state:FUNDED,INITIATED;worth:100..500`."""
    return ";".join(_written(one) for one in conditions)


def _written(one: Condition) -> str:
    start = f"{'!' if one.negated else ''}{one.subject}:"
    if one.subject is Subject.WORTH:
        return f"{start}{_usd(one.least)}..{_usd(one.most)}"
    if one.subject is Subject.CREATED:
        return f"{start}{_when(one.least)}..{_when(one.most)}"
    return start + ",".join(quote(value, safe="") for value in one.values)


def _usd(micro_usd: int | None) -> str:
    if micro_usd is None:
        return ""
    return f"{Decimal(micro_usd).scaleb(-MICRO_USD_DECIMALS).normalize():f}"


def _when(micros: int | None) -> str:
    if micros is None:
        return ""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    midnight = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return at.strftime("%Y-%m-%d") if midnight else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def read(text: str, field: str) -> tuple[Condition, ...]:
    """Conditions out of the address of a page; raises `InvalidInput` naming the field."""
    parts = [part for part in text.split(";") if part.strip()]
    if len(parts) > MOST_CONDITIONS:
        raise InvalidInput(f"{field} may have at most {MOST_CONDITIONS} conditions")
    return tuple(_read(part.strip(), field) for part in parts)


def _read(part: str, field: str) -> Condition:
    negated, part = part.startswith("!"), part.removeprefix("!")
    name, colon, rest = part.partition(":")
    try:
        subject = Subject(name)
    except ValueError:
        known = ", ".join(Subject)
        raise InvalidInput(f"{field}: {name} is no subject; there are {known}") from None
    if subject in RANGES:
        least, dots, most = rest.partition("..")
        if not dots or not (least or most):
            raise InvalidInput(f"{field}: {name} must be a range such as {_EXAMPLES[subject]}")
        convert = _micro_usd if subject is Subject.WORTH else _micros
        low = convert(least, field) if least else None
        high = convert(most, field) if most else None
        if low is not None and high is not None and low >= high:
            raise InvalidInput(f"{field}: the range of {name} must begin before it ends")
        return Condition(subject, (), low, high, negated)
    values = tuple(
        dict.fromkeys(unquote(value).replace("\0", "") for value in rest.split(",") if value)
    )
    if not colon or not values or len(values) > MOST_VALUES:
        raise InvalidInput(f"{field}: {name} must have from 1 to {MOST_VALUES} values")
    if subject is Subject.EXCEPTION and (odd := set(values) - set(Exceptional)):
        known = ", ".join(Exceptional)
        raise InvalidInput(f"{field}: {sorted(odd)[0]} is no exception; there are {known}")
    return Condition(subject, values, negated=negated)


_EXAMPLES: Final = {
    Subject.WORTH: "worth:100..500 (in USD)",
    Subject.CREATED: "created:2026-11-01..2026-11-21 (the second is left out)",
}


def _micro_usd(text: str, field: str) -> int:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or not 0 <= value <= _LARGEST:
        raise InvalidInput(f"{field}: {text} is no amount in USD, such as 99.50")
    return int(value.scaleb(MICRO_USD_DECIMALS))


def _micros(text: str, field: str) -> int:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{field}: {text} is no time, such as 2026-11-21") from None
    if not 1970 <= at.year <= 9000:
        raise InvalidInput(f"{field}: {text} is no time, such as 2026-11-21")
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
