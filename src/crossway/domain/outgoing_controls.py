"""The operator's controls on money sent by hand: the address book, and daily caps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

WINDOW: Final = timedelta(hours=24)
"""A daily cap is on what was sent in the 24 hours before, whatever day it is."""


@dataclass(frozen=True, slots=True)
class NewAddress:
    """An address on a chain that money may be sent to by hand from `usable_at` on; `name` is what
    people call it."""

    chain: str
    address: str
    name: str
    added_by: str
    added_at: datetime
    usable_at: datetime


@dataclass(frozen=True, slots=True)
class BookedAddress:
    """An entry of the address book; one that was removed is kept for the record."""

    id: int
    chain: str
    address: str
    name: str
    added_by: str
    added_at: datetime
    usable_at: datetime
    removed_at: datetime | None
    removed_by: str

    def is_usable(self, now: datetime) -> bool:
        """Whether money may be sent there now."""
        return self.removed_at is None and now >= self.usable_at


@dataclass(frozen=True, slots=True)
class TransferCap:
    """The most of a token that is sent by hand on a chain within a day, in its smallest units."""

    chain: str
    token: str
    amount: int
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ManualTransfer:
    """What a person had sent, in the token's smallest units; `subject` is such as `intent:12`."""

    chain: str
    token: str
    amount: int
    by: str
    at: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class CapRoom:
    """What a cap leaves: `left` now, and when an amount fits; None where it never does."""

    left: int
    fits_at: datetime | None


def find_room(cap: int, sent: Sequence[ManualTransfer], amount: int, now: datetime) -> CapRoom:
    """What a cap leaves for an amount, after what was sent within the window, in any order."""
    recent = sorted((t for t in sent if t.at > now - WINDOW), key=lambda t: t.at)
    used = sum(t.amount for t in recent)
    left = max(0, cap - used)
    if amount > cap:
        return CapRoom(left, None)
    fits_at = now
    for transfer in recent:
        if used + amount <= cap:
            break
        used -= transfer.amount
        fits_at = transfer.at + WINDOW
    return CapRoom(left, fits_at)
