"""The request log: what clients asked and were answered, written apart from the answering."""

import logging
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.redaction import masked_body
from crossway.ports.logs import AskedRequest, RequestFilter
from crossway.ports.process import Heard
from crossway.ports.services import Services

MOST_PAGE = 200
BATCH = 500
WRITE_EVERY_SECONDS = 1.0
# Bodies are large: beyond so many that wait, only the facts are kept.
MOST_WITH_BODIES = 1_000
LARGEST_BODY = 64 * 1024
log = logging.getLogger("crossway.requests")


def hear(services: Services, heard: Heard) -> None:
    """Keep a request for the log; never waits for anything."""
    waiting = services.unwritten.heard
    if len(waiting) >= MOST_WITH_BODIES or len(heard.asked or b"") > LARGEST_BODY:
        heard = replace(heard, asked=None, answered=None)
    waiting.append(heard)


def write_out(services: Services) -> int:
    """Write some of the requests that wait, in one commit; answers how many.

    Those that a commit fails to carry are lost, as are those of a process that is killed."""
    waiting = services.unwritten.heard
    taken = [waiting.popleft() for _ in range(min(BATCH, len(waiting)))]
    if not taken:
        return 0
    now, ticks = services.clock.now(), time.monotonic()
    rows = [_asked(one, now - timedelta(seconds=ticks - one.at)) for one in taken]
    services.store.write(lambda unit: unit.requests.add(rows))
    return len(rows)


def page(
    services: Services, caller: Caller, wanted: RequestFilter, limit: int
) -> list[AskedRequest]:
    """The caller's requests, newest first; an operator sees those of every client."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    if not caller.operator:
        wanted = replace(wanted, client_id=caller.client.id)
    with services.store.read() as unit:
        return unit.requests.page(wanted, limit)


def one(services: Services, caller: Caller, number: int) -> AskedRequest:
    """One of the caller's requests by its number."""
    caller.needs(Scope.READ)
    with services.store.read() as unit:
        found = unit.requests.get(number)
    if found is None or not (caller.operator or found.client_id == caller.client.id):
        raise NotFound("Request not found")
    return found


class Writer:
    """Writes the request log in a thread of its own, every second."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="request log", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, and end."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(10)
        self._drain()

    def _run(self) -> None:
        while not self._ended.wait(WRITE_EVERY_SECONDS):
            self._drain()

    def _drain(self) -> None:
        try:
            while write_out(self._services) == BATCH:
                pass
        except Exception:
            log.exception("requests could not be written to the request log")


def _asked(heard: Heard, at: datetime) -> AskedRequest:
    return AskedRequest(
        id=0,
        at=at,
        request_id=heard.request_id,
        method=heard.method,
        path=heard.path,
        status=heard.status,
        microseconds=heard.microseconds,
        client_id=heard.client_id,
        key_shown=heard.key_shown,
        asked=_masked(heard.asked),
        answered=_masked(heard.answered),
        intent_id=heard.intent,
    )


def _masked(body: bytes | None) -> str | None:
    return None if body is None else masked_body(body)
