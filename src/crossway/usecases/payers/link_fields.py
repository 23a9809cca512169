"""What is asked of a payment link, read field by field."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from crossway.domain.errors import InvalidInput
from crossway.domain.links import MOST_PLACES
from crossway.domain.money import Token, parse_units
from crossway.usecases.complaints import Complaints
from crossway.usecases.payments.terms import MOST_METADATA_BYTES

MOST_USES = 1_000_000_000
_MOST_NAMES = 100


@dataclass(frozen=True, slots=True)
class LinkChange:
    """What to set of a payment link; None changes nothing, and for a new one means the default.

    Values are as they were sent; those named in `cleared` are taken away, and `strange` names
    fields that nobody knows. Where the money goes is said once: when the link is made.
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
    strange: tuple[str, ...] = ()


@dataclass
class Reading:
    """Reads the fields of a change, each in its turn, and notes what is wrong; `known` is what was
    set before, and stays where nothing is asked."""

    asked: LinkChange
    complaints: Complaints

    def _given(self, name: str) -> object:
        return None if name in self.asked.cleared else getattr(self.asked, name)

    def words(self, name: str, known: str, most: int, least: int = 0, lines: bool = False) -> str:
        """A text of one line, or of several."""
        if name in self.asked.cleared and not least:
            return ""
        given = self._given(name)
        if given is None and name not in self.asked.cleared:
            return known
        text = given.strip() if isinstance(given, str) else None
        plain = text is not None and (text.replace("\n", "") if lines else text).isprintable()
        if text is None or not plain or not least <= len(text) <= most:
            self.complaints.add(f"{name} must be a text of {least} to {most} printable characters")
            return known
        return text

    def units(self, name: str, known: int | None, token: Token) -> int | None:
        """An amount of a token; None where it is taken away."""
        if name in self.asked.cleared:
            return None
        given = self._given(name)
        if given is None:
            return known
        return self.complaints.read(lambda: whole_units(name, given, token))

    def names(
        self, name: str, known: tuple[str, ...], read: Callable[[object], str]
    ) -> tuple[str, ...]:
        """A list of names, each in its one spelling."""
        if name in self.asked.cleared:
            return ()
        given = self._given(name)
        if given is None:
            return known
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) > _MOST_NAMES:
            self.complaints.add(f"{name} must be a list")
            return known
        found = [self.complaints.read(lambda one=one: read(one)) for one in given]  # type: ignore[misc]
        return tuple(dict.fromkeys(one for one in found if one))

    def mapping(self, name: str, known: Mapping[str, Any]) -> Mapping[str, Any]:
        """An object of the client's own."""
        if name in self.asked.cleared:
            return {}
        given = self._given(name)
        if given is None:
            return known
        if not isinstance(given, Mapping):
            self.complaints.add(f"{name} must be a JSON object")
            return known
        # The reference and the intent's own mark are added to it, and 8 KiB hold for all of it.
        if len(json.dumps(given, separators=(",", ":")).encode()) > MOST_METADATA_BYTES - 1_024:
            self.complaints.add(f"{name} must be at most 7 KiB of JSON")
        return dict(given)

    def count(self, name: str, known: int | None) -> int | None:
        """How often; None for as often as anybody likes."""
        if name in self.asked.cleared:
            return None
        given = self._given(name)
        if given is None:
            return known
        whole = isinstance(given, int) and not isinstance(given, bool)
        if not (whole and 1 <= int(str(given)) <= MOST_USES):
            self.complaints.add(f"{name} must be a whole number from 1 to {MOST_USES}")
            return known
        return int(str(given))

    def instant(self, name: str, known: datetime | None, now: datetime) -> datetime | None:
        """A time to come; None for none."""
        if name in self.asked.cleared:
            return None
        given = self._given(name)
        if given is None:
            return known
        try:
            read = given if isinstance(given, datetime) else datetime.fromisoformat(str(given))
            at = read.astimezone(UTC) if read.tzinfo else None
        except (ValueError, OverflowError):
            at = None
        if at is None or at <= now:
            example = "such as 2027-01-31T12:00:00Z"
            self.complaints.add(f"{name} must be a time to come with its zone, {example}")
            return known
        return at

    def flag(self, name: str, known: bool) -> bool:
        """Yes or no."""
        given = self._given(name)
        if given is None or isinstance(given, bool):
            return known if given is None else given
        self.complaints.add(f"{name} must be true or false")
        return known


def whole_units(name: str, given: object, token: Token) -> int:
    """Smallest units of a token, in no more places than payers type; raises `InvalidInput`."""
    units = parse_units(name, given)
    if token.decimals > MOST_PLACES and units % 10 ** (token.decimals - MOST_PLACES):
        raise InvalidInput(f"{name} has more than {MOST_PLACES} decimal places")
    return units
