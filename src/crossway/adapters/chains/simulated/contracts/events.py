"""What bridges' contracts report, from which their state follows."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crossway.domain.bridge_transfer import Arrival, ArrivalOutcome


class EventKind(StrEnum):
    """What happened to a payment: its deposit was collected, sent or given back, its recipient was
    paid by the filler, or what a bridge carried arrived."""

    STARTED = "started"
    SENT = "sent"
    GIVEN_BACK = "given back"
    FILLED = "filled"
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True)
class BridgeEvent:
    """One event of a transaction in a block of the time `at`.

    SENT: `message` is what CCTP emitted, and `paid` what a swap cost before. FILLED: `payee` is
    repaid by what arrives. ARRIVED: the other fields are those of `domain.bridge_transfer.Arrival`,
    and `message_id` is the message's that was delivered, if any.
    """

    intent_hash: str
    kind: EventKind
    contract: str
    at: float
    outcome: int = 0
    token: str = ""
    got: int = 0
    paid: int = 0
    credited: int = 0
    payee: str = ""
    message: bytes = b""
    message_id: str = ""

    @property
    def marker(self) -> str:
        """The on-chain marker that it sets."""
        if self.kind is not EventKind.ARRIVED:
            return f"{_MARKERS[self.kind]}:{self.intent_hash}"
        released = self.outcome in (ArrivalOutcome.RELEASED, ArrivalOutcome.UNPARKED)
        return f"{'release' if released else 'arrive'}:{self.intent_hash}"

    def as_arrival(self) -> Arrival:
        """The arrival that it reports."""
        return Arrival(
            self.intent_hash,
            ArrivalOutcome(self.outcome),
            self.token,
            self.got,
            self.paid,
            self.credited,
        )


_MARKERS: Final = {
    EventKind.STARTED: "start",
    EventKind.SENT: "send",
    EventKind.GIVEN_BACK: "send",
    EventKind.FILLED: "fill",
}
MARKER_NAMES: Final = ("start", "send", "fill", "arrive", "release")
