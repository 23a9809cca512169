"""The states of a rebalancing transfer, and the hours in which new ones begin."""

from datetime import UTC, datetime, time

import pytest

from crossway.domain.errors import InvalidTransition
from crossway.domain.rebalancing import (
    OPEN_REBALANCING_STATES,
    REBALANCING_TRANSITIONS,
    RebalancingEvent,
    RebalancingSettings,
    RebalancingState,
    advance_rebalancing,
)

S, E = RebalancingState, RebalancingEvent


def test_a_proposal_becomes_a_transfer_once() -> None:
    assert advance_rebalancing(S.PROPOSED, E.APPROVE) is S.STARTED
    for state in RebalancingState:
        if state is not S.PROPOSED:
            with pytest.raises(InvalidTransition):
                advance_rebalancing(state, E.APPROVE)


def test_what_has_ended_stays_so_unless_its_arrival_is_gone() -> None:
    left = {state for state, _ in REBALANCING_TRANSITIONS}
    assert left == OPEN_REBALANCING_STATES | {S.ARRIVED}
    assert [e for s, e in REBALANCING_TRANSITIONS if s is S.ARRIVED] == [E.REVERSE]


@pytest.mark.parametrize(
    ("begins_at", "ends_at", "hour", "is_open"),
    [
        (time(0), time(0), 13, True),
        (time(8), time(17), 8, True),
        (time(8), time(17), 17, False),
        (time(22), time(6), 23, True),
        (time(22), time(6), 5, True),
        (time(22), time(6), 12, False),
    ],
)
def test_hours_may_pass_midnight(begins_at: time, ends_at: time, hour: int, is_open: bool) -> None:
    settings = RebalancingSettings(begins_at=begins_at, ends_at=ends_at)
    assert settings.is_open(datetime(2026, 11, 27, hour, tzinfo=UTC)) is is_open
