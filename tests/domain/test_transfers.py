"""The table of a transfer's moves, and how long one waits before the next try."""

from itertools import product

import pytest

from crossway.domain.errors import IllegalMove
from crossway.domain.transfers import (
    OPEN,
    TRANSFER_TRANSITIONS,
    TransferEvent,
    TransferState,
    advance_transfer,
    backoff_seconds,
)

MISSING = [
    pair for pair in product(TransferState, TransferEvent) if pair not in TRANSFER_TRANSITIONS
]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_that_the_table_lacks_is_refused(
    state: TransferState, event: TransferEvent
) -> None:
    with pytest.raises(IllegalMove, match=f"{event} cannot happen to a transfer that is {state}"):
        advance_transfer(state, event)


@pytest.mark.parametrize(("state", "event"), list(TRANSFER_TRANSITIONS), ids=str)
def test_an_event_in_the_table_leads_where_it_says(
    state: TransferState, event: TransferEvent
) -> None:
    assert advance_transfer(state, event) is TRANSFER_TRANSITIONS[state, event]


def test_what_is_final_stays_final() -> None:
    assert not [state for state, _ in TRANSFER_TRANSITIONS if state is TransferState.FINAL]


def test_only_signed_bytes_are_confirmed() -> None:
    confirming = {s for s, event in TRANSFER_TRANSITIONS if event is TransferEvent.CONFIRM}
    assert confirming == {TransferState.SIGNED}


def test_a_signed_transfer_is_never_cancelled() -> None:
    cancelled = {s for s, event in TRANSFER_TRANSITIONS if event is TransferEvent.CANCEL}
    assert cancelled == {TransferState.DUE}
    assert {TransferState.DUE, TransferState.SIGNED} == OPEN


def test_the_wait_doubles_up_to_five_minutes() -> None:
    waits = [backoff_seconds(tries) for tries in range(1, 13)]
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
