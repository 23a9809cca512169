"""Payment links: what payers are asked for, how often and until when, and how they may pay it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

# A payer types no more places, and every token that is worth asking for has as many.
MOST_PLACES = 6


class Closed(StrEnum):
    """Why nobody can pay by a link any more."""

    OFF = "off"
    OVER = "over"
    USED_UP = "used_up"


@dataclass(frozen=True, slots=True)
class PaymentLink:
    """One link that many may pay by, each with an intent of its own.

    Amounts are in the smallest unit of `token_out`: `amount_units` is asked of everybody, or is
    None, and then each payer chooses, within `least_units` and `most_units` where they are set.
    `source_chains` and `source_tokens` (symbols) are what payers may choose from; none means any.
    `most_uses` is how many intents it may make, `uses` how many it has made.
    """

    id: str
    client_id: str
    mode: str
    title: str
    description: str
    amount_units: int | None
    least_units: int | None
    most_units: int | None
    destination_chain: str
    token_out: str
    recipient: str
    source_chains: tuple[str, ...]
    source_tokens: tuple[str, ...]
    reference: str
    metadata: Mapping[str, Any]
    most_uses: int | None
    uses: int
    expires_at: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime

    def closed(self, now: datetime) -> Closed | None:
        """Why it takes no payment now; None when it does."""
        if not self.active:
            return Closed.OFF
        if self.expires_at is not None and self.expires_at <= now:
            return Closed.OVER
        if self.most_uses is not None and self.uses >= self.most_uses:
            return Closed.USED_UP
        return None

    def takes(self, units: int) -> bool:
        """Whether a payer may pay this much."""
        if self.amount_units is not None:
            return units == self.amount_units
        least = max(self.least_units or 0, 1)
        return least <= units and (self.most_units is None or units <= self.most_units)

    def allows(self, chain: str, symbol: str) -> bool:
        """Whether a payer may pay with this token on this chain."""
        from_there = not self.source_chains or chain in self.source_chains
        return from_there and (not self.source_tokens or symbol in self.source_tokens)


@dataclass(frozen=True, slots=True)
class LinkUse:
    """One payer's form and the intent that it became; `nonce` names the form."""

    id: int
    link_id: str
    nonce: str
    intent_id: int
    at: datetime
