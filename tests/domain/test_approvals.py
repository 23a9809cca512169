"""The transition table of approvals, and when their time is over."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from crossway.domain.approvals import (
    APPROVAL_TRANSITIONS,
    OPEN_STATES,
    Actor,
    Approval,
    ApprovalEvent,
    ApprovalKind,
    ApprovalState,
    advance_approval,
)
from crossway.domain.errors import InvalidTransition

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ADA, BOB, NOBODY = Actor("Ada", "staff:1"), Actor("Bob", "staff:2"), Actor("", "")
ASKED = Approval(
    1, ApprovalKind.STOP_RELEASE, "stopped:signing", {}, None, ApprovalState.REQUESTED,
    ADA, NOW, NOW + timedelta(hours=1), NOBODY, None, "",
)  # fmt: skip
MISSING = [
    pair for pair in product(ApprovalState, ApprovalEvent) if pair not in APPROVAL_TRANSITIONS
]


@pytest.mark.parametrize(("state", "event"), MISSING, ids=str)
def test_an_event_without_a_transition_is_rejected(
    state: ApprovalState, event: ApprovalEvent
) -> None:
    sentence = f"{event} cannot happen to an approval that is {state}"
    with pytest.raises(InvalidTransition, match=sentence):
        advance_approval(state, event)


def test_what_ended_is_never_opened_again() -> None:
    assert {state for state, _ in APPROVAL_TRANSITIONS} == OPEN_STATES
    assert {ApprovalState.REQUESTED, ApprovalState.APPROVED} == OPEN_STATES


def test_nothing_is_carried_out_that_was_not_approved() -> None:
    before = {s for (s, event), new in APPROVAL_TRANSITIONS.items() if new == "CARRIED_OUT"}
    assert before == {ApprovalState.APPROVED}
    approving = {s for s, event in APPROVAL_TRANSITIONS if event is ApprovalEvent.APPROVE}
    assert approving == {ApprovalState.REQUESTED}


def test_carrying_out_keeps_who_agreed() -> None:
    agreed = ASKED.after(ApprovalEvent.APPROVE, BOB, NOW)
    done = agreed.after(ApprovalEvent.CARRY_OUT, ADA, NOW + timedelta(minutes=1))
    assert (done.state, done.decided_by, done.decided_at) == ("CARRIED_OUT", BOB, NOW)


def test_its_time_is_over_at_its_end_and_only_while_it_is_open() -> None:
    assert not ASKED.is_overdue(ASKED.expires_at - timedelta(microseconds=1))
    assert ASKED.is_overdue(ASKED.expires_at)
    ended = replace(ASKED, state=ApprovalState.DECLINED)
    assert not ended.is_overdue(ASKED.expires_at)
