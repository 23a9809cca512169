"""The port of a bridge by which the operator moves inventory for payments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.quotes import BridgeName


@dataclass(frozen=True, slots=True)
class Agreed:
    """The service agreed. `agreement` is what has to be stored of its answer, `reference` its
    number there, `source_amount` what leaves the source with its fees, `expires_at` when this
    lapses by the clock, and `usual_seconds` how long it usually takes from then on."""

    agreement: bytes
    reference: str
    source_amount: int
    expires_at: datetime | None
    usual_seconds: float


@dataclass(frozen=True, slots=True)
class Declined:
    """The service refuses, in a sentence: the same question gets no other answer."""

    reason: str


@dataclass(frozen=True, slots=True)
class Pending:
    """On its way; `reason` is a sentence where the service says what it waits for."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Our own nodes report that it arrived, by this transaction, in a block of this height; a
    DEPOSIT arrives when the block of its transaction is final. `fee_units` is what the service
    took on top, in units of the source's token. `paid_units` is all that the transaction paid of
    the token, where it is the service that says for which transfer."""

    tx_id: str
    height: int
    fee_units: int = 0
    paid_units: int | None = None


@dataclass(frozen=True, slots=True)
class AgreementExpired:
    """Our own nodes report that nothing moved by this agreement, and a final block that it cannot
    be used any more."""


@dataclass(frozen=True, slots=True)
class GivenBack:
    """The service gave it back, by this transaction that our own nodes report; `paid_units` as in
    `Arrived`."""

    tx_id: str
    paid_units: int | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The service or the nodes gave no answer, or none that can be used; nothing may be
    concluded."""

    reason: str


@dataclass(frozen=True, slots=True)
class ContractInvocation:
    """One transaction of the relayer's account on a chain: `data` for the contract at `to`."""

    chain: str
    to: str
    data: bytes
    value: int = 0


TransferStatus = Pending | Arrived | AgreementExpired | GivenBack | Unanswered


class InventoryBridge(Protocol):
    """A bridge that moves the operator's inventory. It keeps no database and repeats nothing."""

    name: BridgeName

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        """What is stored of this attempt before the service is asked: for a MINT, the burn intent
        and its signature; empty where nothing is signed. The salt of a burn intent is a pure
        function of the transfer and its attempt, so that no two of one attempt can be live.
        Raises `Unreachable`."""
        ...

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        """Ask the service. Asking again with the same stored commitment is safe."""
        ...

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        """The transactions of an agreed transfer, in order, such as an approval of exactly its
        amount and the deposit. Pure."""
        ...

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        """What has become of each transfer, in order. Only our own nodes say `Arrived`."""
        ...

    def balances(self) -> Mapping[str, int]:
        """What may be minted of the unified balance now, by the chain of its deposits, in units:
        without deposits that are not final. Empty for a bridge without one. Raises
        `Unreachable`."""
        ...
