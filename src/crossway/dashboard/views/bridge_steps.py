"""The steps of a payment that a bridge carries, and what its timeline says about them."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Final

from crossway.dashboard.views.cells import Color, Step, TimelineEntry
from crossway.dashboard.views.formatting import to_millis, tx_cell
from crossway.dashboard.views.intent_detail import to_raw_json
from crossway.domain.bridge_transfer import BridgeTransferState, BridgeTransferStep
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Intent, State
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.usecases.payments.bridge_progress import BridgeProgress

S = BridgeTransferState
_ON_THE_WAY: Final = (S.SEEN, S.DELAYED, S.OVERDUE, S.HALTED)
_UNFILLED: Final = (S.EXPIRED, S.REFUNDING, S.REFUNDED)
_PARKED: Final = (S.PARKED, S.UNCLAIMED)
_STEP_TITLES: Final[Mapping[BridgeTransferState, tuple[str, str, Color]]] = {
    S.PLANNED: ("Send over {bridge} undone by a reorganization", "undo", "orange"),
    S.COLLECTED: ("Collected by somebody else, to be sent over {bridge}", "pan_tool", "orange"),
    S.GIVING_BACK: ("Return from the contract of {bridge} due", "undo", "orange"),
    S.DELAYED: ("{bridge} is late", "schedule", "orange"),
    S.OVERDUE: ("{bridge} is late", "schedule", "orange"),
    S.HALTED: ("{bridge} contradicts the chain: halted", "gpp_maybe", "red"),
    S.CLAIMABLE: ("Attested by Circle", "verified", "blue"),
    S.REFUNDING: ("On its way back to the payer", "undo", "orange"),
    S.UNCLAIMED: ("Taken out by the coordinator", "logout", "red"),
    S.CLOSED: ("Delivery final", "lock", "green"),
}
"""Those that no event of the payment itself tells."""


def shows_bridge(intent: Intent, progress: BridgeProgress | None) -> bool:
    """Whether the payment got so far that its bridge's steps are its own."""
    if progress is None or intent.state is State.EXPIRED:
        return False
    return intent.state is not State.REFUNDED or progress.sent_at is not None


def build_bridge_steps(
    intent: Intent, entered_at: Mapping[State, int], progress: BridgeProgress
) -> tuple[Step, ...]:
    """The steps after the deposit: sent, attested or filled, paid out or returned."""
    title, state = bridge_title(progress.bridge), progress.state
    at = {step.state: to_millis(step.at) for step in progress.steps}
    if progress.sent_at is None or intent.state in (State.PENDING, State.FUNDED):
        send = Step(f"Send over {title}", "now" if intent.state is State.FUNDED else "todo")
        if progress.bridge == BridgeName.CCTP:
            return send, Step("Attested by Circle", "todo"), Step("Recipient paid", "todo")
        return send, Step("Recipient paid", "todo")
    sent = Step(f"Sent over {title}", "done", to_millis(progress.sent_at))
    paid_at = entered_at.get(State.COMPLETED)
    if state in _UNFILLED:
        return sent, *_unfilled_steps(title, at, entered_at, state)
    attested = _attestation_steps(progress, at)
    if intent.relayer:
        ended = state not in (*_ON_THE_WAY, S.CLAIMABLE)
        repaid_at = at.get(S.DELIVERED)
        repaid = Step("Inventory repaid", "done" if ended else "todo", repaid_at)
        return sent, Step("Recipient paid", "done", paid_at), *attested, repaid
    if state in _PARKED:
        parked = Step("Parked", "failed", at.get(S.PARKED), "the recipient cannot be paid")
        if state is S.UNCLAIMED:
            taken = Step("Taken out by the coordinator", "failed", at.get(S.UNCLAIMED))
            return sent, *attested, parked, taken
        return sent, *attested, parked, Step("Release to the recipient", "now")
    if intent.state is State.COMPLETED:
        return sent, *attested, Step("Recipient paid", "done", paid_at)
    is_next = state is S.CLAIMABLE or not attested
    note = "" if attested else _expectation(progress)
    return sent, *attested, Step("Recipient paid", "now" if is_next else "todo", note=note)


def _attestation_steps(
    progress: BridgeProgress, at: Mapping[BridgeTransferState, int]
) -> tuple[Step, ...]:
    """The attestation, where the bridge needs one."""
    if progress.bridge != BridgeName.CCTP:
        return ()
    if progress.state is S.HALTED:
        return (Step("Attestation contradicts the chain", "failed", at.get(S.HALTED)),)
    if progress.state in _ON_THE_WAY:
        return (Step("Attestation by Circle", "now", note=_expectation(progress)),)
    return (Step("Attested by Circle", "done", at.get(S.CLAIMABLE)),)


def _unfilled_steps(
    title: str,
    at: Mapping[BridgeTransferState, int],
    entered_at: Mapping[State, int],
    state: BridgeTransferState,
) -> tuple[Step, ...]:
    unfilled = Step("Nobody filled it", "failed", at.get(S.EXPIRED))
    if state is S.EXPIRED:
        return unfilled, Step(f"Return by {title}", "now", note="usually within 12 hours")
    returned = Step(f"Returned by {title}", "done", at.get(S.REFUNDING))
    if state is S.REFUNDING:
        return unfilled, returned, Step("Refund", "now")
    return unfilled, returned, Step("Refunded", "done", entered_at.get(State.REFUNDED))


def _expectation(progress: BridgeProgress) -> str:
    if progress.state in (S.DELAYED, S.OVERDUE):
        return "late"
    return _format_expected(progress.expected_at)


def _format_expected(at: datetime | None) -> str:
    return f"expected {at:%H:%M:%S} UTC" if at else ""


def build_bridge_entries(
    catalogue: Catalogue, intent: Intent, progress: BridgeProgress
) -> tuple[TimelineEntry, ...]:
    """Timeline entries of the steps that no event of the payment tells, oldest first."""
    return tuple(
        _entry(catalogue, intent, number, step)
        for number, step in enumerate(progress.steps)
        if step.state in _STEP_TITLES
    )


def _entry(
    catalogue: Catalogue, intent: Intent, number: int, step: BridgeTransferStep
) -> TimelineEntry:
    title, icon, color = _STEP_TITLES[step.state]
    at_destination = step.state in (S.UNCLAIMED, S.CLOSED)
    terms = intent.terms
    chain = terms.destination_chain if at_destination else terms.source_chain
    return TimelineEntry(
        key=f"bridge-{number}",
        title=title.format(bridge=bridge_title(terms.bridge)),
        at=to_millis(step.at),
        note=step.note,
        icon=icon,
        color=color,
        tx=tx_cell(catalogue.chains.get(chain), step.tx) if step.tx else None,
        raw=to_raw_json(asdict(step)),
    )
