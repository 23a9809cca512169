"""The steps of a payment: completed, current and upcoming."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from crossway.dashboard.views.bridge_steps import build_bridge_steps, shows_bridge
from crossway.dashboard.views.cells import Step
from crossway.dashboard.views.formatting import format_amount, to_millis
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.records import TransitionRecord
from crossway.usecases.payments.bridge_progress import BridgeProgress

_HAPPY_PATH = (State.PENDING, State.FUNDED, State.INITIATED, State.COMPLETED)


def state_entry_times(transitions: Sequence[TransitionRecord]) -> dict[State, datetime]:
    """The last time each state was entered."""
    times: dict[State, datetime] = {}
    for transition in sorted(transitions, key=lambda m: m.at):
        if transition.from_state != transition.to_state:
            times[transition.to_state] = transition.at
    return times


def build_steps(
    intent: Intent,
    transitions: Sequence[TransitionRecord],
    outbound_txs: Sequence[OutboundTx] = (),
    progress: BridgeProgress | None = None,
    awaited: Step | None = None,
) -> tuple[Step, ...]:
    """The steps of this payment: completed, current and upcoming. `progress` is that of its bridge,
    if one carries it; `awaited` is the step by which the payout's inventory arrives, if it has to.
    """
    times = state_entry_times(transitions)
    reversed_deposit = _is_deposit_reversed(times)
    entered_at = {state: to_millis(time) for state, time in times.items()}
    entered_at[State.PENDING] = to_millis(intent.created_at)
    note = "reversed by a chain reorganization" if reversed_deposit else ""
    if progress is not None and shows_bridge(intent, progress):
        if intent.state is State.PENDING:
            before = _happy_path_steps(intent, entered_at, note)[:2]
        else:
            funded = Step("Deposit complete", "done", entered_at.get(State.FUNDED))
            before = Step("Created", "done", entered_at[State.PENDING]), funded
        return *before, *build_bridge_steps(intent, entered_at, progress)
    if intent.state in _HAPPY_PATH:
        steps = _happy_path_steps(intent, entered_at, note)
        if awaited is None or intent.state is State.PENDING:
            return steps
        return with_awaited(steps, awaited, before=2)
    ended = _ended_steps(intent, entered_at, times, reversed_deposit)
    return (*ended, *_refund_steps(intent, entered_at, outbound_txs))


def with_awaited(steps: tuple[Step, ...], awaited: Step, before: int) -> tuple[Step, ...]:
    """The steps with one more, which the step at the position `before` waits for: where that has
    not begun, nothing before it is under way any more."""
    done = [replace(s, status="done") if s.status == "now" else s for s in steps[:before]]
    if awaited.status == "done" or steps[before].status == "done":
        return *steps[:before], replace(awaited, status="done"), *steps[before:]
    waiting = [replace(s, status="todo") if s.status == "now" else s for s in steps[before:]]
    return *done, awaited, *waiting


def _ended_steps(
    intent: Intent,
    entered_at: Mapping[State, int],
    times: Mapping[State, datetime],
    reversed_deposit: bool,
) -> list[Step]:
    """The steps of a payment that was not paid out, up to its end."""
    steps = [Step("Created", "done", entered_at[State.PENDING])]
    if reversed_deposit:
        note = "by a chain reorganization"
        steps.append(Step("Deposit reversed", "failed", to_millis(times[State.PENDING]), note))
    else:
        steps += [
            Step(name, "done", entered_at[state])
            for state, name in (
                (State.FUNDED, "Deposit complete"),
                (State.INITIATED, "Payout in progress"),
            )
            if state in entered_at
        ]
    final_state = State.FAILED if State.FAILED in entered_at else State.EXPIRED
    word = "Payout rejected" if final_state is State.FAILED else "Expired"
    steps.append(
        Step(
            word,
            "failed",
            entered_at.get(final_state),
            _describe_received(intent) if len(steps) == 1 else "",
        )
    )
    return steps


def _is_deposit_reversed(times: Mapping[State, datetime]) -> bool:
    """Whether a complete deposit was reversed by a reorganization."""
    funded, waiting = times.get(State.FUNDED), times.get(State.PENDING)
    return funded is not None and waiting is not None and waiting > funded


def _refund_steps(
    intent: Intent, entered_at: Mapping[State, int], outbound_txs: Sequence[OutboundTx]
) -> tuple[Step, ...]:
    if intent.state is State.REFUNDED:
        return (Step("Refunded", "done", entered_at.get(State.REFUNDED)),)
    if not intent.balance_at_address:
        return ()
    refunds = [tx for tx in outbound_txs if tx.kind is OutboundTxKind.REFUND]
    failed = next((tx for tx in refunds if tx.state is OutboundTxState.FAILED), None)
    if failed is not None:
        return (Step("Refund failed", "failed", to_millis(failed.updated_at), failed.reason),)
    waits = any(tx.state is OutboundTxState.DUE and tx.reason for tx in refunds)
    return (Step("Refund", "now", note="waiting" if waits else "in progress"),)


def _happy_path_steps(intent: Intent, entered_at: dict[State, int], note: str) -> tuple[Step, ...]:
    current = _HAPPY_PATH.index(intent.state)
    names = ("Created", "Deposit", "Payout in progress", "Recipient paid")
    done = ("Created", "Deposit complete", "Payout in progress", "Recipient paid")
    steps = []
    for index, state in enumerate(_HAPPY_PATH):
        if index < current or (index == current and state in (State.PENDING, State.COMPLETED)):
            steps.append(Step(done[index], "done", entered_at.get(state)))
        elif index == current:
            steps.append(Step(done[index], "now", entered_at.get(state)))
        elif index == current + 1 and state is State.FUNDED:
            steps.append(
                Step("Waiting for the deposit", "now", note=note or _describe_received(intent))
            )
        else:
            steps.append(Step(names[index], "todo"))
    return tuple(steps)


def _describe_received(intent: Intent) -> str:
    received = format_amount(intent.received_amount, intent.asset_decimals, intent.asset_symbol)
    due = format_amount(intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol)
    if intent.received_amount:
        return f"{received} of {due} received"
    return f"no payment received {'yet' if intent.state is State.PENDING else 'in time'}"
