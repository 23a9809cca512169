"""The port of a blockchain; every call works for many intents at once."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from crossway.domain.bridge_transfer import Arrival
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.chain_calls import CallCosts, PublicCall
from crossway.ports.standing_contracts import StandingContracts


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The head of a chain: `time` is the chain's clock, `finalized` the newest final height.

    `doubts` are sentences about nodes whose reports are not believed, `wrong_chains` about nodes
    that serve another chain and are not used."""

    height: int
    block_hash: str
    time: datetime
    finalized: int
    doubts: tuple[str, ...] = ()
    wrong_chains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last scanned block; another hash at this height means a reorg."""

    height: int
    block_hash: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The transfers found after a cursor.

    `reorged_from` is the first height that a reorg replaced since then, or None; `incoming` then
    starts at that height again.
    """

    incoming: Sequence[IncomingTransfer]
    cursor: Cursor
    reorged_from: int | None


Slot = tuple[str, int]
"""An account and one of its nonces."""


@dataclass(frozen=True, slots=True)
class SignedTx:
    """A signed transaction; sending its bytes repeatedly has a single effect. `account` is the one
    of ours that the engine signed it with."""

    tx_id: str
    raw: bytes
    nonce: int
    fee_units: int
    account: str = ""

    @property
    def slot(self) -> Slot:
        """Of transactions with the same account and nonce, a chain includes one at most."""
        return self.account, self.nonce


@dataclass(frozen=True, slots=True)
class TokenTransfer:
    """One token transfer that an included transaction made; `intent_hash` is that of the payment
    for which our contract reports it, empty where a family's contracts do not tell."""

    source: str
    to: str
    token: str
    amount: int
    intent_hash: str = field(default="", compare=False)


ALREADY_DONE = "already done"
"""The revert reason when the marker was executed before by another transaction."""


DONE_BY_OTHERS = "another transaction has done it"
"""The revert reason where another transaction did it, from whose block it must be booked."""


NOTHING_TO_MOVE = "nothing to move"
"""The revert reason of a sweep that found an empty address."""


@dataclass(frozen=True, slots=True)
class IncludedTx:
    """Included in a block: `reason` is empty on success, else says why it reverted.

    `permanent` means that the same call can never succeed. The account paid `fee_units` of the
    native coin. `arrivals` are what bridges' contracts did with money that arrived, `sent` and
    `given_back` the hashes of the intents whose deposits they sent, or gave back. `swapped` is what
    swaps before a send took of deposits, by intent hash.

    `carried_out` is not None where the transaction can make several calls, each for itself: its
    own success says nothing of them. These are the hashes of the intents whose sends and deliveries
    over bridges were carried out in it.
    """

    block_height: int
    block_hash: str
    at: datetime
    transfers: tuple[TokenTransfer, ...]
    fee_units: int
    reason: str = ""
    permanent: bool = False
    arrivals: tuple[Arrival, ...] = ()
    sent: frozenset[str] = frozenset()
    given_back: frozenset[str] = frozenset()
    swapped: Mapping[str, int] = field(default_factory=dict)
    carried_out: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class AccountTx:
    """An included transaction of one of our accounts, whoever signed it."""

    tx_id: str
    nonce: int
    included: IncludedTx


@dataclass(frozen=True, slots=True)
class TxPending:
    """In the mempool, not in a block yet."""


@dataclass(frozen=True, slots=True)
class TxNotFound:
    """In no block and no mempool; `dropped` once finality rules out that it is ever included."""

    dropped: bool


@dataclass(frozen=True, slots=True)
class TxUnknown:
    """Nodes contradict each other or lag behind; nothing may be concluded until the next check."""


TxStatus = IncludedTx | TxPending | TxNotFound | TxUnknown


class Chain(Protocol):
    """One chain. Calls are batched; an implementation keeps no database, retries or logs.

    Every method except the pure ones raises `Unreachable` when the chain gives no answer.
    """

    id: str
    accounts: ChainAddresses
    has_nonces: bool
    """Whether blocks take an account's transactions in the order of their nonces, without gaps. One
    with the same nonce and a higher fee then replaces a pending one. Where it is False,
    transactions have a time limit instead and are signed anew after it."""
    standing: StandingContracts | None
    """The contracts of standing addresses; None where the chain's family has none."""
    max_signatures: int
    """How many calls are signed in one database transaction, which lasts as long as that takes."""

    def canonical_address(self, text: str) -> str:
        """The canonical form of an address. Pure. Raises `ValueError` with a sentence."""
        ...

    def intent_hash(
        self, terms: Terms, bridger: str | None = None, coordinator: str | None = None
    ) -> str:
        """The 32-byte hash of an intent's terms, `0x` and 64 hex digits. Pure. `bridger` and
        `coordinator` are those that the intent stores; None stands for the ones in use."""
        ...

    def deposit_address(self, intent_hash: str) -> str:
        """The deposit address of an intent hash on this chain. Pure."""
        ...

    def is_deposit_address(self, address: str, intent_hash: str) -> bool:
        """Whether an address is the deposit address of an intent hash, also one that was given out
        before addresses were derived as now. Pure."""
        ...

    def deposit_token_account(self, address: str, token: str) -> str | None:
        """Solana: the token account of a deposit address; None on other chains. Pure."""
        ...

    def heads(self) -> ChainHead:
        """The newest block and the newest final height."""
        ...

    def scan(self, after: Cursor | None, watch: AddressFilter) -> Scan:
        """Incoming transfers since a cursor; without one, the scan starts at the newest block."""
        ...

    def transfers_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[IncomingTransfer]:
        """All transfers to these addresses that are still on the chain.

        `since` is the earliest time to consider; without it, a chain without an index searches
        back a few days.
        """
        ...

    def verify_inclusion(self, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
        """Whether each transfer is still in its block, read again; checked before crediting."""
        ...

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        """The current balance of a token at each address, in smallest units."""
        ...

    def agreed_balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        """As `balances`, as far as the nodes that must agree do: without the addresses on which
        they differ."""
        ...

    def next_nonce(self, account: str) -> int:
        """One more than the highest nonce that an included transaction of this account used.

        On chains without nonces these are sequence numbers that our transactions carry.
        """
        ...

    def fee_units(self) -> int:
        """The current cost of one transaction, in smallest units of the native coin."""
        ...

    def call_costs(self) -> CallCosts:
        """What calls are expected to cost now, for quotes; `fee_units` is the most they may cost.
        Not kept: it asks the nodes."""
        ...

    def native_balance(self, address: str) -> int:
        """The balance of the native coin, in smallest units."""
        ...

    def sign(self, calls: Sequence[tuple[OutboundCall, int]], fee_units: int) -> Sequence[SignedTx]:
        """Sign each (call, nonce) at this fee, without sending anything. Calls with the same nonce
        are made by one transaction, in this order; `calls_per_tx` says how many may."""
        ...

    def calls_per_tx(self, fee_units: int) -> int:
        """How many calls that anyone may make one transaction can make at this fee for each, one
        independent of the other; 1 where a transaction makes one call only."""
        ...

    def find_refusals(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        """For each call why its receiver would refuse it now; empty where it would not. Sends
        nothing that could be included."""
        ...

    def public_call(self, call: OutboundCall) -> PublicCall | None:
        """A refund, or a step of a payment over a bridge, as anyone may carry it out in the name of
        the call's account, or a redirected refund as its coordinator may; None where only we can.
        Pure. Raises `ValueError` where it contradicts the terms."""
        ...

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        """Broadcast; for each an empty string or the node's error. Safe to repeat."""
        ...

    def status(self, tx_ids: Collection[str]) -> Mapping[str, TxStatus]:
        """The status of each transaction."""
        ...

    def executed(self, markers: Collection[str]) -> set[str]:
        """Those of the markers that this chain has executed, by whomever."""
        ...

    def authorized(self, coordinators: Collection[str]) -> set[str]:
        """Those of the coordinators for whom the relayer may act: itself, and those that have named
        it their agent. Raises `Unreachable` also where the nodes that must agree do not."""
        ...

    def retained(self, coordinators: Collection[str], token: str) -> Mapping[str, int]:
        """What the contracts retain of settled payments for each of these coordinators, in smallest
        units, as the nodes that must agree say; empty where a chain keeps no such account."""
        ...

    def find_reclaims(self, intent_hashes: Collection[str], since: datetime) -> Mapping[str, str]:
        """Of those of these deposits that the escrow in use returned because somebody reclaimed
        them, the transactions that did so after `since`, empty where none is found; as the nodes
        that must agree say."""
        ...

    def transactions_from(self, account: str, from_nonce: int) -> Sequence[AccountTx]:
        """Included transactions of one of our accounts from a nonce on, oldest first."""
        ...
