"""The frame in which one call of a bridge's contract executes: its transfers and its events."""

from dataclasses import dataclass, field
from typing import Final, NoReturn, Protocol

from crossway.adapters.chains.rpc.tx_results import REVERT_REASONS, UNKNOWN_REVERT, RevertReason
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent, EventKind
from crossway.adapters.chains.simulated.contracts.reach import BridgeReach
from crossway.domain.bridge_transfer import ArrivalOutcome

NOWHERE: Final = ""
INVENTORY_SHORT: Final = RevertReason("the relayer's balance or allowance was too low", False)
_ENDED: Final = (ArrivalOutcome.RELEASED, ArrivalOutcome.UNPARKED)


class ContractReverted(Exception):
    """A call reverted: with an error of our contracts, or with the sentence of a bridge's."""

    def __init__(self, reason: RevertReason, sentence: str = "") -> None:
        super().__init__(sentence or reason.message)
        self.reason = reason


class Accounts(Protocol):
    """The balances of a chain while a block is made."""

    refusing: frozenset[str]

    def units(self, address: str, token: str) -> int:
        """The balance of a token at an address."""
        ...

    def add(self, address: str, token: str, units: int) -> None:
        """Change a balance."""
        ...


@dataclass(slots=True)
class CallFrame:
    """One call by `caller`, empty for a stranger, in a block of this height and time.

    `history` are the payment's earlier events, oldest first; `paused` the bridges that are.
    `is_agent`: the caller may act for the coordinator.
    """

    accounts: Accounts
    reach: BridgeReach
    history: list[BridgeEvent]
    paused: frozenset[str]
    caller: str
    is_agent: bool
    height: int
    at: float
    transfers: list[tuple[str, str, str, int]] = field(default_factory=list)
    events: list[BridgeEvent] = field(default_factory=list)

    def move(self, source: str, to: str, token: str, units: int) -> bool:
        """Transfer a token; False where the receiver refuses it or the balance is too low."""
        short = source != NOWHERE and self.accounts.units(source, token) < units
        if short or to in self.accounts.refusing:
            return False
        self.accounts.add(source, token, -units)
        self.accounts.add(to, token, units)
        self.transfers.append((source, to, token, units))
        return True

    def undo(self) -> None:
        """Undo the transfers."""
        for source, to, token, units in reversed(self.transfers):
            self.accounts.add(to, token, -units)
            self.accounts.add(source, token, units)

    def has(self, kind: EventKind) -> bool:
        """Whether this has happened to the payment."""
        return any(event.kind is kind for event in (*self.history, *self.events))

    def payee(self) -> str:
        """Who paid the recipient through the filler; empty while nobody has."""
        filled = (e.payee for e in (*self.history, *self.events) if e.kind is EventKind.FILLED)
        return next(filled, "")

    def parked(self) -> BridgeEvent | None:
        """The arrival that is parked now."""
        arrivals = [event for event in self.history if event.kind is EventKind.ARRIVED]
        if any(event.outcome in _ENDED for event in arrivals):
            return None
        return next((e for e in arrivals if e.outcome == ArrivalOutcome.PARKED), None)


def revert(error: str) -> NoReturn:
    """Revert with an error of our contracts."""
    raise ContractReverted(REVERT_REASONS[error])


def refuse(sentence: str) -> NoReturn:
    """Revert with the sentence of a bridge's own contract."""
    raise ContractReverted(UNKNOWN_REVERT, sentence)
