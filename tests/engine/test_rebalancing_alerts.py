"""Alerts about rebalancing transfers lead to these, and end as others do."""

from pathlib import Path

from crossway.dashboard.views.incidents import next_step
from crossway.domain.rebalancing import RebalancingState
from crossway.usecases.operating import incidents
from tests.engine.rebalancing_world import TRANSFER, USDC, RebalancingWorld, planned


def test_a_refusal_is_told_for_an_hour_and_stops_nothing(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    refused = world.start(planned(TRANSFER, most=1_000_799_999))
    world.wait_ended(refused)
    # Every pass of the engine looks at it anew.
    world.pass_time(30)
    (alert,) = world.alerts("funding_refused")
    (group,) = incidents.list_alert_groups(world.services, world.operator)
    (context,) = group.contexts
    assert (context.alert.key, context.rebalancing_id) == (alert.key, refused.id)
    step = next_step(context)
    assert step.href == f"rebalancing?id={refused.id}"
    assert f"rebalancing #{refused.id}" in step.label
    other = world.start(planned(TRANSFER, amount=500 * USDC))
    world.wait_ended(other)
    assert world.stored(other).state is RebalancingState.ARRIVED
    world.pass_time(3_600, 30)
    assert world.alerts("funding_refused") == []


def test_an_alert_about_one_that_is_overdue_ends_when_it_arrives(tmp_path: Path) -> None:
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_faults("RHINOFI", late_seconds=900)
    transfer = world.start(planned(TRANSFER))
    end = world.machine.seconds + 600
    while not world.alerts("funding_overdue"):
        assert world.machine.seconds < end
        world.pass_time(5)
    world.wait_ended(transfer, within=1_200)
    world.pass_time(10)
    assert world.alerts("funding_overdue") == []
