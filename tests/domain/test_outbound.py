"""The transition table of outbound transactions and their retry backoff."""

from itertools import product

import pytest

from crossway.domain.errors import InvalidTransition
from crossway.domain.outbound import (
    OPEN_STATES,
    OUTBOUND_TX_TRANSITIONS,
    OutboundTxEvent,
    OutboundTxState,
    advance_outbound_tx,
    backoff_seconds,
)

MISSING = [
    pair
    for pair in product(OutboundTxState, OutboundTxEvent)
    if pair not in OUTBOUND_TX_TRANSITIONS
]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_without_a_transition_is_rejected(
    state: OutboundTxState, event: OutboundTxEvent
) -> None:
    with pytest.raises(
        InvalidTransition, match=f"{event} cannot happen to an outbound transaction that is {state}"
    ):
        advance_outbound_tx(state, event)


@pytest.mark.parametrize(("state", "event"), list(OUTBOUND_TX_TRANSITIONS), ids=str)
def test_every_transition_leads_to_its_state(
    state: OutboundTxState, event: OutboundTxEvent
) -> None:
    assert advance_outbound_tx(state, event) is OUTBOUND_TX_TRANSITIONS[state, event]


def test_final_states_have_no_transitions() -> None:
    assert not [state for state, _ in OUTBOUND_TX_TRANSITIONS if state is OutboundTxState.FINAL]


def test_only_signed_transactions_are_confirmed() -> None:
    confirming = {s for s, event in OUTBOUND_TX_TRANSITIONS if event is OutboundTxEvent.CONFIRM}
    assert confirming == {OutboundTxState.SIGNED}


def test_a_signed_transaction_is_never_cancelled() -> None:
    cancelled = {s for s, event in OUTBOUND_TX_TRANSITIONS if event is OutboundTxEvent.CANCEL}
    assert cancelled == {OutboundTxState.DUE, OutboundTxState.FAILED}
    assert {OutboundTxState.DUE, OutboundTxState.SIGNED} == OPEN_STATES


def test_the_backoff_doubles_up_to_five_minutes() -> None:
    waits = [backoff_seconds(tries) for tries in range(1, 13)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
