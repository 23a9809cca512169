"""What must not be signed, or what its signer refuses, waits and raises an alert."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.errors import SigningRefused
from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.domain.outbound_call import OutboundCall
from crossway.engine.alerts import SIGNING_ALERT, raise_signing_alert
from crossway.engine.outbound_decision import Decision
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.signing_policy import SigningPolicy

NOT_SIGNED: Final = "Not signed"
"""How the reason of what was not signed begins."""

_RETRY: Final = timedelta(minutes=1)


def find_refusals(
    policy: SigningPolicy,
    to_sign: Sequence[OutboundTx],
    calls: Mapping[int, OutboundCall],
    now: datetime,
) -> dict[int, Decision]:
    """By id, the decision to wait and to raise an alert for those that must not be signed."""
    refusals = {}
    for tx in to_sign:
        try:
            policy.require_signable(tx, calls[tx.id])
        except SigningRefused as refused:
            refusals[tx.id] = Decision(
                wait_reason=str(refused),
                wait_until=now + _RETRY,
                alert_key=f"{SIGNING_ALERT}:{tx.id}",
            )
    return refusals


def postpone(unit: UnitOfWork, services: Services, tx: OutboundTx, reason: str) -> None:
    """Let a transaction wait that its signer refused, unless it is not due any more."""
    if tx.id not in unit.outbound_txs.lock_in_state({tx.id: tx.tx_id}, OutboundTxState.DUE):
        return
    now = services.clock.now()
    change = OutboundTxChange(tx.id, tx.state, tx.state, tx.attempt_count, reason, now + _RETRY)
    unit.outbound_txs.update([change], now)
    raise_signing_alert(unit, services, tx, reason)
