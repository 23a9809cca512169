"""Bridges' contracts while a block is made: their history, and what a block adds to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from crossway.adapters.chains.simulated.contracts.call_frame import (
    Accounts,
    CallFrame,
    ContractReverted,
)
from crossway.adapters.chains.simulated.contracts.calls import execute_call
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent
from crossway.adapters.chains.simulated.contracts.reach import BridgeReach


@dataclass(slots=True)
class BlockContracts:
    """The bridges' contracts of one chain, at the height of the next block. `agents` are the
    accounts that may act for the coordinator."""

    chain: str
    reach: BridgeReach | None = None
    agents: frozenset[str] = frozenset()
    height: int = 0
    paused: frozenset[str] = frozenset()
    history: dict[str, list[BridgeEvent]] = field(default_factory=dict)

    def execute(self, accounts: Accounts, call: ContractCall, caller: str, at: float) -> CallFrame:
        """Execute a call. Raises `ContractReverted`, after which nothing has changed."""
        if self.reach is None:
            raise ValueError(f"no bridge reaches {self.chain}")
        history = self.history.setdefault(call.intent_hash, [])
        frame = CallFrame(
            accounts,
            self.reach,
            history,
            self.paused,
            caller or call.payer,
            (caller or call.payer) in self.agents,
            self.height,
            at,
        )
        try:
            execute_call(frame, call)
        except ContractReverted:
            frame.undo()
            raise
        history += frame.events
        return frame

    def forget(self, events: Iterable[BridgeEvent]) -> set[str]:
        """Undo the newest events; returns the markers that are not set any more."""
        undone = list(events)
        for event in reversed(undone):
            self.history[event.intent_hash].remove(event)
        left = {e.marker for name in {e.intent_hash for e in undone} for e in self.history[name]}
        return {event.marker for event in undone} - left
