"""The dispatcher: deliveries on their way, beside the loop that moves money and never in it."""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from crossway.domain.webhooks import Announcement, Delivery
from crossway.engine.alarms import Working
from crossway.engine.announcements import fan_out
from crossway.engine.outbox import Outbox, Parcel
from crossway.engine.posting import Posted, post, settle
from crossway.ports.services import Services
from crossway.ports.store import Unit

log = logging.getLogger("crossway.engine.deliveries")

# More threads cost more in taking turns than they win by waiting side by side.
AT_ONCE = 16
LEASE = timedelta(seconds=60)
# A request begun this long before its lease ends is over before it ends.
MARGIN = timedelta(seconds=20)
SLOW_MILLISECONDS = 1_000
KEPT_BODIES = 2_000
IDLE_SECONDS, BROKEN_SECONDS = 0.2, 5.0
STOP_SECONDS = 5.0


class Dispatcher:
    """Sends what is due with a bounded number of threads. Several may run on one database: each
    leases what it sends, and what a dead one had leased is sent again: at least once, not once."""

    def __init__(
        self,
        services: Services,
        at_once: int = AT_ONCE,
        chance: Callable[[], float] = random.random,
        sole: bool = False,
    ) -> None:
        """`chance` answers numbers from 0 to 1, by which retries are spread. `sole` ends the
        leases of others when it begins: right where no other dispatcher should run."""
        assert services.outgoing is not None
        self._services, self._outgoing, self._chance = services, services.outgoing, chance
        self._at_once, self._sole = at_once, sole
        self._outbox = Outbox(at_once)
        self._passes = Working(services, "webhook deliveries")
        self._posters = ThreadPoolExecutor(at_once, thread_name_prefix="webhook")
        self._lock = threading.Lock()
        self._posted: list[Posted] = []
        self._bodies: dict[int, bytes] = {}
        self._working = 0
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        if self._sole:
            self._services.store.write(lambda unit: unit.deliveries.take_over())
        self._thread = threading.Thread(target=self._run, name="deliveries", daemon=True)
        self._thread.start()

    def stop(self, timeout_seconds: float = STOP_SECONDS, for_good: bool = True) -> None:
        """Let requests under way end, write down what came of them, give the rest back. Nothing
        can be sent after it, and where it is `for_good`, by no other dispatcher either."""
        end = time.monotonic() + timeout_seconds
        self._stopping.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        left = [parcel.delivery.id for parcel in self._outbox.clear()]
        while self._working and time.monotonic() < end:
            self._awake.wait(IDLE_SECONDS)
            self._awake.clear()
        self._posters.shutdown(wait=False, cancel_futures=True)
        self._settle()
        if left:
            self._services.store.write(lambda unit: unit.deliveries.give_back(left))
        if for_good:
            self._outgoing.sender.close()

    def wake(self) -> None:
        """Something may be due now."""
        self._awake.set()

    def tick(self) -> int:
        """Write down what came of requests, fan out what is new, lease what is due and let it be
        sent. Waits for no endpoint. Answers how much was done."""
        done = self._settle() + fan_out(self._services) + self._lease()
        self._let_post()
        return done

    def round(self) -> int:
        """One pass with all its requests, to their ends; answers how much was done."""
        done = self.tick()
        while self._working or self._posted or self._outbox.queued:
            self._awake.wait(IDLE_SECONDS)
            self._awake.clear()
            done += self._settle()
            self._let_post()
        return done

    def _run(self) -> None:
        while not self._stopping.is_set():
            pause = IDLE_SECONDS
            try:
                done = self.tick()
                self._passes.well()
                if done:
                    continue
            except Exception as error:
                self._passes.broken(error)
                pause = BROKEN_SECONDS
            self._awake.wait(pause)
            self._awake.clear()

    def _settle(self) -> int:
        with self._lock:
            posted, self._posted = self._posted, []
        if posted:
            try:
                settle(self._services, posted, [self._chance() for _ in posted])
            except Exception:
                # They were sent: what came of them must not be lost with this pass.
                with self._lock:
                    self._posted = posted + self._posted
                raise
        return len(posted)

    def _lease(self) -> int:
        """Lease what is due, as much as its endpoints have room for."""
        now, machine = self._services.clock.now(), self._services.clock.machine()
        with self._services.store.read() as unit:
            due = unit.deliveries.due(now, machine)
        rooms = {webhook_id: room for webhook_id in due if (room := self._outbox.room(webhook_id))}
        if not rooms:
            return 0
        until = machine + LEASE
        taken = self._services.store.write(
            lambda unit: unit.deliveries.claim(rooms, now, machine, until)
        )
        self._services.reached("claimed")
        with self._services.store.read() as unit:
            self._outbox.put(self._packed(unit, taken, until - MARGIN))
        return len(taken)

    def _packed(self, unit: Unit, taken: Sequence[Delivery], until: datetime) -> list[Parcel]:
        told = unit.announcements.of({one.announcement_id for one in taken})
        bodies = self._bodies_of(unit, told)
        endpoints = unit.webhooks.of({one.webhook_id for one in taken})
        return [
            Parcel(one, endpoints[one.webhook_id], told[one.announcement_id],
                   bodies.get(one.announcement_id), until)
            for one in taken
            if one.webhook_id in endpoints
        ]  # fmt: skip

    def _bodies_of(self, unit: Unit, told: Mapping[int, Announcement]) -> Mapping[int, bytes]:
        """Those of intents are drawn once for all endpoints of a client, which are told of the
        same soon after. Those of orders may name a person, who may be erased: never kept."""
        kept = {number: self._bodies[number] for number in told if number in self._bodies}
        fresh = [one for one in told.values() if one.id not in kept]
        drawn = self._drawn(unit, fresh) if fresh else {}
        if len(self._bodies) > KEPT_BODIES:
            self._bodies.clear()
        self._bodies |= {
            one.id: drawn[one.id] for one in fresh if one.kind == "intent" and one.id in drawn
        }
        return {**kept, **drawn}

    def _drawn(self, unit: Unit, told: Sequence[Announcement]) -> Mapping[int, bytes]:
        """All at once; where that fails, one by one without those that cannot be drawn."""
        try:
            return self._outgoing.present(unit, told)
        except Exception as error:
            if len(told) == 1:
                log.error("event %s cannot be drawn", told[0].event_id, exc_info=error)
                return {}
        drawn: dict[int, bytes] = {}
        for one in told:
            drawn |= self._drawn(unit, [one])
        return drawn

    def _let_post(self) -> None:
        """Have as many threads at work as there is work, within the bound."""
        with self._lock:
            more = min(self._at_once - self._working, self._outbox.queued)
            self._working += more
        for _ in range(more):
            self._posters.submit(self._post)

    def _post(self) -> None:
        """Send one parcel after the other, until there is none that may be sent now."""
        try:
            while (parcel := self._outbox.take()) is not None:
                ill = True
                try:
                    ill = self._send(parcel)
                finally:
                    self._outbox.sent(parcel, ill)
                self._awake.set()
        finally:
            with self._lock:
                self._working -= 1
            self._awake.set()

    def _send(self, parcel: Parcel) -> bool:
        """Send a parcel whose lease still lasts; answers whether its endpoint is ill."""
        if self._services.clock.machine() > parcel.until:
            return True
        posted = post(self._services, self._outgoing, parcel)
        with self._lock:
            self._posted.append(posted)
        self._services.reached("posted")
        outcome = posted.outcome
        return not outcome.taken or outcome.milliseconds > SLOW_MILLISECONDS
