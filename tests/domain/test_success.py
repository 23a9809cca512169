"""Success counts every funded payment that has ended, whatever happened to its money."""

import random

import pytest

from crossway.domain.corridor_stats import Outcome
from crossway.domain.intent import FINAL_STATES, TRANSITIONS, IntentEvent, State
from crossway.domain.payment_outcome import StateChange, find_outcome
from crossway.domain.success import follow_outcome, success_rate

P, F, N, C, E, R, X = State
PAID, FAILED = Outcome.PAID, Outcome.FAILED


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ([P], None),
        ([P, F, N], None),
        ([P, F, N, C], PAID),
        ([P, F, E], FAILED),
        ([P, F, E, R], FAILED),
        ([P, F, N, X], FAILED),
        ([P, F, N, X, R], FAILED),
        # Never funded: nobody paid, or too little, or too late.
        ([P, E], None),
        ([P, E, R], None),
        # A reorg took the deposit back, or the payout, or the refund.
        ([P, F, P, E, R], None),
        ([P, F, N, C, N], None),
        ([P, F, E, R, E], FAILED),
        ([P, E, R, E], None),
        # Parked for the recipient, then released, then reorganised.
        ([P, F, N, X, C], PAID),
        ([P, F, N, X, C, X], FAILED),
        ([P, F, N, X, N, C], PAID),
        # Restored books learn that it was started in time.
        ([P, E, N, C], PAID),
    ],
)
def test_a_payment_counts_by_whether_it_was_funded_and_paid(
    path: list[State], expected: Outcome | None
) -> None:
    outcome, previous = None, None
    for state in path:
        outcome, previous = follow_outcome(outcome, previous, state), state
    assert outcome is expected


def test_no_rate_without_payments_and_none_of_100_percent_beside_a_failure() -> None:
    assert success_rate(0, 0) is None
    assert success_rate(3, 1) == 0.75
    assert success_rate(0, 2) == 0
    assert (success_rate(99_999, 1) or 1) < 1


@pytest.mark.parametrize("seed", range(200))
def test_it_agrees_with_how_far_the_figures_say_that_a_payment_got(seed: int) -> None:
    choose, state, outcome = random.Random(seed), State.PENDING, None
    changes: list[StateChange] = []
    for at in range(12):
        events = [event for of, event in TRANSITIONS if of is state]
        event: IntentEvent = choose.choice(events)
        after = TRANSITIONS[state, event].to
        changes.append(StateChange(at, event, state, after))
        outcome, state = follow_outcome(outcome, state, after), after
        figures = find_outcome(state, 0, False, changes)
        assert (outcome is not None) == (state in FINAL_STATES and figures.deposited)
        assert (outcome is PAID) == (state is State.COMPLETED)
