"""Advances ramp orders and calls their providers in separate threads."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder, provider_name
from crossway.engine.alerts import TaskHealth, raise_alert
from crossway.engine.fenced_store import LeaseLost
from crossway.engine.serial_worker import SerialWorker
from crossway.engine.sleeper import Sleeper, seconds_until
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.kyc.submission_sync import submit_due
from crossway.usecases.ramp_provider_calls import find_provider
from crossway.usecases.ramps.provider_sync import (
    check_testnet_deposit,
    close_expired,
    poll_orders,
    refresh_order,
    reschedule_unanswered,
    run_command,
)

T = TypeVar("T")
log = logging.getLogger("crossway.engine")

BATCH = 200
# How long other engines leave an order alone after this one has leased it.
LEASE = timedelta(seconds=60)
BUSY_SECONDS, IDLE_SECONDS = 0.02, 0.5
HANG_SECONDS = 60.0
KYC_WORKER = "KYC submissions"


class RampWorker:
    """Advances ramp orders. Several may share a database: an order is leased by one at a time.

    If two work on the same order, a provider may be queried twice but never gets the order twice.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        # At first every provider may have an active alert from an earlier process.
        self._unreachable: set[str] = {provider.name for provider in services.ramps}
        self._workers: dict[str, SerialWorker] = {}
        self._health = TaskHealth(services, "ramp orders")
        self._kyc_health = TaskHealth(services, "KYC submissions")
        self._sleeper = Sleeper(services, IDLE_SECONDS)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run in threads until `stop` is called."""
        if self._services.ramps:
            self._thread = threading.Thread(target=self._run, name="ramps", daemon=True)
            self._thread.start()

    def stop(self, timeout_seconds: float = 10) -> None:
        """Finish the current pass and end, without waiting for a hanging provider."""
        self._stopping.set()
        self._sleeper.wake()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        for worker in self._workers.values():
            worker.stop()

    def wake(self) -> None:
        """Start the next pass at once."""
        self._sleeper.wake()

    def tick(self) -> int:
        """Run one pass in this thread, provider calls included; returns the amount of work done."""
        if not self._services.ramps:
            return 0
        due_by_provider = self._advance_due()
        for name, orders in due_by_provider.items():
            self._call_provider(name, [order.id for order in orders])
        return sum(map(len, due_by_provider.values())) + self._sync_kyc()

    def _run(self) -> None:
        while not self._stopping.is_set():
            seconds = IDLE_SECONDS
            try:
                self._sleeper.begin()
                seconds = BUSY_SECONDS if self._run_pass() else self._seconds_to_next()
                self._health.record_success()
            except Exception as error:
                self._health.record_failure(error)
            self._sleeper.sleep(seconds)

    def _seconds_to_next(self) -> float:
        """How long no order and no KYC submission is due."""
        with self._services.store.read() as unit:
            due_at = unit.due_times.of_ramps()
        return seconds_until(due_at, self._services.clock.now(), IDLE_SECONDS)

    def _run_pass(self) -> int:
        """Run one pass that leaves provider calls to the workers."""
        done = 0
        for name, orders in self._advance_due().items():
            worker = self._worker_for(name)
            ready = worker.without_pending([order.id for order in orders])
            if ready:
                worker.enqueue(ready, partial(self._call_provider, name, ready))
                done += len(ready)
        kyc_worker = self._worker_for(KYC_WORKER)
        if kyc_worker.without_pending([0]):
            kyc_worker.enqueue([0], self._sync_kyc)
        for worker_name, worker in self._workers.items():
            if worker.busy_seconds() > HANG_SECONDS and worker_name not in self._unreachable:
                self._mark_unreachable(worker_name, "gives no answer")
        return done

    def _worker_for(self, name: str) -> SerialWorker:
        if name not in self._workers:
            health = TaskHealth(self._services, f"ramp orders of {name}")
            self._workers[name] = SerialWorker(f"ramps {name}", health)
        return self._workers[name]

    def _advance_due(self) -> Mapping[ProviderName, list[RampOrder]]:
        """Lease and advance due orders; returns those that need a provider call, by provider."""
        services = self._services
        by_provider: dict[ProviderName, list[RampOrder]] = defaultdict(list)
        now = services.clock.now()
        with services.store.read() as unit:
            if not unit.orders.has_due(now):
                return {}
        due = services.store.write(lambda unit: unit.orders.lease_due(now, BATCH, now + LEASE))
        for order in due:
            advanced = self._guarded(
                order.id, partial(refresh_order, services, order.id, now + LEASE)
            )
            if advanced is not None and _needs_provider_call(advanced):
                by_provider[advanced.provider].append(advanced)
        return by_provider

    def _call_provider(self, name: ProviderName, ids: Sequence[int]) -> None:
        """Make all due calls to one provider; the first one without an answer ends the round."""
        services = self._services
        provider = find_provider(services, name)
        try:
            if provider is None:
                raise Unreachable("not configured here")
            for order_id in ids:
                self._run_command(order_id)
            self._fetch_updates(provider, ids)
        except Unreachable as error:
            self._mark_unreachable(name, str(error) or "gives no answer")
            for order_id in ids:
                self._guarded(order_id, partial(reschedule_unanswered, services, order_id))
        else:
            self._mark_reachable(name)

    def _run_command(self, order_id: int) -> None:
        order = self._load_order(order_id)
        if order is not None and order.command is not None:
            self._guarded(order_id, partial(run_command, self._services, order))

    def _fetch_updates(self, provider: RampProvider, ids: Sequence[int]) -> None:
        services = self._services
        orders = [order for i in ids if (order := self._load_order(i)) and _may_have_updates(order)]
        for order in orders:
            self._guarded(order.id, partial(check_testnet_deposit, services, order))
        poll_all = partial(poll_orders, services, provider, orders)
        if orders and self._guarded(orders[0].id, poll_all) is None:
            # One order that fails must not hold back the updates of the others.
            for order in orders:
                self._guarded(order.id, partial(poll_orders, services, provider, [order]))
        now = services.clock.now()
        for order_id in [order.id for order in orders]:
            current = self._load_order(order_id)
            if current is not None and _may_expire(current) and now >= current.expires_at:
                self._guarded(order_id, partial(close_expired, services, current))

    def _load_order(self, order_id: int) -> RampOrder | None:
        with self._services.store.read() as unit:
            return unit.orders.get(order_id)

    def _sync_kyc(self) -> int:
        try:
            done = submit_due(self._services)
            self._kyc_health.record_success()
        except Exception as error:
            self._kyc_health.record_failure(error)
            return 0
        return done

    def _guarded(self, order_id: int, work: Callable[[], T]) -> T | None:
        """Run `work`; an unexpected error is logged and alerted and does not stop other orders."""
        try:
            return work()
        except (Unreachable, LeaseLost):
            raise
        except Exception as error:
            log.error("ramp order %s failed", order_id, exc_info=error)
            message = f"Order {order_id} failed: {type(error).__name__}. The log has the details."
            key = f"record:order:{order_id}"
            self._services.store.write(
                lambda unit: raise_alert(
                    unit, self._services, key, "engine", str(order_id), message
                )
            )
            return None

    def _mark_unreachable(self, name: str, reason: str) -> None:
        self._unreachable.add(name)
        title = provider_name(name)
        message = reason if reason.startswith(title) else f"{title} does not answer: {reason}"
        self._services.store.write(
            lambda unit: raise_alert(
                unit, self._services, f"provider:{name}", "provider", name, message
            )
        )

    def _mark_reachable(self, name: str) -> None:
        if name not in self._unreachable:
            return
        self._unreachable.discard(name)

        def work(unit: UnitOfWork) -> None:
            unit.alerts.resolve([f"provider:{name}"], self._services.clock.now())

        self._services.store.write(work)


def _needs_provider_call(order: RampOrder) -> bool:
    return order.command is not None or _may_have_updates(order)


def _may_have_updates(order: RampOrder) -> bool:
    """Whether the provider may have an update of the order."""
    finished = order.state in (OrderState.COMPLETED, OrderState.REFUNDED)
    return bool(order.provider_reference) and order.command is None and not finished


def _may_expire(order: RampOrder) -> bool:
    return order.direction is Direction.ON and order.state is OrderState.INITIATED
