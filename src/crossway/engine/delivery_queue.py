"""Leased webhook deliveries waiting to be sent, queued per endpoint."""

import threading
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.webhooks import Delivery, Endpoint, OutboxEvent

MAX_QUEUED_PER_ENDPOINT = 48
MAX_CONCURRENT_PER_ENDPOINT, MAX_CONCURRENT_UNHEALTHY = 4, 2


@dataclass(frozen=True, slots=True)
class QueuedDelivery:
    """One delivery ready to be sent before `send_before` (machine time); `body` is None when its
    event could not be rendered."""

    delivery: Delivery
    endpoint: Endpoint
    event: OutboxEvent
    body: bytes | None
    send_before: datetime


class DeliveryQueue:
    """Queues per endpoint, shared by threads.

    An endpoint is unhealthy when its last delivery failed or was slow. Unhealthy endpoints get
    fewer slots and share half of the threads; the endpoints of one client share three quarters, so
    that neither delays the others.
    """

    def __init__(self, max_concurrent: int) -> None:
        self._max_unhealthy_running = max(1, max_concurrent // 2)
        self._max_per_client = max(1, max_concurrent - max_concurrent // 4)
        self._lock = threading.Lock()
        self._queues: dict[int, deque[QueuedDelivery]] = {}
        self._running: Counter[int] = Counter()
        self._running_by_client: Counter[str] = Counter()
        self._unhealthy: set[int] = set()

    @property
    def queued_count(self) -> int:
        """How many deliveries wait to be sent."""
        with self._lock:
            return sum(map(len, self._queues.values()))

    def free_slots(self, webhook_id: int) -> int:
        """How many more deliveries may be leased for an endpoint."""
        with self._lock:
            limit = (
                MAX_CONCURRENT_UNHEALTHY
                if webhook_id in self._unhealthy
                else MAX_QUEUED_PER_ENDPOINT
            )
            occupied = len(self._queues.get(webhook_id, ())) + self._running[webhook_id]
            return max(0, limit - occupied)

    def put(self, deliveries: Iterable[QueuedDelivery]) -> None:
        """Append deliveries to the queues of their endpoints."""
        with self._lock:
            for queued in deliveries:
                self._queues.setdefault(queued.endpoint.id, deque()).append(queued)
                if queued.endpoint.failing_since is not None:
                    self._unhealthy.add(queued.endpoint.id)

    def take(self) -> QueuedDelivery | None:
        """The next delivery that may be sent now, or None; endpoints take turns."""
        with self._lock:
            unhealthy_running = sum(self._running[webhook_id] for webhook_id in self._unhealthy)
            for webhook_id, queue in self._queues.items():
                unhealthy = webhook_id in self._unhealthy
                limit = MAX_CONCURRENT_UNHEALTHY if unhealthy else MAX_CONCURRENT_PER_ENDPOINT
                if self._running[webhook_id] >= limit or (
                    unhealthy and unhealthy_running >= self._max_unhealthy_running
                ):
                    continue
                if self._running_by_client[queue[0].endpoint.client_id] < self._max_per_client:
                    break
            else:
                return None
            # The endpoint goes to the end of the rotation.
            queue = self._queues.pop(webhook_id)
            queued = queue.popleft()
            if queue:
                self._queues[webhook_id] = queue
            self._running[webhook_id] += 1
            self._running_by_client[queued.endpoint.client_id] += 1
            return queued

    def mark_sent(self, queued: QueuedDelivery, unhealthy: bool) -> None:
        """A delivery from `take` is finished."""
        with self._lock:
            webhook_id = queued.endpoint.id
            self._running[webhook_id] -= 1
            if unhealthy:
                self._unhealthy.add(webhook_id)
            else:
                self._unhealthy.discard(webhook_id)
            if not self._running[webhook_id]:
                del self._running[webhook_id]
            self._running_by_client[queued.endpoint.client_id] -= 1
            if not self._running_by_client[queued.endpoint.client_id]:
                del self._running_by_client[queued.endpoint.client_id]

    def clear(self) -> list[QueuedDelivery]:
        """Remove and return all queued deliveries."""
        with self._lock:
            removed = [queued for queue in self._queues.values() for queued in queue]
            self._queues.clear()
            return removed
