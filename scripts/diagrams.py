"""Write docs/states.md: the diagrams of the state machines, drawn from their tables."""

from pathlib import Path

from crossway.domain.intent import ENDED, TRANSITIONS, Event, State
from crossway.domain.ramps import ORDER_ENDED, ORDER_TRANSITIONS, OrderEvent, OrderState
from crossway.domain.transfers import TRANSFER_TRANSITIONS, TransferState

FILE = Path(__file__).parent.parent / "docs" / "states.md"
HEAD = """# States

Drawn by `python scripts/diagrams.py` from the tables in `src/crossway/domain`; a test fails when
this page is stale. A move shows its event, then what it announces and what is then owed.
"""


def intents() -> str:
    """The life of a payment intent, without events that leave the state as it is."""
    lines = ["stateDiagram-v2", f"    [*] --> {State.PENDING}"]
    for (state, event), move in TRANSITIONS.items():
        if event is not Event.BOOKED and (move.to is not state or move.duties):
            follows = [move.tells or "", *(f"owes {duty}" for duty in move.duties)]
            words = "<br/>".join(word for word in (event.value, *follows) if word)
            lines.append(f"    {state} --> {move.to}: {words}")
    lines += [f"    {state} --> [*]" for state in State if state in ENDED]
    return "\n".join(lines)


def staying() -> str:
    """Events that only change amounts or books."""
    stays: dict[str, list[str]] = {}
    for (state, event), move in TRANSITIONS.items():
        if move.to is state and not move.duties and event is not Event.BOOKED:
            stays.setdefault(state.value, []).append(event.value)
    return "\n".join(f"* {state}: {', '.join(events)}" for state, events in stays.items())


def transfers() -> str:
    """The life of one transaction that an intent owes."""
    lines = ["stateDiagram-v2", f"    [*] --> {TransferState.DUE}"]
    lines += [
        f"    {state} --> {to}: {event}" for (state, event), to in TRANSFER_TRANSITIONS.items()
    ]
    lines.append(f"    {TransferState.FINAL} --> [*]")
    return "\n".join(lines)


def orders() -> str:
    """The life of a ramp order; what is only noted leaves it as it is."""
    lines = ["stateDiagram-v2", f"    [*] --> {OrderState.PENDING}"]
    lines += [
        f"    {state} --> {to}: {event}"
        for (state, event), to in ORDER_TRANSITIONS.items()
        if event is not OrderEvent.NOTED
    ]
    lines += [f"    {state} --> [*]" for state in OrderState if state in ORDER_ENDED]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    return (
        f"{HEAD}\n## A payment intent\n\n```mermaid\n{intents()}\n```\n\n"
        f"Without a new state:\n\n{staying()}\n\n"
        f"## A transaction that it owes\n\n```mermaid\n{transfers()}\n```\n\n"
        f"## A ramp order\n\n```mermaid\n{orders()}\n```\n"
    )


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(page(), encoding="utf-8")
