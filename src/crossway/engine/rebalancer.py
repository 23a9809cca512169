"""Rebalances inventory by policy: plans now and then, and starts what is planned."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.domain.errors import InvalidStatus
from crossway.domain.rebalancing import (
    OPEN_REBALANCING_STATES,
    RebalancingMode,
    RebalancingPlan,
)
from crossway.domain.rebalancing_needs import DECLINED_FOR, PlanInputs
from crossway.domain.rebalancing_planner import plan_rebalancing
from crossway.engine.alerts import TaskHealth
from crossway.engine.rebalancing_alerts import update_unserved_alerts
from crossway.engine.serial_worker import SerialWorker
from crossway.engine.unreachable_transfers import end_unreachable
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.rebalancing_inputs import read_inputs
from crossway.usecases.money.rebalancing_transfers import lapse_overdue, lock_transfers, place

INTERVAL: Final = timedelta(seconds=30)
HANG_SECONDS: Final = 120.0
LEASE: Final = "rebalancing"
LEASE_SECONDS: Final = 60
_TASK: Final = 1


class Rebalancer:
    """Plans at intervals while rebalancing is automatic, in a thread of its own, as it asks all
    chains and bridges. Of several engines, the one with the lease does; should two plan at once,
    only the plan that is stored first is."""

    def __init__(self, services: Services, owner: str) -> None:
        self._services, self._owner = services, owner
        self._worker = SerialWorker(LEASE, TaskHealth(services, LEASE))
        self._looked_at: datetime | None = None
        self._had_work = True

    def check(self, in_background: bool) -> int:
        """Plan if that is due, here or `in_background`; returns how many transfers it placed."""
        services, now = self._services, self._services.clock.now()
        self._worker.report_hanging(HANG_SECONDS)
        if self._looked_at is not None and abs(now - self._looked_at) < INTERVAL:
            return 0
        self._looked_at = now
        if not (self._has_work() and self._has_lease()):
            return 0
        if not in_background:
            return run_pass(services)
        if self._worker.without_pending([_TASK]):
            self._worker.enqueue([_TASK], partial(run_pass, services))
        return 0

    def stop(self) -> None:
        """End the thread, without waiting for a service that hangs."""
        self._worker.stop()

    def _has_work(self) -> bool:
        """Whether transfers are placed or wait for a person. Once after that has ended, too: what
        was told of it does not apply any more."""
        had_work = self._had_work
        with self._services.store.read() as unit:
            is_automatic = unit.rebalancing.get_settings().mode is RebalancingMode.AUTOMATIC
            self._had_work = is_automatic or bool(unit.rebalancing.list_open())
        return had_work or self._had_work

    def _has_lease(self) -> bool:
        """Whether this engine is the one that plans."""

        def work(unit: UnitOfWork) -> bool:
            return bool(unit.leases.acquire([LEASE], self._owner, LEASE_SECONDS, 1))

        return self._services.store.write(work)


def run_pass(services: Services) -> int:
    """End what nobody approves or can begin, and, while rebalancing is automatic, place what a plan
    of now wants; returns how many transfers those are."""
    lapsed = lapse_overdue(services) + end_unreachable(services)
    with services.store.read() as unit:
        mode = unit.rebalancing.get_settings().mode
    if mode is not RebalancingMode.AUTOMATIC:
        update_unserved_alerts(services, ())
        return lapsed
    inputs = read_inputs(services)
    plan = plan_rebalancing(inputs)
    services.process.failpoint("rebalancing-planned")
    placed = 0
    if plan.transfers:
        placed = services.store.write(lambda unit: _place_all(unit, services, inputs, plan))
        services.process.failpoint("rebalancing-placed")
        services.process.wake()
    update_unserved_alerts(services, plan.unserved)
    return lapsed + placed


def _place_all(
    unit: UnitOfWork, services: Services, inputs: PlanInputs, plan: RebalancingPlan
) -> int:
    """Place the transfers of a plan, unless something else has been decided since it was made."""
    lock_transfers(unit)
    if _is_outdated(unit, services.clock.now(), inputs):
        return 0
    placed = 0
    for planned in plan.transfers:
        try:
            place(unit, services, planned)
        except InvalidStatus:
            continue
        placed += 1
    return placed


def _is_outdated(unit: UnitOfWork, now: datetime, inputs: PlanInputs) -> bool:
    """Whether a plan is old, or settings or transfers have changed since it was made, also where a
    transfer has come and ended. By ids, as two engines' clocks may differ."""
    known = {t.id for t in inputs.recent}
    were_open = {t.id for t in inputs.recent if t.state in OPEN_REBALANCING_STATES}
    newer = [
        newest
        for newest in unit.rebalancing.list_page(1)
        if newest.id not in known and newest.created_at >= inputs.now - DECLINED_FOR
    ]
    return (
        now - inputs.now > timedelta(seconds=LEASE_SECONDS)
        or unit.rebalancing.get_settings() != inputs.settings
        or {transfer.id for transfer in unit.rebalancing.list_open()} != were_open
        or bool(newer)
    )
