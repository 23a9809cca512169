"""Sends webhook deliveries from a bounded thread pool, independently of the engine loop."""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.engine.alerts import TaskHealth
from crossway.engine.delivery_queue import DeliveryQueue, QueuedDelivery
from crossway.engine.fan_out import fan_out
from crossway.engine.sleeper import Sleeper, seconds_until
from crossway.engine.webhook_sender import SentDelivery, record_attempts, send_webhook
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

log = logging.getLogger("crossway.engine.webhook_dispatcher")

# More threads cost more in contention than they gain in concurrency.
MAX_CONCURRENT = 16
LEASE = timedelta(seconds=60)
# A request started this long before its lease ends is finished before it ends.
LEASE_MARGIN = timedelta(seconds=20)
SLOW_MILLISECONDS = 1_000
MAX_CACHED_BODIES = 2_000
IDLE_SECONDS, BROKEN_SECONDS = 0.25, 5.0
STOP_SECONDS = 5.0


class WebhookDispatcher:
    """Sends due deliveries with a bounded number of threads.

    Several dispatchers may share a database: each leases what it sends. Deliveries leased by a
    crashed dispatcher are sent again, so delivery is at least once.
    """

    def __init__(
        self,
        services: Services,
        max_concurrent: int = MAX_CONCURRENT,
        random_fraction: Callable[[], float] = random.random,
        sole: bool = False,
    ) -> None:
        """`random_fraction` returns numbers from 0 to 1 that spread retries. `sole` ends all leases
        at the start; set it where no other dispatcher runs."""
        assert services.webhooks is not None
        self._services, self._webhooks, self._random = services, services.webhooks, random_fraction
        self._max_concurrent, self._sole = max_concurrent, sole
        self._queue = DeliveryQueue(max_concurrent)
        self._health = TaskHealth(services, "webhook deliveries")
        self._senders = ThreadPoolExecutor(max_concurrent, thread_name_prefix="webhook")
        self._lock = threading.Lock()
        self._sent: list[SentDelivery] = []
        self._cached_bodies: dict[int, bytes] = {}
        self._active_senders = 0
        self._sleeper = Sleeper(services, IDLE_SECONDS)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run in a thread until `stop` is called."""
        if self._sole:
            self._services.store.write(lambda unit: unit.deliveries.end_all_leases())
        self._thread = threading.Thread(target=self._run, name="deliveries", daemon=True)
        self._thread.start()

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> None:
        """Wait for open requests, record their results and release the remaining leases.

        Nothing can be sent afterwards. The sender, which others share, stays open.
        """
        end = time.monotonic() + timeout_seconds
        self._stopping.set()
        self._sleeper.wake()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        unsent = [queued.delivery.id for queued in self._queue.clear()]
        while self._active_senders and time.monotonic() < end:
            self._sleeper.pause(IDLE_SECONDS)
        self._senders.shutdown(wait=False, cancel_futures=True)
        self._record_attempts()
        if unsent:
            self._services.store.write(lambda unit: unit.deliveries.release_leases(unsent))

    def wake(self) -> None:
        """Start the next pass at once."""
        self._sleeper.wake()

    def tick(self) -> int:
        """Record finished requests, fan out events, lease due deliveries and start sending them.

        Does not wait for any endpoint. Returns the amount of work done.
        """
        done = self._record_attempts() + fan_out(self._services) + self._lease_due()
        self._start_senders()
        return done

    def run_once(self) -> int:
        """Run one pass and wait for all its requests; returns the amount of work done."""
        done = self.tick()
        while self._active_senders or self._sent or self._queue.queued_count:
            self._sleeper.pause(IDLE_SECONDS)
            done += self._record_attempts()
            self._start_senders()
        return done

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._sleeper.begin()
                done = self.tick()
                self._health.record_success()
                if not done:
                    self._sleeper.sleep(self._seconds_to_next())
            except Exception as error:
                self._health.record_failure(error)
                self._sleeper.pause(BROKEN_SECONDS)

    def _seconds_to_next(self) -> float:
        """How long no delivery is due; one that is leased or waits for another counts as due."""
        with self._services.store.read() as unit:
            due_at = unit.due_times.of_deliveries()
        return seconds_until(due_at, self._services.clock.now(), IDLE_SECONDS)

    def _record_attempts(self) -> int:
        with self._lock:
            sent, self._sent = self._sent, []
        if sent:
            try:
                record_attempts(self._services, sent, [self._random() for _ in sent])
            except Exception:
                # The requests were sent, so their results are kept for the next pass.
                with self._lock:
                    self._sent = sent + self._sent
                raise
        return len(sent)

    def _lease_due(self) -> int:
        """Lease due deliveries, up to the free slots of each endpoint."""
        now, machine = self._services.clock.now(), self._services.clock.machine()
        with self._services.store.read() as unit:
            due = unit.deliveries.list_due_endpoints(now, machine)
        free_slots = {
            webhook_id: slots for webhook_id in due if (slots := self._queue.free_slots(webhook_id))
        }
        if not free_slots:
            return 0
        until = machine + LEASE
        leased = self._services.store.write(
            lambda unit: unit.deliveries.lease_due(free_slots, now, machine, until)
        )
        self._services.process.failpoint("claimed")
        with self._services.store.read() as unit:
            self._queue.put(self._load_queued(unit, leased, until - LEASE_MARGIN))
        return len(leased)

    def _load_queued(
        self, unit: UnitOfWork, leased: Sequence[Delivery], send_before: datetime
    ) -> list[QueuedDelivery]:
        event_ids = {delivery.event_id for delivery in leased}
        events = unit.outbox.get_many(event_ids, [delivery.created_at for delivery in leased])
        bodies = self._render_cached(unit, events)
        endpoints = unit.webhooks.get_many({delivery.webhook_id for delivery in leased})
        return [
            QueuedDelivery(
                delivery,
                endpoints[delivery.webhook_id],
                events[delivery.event_id],
                bodies.get(delivery.event_id),
                send_before,
            )
            for delivery in leased
            if delivery.webhook_id in endpoints
        ]

    def _render_cached(
        self, unit: UnitOfWork, events: Mapping[int, OutboxEvent]
    ) -> Mapping[int, bytes]:
        """The bodies of events by id, with those of intents cached for other endpoints of a client.

        Bodies of orders may contain personal data that can be erased and are never cached.
        """
        cached = {
            event_id: self._cached_bodies[event_id]
            for event_id in events
            if event_id in self._cached_bodies
        }
        uncached = [event for event in events.values() if event.id not in cached]
        rendered = self._render(unit, uncached) if uncached else {}
        if len(self._cached_bodies) > MAX_CACHED_BODIES:
            self._cached_bodies.clear()
        self._cached_bodies |= {
            event.id: rendered[event.id]
            for event in uncached
            if event.kind == "intent" and event.id in rendered
        }
        return {**cached, **rendered}

    def _render(self, unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        """Render all events at once, or one by one without those that fail."""
        try:
            return self._webhooks.render_events(unit, events)
        except Exception as error:
            if len(events) == 1:
                log.error("event %s could not be rendered", events[0].event_id, exc_info=error)
                return {}
        rendered: dict[int, bytes] = {}
        for event in events:
            rendered |= self._render(unit, [event])
        return rendered

    def _start_senders(self) -> None:
        """Start as many sender threads as there are queued deliveries, up to the maximum."""
        with self._lock:
            new_senders = min(self._max_concurrent - self._active_senders, self._queue.queued_count)
            self._active_senders += new_senders
        for _ in range(new_senders):
            self._senders.submit(self._send_queued)

    def _send_queued(self) -> None:
        """Send queued deliveries one after the other until none may be sent now."""
        try:
            while (queued := self._queue.take()) is not None:
                unhealthy = True
                try:
                    unhealthy = self._send(queued)
                finally:
                    self._queue.mark_sent(queued, unhealthy)
                self._sleeper.wake()
        finally:
            with self._lock:
                self._active_senders -= 1
            self._sleeper.wake()

    def _send(self, queued: QueuedDelivery) -> bool:
        """Send a delivery whose lease is still valid; returns whether its endpoint is unhealthy."""
        if self._services.clock.machine() > queued.send_before:
            return True
        sent = send_webhook(self._services, self._webhooks, queued)
        with self._lock:
            self._sent.append(sent)
        self._services.process.failpoint("posted")
        attempt = sent.attempt
        return not attempt.accepted or attempt.milliseconds > SLOW_MILLISECONDS
