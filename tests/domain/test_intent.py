"""The transition table of intents: what it allows and what it rejects."""

from itertools import product

import pytest

from crossway.domain.errors import InvalidTransition
from crossway.domain.funding_level import FundingLevel, compare_funding
from crossway.domain.intent import (
    CREATE_VOCABULARY,
    FINAL_STATES,
    READ_VOCABULARY,
    TRANSITIONS,
    IntentEvent,
    State,
    Transition,
    advance,
)
from crossway.domain.outbound import OutboundTxKind

PAIRS = list(product(State, IntentEvent))
MISSING = [pair for pair in PAIRS if pair not in TRANSITIONS]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_without_a_transition_is_rejected(state: State, event: IntentEvent) -> None:
    with pytest.raises(
        InvalidTransition, match=f"{event} cannot happen to an intent that is {state}"
    ):
        advance(state, event)


@pytest.mark.parametrize(("state", "event"), list(TRANSITIONS), ids=str)
def test_every_transition_leads_to_its_state(state: State, event: IntentEvent) -> None:
    assert advance(state, event) is TRANSITIONS[state, event]


def test_the_transition_table_is_immutable() -> None:
    with pytest.raises(TypeError):
        TRANSITIONS[State.PENDING, IntentEvent.FILLED] = Transition(State.FUNDED)  # type: ignore[index]


def test_every_state_is_reachable_from_pending() -> None:
    reached, before = {State.PENDING}, set[State]()
    while reached != before:
        before = set(reached)
        reached |= {move.to for (state, _), move in TRANSITIONS.items() if state in before}
    assert reached == set(State)


def test_every_state_change_emits_an_event() -> None:
    silent = [
        (state, event)
        for (state, event), move in TRANSITIONS.items()
        if move.to is not state and move.event_type is None
    ]
    assert silent == []


def test_ledger_only_changes_no_state_and_enqueues_nothing() -> None:
    for state in State:
        move = advance(state, IntentEvent.LEDGER_ONLY)
        assert (move.to, move.event_type, move.outbound) == (state, None, ())


def test_a_payment_is_filled_only_after_it_was_started() -> None:
    filling = {
        event for (_, event), move in TRANSITIONS.items() if OutboundTxKind.FILL in move.outbound
    }
    assert filling == {IntentEvent.STARTED}
    assert {state for state, event in TRANSITIONS if event is IntentEvent.FILLED} == {
        State.INITIATED
    }


def test_refunds_are_enqueued_only_where_nothing_is_paid_out() -> None:
    refunding = {move.to for move in TRANSITIONS.values() if OutboundTxKind.REFUND in move.outbound}
    assert refunding == {State.EXPIRED, State.FAILED}


def test_both_vocabularies_cover_every_state() -> None:
    assert set(CREATE_VOCABULARY) == set(READ_VOCABULARY) == set(State)
    assert set(CREATE_VOCABULARY.values()) == {"PENDING", "PROCESSING", "COMPLETED", "FAILED"}
    assert {READ_VOCABULARY[state] for state in FINAL_STATES} == {"COMPLETED", "EXPIRED"}


@pytest.mark.parametrize(
    ("received", "level"),
    [
        (0, FundingLevel.SHORT),
        (99, FundingLevel.SHORT),
        (100, FundingLevel.EXACT),
        (101, FundingLevel.OVER),
    ],
)
def test_funding_is_compared_exactly(received: int, level: FundingLevel) -> None:
    assert compare_funding(100, received) is level
