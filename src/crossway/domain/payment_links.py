"""Payment links: amounts, uses and reservations, expiry and accepted sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from crossway.domain.intent import State

# Payers may enter this many decimal places; every supported token has at least as many.
MAX_DECIMAL_PLACES = 6
# Open unpaid payments of a link beside two for each paid one.
MAX_RESERVED = 1_000
# From one network address, beside two for each payment that was paid from it lately.
_UNPAID_PER_ADDRESS, _MIN_UNPAID_PER_ADDRESS, _PART_OF_USES = 20, 2, 4
_UNPAID_PER_PAID: Final = 2
# Payments live at most a day, and expire soon after.
LONGEST_OPEN: Final = timedelta(days=1, hours=1)
PAID_STATES: Final = frozenset({State.FUNDED, State.INITIATED, State.COMPLETED, State.FAILED})


class ClosedReason(StrEnum):
    """Why a payment link is closed. IN_USE: open payments reserve all uses that are left."""

    OFF = "off"
    OVER = "over"
    USED_UP = "used_up"
    IN_USE = "in_use"


@dataclass(frozen=True, slots=True)
class PaymentLink:
    """A link that many payers can use, each creating an intent.

    Amounts are in smallest units of `token_out`: `amount` is fixed for everybody, or None to let
    payers choose between `min_amount` and `max_amount` (None: no limit). `source_chains` and
    `source_tokens` (symbols) restrict what payers may pay with; empty means any. `max_uses` is how
    many payments may be paid, `uses` how many were, and `reserved` how many are open and unpaid.
    """

    id: str
    client_id: str
    mode: str
    title: str
    description: str
    amount: int | None
    min_amount: int | None
    max_amount: int | None
    destination_chain: str
    token_out: str
    recipient: str
    source_chains: tuple[str, ...]
    source_tokens: tuple[str, ...]
    reference: str
    metadata: Mapping[str, Any]
    max_uses: int | None
    uses: int
    expires_at: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime
    reserved: int = 0

    def closed_reason(self, now: datetime) -> ClosedReason | None:
        """Why the link is closed, or None while it is open."""
        if not self.active:
            return ClosedReason.OFF
        if self.expires_at is not None and self.expires_at <= now:
            return ClosedReason.OVER
        if self.max_uses is not None and self.uses >= self.max_uses:
            return ClosedReason.USED_UP
        if self.max_uses is not None and self.uses + self.reserved >= self.max_uses:
            return ClosedReason.IN_USE
        if self.reserved >= MAX_RESERVED + _UNPAID_PER_PAID * self.uses:
            return ClosedReason.IN_USE
        return None

    def max_unpaid(self, paid: int) -> int:
        """How many unpaid payments one network address may have that paid `paid` lately: few where
        uses are few, as they are reserved meanwhile."""
        most = _UNPAID_PER_ADDRESS
        if self.max_uses is not None:
            most = max(_MIN_UNPAID_PER_ADDRESS, min(most, self.max_uses // _PART_OF_USES))
        return most + _UNPAID_PER_PAID * paid

    def accepts_amount(self, units: int) -> bool:
        """Whether a payer may pay this amount."""
        if self.amount is not None:
            return units == self.amount
        minimum = max(self.min_amount or 0, 1)
        return minimum <= units and (self.max_amount is None or units <= self.max_amount)

    def accepts_source(self, chain: str, symbol: str) -> bool:
        """Whether a payer may pay with this token on this chain."""
        accepts_chain = not self.source_chains or chain in self.source_chains
        return accepts_chain and (not self.source_tokens or symbol in self.source_tokens)


@dataclass(frozen=True, slots=True)
class LinkUse:
    """One submitted payment form and the intent it created; `nonce` identifies the form, `payer`
    is a keyed digest of the network address that it came from."""

    id: int
    link_id: str
    nonce: str
    intent_id: int
    at: datetime
    payer: str = ""


@dataclass(frozen=True, slots=True)
class PayerUses:
    """The payments of one network address on one link in a period: `paid`, `open` (unpaid so far)
    and `lapsed` (ended unpaid)."""

    paid: int
    open: int
    lapsed: int


def count_use(state: State | None) -> tuple[int, int]:
    """What a payment in a state counts for its link: uses and reservations. One that ended unpaid,
    or went back, counts for neither."""
    return int(state in PAID_STATES), int(state is State.PENDING)
