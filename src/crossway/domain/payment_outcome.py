"""How far a payment got, why it ended and how long it took, by its transitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from crossway.domain.analytics import FailureCause
from crossway.domain.corridor_stats import bucket_of
from crossway.domain.intent import IntentEvent, State

_MICROS_PER_SECOND: Final = 1_000_000
_CANCELLED: Final = frozenset({IntentEvent.CANCELLED_EMPTY, IntentEvent.CANCELLED_HOLDING})
_UNPAID: Final = (
    IntentEvent.FILL_REFUSED,
    IntentEvent.FILL_GIVEN_UP,
    IntentEvent.UNFILLED,
    IntentEvent.PARKED,
)
_REACHED: Final = {State.PENDING: 0, State.FUNDED: 1, State.INITIATED: 2, State.COMPLETED: 3}
_ENDED: Final = frozenset({State.EXPIRED, State.REFUNDED, State.FAILED})


class StateChange(NamedTuple):
    """A stored transition; `at` in microseconds since 1970."""

    at: int
    event: str
    from_state: str | None
    to_state: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far a payment got: whether its complete deposit was credited and it was started, without
    what a reorg undid; the cause if it ended unpaid, and the duration bucket if it completed."""

    deposited: bool
    started: bool
    cause: FailureCause | None
    bucket: int | None


def find_outcome(
    state: State, created_at: int, received: bool, changes: Sequence[StateChange]
) -> Outcome:
    """The outcome of a payment in `state` by all its transitions, oldest first. `received` says
    whether anything was credited before it started or ended; times are in microseconds."""
    reached, funded_at, completed_at = 0, created_at, created_at
    cause: FailureCause | None = None
    for change in changes:
        to_state = State(change.to_state)
        if change.from_state == change.to_state:
            if cause is FailureCause.NO_DEPOSIT and change.event == IntentEvent.DEPOSIT_LATE:
                cause = FailureCause.LATE
            continue
        reached = _REACHED.get(to_state, reached)
        if to_state is State.FUNDED and change.from_state == State.PENDING:
            funded_at = change.at
        elif to_state is State.COMPLETED:
            completed_at = change.at
        elif to_state in (State.EXPIRED, State.FAILED) and change.from_state != State.REFUNDED:
            cause = _cause_of(change, received)
    bucket = None
    if state is State.COMPLETED:
        bucket = bucket_of((completed_at - funded_at) / _MICROS_PER_SECOND)
    return Outcome(reached >= 1, reached >= 2, cause if state in _ENDED else None, bucket)


def _cause_of(change: StateChange, received: bool) -> FailureCause:
    """Why a payment ended with this transition."""
    if change.event in _UNPAID:
        return FailureCause.PAYOUT_FAILED
    if change.event in _CANCELLED:
        return FailureCause.CANCELLED
    if change.from_state == State.FUNDED:
        return FailureCause.NOT_STARTED
    return FailureCause.UNDERPAID if received else FailureCause.NO_DEPOSIT
