"""The table of an intent's moves: what it allows, and that it refuses everything else."""

from itertools import product

import pytest

from crossway.domain.errors import IllegalMove
from crossway.domain.intent import (
    CREATE_VOCABULARY,
    ENDED,
    READ_VOCABULARY,
    TRANSITIONS,
    Event,
    State,
    Weight,
    advance,
    weigh,
)
from crossway.domain.transfers import Duty

PAIRS = list(product(State, Event))
MISSING = [pair for pair in PAIRS if pair not in TRANSITIONS]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_that_the_table_lacks_is_refused(state: State, event: Event) -> None:
    with pytest.raises(IllegalMove, match=f"{event} cannot happen to an intent that is {state}"):
        advance(state, event)


@pytest.mark.parametrize(("state", "event"), list(TRANSITIONS), ids=str)
def test_an_event_in_the_table_leads_where_it_says(state: State, event: Event) -> None:
    assert advance(state, event) is TRANSITIONS[state, event]


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        TRANSITIONS[State.PENDING, Event.FILLED] = TRANSITIONS[State.PENDING, Event.STARTED]  # type: ignore[index]


def test_every_state_is_reached_from_pending() -> None:
    reached, before = {State.PENDING}, set[State]()
    while reached != before:
        before = set(reached)
        reached |= {move.to for (state, _), move in TRANSITIONS.items() if state in before}
    assert reached == set(State)


def test_a_new_state_is_always_announced() -> None:
    silent = [
        (state, event)
        for (state, event), move in TRANSITIONS.items()
        if move.to is not state and move.tells is None
    ]
    assert silent == []


def test_booking_money_never_changes_a_state_and_owes_nothing() -> None:
    for state in State:
        move = advance(state, Event.BOOKED)
        assert (move.to, move.tells, move.duties) == (state, None, ())


def test_a_payment_is_filled_only_after_it_was_started() -> None:
    filling = {event for (_, event), move in TRANSITIONS.items() if Duty.FILL in move.duties}
    assert filling == {Event.STARTED}
    assert {state for state, event in TRANSITIONS if event is Event.FILLED} == {State.INITIATED}


def test_money_goes_back_only_where_nothing_is_to_be_filled() -> None:
    refunding = {move.to for move in TRANSITIONS.values() if Duty.REFUND in move.duties}
    assert refunding == {State.EXPIRED, State.FAILED}


def test_both_vocabularies_know_every_state() -> None:
    assert set(CREATE_VOCABULARY) == set(READ_VOCABULARY) == set(State)
    assert set(CREATE_VOCABULARY.values()) == {"PENDING", "PROCESSING", "COMPLETED", "FAILED"}
    assert {READ_VOCABULARY[state] for state in ENDED} == {"COMPLETED", "EXPIRED"}


@pytest.mark.parametrize(
    ("received", "weight"),
    [(0, Weight.SHORT), (99, Weight.SHORT), (100, Weight.EXACT), (101, Weight.OVER)],
)
def test_what_came_in_is_weighed_to_the_unit(received: int, weight: Weight) -> None:
    assert weigh(100, received) is weight
