"""The status of a payment that a bridge carries, as its payer sees it: state and steps."""

from typing import Final, Literal

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.quotes import BridgeName
from crossway.usecases.payments.bridge_progress import BridgeProgress

StepStatus = Literal["done", "now", "todo", "failed"]
S = BridgeTransferState
_FILLED: Final = ("pay", "seen", "bridged", "done")
_LATE: Final = (S.DELAYED, S.OVERDUE, S.HALTED)


def bridge_state(intent: Intent, progress: BridgeProgress) -> str:
    """The key of its texts; empty where they are those of any payment. What is late over CCTP can
    only be delivered; over Across, nobody filling it returns it."""
    if intent.state is State.INITIATED:
        if progress.state not in _LATE:
            return ""
        return "late" if progress.bridge == BridgeName.CCTP else "late_fill"
    if intent.state is State.FAILED:
        if progress.state in (S.PARKED, S.UNCLAIMED):
            return "parked"
        return "unfilled" if progress.state is S.EXPIRED else ""
    return ""


def bridge_tx_label(kind: OutboundTxKind, progress: BridgeProgress) -> str:
    """What a transaction does that means something else than in other payments: the start sends it,
    and the delivery of what was parked pays nobody."""
    if kind is OutboundTxKind.START:
        return "send"
    was_parked = any(step.state is S.PARKED for step in progress.steps)
    return "arrive" if kind is OutboundTxKind.DELIVER and was_parked else ""


def bridge_steps(
    state: str, intent: Intent, progress: BridgeProgress
) -> tuple[tuple[str, StepStatus], ...]:
    """Its steps by the key of their texts; none where they are those of any payment. A payment that
    was paid from inventory does not show the attestation, which changes nothing for its payer."""
    is_sent = progress.sent_at is not None
    if state == "parked":
        return ("pay", "done"), ("bridged", "done"), ("parked", "failed"), ("done", "now")
    if is_sent and state in ("unfilled", "undelivered", "refunded"):
        back: StepStatus = "done" if state == "refunded" else "now"
        return ("pay", "done"), ("bridged", "done"), ("unfilled", "failed"), ("back", back)
    is_attested = progress.bridge == BridgeName.CCTP and not intent.relayer
    # Four, which fit on a phone.
    names = ["pay", "bridged", "attested", "done"] if is_attested else list(_FILLED)
    current = _current(state, progress, names)
    if current is None:
        return ()
    return tuple(
        (name, "done" if index < current else "now" if index == current else "todo")
        for index, name in enumerate(names)
    )


def _current(state: str, progress: BridgeProgress, names: list[str]) -> int | None:
    """The index of the current step; None where another list of steps is shown."""
    if state in ("sending", "late", "late_fill"):
        return names.index("done") if progress.state is S.CLAIMABLE else names.index("bridged") + 1
    sends = names.index("bridged")
    first = {"waiting": 0, "short": 0, "seen": 1, "received": sends, "completed": len(names)}
    return first.get(state)
