"""Bridge transfers: the way of a payment's money through a bridge, and the table of its states."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.errors import InvalidTransition


class Custody(StrEnum):
    """Whom a payer trusts from start to payout: BRIDGE, contracts alone decide where the money
    goes; OPERATOR, the operator settles it."""

    BRIDGE = "BRIDGE"
    OPERATOR = "OPERATOR"


class BridgeTransferState(StrEnum):
    """The state of a bridge transfer.

    PLANNED: not sent. COLLECTED: somebody else started the payment, so its deposit lies in the
    bridge contract. GIVING_BACK: it goes from there to the deposit address. REFUNDING, REFUNDED: on
    to the refund address. SEEN: sent, as our nodes say. DELAYED: late, `reason` says why. HALTED:
    the bridge's service contradicts the chain, so nothing is sent. CLAIMABLE: the service attested.
    DELIVERED: it arrived and was paid out; CLOSED: that is final. PARKED: it arrived and its
    recipient cannot be paid. UNCLAIMED: the coordinator took it out after 30 days. OVERDUE: nobody
    has filled it yet. EXPIRED: nobody can any more, so the bridge refunds it.
    """

    PLANNED = "PLANNED"
    COLLECTED = "COLLECTED"
    GIVING_BACK = "GIVING_BACK"
    REFUNDING = "REFUNDING"
    REFUNDED = "REFUNDED"
    SEEN = "SEEN"
    DELAYED = "DELAYED"
    HALTED = "HALTED"
    CLAIMABLE = "CLAIMABLE"
    DELIVERED = "DELIVERED"
    CLOSED = "CLOSED"
    PARKED = "PARKED"
    UNCLAIMED = "UNCLAIMED"
    OVERDUE = "OVERDUE"
    EXPIRED = "EXPIRED"


class BridgeTransferEvent(StrEnum):
    """What can happen to a bridge transfer."""

    COLLECT = "COLLECT"
    COLLECT_REVERSED = "COLLECT_REVERSED"
    SEND = "SEND"
    SEND_REVERSED = "SEND_REVERSED"
    DELAY = "DELAY"
    CONTRADICT = "CONTRADICT"
    ATTEST = "ATTEST"
    MESSAGE_EXPIRED = "MESSAGE_EXPIRED"
    ATTESTATION_REFUSED = "ATTESTATION_REFUSED"
    DELIVER = "DELIVER"
    PARK = "PARK"
    ARRIVAL_REVERSED = "ARRIVAL_REVERSED"
    ARRIVAL_LOST = "ARRIVAL_LOST"
    RELEASE = "RELEASE"
    RELEASE_REVERSED = "RELEASE_REVERSED"
    UNPARK = "UNPARK"
    FINALIZE = "FINALIZE"
    GIVE_BACK = "GIVE_BACK"
    END_UNSENT = "END_UNSENT"
    REFUND = "REFUND"
    REFUND_REVERSED = "REFUND_REVERSED"
    RETURN_REVERSED = "RETURN_REVERSED"
    LATE_FILL = "LATE_FILL"
    PASS_DEADLINE = "PASS_DEADLINE"


S, E = BridgeTransferState, BridgeTransferEvent
_ON_THE_WAY = (S.SEEN, S.DELAYED, S.OVERDUE, S.EXPIRED)
TRANSFER_TRANSITIONS: Final = MappingProxyType(
    {
        (S.PLANNED, E.COLLECT): S.COLLECTED,
        (S.COLLECTED, E.COLLECT_REVERSED): S.PLANNED,
        (S.PLANNED, E.END_UNSENT): S.REFUNDING,
        **{
            (state, E.SEND): S.SEEN
            # After an end, books that were restored from a backup learn that it was sent.
            for state in (S.PLANNED, S.COLLECTED, S.GIVING_BACK, S.REFUNDING)
        },
        (S.COLLECTED, E.GIVE_BACK): S.GIVING_BACK,
        (S.GIVING_BACK, E.END_UNSENT): S.REFUNDING,
        (S.REFUNDING, E.REFUND): S.REFUNDED,
        (S.REFUNDED, E.REFUND_REVERSED): S.REFUNDING,
        **{(state, E.SEND_REVERSED): S.PLANNED for state in (S.SEEN, S.DELAYED, S.OVERDUE)},
        (S.SEEN, E.DELAY): S.DELAYED,
        (S.DELAYED, E.DELAY): S.DELAYED,
        **{(state, E.CONTRADICT): S.HALTED for state in (S.SEEN, S.DELAYED)},
        **{(state, E.ATTEST): S.CLAIMABLE for state in (S.SEEN, S.DELAYED, S.HALTED)},
        (S.CLAIMABLE, E.MESSAGE_EXPIRED): S.DELAYED,
        (S.CLAIMABLE, E.ATTESTATION_REFUSED): S.DELAYED,
        **{(state, E.DELIVER): S.DELIVERED for state in (*_ON_THE_WAY, S.HALTED, S.CLAIMABLE)},
        **{(state, E.PARK): S.PARKED for state in (*_ON_THE_WAY, S.HALTED, S.CLAIMABLE)},
        **{(state, E.ARRIVAL_REVERSED): S.CLAIMABLE for state in (S.DELIVERED, S.PARKED)},
        # One that was not ours, of a transfer that the service has not attested to us.
        **{(state, E.ARRIVAL_LOST): S.SEEN for state in (S.DELIVERED, S.PARKED)},
        (S.DELIVERED, E.FINALIZE): S.CLOSED,
        (S.PARKED, E.RELEASE): S.DELIVERED,
        (S.PARKED, E.UNPARK): S.UNCLAIMED,
        **{(state, E.RELEASE_REVERSED): S.PARKED for state in (S.DELIVERED, S.UNCLAIMED)},
        **{(state, E.LATE_FILL): S.OVERDUE for state in (S.SEEN, S.OVERDUE)},
        **{(state, E.PASS_DEADLINE): S.EXPIRED for state in (S.SEEN, S.OVERDUE)},
        (S.EXPIRED, E.END_UNSENT): S.REFUNDING,
        (S.REFUNDING, E.RETURN_REVERSED): S.EXPIRED,
    }
)
ASKED_STATES: Final = frozenset({S.SEEN, S.DELAYED, S.HALTED, S.OVERDUE, S.EXPIRED})
"""Those in which the bridge's service is asked what has become of it; in CLAIMABLE, only whether
it has arrived."""


def advance_transfer(state: BridgeTransferState, event: BridgeTransferEvent) -> BridgeTransferState:
    """The new state after an event; raises `InvalidTransition` when the table has none."""
    new_state = TRANSFER_TRANSITIONS.get((state, event))
    if new_state is None:
        raise InvalidTransition(f"{event} cannot happen to a bridge transfer that is {state}")
    return new_state


class ArrivalOutcome(IntEnum):
    """What the bridge contract did with money that arrived, as its event numbers it.

    PAID: the recipient was paid from it. REPAID: whoever had paid the recipient was repaid.
    REPEATED: it had arrived before, so all of it is the coordinator's. PARKED: its recipient cannot
    be paid. RELEASED: parked money was paid after all. UNPARKED: the coordinator took it out.
    """

    PAID = 1
    REPAID = 2
    REPEATED = 3
    PARKED = 4
    RELEASED = 5
    UNPARKED = 6


@dataclass(frozen=True, slots=True)
class Arrival:
    """One `Arrived` event of a bridge contract; amounts in units of `token`, that of the payout.

    Of what was `got`, `paid` went to the recipient or to whoever had paid it, and `credited` is
    owed to the coordinator.
    """

    intent_hash: str
    outcome: ArrivalOutcome
    token: str
    got: int
    paid: int
    credited: int


@dataclass(frozen=True)
class BridgeTransfer:
    """One bridge transfer as stored.

    `sent_message` is what the bridge's contract emitted at the send, as our nodes report it;
    `message` and `attestation` what the bridge's service returned for it, verified, and
    `message_id` its number there. `next_at`: when our own nodes are asked next whether it has
    arrived; `ask_at`: the service, `poll_count` times since the send.
    """

    intent_id: int
    bridge: str
    source_chain: str
    destination_chain: str
    state: BridgeTransferState
    reason: str
    message_id: str
    source_tx: str
    destination_tx: str
    sent_message: bytes
    message: bytes
    attestation: bytes
    sent_at: datetime | None
    expected_at: datetime | None
    next_at: datetime
    ask_at: datetime | None
    poll_count: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class BridgeTransferStep:
    """One entry in the history of a bridge transfer; `tx` is the transaction that caused it, and
    empty where none did."""

    intent_id: int
    at: datetime
    state: BridgeTransferState
    tx: str
    note: str


MAX_POLL_SECONDS: Final = 1_200
_LATE_FACTOR: Final = 3
_MIN_LATE_SECONDS: Final = 60


def is_overdue(transfer: BridgeTransfer, now: datetime) -> bool:
    """Whether a transfer takes much longer than usual: three times as long, and a minute more."""
    if transfer.sent_at is None or transfer.expected_at is None:
        return False
    usual_seconds = (transfer.expected_at - transfer.sent_at).total_seconds()
    late = _LATE_FACTOR * usual_seconds + _MIN_LATE_SECONDS
    return (now - transfer.sent_at).total_seconds() > late


_QUICK_POLLS, _POLL_GROWTH = 2, 2


def poll_delay_seconds(poll_count: int) -> float:
    """How long to wait before the bridge is asked again about a transfer that is due.

    It is asked first when it usually answers, then a second later, and ever more seldom, up to
    twenty minutes: many late transfers must not use up the requests that new ones need.
    """
    growth = _POLL_GROWTH ** min(max(poll_count - _QUICK_POLLS, 0), 20)
    return float(min(growth, MAX_POLL_SECONDS))
