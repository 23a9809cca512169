"""Deposits at standing addresses that could not be forwarded in time, and go back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from crossway.domain.outbound import OutboundTx, OutboundTxEvent, OutboundTxKind, OutboundTxState
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.standing_crediting import RETRY, recovery

LAPSED: Final = "It could not be forwarded before its payment expired."
REFUSED: Final = "It could not be forwarded: {}"
_UNSENT: Final = (OutboundTxState.DUE, OutboundTxState.FAILED, OutboundTxState.CANCELLED)


def return_lapsed(
    unit: UnitOfWork,
    services: Services,
    deposits: Sequence[StandingDeposit],
    times: Mapping[str, datetime],
) -> int:
    """Return deposits that cannot be forwarded, or whose payment expired first, by the times of
    their chains. One whose transaction may still be included is left until that is known: its
    contract takes it before the expiry alone. Returns how many deposits were looked at."""
    now = services.clock.now()
    locked = unit.standing.lock_deposits([deposit.id for deposit in deposits])
    current = [d for d in locked.values() if d.state is StandingState.FORWARDING]
    intents = unit.intents.get_many({d.intent_id for d in current if d.intent_id is not None})
    addresses = unit.standing.get_many({deposit.number for deposit in current})
    batch, changes = IntentBatch(services, now, {}), []
    for deposit in current:
        expiry = intents[deposit.intent_id or 0].terms.expires_at
        reason = _why(unit, deposit, expiry <= times[deposit.incoming.chain], now)
        if not reason:
            later = replace(deposit, next_at=max(expiry, now + RETRY))
            changes.append((deposit, later))
            continue
        batch.outbound.append(recovery(deposit, addresses[deposit.number], now))
        after = replace(deposit, state=StandingState.RETURNING, reason=reason, updated_at=now)
        changes.append((deposit, after))
    unit.standing.update_deposits(changes)
    batch.store(unit)
    return len(changes)


def _why(unit: UnitOfWork, deposit: StandingDeposit, is_expired: bool, now: datetime) -> str:
    """Why a deposit goes back; empty where it does not, or not yet. What would forward it and is
    not signed is cancelled."""
    txs = unit.outbound_txs.list_by_intents([deposit.owner], OutboundTxKind.FORWARD)
    locked = unit.outbound_txs.lock([tx.id for tx in txs])
    if len(locked) < len(txs) or any(tx.state not in _UNSENT for tx in locked.values()):
        return ""
    failed = [tx for tx in locked.values() if tx.state is OutboundTxState.FAILED]
    if failed:
        return REFUSED.format(failed[0].reason)
    if not is_expired:
        return ""
    due = [tx for tx in locked.values() if tx.state is OutboundTxState.DUE]
    unit.outbound_txs.update([_cancelled(tx, now) for tx in due], now)
    return LAPSED


def _cancelled(tx: OutboundTx, now: datetime) -> OutboundTxChange:
    return OutboundTxChange.after_event(tx, OutboundTxEvent.CANCEL, LAPSED, now)
