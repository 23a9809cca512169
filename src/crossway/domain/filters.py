"""List filters: conditions that all apply, and alternatives."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, unquote

from crossway.domain.analytics import FailureCause
from crossway.domain.errors import InvalidInput
from crossway.domain.money import MICRO_USD_DECIMALS

# The bridge value of same-chain payments.
NO_BRIDGE: Final = "none"
MAX_FILTERS: Final = 12
MAX_VALUES: Final = 30
_MAX_USD = Decimal(10) ** 12


class FilterField(StrEnum):
    """The field a filter applies to."""

    STATE = "state"
    EXCEPTION = "exception"
    CAUSE = "cause"
    REACHED = "reached"
    SOURCE = "from"
    DESTINATION = "to"
    TOKEN = "token"
    BRIDGE = "bridge"
    CLIENT = "client"
    MODE = "mode"
    LINK = "link"
    SENDER = "sender"
    RECIPIENT = "recipient"
    REFERENCE = "reference"
    VALUE = "value"
    CREATED = "created"


class ExceptionFlag(StrEnum):
    """What is exceptional about a payment."""

    SHORT = "short"
    OVER = "over"
    LATE = "late"
    WRONG_TOKEN = "wrong_token"
    REFUND_FAILED = "refund_failed"
    STUCK = "stuck"


class Reached(StrEnum):
    """How far a payment got, without what a reorg undid."""

    DEPOSITED = "deposited"
    STARTED = "started"


_CHOICES: Final[Mapping[FilterField, tuple[str, type[StrEnum]]]] = MappingProxyType(
    {
        FilterField.EXCEPTION: ("exception", ExceptionFlag),
        FilterField.CAUSE: ("cause", FailureCause),
        FilterField.REACHED: ("step", Reached),
    }
)
RANGES: Final = frozenset({FilterField.VALUE, FilterField.CREATED})


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition: the field is one of `values`, or from `minimum` (included) to `maximum`
    (excluded); `negated` inverts it. Values are in micro-USD, times in microseconds since 1970;
    None leaves a side open."""

    field: FilterField
    values: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class FilterSet:
    """A list shows what meets all of `all_of` and, if there are any, one of `any_of`."""

    all_of: tuple[Filter, ...] = ()
    any_of: tuple[Filter, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all_of or self.any_of)

    @property
    def has_period(self) -> bool:
        """Whether all of the list was created in a period."""
        return any(one.field is FilterField.CREATED and not one.negated for one in self.all_of)


def format_filters(filters: Iterable[Filter]) -> str:
    """Filters in their URL form: `state:FUNDED,INITIATED;value:100..500`."""
    return ";".join(_format_filter(condition) for condition in filters)


def _format_filter(condition: Filter) -> str:
    start = f"{'!' if condition.negated else ''}{condition.field}:"
    if condition.field is FilterField.VALUE:
        return f"{start}{_format_usd(condition.minimum)}..{_format_usd(condition.maximum)}"
    if condition.field is FilterField.CREATED:
        return f"{start}{_format_time(condition.minimum)}..{_format_time(condition.maximum)}"
    return start + ",".join(quote(value, safe="") for value in condition.values)


def _format_usd(micro_usd: int | None) -> str:
    if micro_usd is None:
        return ""
    return f"{Decimal(micro_usd).scaleb(-MICRO_USD_DECIMALS).normalize():f}"


def _format_time(micros: int | None) -> str:
    if micros is None:
        return ""
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    midnight = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return at.strftime("%Y-%m-%d") if midnight else at.strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_filters(text: str, field: str) -> tuple[Filter, ...]:
    """Parse filters from their URL form; raises `InvalidInput` naming the field."""
    parts = [part for part in text.split(";") if part.strip()]
    if len(parts) > MAX_FILTERS:
        raise InvalidInput(f"{field} may have at most {MAX_FILTERS} conditions")
    return tuple(_parse_filter(part.strip(), field) for part in parts)


def _parse_filter(part: str, field: str) -> Filter:
    negated, part = part.startswith("!"), part.removeprefix("!")
    name, colon, value_text = part.partition(":")
    try:
        filter_field = FilterField(name)
    except ValueError:
        valid_names = ", ".join(FilterField)
        raise InvalidInput(
            f"{field}: {name} is not a filter field; there are {valid_names}"
        ) from None
    if filter_field in RANGES:
        low_text, separator, high_text = value_text.partition("..")
        if not separator or not (low_text or high_text):
            raise InvalidInput(f"{field}: {name} must be a range such as {_EXAMPLES[filter_field]}")
        convert = _parse_usd if filter_field is FilterField.VALUE else _parse_time
        low = convert(low_text, field) if low_text else None
        high = convert(high_text, field) if high_text else None
        if low is not None and high is not None and low >= high:
            raise InvalidInput(f"{field}: the range of {name} must begin before it ends")
        return Filter(filter_field, (), low, high, negated)
    values = tuple(
        dict.fromkeys(unquote(value).replace("\0", "") for value in value_text.split(",") if value)
    )
    if not colon or not values or len(values) > MAX_VALUES:
        raise InvalidInput(f"{field}: {name} must have from 1 to {MAX_VALUES} values")
    what, choices = _CHOICES.get(filter_field, ("", None))
    if choices is not None and (unknown := set(values) - {choice.value for choice in choices}):
        valid_names = ", ".join(choices)
        raise InvalidInput(f"{field}: {sorted(unknown)[0]} is no {what}; there are {valid_names}")
    return Filter(filter_field, values, negated=negated)


_EXAMPLES: Final = {
    FilterField.VALUE: "value:100..500 (in USD)",
    FilterField.CREATED: "created:2026-11-01..2026-11-21 (the second is left out)",
}


def _parse_usd(text: str, field: str) -> int:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or not 0 <= value <= _MAX_USD:
        raise InvalidInput(f"{field}: {text} is no amount in USD, such as 99.50")
    return int(value.scaleb(MICRO_USD_DECIMALS))


def _parse_time(text: str, field: str) -> int:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{field}: {text} is no time, such as 2026-11-21") from None
    if not 1970 <= at.year <= 9000:
        raise InvalidInput(f"{field}: {text} is no time, such as 2026-11-21")
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
