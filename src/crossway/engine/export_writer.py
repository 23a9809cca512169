"""Writes exports in a thread of their own, beside what moves money."""

from functools import partial
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
        self._services = services
        self._worker = SerialWorker(NAME, TaskHealth(services, NAME))

    def check(self, in_background: bool) -> int:
        """Write what waits, here or `in_background`; returns how many were written here."""
        if not in_background:
            return run_next(self._services)
        if self._worker.without_pending([_TASK]):
            self._worker.enqueue([_TASK], partial(_run_all, self._services))
        return 0

    def stop(self) -> None:
        """End the thread after the exports that it writes."""
        self._worker.stop()


def _run_all(services: Services) -> None:
    while run_next(services):
        pass
