"""Who does what next for a payment that a bridge carries."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.ports.services import Services
from crossway.usecases.payments.bridge_progress import BridgeProgress

K, S = OutboundTxKind, BridgeTransferState
Action = tuple[str, datetime | None]
ATTESTER: Final = "Circle"
_FINISHED: Final = "None. This payment is finished."
_AT_SOURCE: Final[Mapping[BridgeTransferState, tuple[OutboundTxKind, str]]] = {
    S.PLANNED: (K.START, "send the deposit over {bridge}"),
    S.COLLECTED: (K.START, "send the deposit over {bridge}, which somebody else has collected"),
    S.GIVING_BACK: (K.GIVE_BACK, "take the deposit back from the contract of {bridge}"),
}


def describe_bridge_step(
    services: Services, intent: Intent, open_txs: Sequence[OutboundTx], progress: BridgeProgress
) -> Action | None:
    """The next step of the bridge; None where the payment goes on as any other."""
    title = bridge_title(progress.bridge)
    if progress.state in _AT_SOURCE:
        kind, action = _AT_SOURCE[progress.state]
        if intent.state is not State.FUNDED and progress.state is S.PLANNED:
            return None
        action = action.format(bridge=title)
        due_at = intent.terms.expires_at if intent.state is State.FUNDED else None
        return _join(f"Crossway: {action}.", _reason(open_txs, kind)), due_at
    match progress.state:
        case S.SEEN | S.DELAYED | S.OVERDUE:
            return _describe_wait(intent, progress, title)
        case S.HALTED:
            sentence = (
                f"Operator: ask {title}. Nothing is delivered until it agrees with the chain."
            )
            return _join(sentence, progress.reason), None
        case S.CLAIMABLE:
            chain = services.catalogue.chains[intent.terms.destination_chain].name
            action = f"Crossway: deliver it on {chain}{_repaying(intent)}. Anyone else can, too."
            return _join(action, _reason(open_txs, K.DELIVER)), None
        case S.PARKED:
            action = "Crossway: release it to the recipient once that can be paid. Anyone can."
            return _join(action, _reason(open_txs, K.RELEASE)), None
        case S.UNCLAIMED:
            action = (
                "Operator: settle with the recipient what the coordinator took out after 30 days."
            )
            return action, None
        case S.EXPIRED:
            action = f"{title}: return the deposit to its address, usually within 12 hours."
            return f"{action} Then it is refunded.", None
        case S.DELIVERED:
            return "None. The delivery becomes final.", None
        case S.CLOSED:
            return (_FINISHED, None) if not open_txs else None
    return None


def _describe_wait(intent: Intent, progress: BridgeProgress, title: str) -> Action:
    """What is waited for after the send, until the usual time while that has not passed."""
    is_attested = progress.bridge == BridgeName.CCTP
    who, what = (
        (ATTESTER, "attest to the send") if is_attested else (title, "let a relayer fill it")
    )
    if progress.state is S.SEEN:
        return f"{who}: {what}{_repaying(intent)}.", progress.expected_at
    return f"{who}: {what}{_repaying(intent)}. {progress.reason or 'It is late.'}", None


def _repaying(intent: Intent) -> str:
    is_prefilled = bool(intent.relayer) and not intent.relayer_claimed
    return ", which repays the payout from inventory" if is_prefilled else ""


def _reason(open_txs: Sequence[OutboundTx], kind: OutboundTxKind) -> str:
    """Why the transaction of this kind waits, if it does."""
    waiting = (t for t in open_txs if t.kind is kind and t.state is OutboundTxState.DUE)
    return next((t.reason for t in waiting if t.reason), "")


def _join(sentence: str, reason: str) -> str:
    return f"{sentence} {reason}".strip()
