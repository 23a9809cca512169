"""Invoices of subscriptions, reminders, and what was paid; mails in a thread of their own."""

import threading
from typing import Final

from crossway.engine.alerts import TaskHealth
from crossway.engine.serial_worker import SerialWorker
from crossway.ports.services import Services
from crossway.usecases.billing.invoices import settle_paid
from crossway.usecases.billing.issuing import issue_due
from crossway.usecases.billing.mail_delivery import send_next
from crossway.usecases.billing.reminders import remind

NAME: Final = "mails"
_TASK: Final = 1


class Billing:
    """Serves what is due. Several engines share the work: each invoice, subscription and mail is
    locked and looked at again before it changes."""

    def __init__(self, services: Services) -> None:
        """`services` are those of a store that is not fenced: no chain is concerned."""
        self._services = services
        self._stopping = threading.Event()
        self._worker = SerialWorker(NAME, TaskHealth(services, NAME))

    def check(self, in_background: bool) -> int:
        """Do what is due now; mails are sent here or `in_background`. Returns how much was done."""
        done = settle_paid(self._services) + issue_due(self._services) + remind(self._services)
        if not in_background:
            return done + int(send_next(self._services))
        if self._worker.without_pending([_TASK]):
            self._worker.enqueue([_TASK], self._send_all)
        return done

    def stop(self, timeout_seconds: float) -> None:
        """End the thread after the mail that it sends."""
        self._stopping.set()
        self._worker.stop(timeout_seconds)

    def _send_all(self) -> None:
        while not self._stopping.is_set() and send_next(self._services):
            pass
