"""The transition table of approvals, and when their time is over."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from crossway.domain.approvals import (
    APPROVAL_TRANSITIONS,
    Actor,
    Approval,
    ApprovalEvent,
    ApprovalKind,
    ApprovalState,
    advance_approval,
)
from crossway.domain.errors import InvalidTransition

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ADA, NOBODY = Actor("Ada", "staff:1"), Actor("", "")
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


def test_only_what_waits_is_decided_and_agreeing_carries_it_out() -> None:
    assert {state for state, _ in APPROVAL_TRANSITIONS} == {ApprovalState.REQUESTED}
    carrying_out = {event for (_, event), s in APPROVAL_TRANSITIONS.items() if s == "CARRIED_OUT"}
    assert carrying_out == {ApprovalEvent.APPROVE}


def test_its_time_is_over_at_its_end_and_only_while_it_is_open() -> None:
    assert not ASKED.is_overdue(ASKED.expires_at - timedelta(microseconds=1))
    assert ASKED.is_overdue(ASKED.expires_at)
    ended = replace(ASKED, state=ApprovalState.DECLINED)
    assert not ended.is_overdue(ASKED.expires_at)
