"""The port of what Crossway remembers: one unit of work, its records grouped by noun."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

from crossway.domain.deposits import Deposit, Incoming, Purpose
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.access_records import AccessRecords
from crossway.ports.alarm_records import AlarmRecords
from crossway.ports.announcements import AnnouncementRecords
from crossway.ports.chain import Cursor
from crossway.ports.changes import Topic
from crossway.ports.finding_records import DeskRecords, FindingRecords
from crossway.ports.intent_records import IntentRecords
from crossway.ports.link_records import LinkRecords
from crossway.ports.logs import AuditRecords, RequestRecords, RetentionRecords
from crossway.ports.ramp_records import OrderRecords, PeopleRecords, SealedRecords
from crossway.ports.records import (
    Attempt,
    InFlight,
    Owed,
    SwitchedOff,
    TransferChange,
)
from crossway.ports.staff_records import StaffRecords
from crossway.ports.treasury_records import BookRecords, FlowRecords, TreasuryRecords
from crossway.ports.webhook_records import DeliveryRecords, WebhookRecords

T = TypeVar("T")


class DepositRecords(Protocol):
    """Money seen at deposit addresses."""

    def add(self, found: Sequence[tuple[int, Incoming, int]]) -> None:
        """Store (intent id, transfer, blocks it must wait); what is known is left alone, what
        was orphaned comes back as SEEN in its new block."""
        ...

    def ready(self, heads: Mapping[str, int], limit: int) -> list[Deposit]:
        """SEEN deposits that are deep enough at these heads, oldest first."""
        ...

    def ready_of(self, intent_id: int, height: int) -> list[Deposit]:
        """SEEN deposits of one intent's source chain that are deep enough at a height."""
        ...

    def get(self, deposit_id: int) -> Deposit | None: ...
    def of(self, intent_ids: Collection[int]) -> list[Deposit]: ...

    def lock_seen(self, ids: Collection[int]) -> set[int]:
        """Those of the deposits that still are SEEN, held until the unit of work ends."""
        ...

    def from_height(self, chain: str, height: int) -> list[Deposit]:
        """Deposits not orphaned in blocks from a height on, held until the unit of work ends."""
        ...

    def credit(self, credited: Sequence[tuple[int, Purpose, str]], at: datetime) -> None:
        """Mark (id, purpose, note) as CREDITED; foreign money without a note waits to go back."""
        ...

    def orphan(self, ids: Collection[int], note: str) -> None: ...
    def note(self, ids: Sequence[int], note: str) -> None: ...
    def lingering(self, before: datetime, limit: int) -> list[Deposit]:
        """SEEN deposits from before an instant."""
        ...

    def open_foreign(self, intent_ids: Collection[int] | None = None) -> list[Deposit]:
        """Credited money of another token or chain that no transfer has given back."""
        ...

    def close_foreign(self, ids: Sequence[int], note: str = "") -> None: ...


class TransferRecords(Protocol):
    """What intents owe, and the signed bytes that pay it."""

    def owe(self, duties: Sequence[Owed], at: datetime) -> None:
        """Store duties; one that stands already is left alone, a cancelled one is due anew."""
        ...

    def due(self, chains: Collection[str], now: datetime, limit: int) -> list[Transfer]:
        """DUE transfers whose time has come, oldest first."""
        ...

    def signed(self, chains: Collection[str], limit: int) -> list[InFlight]:
        """SIGNED transfers, oldest first."""
        ...

    def lock_in(self, ids: Collection[int], state: TransferState) -> set[int]:
        """Those of the transfers that are in this state, held until the unit of work ends."""
        ...

    def in_state(
        self, chains: Collection[str], state: TransferState, limit: int, min_height: int = -1
    ) -> list[Transfer]: ...
    def settled_by(self, heights: Mapping[str, int], limit: int) -> list[Transfer]:
        """CONFIRMED transfers in blocks at or below these final heights."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, Transfer]: ...
    def get(self, transfer_id: int) -> Transfer | None: ...
    def of(self, intent_ids: Collection[int], duty: Duty | None = None) -> list[Transfer]: ...
    def change(self, changes: Sequence[TransferChange], at: datetime) -> None: ...
    def redirect(self, transfer_id: int, to_address: str) -> None: ...
    def attempts(self, transfer_ids: Collection[int]) -> list[Attempt]: ...
    def add_attempts(self, made: Sequence[Attempt]) -> None: ...

    def reserve_nonces(self, chain: str, account: str, count: int, at_least: int) -> int:
        """The first of `count` nonces that nobody else gets, not below `at_least`."""
        ...

    def nonce_span(self, chain: str, account: str) -> tuple[int, int] | None:
        """The first nonce that these books ever saw free, and the next one to give away."""
        ...

    def known(self, chain: str, tx_ids: Collection[str]) -> set[str]:
        """Those of the transactions that are an attempt of ours."""
        ...

    def overdue(self, duties: Collection[Duty], before: datetime, limit: int) -> list[Transfer]:
        """DUE transfers whose time came, and SIGNED ones that were signed, before an instant."""
        ...

    def waiting(self, limit: int) -> list[Transfer]:
        """Open or failed transfers that carry a reason: what a person may have to look at. A
        start or a fill that failed needs nobody once its payment is refunded."""
        ...

    def hurry(self, now: datetime) -> None:
        """After the clock went back: what waits for a time in its future waits as long as it was
        meant to, from now."""
        ...


class NetworkRecords(AlarmRecords, Protocol):
    """Where the engine stands on each chain, who works it, and what is switched off."""

    def cursors(self) -> dict[str, Cursor]: ...
    def save_cursor(self, chain: str, before: Cursor | None, after: Cursor) -> bool: ...

    def lease(
        self, names: Sequence[str], owner: str, now: datetime, until: datetime, most: int
    ) -> set[str]:
        """Take or renew leases, at most `most`; answers the names held (SKIP LOCKED)."""
        ...

    def present(self, owner: str, now: datetime, until: datetime) -> int:
        """Say that this engine lives, and forget those that died; how many others live."""
        ...

    def release(self, owner: str) -> None: ...
    def take_over(self, owner: str) -> None:
        """End every other owner's leases."""
        ...

    def lock(self, name: str) -> None:
        """Hold a named lock until the unit of work ends."""
        ...

    def switches(self) -> dict[str, str]:
        """What is switched off, `chain:X` or `route:BRIDGE:A:B`, with the reason."""
        ...

    def switched_off(self) -> list[SwitchedOff]: ...
    def switch(self, subject: str, off: bool, reason: str, by: str, at: datetime) -> None: ...
    def audit(
        self,
        who: str,
        what: str,
        detail: Mapping[str, Any],
        at: datetime,
        subject: str = "",
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
    ) -> None:
        """Add an entry to the audit log; `subject` is `kind:id`. See `ports.logs.AuditEntry`."""
        ...

    def audited(self, limit: int) -> list[tuple[datetime, str, str, Mapping[str, Any]]]: ...


class Unit(Protocol):
    """One unit of work: everything in it is stored together or not at all."""

    @property
    def intents(self) -> IntentRecords: ...
    @property
    def deposits(self) -> DepositRecords: ...
    @property
    def transfers(self) -> TransferRecords: ...
    @property
    def books(self) -> BookRecords: ...
    @property
    def access(self) -> AccessRecords: ...
    @property
    def network(self) -> NetworkRecords: ...
    @property
    def orders(self) -> OrderRecords: ...
    @property
    def people(self) -> PeopleRecords: ...
    @property
    def audits(self) -> AuditRecords: ...
    @property
    def requests(self) -> RequestRecords: ...
    @property
    def retention(self) -> RetentionRecords: ...
    @property
    def sealed(self) -> SealedRecords: ...
    @property
    def staff(self) -> StaffRecords: ...
    @property
    def announcements(self) -> AnnouncementRecords: ...
    @property
    def webhooks(self) -> WebhookRecords: ...
    @property
    def deliveries(self) -> DeliveryRecords: ...
    @property
    def finding(self) -> FindingRecords: ...
    @property
    def desk(self) -> DeskRecords: ...
    @property
    def flows(self) -> FlowRecords: ...
    @property
    def treasury(self) -> TreasuryRecords: ...
    @property
    def links(self) -> LinkRecords: ...


class Store(Protocol):
    """Where units of work run. Never hold one across a call to a chain."""

    def read(self) -> AbstractContextManager[Unit]:
        """A consistent view that can change nothing."""
        ...

    def write(self, work: Callable[[Unit], T]) -> T:
        """Run `work` in one transaction; concurrent callers may share a commit.

        It may be run again after it was undone, so it changes nothing but the unit."""
        ...

    def stamp(self) -> Mapping[Topic, object]:
        """Something for each topic that is equal as long as nothing of it has changed that people
        look at: that a duty was looked at again and waits on is no change. Cheap to ask often."""
        ...

    def ping(self) -> Iterable[str]:
        """What is wrong with the database, one sentence each; empty when it answers."""
        ...
