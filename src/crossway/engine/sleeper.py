"""The sleep of a worker's thread: until it is woken, a change is committed, or something is due."""

import threading
import time
from datetime import datetime

from crossway.ports.services import Services

REST_SECONDS = 5.0
"""The longest sleep: alerts that depend on time are checked this often, and leases are renewed when
that is due."""


def seconds_until(due_at: datetime | None, now: datetime, least: float) -> float:
    """How long to sleep when something is due at a time: at least so long, at most the rest."""
    seconds = REST_SECONDS if due_at is None else (due_at - now).total_seconds()
    return min(max(seconds, least), REST_SECONDS)


class Sleeper:
    """Wakes one thread. A commit of any process wakes it too, so work that is stored is noticed
    wherever it comes from."""

    def __init__(self, services: Services, check_seconds: float) -> None:
        """`check_seconds`: how often a sleeper looks for commits, at multiples of it: threads that
        look at the same moment cost less than threads that look one after the other."""
        self._store, self._check_seconds = services.store, check_seconds
        self._event = threading.Event()
        self._version: object = None

    def wake(self) -> None:
        """End the current sleep, or the next one."""
        self._event.set()

    def begin(self) -> None:
        """The thread reads what there is to do now: commits from here on are new to it."""
        self._version = self._store.version()

    def pause(self, seconds: float) -> None:
        """Sleep until woken, whatever is committed."""
        self._event.wait(seconds)
        self._event.clear()

    def sleep(self, seconds: float) -> bool:
        """Sleep; returns whether it was woken or something was committed since `begin`."""
        end = time.monotonic() + seconds
        while True:
            now = time.monotonic()
            # A wait may end a little before its time; the next one must not be for that little.
            next_check = self._check_seconds - (now + 0.02) % self._check_seconds + 0.02
            if self._event.wait(max(0.0, min(end - now, next_check))):
                self._event.clear()
                return True
            if self._store.version() != self._version:
                return True
            if time.monotonic() >= end:
                return False
