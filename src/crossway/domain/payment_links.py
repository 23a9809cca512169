"""Payment links: amounts, usage limits, expiry and accepted sources."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

# Payers may enter this many decimal places; every supported token has at least as many.
MAX_DECIMAL_PLACES = 6


class ClosedReason(StrEnum):
    """Why a payment link is closed."""

    OFF = "off"
    OVER = "over"
    USED_UP = "used_up"


@dataclass(frozen=True, slots=True)
class PaymentLink:
    """A link that many payers can use, each creating an intent.

    Amounts are in smallest units of `token_out`: `amount` is fixed for everybody, or None to let
    payers choose between `min_amount` and `max_amount` (None: no limit). `source_chains` and
    `source_tokens` (symbols) restrict what payers may pay with; empty means any. `max_uses` is how
    many intents it may create, `uses` how many it has created.
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

    def closed_reason(self, now: datetime) -> ClosedReason | None:
        """Why the link is closed, or None while it is open."""
        if not self.active:
            return ClosedReason.OFF
        if self.expires_at is not None and self.expires_at <= now:
            return ClosedReason.OVER
        if self.max_uses is not None and self.uses >= self.max_uses:
            return ClosedReason.USED_UP
        return None

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
    """One submitted payment form and the intent it created; `nonce` identifies the form."""

    id: int
    link_id: str
    nonce: str
    intent_id: int
    at: datetime
