"""Writes exports in a thread of their own, beside what moves money."""

import threading
from typing import Final

from crossway.engine.alerts import TaskHealth
from crossway.engine.serial_worker import SerialWorker
from crossway.ports.services import Services
from crossway.usecases.exports.writing import run_next

NAME: Final = "exports"
_TASK: Final = 1


class ExportWriter:
    """Writes exports in turn. Several engines share the work: each export is leased."""

    def __init__(self, services: Services) -> None:
        """`services` are those of a store that is not fenced: a chain that another engine took
        over is no matter to an export, which has a lease of its own."""
        self._services = services
        self._stopping = threading.Event()
        self._worker = SerialWorker(NAME, TaskHealth(services, NAME))

    def check(self, in_background: bool) -> int:
        """Write what waits, here or `in_background`; returns how many were written here."""
        if not in_background:
            return run_next(self._services)
        if self._worker.without_pending([_TASK]):
            self._worker.enqueue([_TASK], self._run_all)
        return 0

    def stop(self, timeout_seconds: float) -> None:
        """End the thread after the part that it writes; the next engine goes on from there."""
        self._stopping.set()
        self._worker.stop(timeout_seconds)

    def _run_all(self) -> None:
        while not self._stopping.is_set() and run_next(self._services):
            pass
