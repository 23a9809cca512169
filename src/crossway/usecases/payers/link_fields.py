"""Parse and validate the fields of requests that create or update a payment link."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.domain.errors import FieldError, InvalidInput
from crossway.domain.money import Token, parse_units
from crossway.domain.payment_links import MAX_DECIMAL_PLACES
from crossway.usecases.payments.intent_request import MAX_METADATA_BYTES
from crossway.usecases.validation_errors import ValidationErrors

MAX_USES = 1_000_000_000
_MAX_LIST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """Fields to set on a payment link, as received; None keeps the current or default value.

    Fields named in `cleared` are reset. The destination can only be set when a link is created.
    """

    title: object = None
    description: object = None
    amount: object = None
    min_amount: object = None
    max_amount: object = None
    destination_chain: object = None
    token_out: object = None
    recipient: object = None
    source_chains: object = None
    source_tokens: object = None
    reference: object = None
    metadata: object = None
    max_uses: object = None
    expires_at: object = None
    active: object = None
    cleared: frozenset[str] = frozenset()
    field_errors: tuple[FieldError, ...] = ()


@dataclass
class LinkFieldParser:
    """Parses the fields of a request one by one and collects errors. `current` is a field's current
    value, which is returned where the request does not set it."""

    request: LinkRequest
    errors: ValidationErrors

    def _value(self, name: str) -> object:
        return None if name in self.request.cleared else getattr(self.request, name)

    def text(
        self, name: str, current: str, max_length: int, min_length: int = 0, multiline: bool = False
    ) -> str:
        """A text of one line, or of several if `multiline`."""
        if name in self.request.cleared and not min_length:
            return ""
        value = self._value(name)
        if value is None and name not in self.request.cleared:
            return current
        stripped = value.strip() if isinstance(value, str) else None
        is_printable = (
            stripped is not None
            and (stripped.replace("\n", "") if multiline else stripped).isprintable()
        )
        if stripped is None or not is_printable or not min_length <= len(stripped) <= max_length:
            self.errors.add(
                f"{name} must be a text of {min_length} to {max_length} printable characters"
            )
            return current
        return stripped

    def amount(self, name: str, current: int | None, token: Token | None) -> int | None:
        """An amount of a token in smallest units; None if cleared. Without a token, which was
        refused, it cannot be checked."""
        if name in self.request.cleared:
            return None
        value = self._value(name)
        if value is None or token is None:
            return current
        return self.errors.collect(parse_link_amount, name, value, token)

    def name_list(
        self, name: str, current: tuple[str, ...], parse: Callable[[object], str]
    ) -> tuple[str, ...]:
        """A list of names, each parsed by `parse`, without duplicates."""
        if name in self.request.cleared:
            return ()
        value = self._value(name)
        if value is None:
            return current
        if (
            not isinstance(value, Sequence)
            or isinstance(value, str)
            or len(value) > _MAX_LIST_ITEMS
        ):
            self.errors.add(f"{name} must be a list")
            return current
        parsed = [self.errors.collect(parse, item) for item in value]
        return tuple(dict.fromkeys(item for item in parsed if item))

    def json_object(self, name: str, current: Mapping[str, Any]) -> Mapping[str, Any]:
        """A JSON object of the client's own."""
        if name in self.request.cleared:
            return {}
        value = self._value(name)
        if value is None:
            return current
        if not isinstance(value, Mapping):
            self.errors.add(f"{name} must be a JSON object")
            return current
        # The reference and the link's id are added later; the limit for all of it is 8 KiB.
        if len(json.dumps(value, separators=(",", ":")).encode()) > MAX_METADATA_BYTES - 1_024:
            self.errors.add(f"{name} must be at most 7 KiB of JSON")
        return dict(value)

    def count(self, name: str, current: int | None) -> int | None:
        """A positive integer; None if cleared."""
        if name in self.request.cleared:
            return None
        value = self._value(name)
        if value is None:
            return current
        is_integer = isinstance(value, int) and not isinstance(value, bool)
        if not (is_integer and 1 <= int(str(value)) <= MAX_USES):
            self.errors.add(f"{name} must be a whole number from 1 to {MAX_USES}")
            return current
        return int(str(value))

    def timestamp(self, name: str, current: datetime | None, now: datetime) -> datetime | None:
        """A time in the future; None if cleared."""
        if name in self.request.cleared:
            return None
        value = self._value(name)
        if value is None:
            return current
        try:
            parsed = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
            at = parsed.astimezone(UTC) if parsed.tzinfo else None
        except (ValueError, OverflowError):
            at = None
        if at is None or at <= now:
            example = "such as 2027-01-31T12:00:00Z"
            self.errors.add(f"{name} must be a time in the future with a UTC offset, {example}")
            return current
        return at

    def boolean(self, name: str, current: bool) -> bool:
        """A boolean."""
        value = self._value(name)
        if value is None or isinstance(value, bool):
            return current if value is None else value
        self.errors.add(f"{name} must be true or false")
        return current


def parse_link_amount(name: str, value: object, token: Token) -> int:
    """An amount in smallest units with no more decimal places than payers can type; raises
    `InvalidInput`."""
    amount = parse_units(name, value)
    if token.decimals > MAX_DECIMAL_PLACES and amount % 10 ** (token.decimals - MAX_DECIMAL_PLACES):
        raise InvalidInput(f"{name} has more than {MAX_DECIMAL_PLACES} decimal places")
    return amount
