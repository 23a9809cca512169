"""What counts as success: which payments that were funded and have ended paid their recipient."""

from typing import Final

from crossway.domain.corridor_stats import Outcome
from crossway.domain.intent import State

SUCCESS_MEANING: Final = (
    "Payments that paid their recipient, of all that were funded and have ended: refunded, expired "
    "and failed ones count, whatever the reason. Payments that were never funded do not."
)
_FUNDED: Final = frozenset({State.FUNDED, State.INITIATED, State.COMPLETED})


def success_rate(paid: int, failed: int) -> float | None:
    """The share of paid payments among those that were funded and have ended; None without."""
    return paid / (paid + failed) if paid + failed else None


def follow_outcome(
    outcome: Outcome | None, from_state: State | None, to_state: State
) -> Outcome | None:
    """How a payment has ended after this transition, and `outcome` before it; None while it is
    open, and where it ended without having been funded."""
    if to_state is from_state or State.REFUNDED in (from_state, to_state):
        return outcome  # Where its money is changes nothing of how it ended.
    if to_state is State.COMPLETED:
        return Outcome.PAID
    has_ended = to_state in (State.EXPIRED, State.FAILED)
    return Outcome.FAILED if has_ended and from_state in _FUNDED else None
