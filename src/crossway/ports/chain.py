"""The port of a chain: one adapter answers for many intents in one call."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.actions import Action
from crossway.domain.deposits import Incoming
from crossway.domain.intent import Terms


@dataclass(frozen=True, slots=True)
class Heads:
    """Where a chain stands; `time` is its own clock, `finalized` the last height that is final."""

    height: int
    block_hash: str
    time: datetime
    finalized: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last block that was scanned; a chain with another hash at this height was reorganised."""

    height: int
    block_hash: str


@dataclass(frozen=True, slots=True)
class Scan:
    """What came in after a cursor. `reorged_from` is the first height whose block was replaced
    since, None when the cursor still stands; incoming then starts from that height again."""

    incoming: Sequence[Incoming]
    cursor: Cursor
    reorged_from: int | None


class Watch(Protocol):
    """The deposit addresses to look out for on one chain."""

    def known(self, addresses: Collection[str]) -> set[str]:
        """Those of the given addresses that are deposit addresses; for chains that show all."""
        ...

    def all(self) -> Sequence[str]:
        """Every address worth asking a node about; for chains that must be asked by address."""
        ...


@dataclass(frozen=True, slots=True)
class Signed:
    """A transaction whose bytes can be stored and sent, any number of times, to one effect."""

    tx_id: str
    raw: bytes
    nonce: int
    fee_units: int


@dataclass(frozen=True, slots=True)
class Moved:
    """One payment that a mined transaction really made."""

    source: str
    to: str
    token: str
    units: int


ALREADY_DONE = "already done"
"""The reason of a transaction refused because its marker is used: the chain did it before."""


NOTHING_LEFT = "nothing to move"
"""The reason of a transaction that was to move all that lies at an address, and found nothing."""


@dataclass(frozen=True, slots=True)
class Mined:
    """In a block: worked (`reason` empty) or reverted (`reason` says why; `permanent` when the
    same call can never work). `fee_units` of the native coin were paid by the account."""

    block_height: int
    block_hash: str
    at: datetime
    moved: tuple[Moved, ...]
    fee_units: int
    reason: str = ""
    permanent: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """A mined transaction of one of our own accounts, whoever signed it."""

    tx_id: str
    nonce: int
    mined: Mined


@dataclass(frozen=True, slots=True)
class Waiting:
    """Known to the chain and not in a block yet."""


@dataclass(frozen=True, slots=True)
class Missing:
    """Not known to the chain. `never` is true only when it can no longer land, at finality."""

    never: bool


@dataclass(frozen=True, slots=True)
class Unsure:
    """What nodes say of it does not fit together, or is told by one that is behind: nothing may
    follow from it, and the next look will tell."""


Status = Mined | Waiting | Missing | Unsure


@dataclass(frozen=True, slots=True)
class ChainAddresses:
    """Crossway's own addresses on a chain: who pays, who collects, who coordinates, who earns.

    `shared`: the bridger is a contract in which others' money lies, too, each apart by its terms.
    `redirect_seconds` after expiry, what an intent holds may go to another than its refund address.
    """

    relayer: str
    bridger: str
    coordinator: str
    treasury: str
    shared: bool = False
    redirect_seconds: int = 0


class Chain(Protocol):
    """One chain. Answers for many at once; keeps no database, no status, no retry, no log.

    Every method but the pure ones raises `Unreachable` when the chain gives no answer.
    """

    id: str
    own: ChainAddresses
    replaces: bool
    """Whether a transaction of the same nonce replaces an older one, so that one that waits can be
    offered again with more. Where it is false a transaction has a time limit instead: one that
    waits lands soon, or runs out and is signed anew."""

    def canonical_address(self, text: str) -> str:
        """The one spelling of an address. Pure. Raises `ValueError` with a sentence."""
        ...

    def intent_key(self, terms: Terms) -> str:
        """The 32-byte name of an intent, `0x` and 64 hex digits. Pure."""
        ...

    def deposit_address(self, key: str) -> str:
        """The address of an intent with this key on this chain. Pure."""
        ...

    def deposit_token_account(self, address: str, token: str) -> str | None:
        """Solana: the token account owned by a deposit address; None elsewhere. Pure."""
        ...

    def heads(self) -> Heads:
        """The newest block and the newest final one."""
        ...

    def scan(self, after: Cursor | None, watch: Watch) -> Scan:
        """Incoming transfers since a cursor; without one, start at the newest block."""
        ...

    def incoming_to(
        self, addresses: Collection[str], since: datetime | None = None
    ) -> Sequence[Incoming]:
        """Every transfer that these addresses ever received and that still stands. Nothing came
        before `since`; without it, a chain without an index looks back a few days."""
        ...

    def still_there(self, incoming: Sequence[Incoming]) -> Sequence[bool]:
        """Whether each transfer, read again from its block, still stands: before crediting."""
        ...

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        """Units of a token at each address now."""
        ...

    def next_nonce(self, account: str) -> int:
        """One more than the highest nonce that a mined transaction of this account has used. On a
        chain without nonces they are running numbers that our transactions carry."""
        ...

    def fee_units(self) -> int:
        """What one transaction costs now, in units of the native coin."""
        ...

    def native_balance(self, address: str) -> int:
        """Units of the native coin at an address, for paying fees."""
        ...

    def sign(self, actions: Sequence[tuple[Action, int]], fee_units: int) -> Sequence[Signed]:
        """Sign each action with its nonce at this fee. Sends nothing."""
        ...

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        """Send; per transaction an empty string or the node's objection. Repeating is harmless."""
        ...

    def status(self, tx_ids: Collection[str]) -> Mapping[str, Status]:
        """What the chain knows of each transaction."""
        ...

    def used(self, markers: Collection[str]) -> set[str]:
        """Those of the markers that this chain has seen used: that was done, by whomever."""
        ...

    def made_by(self, account: str, from_nonce: int) -> Sequence[Made]:
        """Mined transactions of an account of ours from a nonce on, oldest first."""
        ...
