"""What was leased and is about to be sent: a queue for each endpoint, and whose turn is next."""

import threading
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.webhooks import Announcement, Delivery, Endpoint

QUEUED = 48
AT_ONCE_EACH, AT_ONCE_ILL = 4, 2


@dataclass(frozen=True, slots=True)
class Parcel:
    """One delivery ready to be sent, to be begun before `until` by the machine's clock. `body` is
    None when the event could not be drawn."""

    delivery: Delivery
    endpoint: Endpoint
    announcement: Announcement
    body: bytes | None
    until: datetime


class Outbox:
    """Queues by endpoint, shared by threads. Whoever answers well has more room than whoever is
    ill, that is, failed or was slow the last time; all who are ill share half of the threads, and
    all endpoints of one client three quarters, so that they cannot keep the others waiting."""

    def __init__(self, at_once: int) -> None:
        self._most_ill = max(1, at_once // 2)
        self._most_of_client = max(1, at_once - at_once // 4)
        self._lock = threading.Lock()
        self._queues: dict[int, deque[Parcel]] = {}
        self._running: Counter[int] = Counter()
        self._running_of: Counter[str] = Counter()
        self._ill: set[int] = set()

    @property
    def queued(self) -> int:
        """How many wait to be sent."""
        with self._lock:
            return sum(map(len, self._queues.values()))

    def room(self, webhook_id: int) -> int:
        """How many more may be leased for an endpoint."""
        with self._lock:
            most = AT_ONCE_ILL if webhook_id in self._ill else QUEUED
            held = len(self._queues.get(webhook_id, ())) + self._running[webhook_id]
            return max(0, most - held)

    def put(self, parcels: Iterable[Parcel]) -> None:
        """Queue parcels, each behind those of its endpoint."""
        with self._lock:
            for parcel in parcels:
                self._queues.setdefault(parcel.endpoint.id, deque()).append(parcel)
                if parcel.endpoint.failing_since is not None:
                    self._ill.add(parcel.endpoint.id)

    def take(self) -> Parcel | None:
        """The next parcel that may be sent now: endpoints by turns."""
        with self._lock:
            ill_running = sum(self._running[webhook_id] for webhook_id in self._ill)
            for webhook_id, queue in self._queues.items():
                ill = webhook_id in self._ill
                most = AT_ONCE_ILL if ill else AT_ONCE_EACH
                if self._running[webhook_id] >= most or (ill and ill_running >= self._most_ill):
                    continue
                if self._running_of[queue[0].endpoint.client_id] < self._most_of_client:
                    break
            else:
                return None
            # Its turn is over: the endpoint goes to the end of the line.
            queue = self._queues.pop(webhook_id)
            parcel = queue.popleft()
            if queue:
                self._queues[webhook_id] = queue
            self._running[webhook_id] += 1
            self._running_of[parcel.endpoint.client_id] += 1
            return parcel

    def sent(self, parcel: Parcel, ill: bool) -> None:
        """A parcel that was taken is done with."""
        with self._lock:
            webhook_id = parcel.endpoint.id
            self._running[webhook_id] -= 1
            if ill:
                self._ill.add(webhook_id)
            else:
                self._ill.discard(webhook_id)
            if not self._running[webhook_id]:
                del self._running[webhook_id]
            self._running_of[parcel.endpoint.client_id] -= 1
            if not self._running_of[parcel.endpoint.client_id]:
                del self._running_of[parcel.endpoint.client_id]

    def clear(self) -> list[Parcel]:
        """Take everything out."""
        with self._lock:
            left = [parcel for queue in self._queues.values() for parcel in queue]
            self._queues.clear()
            return left
