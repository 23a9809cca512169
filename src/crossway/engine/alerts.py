"""Raises alerts, names transactions in their messages, and tracks the health of tasks."""

import logging
from typing import Final

from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.owners import owner_subject, owner_title
from crossway.engine.fenced_store import LeaseLost
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

log = logging.getLogger("crossway.engine")

SIGNING_ALERT: Final = "signing"
"""The kind of alert about a transaction that must not be signed; its key has the transaction."""

_DESCRIPTIONS: Final = {
    OutboundTxKind.START: "The collection of {}",
    OutboundTxKind.FILL: "The payout of {}",
    OutboundTxKind.RETURN_EXCESS: "The return of money of {}",
    OutboundTxKind.REIMBURSE: "The repayment by the bridge for {}",
    OutboundTxKind.REFUND: "The refund of {}",
    OutboundTxKind.SKIP_NONCE: "The skipped nonce of {}",
    OutboundTxKind.DELIVER: "The bridge's delivery of {}",
    OutboundTxKind.RELEASE: "The release of what is parked for {}",
    OutboundTxKind.GIVE_BACK: "The return of {} from the bridge's contract",
    OutboundTxKind.PAY_IN: "The signed transfer for {}",
    OutboundTxKind.INVENTORY_APPROVE: "The approval of an inventory transfer for {}",
    OutboundTxKind.INVENTORY_SEND: "The inventory transfer for {}",
    OutboundTxKind.FORWARD: "The forwarding of {}",
    OutboundTxKind.RECOVER: "The return of {}",
}


def raise_alert(
    unit: UnitOfWork, services: Services, key: str, kind: str, subject: str, message: str
) -> None:
    """Raise an alert or keep it active; there is at most one per key."""
    now = services.clock.now()
    unit.alerts.raise_alert(Alert(key, kind, subject, message, now, now, None))


def raise_signing_alert(unit: UnitOfWork, services: Services, tx: OutboundTx, reason: str) -> None:
    """Raise the alert about a transaction that must not be signed, or that its signer refuses."""
    message = f"{describe_outbound_tx(tx.kind, tx.intent_id)}: {reason}"
    key = f"{SIGNING_ALERT}:{tx.id}"
    raise_alert(unit, services, key, SIGNING_ALERT, owner_subject(tx.intent_id), message)


class TaskHealth:
    """The health of one background task: raises an alert on failure, resolves it on success."""

    def __init__(self, services: Services, name: str) -> None:
        self._services, self._name = services, name
        # The last reported error, empty for none; None while an earlier process's alert may exist.
        self._last_reported: str | None = None

    def record_success(self) -> None:
        """The task succeeded."""
        if self._last_reported == "":
            return
        services, key = self._services, f"sweep:{self._name}"
        with services.store.read() as unit:
            active = any(alert.key == key for alert in unit.alerts.list_active(limit=1_000))
        if active:
            now = services.clock.now()
            services.store.write(lambda unit: unit.alerts.resolve([key], now))
        self._last_reported = ""

    def record_failure(self, error: Exception) -> None:
        """The task failed; each distinct error is logged and alerted once. Never raises.

        Losing the leases is no failure: nothing was written, and the task is done again.
        """
        if isinstance(error, LeaseLost) or self._last_reported == repr(error):
            return
        self._last_reported = repr(error)
        log.error("%s failed", self._name, exc_info=error)
        name, key = self._name, f"sweep:{self._name}"
        message = f"Work on {name} failed: {type(error).__name__}. The log has the details."
        try:
            self._services.store.write(
                lambda unit: raise_alert(unit, self._services, key, "engine", name, message)
            )
        except Exception:
            log.exception("the alert could not be stored either")
            self._last_reported = None


def describe_outbound_tx(kind: OutboundTxKind, intent_id: int) -> str:
    """A transaction of a payment or of a rebalancing transfer as the subject of a sentence."""
    return _DESCRIPTIONS[kind].format(owner_title(intent_id))
