"""The ports of a bridge: its quotes, following its transfers, and its contracts on a chain."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from crossway.domain.bridge_transfer import Arrival, BridgeTransfer
from crossway.domain.intent import Intent
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.quotes import BridgeName, BridgeQuote, QuoteRejected, Route, RouteRequest


class Bridge(Protocol):
    """One bridge with its own pricing.

    `runs_in_process`: the bridge prices from memory and never waits for a network call, so it is
    called in the caller's thread, without a deadline.
    """

    name: BridgeName
    runs_in_process: bool

    def routes(self) -> Sequence[Route]:
        """Every pair of chains that it serves."""
        ...

    def get_quotes(
        self, requests: Sequence[RouteRequest], now: datetime
    ) -> Sequence[BridgeQuote | QuoteRejected]:
        """One answer for each request, in order. Raises `Unreachable`."""
        ...


@dataclass(frozen=True, slots=True)
class MessageSeen:
    """Our nodes report what was sent: the message that the service has to attest to, or the deposit
    that relayers fill, with its number at the bridge where it has one already."""

    sent_message: bytes
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Pending:
    """On its way; `reason` is a sentence where the bridge says what it waits for."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claimable:
    """The bridge's service attested to the message that our own nodes report, under `message_id`;
    anyone can deliver it."""

    message_id: str
    message: bytes
    attestation: bytes


@dataclass(frozen=True, slots=True)
class Contradicted:
    """The service returned something else than what our nodes report: a sentence says what."""

    reason: str


@dataclass(frozen=True, slots=True)
class Expired:
    """A final block of the destination chain is past the deadline of the bridge's relayers and none
    has paid: the bridge returns the deposit to the deposit address."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The service gave no answer, or none that can be used; nothing may be concluded."""

    reason: str


BridgeStatus = MessageSeen | Pending | Claimable | Contradicted | Expired | Unknown


class BridgeClient(Protocol):
    """The service of a bridge that carries payments. It keeps no database and repeats nothing."""

    name: BridgeName

    def track(self, transfers: Sequence[tuple[BridgeTransfer, Intent]]) -> Sequence[BridgeStatus]:
        """What has become of each transfer, in order. Asks for a new attestation where the stored
        one has expired. Never raises `Unreachable`: that is `Unknown`. Whether it arrived is not
        its concern: that is read from the bridge's contract."""
        ...

    def usual_seconds(self, intent: Intent) -> float:
        """How long the bridge usually takes from the send of this payment to its claim."""
        ...


@dataclass(frozen=True, slots=True)
class LoggedArrival:
    """An arrival with its transaction, whoever sent that, and the height of its block."""

    arrival: Arrival
    tx_id: str
    height: int


@dataclass(frozen=True, slots=True)
class LoggedSend:
    """The transaction that sent a deposit into a bridge, or that gave it back, whoever made that,
    and its height."""

    intent_hash: str
    tx_id: str
    height: int


@dataclass(frozen=True, slots=True)
class ContractState:
    """What a bridge's contract has of a payment on one chain: whether its deposit was `sent` or
    `given_back` there, and whether it `arrived` there."""

    sent: bool = False
    given_back: bool = False
    arrived: bool = False


@dataclass(frozen=True, slots=True)
class FinalStates:
    """What a bridge's contract has of payments, by intent hash, and the time of a final block of
    the chain on which that was read."""

    block_time: datetime
    states: Mapping[str, ContractState]


BAD_SIGNATURES: Final = ("Invalid signature", "Invalid attestation", "ECDSA: invalid signature")
"""What `BridgeEnd.simulate` says, among others, of a delivery whose attestation is not by those
who attest for the bridge, or no longer."""


class BridgeEnd(Protocol):
    """The contracts of bridges on one chain. Every method raises `Unreachable`, also where the
    nodes that must agree do not."""

    def sent_messages(self, tx_id: str, emitter: str) -> Sequence[bytes]:
        """The messages that a contract of the bridge emitted in an included transaction, or the
        deposits that a pool of Across recorded in it: the topics after the first, and the data;
        none where the transaction is in no block."""
        ...

    def contract_states(
        self, bridger: str, intent_hashes: Collection[str]
    ) -> Mapping[str, ContractState]:
        """What a bridge's contract has of each of these payments now."""
        ...

    def final_states(
        self, bridger: str, intent_hashes: Collection[str], height: int
    ) -> FinalStates:
        """What a bridge's contract has of each of these payments on a chain that includes its final
        block of this height, and that block's time. What contracts allow up to a time, such as an
        arrival until a deadline, did not happen where that block is later and the state lacks it:
        such a state stays, and nodes need not keep old ones to tell it."""
        ...

    def find_sends(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        """The sends of these payments since a time."""
        ...

    def find_give_backs(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        """Those that gave the deposits of these payments back since a time."""
        ...

    def find_arrivals(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedArrival]:
        """The arrivals of these payments since a time, oldest first."""
        ...

    def owed(self, bridger: str, coordinators: Collection[str], token: str) -> int:
        """What a bridge's contract owes these coordinators of a token now."""
        ...

    def parked(self, bridger: str, intent_hashes: Collection[str]) -> int:
        """What a bridge's contract has parked for these payments now, all of one token."""
        ...

    def simulate(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        """Why each call would revert now, in words; empty where it would not. Sends nothing."""
        ...

    def find_missing(self, contracts: Collection[str]) -> set[str]:
        """Those of these contracts that are not deployed on this chain."""
        ...

    def find_refusing(self, token: str, recipients: Collection[str]) -> set[str]:
        """Those of the recipients to whom a token would refuse a transfer now."""
        ...
