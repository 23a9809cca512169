"""What is remembered, as the store takes it and gives it back."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.intent import Event, Intent, Move, State
from crossway.domain.transfers import Duty, TransferState
from crossway.ports.chain import Signed


@dataclass(frozen=True, slots=True)
class IntentFilter:
    """Which intents a list shows; an empty field asks nothing. `text` is the whole of an address,
    a hash of one of its transactions, a sender, a recipient or the record number."""

    client_id: str | None = None
    mode: str | None = None
    states: tuple[State, ...] = ()
    source_chain: str | None = None
    destination_chain: str | None = None
    sender: str | None = None
    text: str = ""
    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One event applied to one intent: `before` as locked, `after` as it shall be stored."""

    before: Intent
    after: Intent
    event: Event
    move: Move
    note: str = ""


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """One line of an intent's history, and what was announced by it (`tells`, else None)."""

    id: str
    intent_id: int
    at: datetime
    event: str
    from_state: State | None
    to_state: State
    tells: str | None
    note: str


@dataclass(frozen=True, slots=True)
class Owed:
    """A duty to be stored, once for its (intent_id, duty, cause)."""

    intent_id: int
    duty: Duty
    cause: str
    chain: str
    token: str
    units: int | None
    to_address: str
    next_at: datetime


@dataclass(frozen=True, slots=True)
class TransferChange:
    """What became of one transfer: written only if it still is in state `before`.

    `tx_id` None leaves the transaction that is known."""

    id: int
    before: TransferState
    after: TransferState
    tries: int
    reason: str
    next_at: datetime
    tx_id: str | None
    block_height: int | None


@dataclass(frozen=True, slots=True)
class InFlight:
    """Of a signed transfer, what following it needs."""

    id: int
    intent_id: int
    duty: Duty
    chain: str
    tx_id: str
    tries: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """Signed bytes of a transfer, stored before they were sent; several only by fee bumps."""

    transfer_id: int
    chain: str
    account: str
    signed: Signed
    at: datetime


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something a person should know; one row for each `key`, until it clears."""

    key: str
    kind: str
    subject: str
    message: str
    since: datetime
    seen_at: datetime
    cleared_at: datetime | None
    acknowledged_at: datetime | None = None
    acknowledged_by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """A chain, bridge or route that is off: why, by whom and since when."""

    subject: str
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Remembered:
    """An idempotency key's first request and, once there is one, its answer."""

    body_hash: str
    at: datetime
    status: int | None
    body: bytes
