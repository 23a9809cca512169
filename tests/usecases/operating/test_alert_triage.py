"""Assigning and snoozing alerts: who may be asked, and what leaves the strip and comes back."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Role
from crossway.domain.staff import StaffMember
from crossway.engine.housekeeping import update_alerts
from crossway.ports.records import Alert
from crossway.usecases.operating import alert_triage, alerts
from tests.usecases.ramp_world import RampWorld

KEY = "outside:1"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    """A service with one active alert that nothing resolves by itself."""
    built = RampWorld(f"sqlite:///{tmp_path / 'world.db'}")
    now = built.services.clock.now()
    alert = Alert(KEY, "outside", "BASE_MAINNET", "Somebody else sent it.", now, now, None)
    built.store.write(lambda unit: unit.alerts.raise_alert(alert))
    yield built
    built.store.close()


def ann() -> Principal:
    return staff_principal("Ann", Role.OPERATOR)


def add_member(world: RampWorld, name: str, role: Role, disabled: bool = False) -> None:
    now = world.services.clock.now()
    member = StaffMember(0, name, role, now)

    def work(unit: Any) -> None:
        added = unit.staff.add(member, None)
        if disabled:
            unit.staff.update(replace(added, disabled_at=now))

    world.store.write(work)


def active(world: RampWorld) -> Alert:
    [alert] = alerts.list_active_alerts(world.services, ann())
    return alert


def in_strip(world: RampWorld) -> tuple[int, int, int]:
    found = alerts.list_active_alerts(world.services, ann())
    summary = alerts.summarize_alerts(found, world.services.clock.now())
    return sum(summary.counts.values()), summary.acknowledged, summary.snoozed


def audited(world: RampWorld) -> list[tuple[str, Any]]:
    with world.store.read() as unit:
        return [(action, detail) for _, _, action, detail in unit.audit_log.list_recent(10)]


def test_an_alert_is_assigned_to_staff_who_may_work_on_it(world: RampWorld) -> None:
    add_member(world, "Zoe", Role.ADMIN)
    add_member(world, "Bea", Role.OPERATOR)
    add_member(world, "Vic", Role.VIEWER)
    add_member(world, "Old", Role.ADMIN, disabled=True)
    assert alert_triage.list_assignees(world.services, ann()) == ["Ann", "Bea", "Zoe"]
    for name in ("Vic", "Old", "bea", "Nobody"):
        with pytest.raises(InvalidInput, match="member of staff"):
            alert_triage.assign_alerts(world.services, ann(), [KEY], name)
    assert alert_triage.assign_alerts(world.services, ann(), [KEY, "unknown"], "Bea") == 1
    assert alert_triage.assign_alerts(world.services, ann(), [KEY], "Bea") == 0
    assert active(world).owner == "Bea"
    assert in_strip(world) == (1, 0, 0), "it stays there until it is acknowledged"
    alerts.acknowledge_alerts(world.services, ann(), [KEY], "")
    assert active(world).owner == "Bea"
    assert alert_triage.assign_alerts(world.services, ann(), [KEY], "") == 1
    assert active(world).owner == "Ann"
    assigned = [detail for action, detail in audited(world) if action == "alerts assigned"]
    assert sorted(detail["to"] for detail in assigned) == ["Bea", "nobody"]


def test_a_snoozed_alert_leaves_the_strip_and_comes_back_by_the_clock(world: RampWorld) -> None:
    until = world.services.clock.now() + timedelta(hours=1)
    assert alert_triage.snooze_alerts(world.services, ann(), [KEY], until) == 1
    assert in_strip(world) == (0, 0, 1)
    world.pass_time(3_599, 3_599)
    assert in_strip(world) == (0, 0, 1)
    world.pass_time(1, 1)
    assert in_strip(world) == (1, 0, 0), "readers go by the clock, whatever the engine does"
    assert update_alerts(world.services, {}) == 1
    assert active(world).snoozed_until is None
    assert ("alerts snoozed", {"alerts": [KEY], "to": until.isoformat()}) in audited(world)


def test_a_snooze_can_be_ended_and_has_limits(world: RampWorld) -> None:
    now = world.services.clock.now()
    for until in (now, now - timedelta(hours=1), now + timedelta(days=30, seconds=1)):
        with pytest.raises(InvalidInput, match="30 days"):
            alert_triage.snooze_alerts(world.services, ann(), [KEY], until)
    assert alert_triage.end_snooze(world.services, ann(), [KEY]) == 0
    alert_triage.snooze_alerts(world.services, ann(), [KEY], now + timedelta(days=30))
    assert alert_triage.end_snooze(world.services, ann(), [KEY]) == 1
    assert in_strip(world) == (1, 0, 0)
    assert ("snooze ended", {"alerts": [KEY]}) in audited(world)
