"""The log of API requests and responses, written in the background."""

import logging
import threading
import time
from datetime import datetime, timedelta

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.redaction import mask_body
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.process import RequestLogEntry
from crossway.ports.services import Services

MAX_PAGE_SIZE = 200
BATCH_SIZE = 500
FLUSH_SECONDS = 1.0
log = logging.getLogger("crossway.requests")


def write_batch(services: Services) -> int:
    """Write a batch of queued requests in one commit and return their number.

    Requests are lost when their commit fails or the process is killed."""
    queue = services.process.request_log.entries
    batch = [queue.popleft() for _ in range(min(BATCH_SIZE, len(queue)))]
    if not batch:
        return 0
    now, ticks = services.clock.now(), time.monotonic()
    rows = [_to_logged_request(entry, now - timedelta(seconds=ticks - entry.at)) for entry in batch]
    services.store.write(lambda unit: unit.request_log.add(rows))
    return len(rows)


def list_requests(
    services: Services, caller: Principal, request_filter: RequestFilter, limit: int
) -> list[LoggedRequest]:
    """A page of the caller's requests, newest first; staff see those of every client."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        return unit.request_log.list_page(caller.narrow(request_filter), limit)


def get_request(services: Services, caller: Principal, number: int) -> LoggedRequest:
    """One of the caller's requests by its id. Raises `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        request = unit.request_log.get(number)
    if request is None or not caller.can_access(request):
        raise NotFound("Request not found")
    return request


class RequestLogWriter:
    """Writes the request log every second in a background thread."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="request log", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and write all queued requests."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(10)
        self._drain()

    def _run(self) -> None:
        while not self._ended.wait(FLUSH_SECONDS):
            self._drain()

    def _drain(self) -> None:
        try:
            while write_batch(self._services) == BATCH_SIZE:
                pass
        except Exception:
            log.exception("requests could not be written to the request log")


def _to_logged_request(entry: RequestLogEntry, at: datetime) -> LoggedRequest:
    return LoggedRequest(
        id=0,
        at=at,
        request_id=entry.request_id,
        method=entry.method,
        path=entry.path,
        status=entry.status,
        microseconds=entry.microseconds,
        client_id=entry.client_id,
        key_prefix=entry.key_prefix,
        request_body=_mask(entry.request_body),
        response_body=_mask(entry.response_body),
        intent_id=entry.intent_id,
        mode=entry.mode,
    )


def _mask(body: bytes | None) -> str | None:
    return None if body is None else mask_body(body)
