"""The orders' side of the engine: what is due is moved, and providers are asked beside it."""

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TypeVar

from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder, provider_name
from crossway.engine.alarms import Working, alarm
from crossway.engine.lanes import Lane
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.identity.handover import hand_over_due
from crossway.usecases.ramps.capabilities import provider_called
from crossway.usecases.ramps.errands import (
    ask_about,
    close_lapsed,
    look_at,
    look_on_test_network,
    run_errand,
    unanswered,
)

T = TypeVar("T")
log = logging.getLogger("crossway.engine")

BATCH = 200
# How long another engine leaves an order alone that this one has taken up.
LEASE = timedelta(seconds=60)
BUSY_SECONDS, IDLE_SECONDS = 0.02, 0.5
HANGS_SECONDS = 60.0
IDENTITIES = "identities"


class Ramps:
    """Moves orders. Several may run on one database: each order is taken up by one at a time, and
    an order that two take up costs a question asked twice, never an order opened twice."""

    def __init__(self, services: Services) -> None:
        self._services = services
        # Whose alarm may stand: at first anybody's, raised by whoever worked before.
        self._silent: set[str] = {one.name for one in services.ramps}
        self._lanes: dict[str, Lane] = {}
        self._working = Working(services, "ramp orders")
        self._handing_over = Working(services, "handing over what people handed in")
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run in threads of its own until `stop`."""
        if self._services.ramps:
            self._thread = threading.Thread(target=self._run, name="ramps", daemon=True)
            self._thread.start()

    def stop(self, timeout_seconds: float = 10) -> None:
        """Finish the pass under way and end; a provider that hangs is not waited for."""
        self._stopping.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        for lane in self._lanes.values():
            lane.stop()

    def wake(self) -> None:
        """Something is due now: do not wait for the next pass."""
        self._awake.set()

    def tick(self) -> int:
        """One pass in this thread, questions to providers included; answers how much was done."""
        if not self._services.ramps:
            return 0
        found = self._moved()
        for name, orders in found.items():
            self._ask(name, [order.id for order in orders])
        return sum(map(len, found.values())) + self._identities()

    def _run(self) -> None:
        while not self._stopping.is_set():
            done = 0
            try:
                done = self._pass()
                self._working.well()
            except Exception as error:
                self._working.broken(error)
            self._awake.wait(BUSY_SECONDS if done else IDLE_SECONDS)
            self._awake.clear()

    def _pass(self) -> int:
        """One pass that leaves questions to the lanes."""
        done = 0
        for name, orders in self._moved().items():
            lane = self._lane(name)
            free = lane.free([order.id for order in orders])
            if free:
                lane.put(free, partial(self._ask, name, free))
                done += len(free)
        identities = self._lane(IDENTITIES)
        if identities.free([0]):
            identities.put([0], self._identities)
        for named, lane in self._lanes.items():
            if lane.busy_seconds() > HANGS_SECONDS and named not in self._silent:
                self._fell_silent(named, "gives no answer")
        return done

    def _lane(self, name: str) -> Lane:
        if name not in self._lanes:
            working = Working(self._services, f"ramp orders of {name}")
            self._lanes[name] = Lane(f"ramps {name}", working)
        return self._lanes[name]

    def _moved(self) -> Mapping[ProviderName, list[RampOrder]]:
        """Take up what is due, move it as far as can be known here, and answer by provider whom
        there is something to ask about."""
        services = self._services
        asked: dict[ProviderName, list[RampOrder]] = defaultdict(list)
        now = services.clock.now()
        with services.store.read() as unit:
            if not unit.orders.has_due(now):
                return {}
        due = services.store.write(lambda unit: unit.orders.due(now, BATCH, now + LEASE))
        for order in due:
            moved = self._guarded(order.id, partial(look_at, services, order.id, now + LEASE))
            if moved is not None and _to_ask(moved):
                asked[moved.provider].append(moved)
        return asked

    def _ask(self, name: ProviderName, ids: Sequence[int]) -> None:
        """Everything there is to ask one provider. The first silence ends it: nobody waits for
        the same provider again and again."""
        services = self._services
        provider = provider_called(services, name)
        try:
            if provider is None:
                raise Unreachable("not configured here")
            for order_id in ids:
                self._errand(order_id)
            self._news(provider, ids)
        except Unreachable as silence:
            self._fell_silent(name, str(silence) or "gives no answer")
            for order_id in ids:
                self._guarded(order_id, partial(unanswered, services, order_id))
        else:
            self._answered(name)

    def _errand(self, order_id: int) -> None:
        order = self._order(order_id)
        if order is not None and order.errand is not None:
            self._guarded(order_id, partial(run_errand, self._services, order))

    def _news(self, provider: RampProvider, ids: Sequence[int]) -> None:
        services = self._services
        orders = [order for one in ids if (order := self._order(one)) and _watched(order)]
        for order in orders:
            self._guarded(order.id, partial(look_on_test_network, services, order))
        together = partial(ask_about, services, provider, orders)
        if orders and self._guarded(orders[0].id, together) is None:
            # One that cannot be taken in must not keep the news of the others back.
            for order in orders:
                self._guarded(order.id, partial(ask_about, services, provider, [order]))
        now = services.clock.now()
        for order_id in [order.id for order in orders]:
            then = self._order(order_id)
            if then is not None and _lapsing(then) and now >= then.expires_at:
                self._guarded(order_id, partial(close_lapsed, services, then))

    def _order(self, order_id: int) -> RampOrder | None:
        with self._services.store.read() as unit:
            return unit.orders.get(order_id)

    def _identities(self) -> int:
        try:
            done = hand_over_due(self._services)
            self._handing_over.well()
        except Exception as error:
            self._handing_over.broken(error)
            return 0
        return done

    def _guarded(self, order_id: int, work: Callable[[], T]) -> T | None:
        """A defect in one order is logged and raised as an alarm; the others go on."""
        try:
            return work()
        except Unreachable:
            raise
        except Exception as error:
            log.error("ramp order %s failed", order_id, exc_info=error)
            message = f"Order {order_id} failed: {type(error).__name__}. The log has the details."
            key = f"record:order:{order_id}"
            self._services.store.write(
                lambda unit: alarm(unit, self._services, key, "engine", str(order_id), message)
            )
            return None

    def _fell_silent(self, name: str, why: str) -> None:
        self._silent.add(name)
        called = provider_name(name)
        message = why if why.startswith(called) else f"{called} does not answer: {why}"
        self._services.store.write(
            lambda unit: alarm(unit, self._services, f"provider:{name}", "provider", name, message)
        )

    def _answered(self, name: str) -> None:
        if name not in self._silent:
            return
        self._silent.discard(name)

        def work(unit: Unit) -> None:
            unit.network.clear_alarms([f"provider:{name}"], self._services.clock.now())

        self._services.store.write(work)


def _to_ask(order: RampOrder) -> bool:
    return order.errand is not None or _watched(order)


def _watched(order: RampOrder) -> bool:
    """Whether there may be news of an order."""
    over = order.state in (OrderState.COMPLETED, OrderState.REFUNDED)
    return bool(order.provider_reference) and order.errand is None and not over


def _lapsing(order: RampOrder) -> bool:
    return order.direction is Direction.ON and order.state is OrderState.INITIATED
