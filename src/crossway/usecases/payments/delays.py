"""Why a funded payment is late on its way to its recipient."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, is_overdue
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import bridge_title
from crossway.ports.store import UnitOfWork

K, S = OutboundTxKind, BridgeTransferState
WAIT_GRACE: Final = timedelta(minutes=1)
"""How long our own transactions may wait for a reason before the payment counts as late."""
LONG_WAIT: Final = timedelta(minutes=5)
_ON_THE_WAY: Final = frozenset({K.START, K.FILL, K.DELIVER, K.RELEASE, K.GIVE_BACK})
_SENTENCES: Final[Mapping[BridgeTransferState, str]] = MappingProxyType(
    {
        S.DELAYED: "{} is late. {}",
        S.OVERDUE: "{} is late. {}",
        S.HALTED: "{} contradicts the chain, so nothing is delivered. {}",
        S.PARKED: "It arrived over {}, but its recipient cannot be paid. {}",
    }
)


@dataclass(frozen=True, slots=True)
class PaymentDelay:
    """Why a payment is late, as a sentence; `needs_attention` once it has lasted, or at once where
    it does not end by itself."""

    reason: str
    needs_attention: bool


def find_delay(
    intent: Intent,
    transfer: BridgeTransfer | None,
    outbound_txs: Sequence[OutboundTx],
    now: datetime,
) -> PaymentDelay | None:
    """Why a payment between deposit and payout is late; None where it is not, or nobody says why.
    `transfer` is that of the bridge that carries it, `outbound_txs` the payment's own."""
    if transfer is not None and transfer.state in _SENTENCES:
        title, reason = bridge_title(transfer.bridge), transfer.reason
        if not reason.startswith(title):
            reason = _SENTENCES[transfer.state].format(title, reason).strip()
        lasts = transfer.state in (S.HALTED, S.PARKED) or is_overdue(transfer, now)
        return PaymentDelay(reason, lasts)
    if intent.state not in (State.FUNDED, State.INITIATED):
        return None
    waited = now - intent.updated_at
    waiting = (t for t in outbound_txs if t.kind in _ON_THE_WAY and t.state is OutboundTxState.DUE)
    reason = next((t.reason for t in waiting if t.reason), "")
    if not reason or waited < WAIT_GRACE:
        return None
    return PaymentDelay(reason, waited >= LONG_WAIT)


def find_delays(
    unit: UnitOfWork, intents: Sequence[Intent], now: datetime
) -> Mapping[int, PaymentDelay]:
    """Those of several payments that are late, by two queries however many there are."""
    if not intents:
        return {}
    ids = {intent.id for intent in intents}
    transfers = unit.bridge_transfers.get_many(ids)
    outbound_txs = defaultdict(list)
    for outbound_tx in unit.outbound_txs.list_unsettled(ids):
        outbound_txs[outbound_tx.intent_id].append(outbound_tx)
    delays = {i.id: find_delay(i, transfers.get(i.id), outbound_txs[i.id], now) for i in intents}
    return {intent_id: delay for intent_id, delay in delays.items() if delay is not None}
