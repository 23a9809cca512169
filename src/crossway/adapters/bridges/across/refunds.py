"""Which of our deposits a pool gave back by which transaction: it adds up what it owes to one
account, and names no deposit."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Final

from crossway.adapters.bridges.across.relays import Relay

MOST_TOGETHER: Final = 10
"""Of so many deposits, each sum is tried."""


@dataclass(frozen=True, slots=True)
class Refund:
    """What a pool gave back of a token in one final transaction, in units, and when: `place` is the
    height of its block and its place there."""

    tx_id: str
    token: str
    units: int
    at: datetime
    place: tuple[int, int]


def assign_refunds(
    deposits: Collection[Relay], refunds: Collection[Refund]
) -> Mapping[int, Refund]:
    """By the number of the deposit, the refund of which it is a part. `deposits` are all of one
    token that nobody filled in time. What was assigned stays so whatever is given back later, and
    is the same for everybody who knows the same deposits."""
    waiting = sorted(deposits, key=lambda one: (one.fill_deadline, one.deposit_id))
    found: dict[int, Refund] = {}
    for refund in sorted(refunds, key=lambda one: one.place):
        expired = [one for one in waiting if one.deadline < refund.at]
        parts = _find_parts(expired, refund.units)
        found |= {part.deposit_id: refund for part in parts}
        waiting = [one for one in waiting if one.deposit_id not in found]
    return found


def _find_parts(expired: Sequence[Relay], units: int) -> Sequence[Relay]:
    """The fewest deposits of which these are exactly the units; where there are none, what it
    suffices for, the earliest deadlines first: a stranger may have deposited for us, too."""
    earliest = expired[:MOST_TOGETHER]
    for count in range(1, len(earliest) + 1):
        for parts in combinations(earliest, count):
            if sum(part.input_amount for part in parts) == units:
                return parts
    covered = []
    for deposit in expired:
        if deposit.input_amount <= units:
            units -= deposit.input_amount
            covered.append(deposit)
    return covered
