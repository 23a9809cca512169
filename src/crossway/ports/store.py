"""The port of the database: units of work and their repositories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from crossway.domain.deposits import Deposit, DepositPurpose, IncomingTransfer
    from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
    from crossway.ports.alert_repository import AlertRepository
    from crossway.ports.analytics import AnalyticsRepository
    from crossway.ports.api_key_repository import ApiKeyRepository
    from crossway.ports.chain import Cursor
    from crossway.ports.due_times import DueTimes
    from crossway.ports.intent_repository import IntentRepository
    from crossway.ports.logs import AuditLogRepository, RequestLogRepository, RetentionRepository
    from crossway.ports.outbox_repository import OutboxRepository
    from crossway.ports.payment_figures import PaymentFiguresRepository
    from crossway.ports.payment_link_repository import PaymentLinkRepository
    from crossway.ports.ramp_repository import (
        EncryptedValueRepository,
        KycCustomerRepository,
        OrderRepository,
    )
    from crossway.ports.records import (
        InFlightTx,
        KillSwitch,
        NewOutboundTx,
        OutboundTxChange,
        TxAttempt,
    )
    from crossway.ports.search_repository import NotesAndSavedViewsRepository, SearchRepository
    from crossway.ports.staff_repository import StaffRepository
    from crossway.ports.topics import Topic
    from crossway.ports.treasury_repository import (
        CorridorStatsRepository,
        LedgerRepository,
        TreasuryRepository,
    )
    from crossway.ports.webhook_repository import DeliveryRepository, WebhookRepository

T = TypeVar("T")


class DepositRepository(Protocol):
    """Transfers to deposit addresses."""

    def add(self, incoming: Sequence[tuple[int, IncomingTransfer, int]]) -> None:
        """Store (intent id, transfer, required confirmations). Known deposits are left alone; an
        orphaned one becomes SEEN in its new block."""
        ...

    def list_ready(self, heads: Mapping[str, int], limit: int) -> list[Deposit]:
        """SEEN deposits with enough confirmations at these heads, oldest first."""
        ...

    def list_ready_for_intent(self, intent_id: int, height: int) -> list[Deposit]:
        """SEEN deposits of an intent on its source chain with enough confirmations at a height."""
        ...

    def get(self, deposit_id: int) -> Deposit | None: ...
    def list_by_intents(self, intent_ids: Collection[int]) -> list[Deposit]: ...

    def lock_seen(self, ids: Collection[int]) -> set[int]:
        """The ids of those that still are SEEN, locked until the unit of work ends."""
        ...

    def lock_from_height(self, chain: str, height: int) -> list[Deposit]:
        """Deposits in blocks from a height on that are not orphaned, locked until the unit of work
        ends."""
        ...

    def credit(self, credits: Sequence[tuple[int, DepositPurpose, str]], at: datetime) -> None:
        """Mark (id, purpose, note) as CREDITED. A deposit of a wrong token or chain without a note
        awaits its return."""
        ...

    def mark_orphaned(self, ids: Collection[int], note: str) -> None: ...
    def set_note(self, ids: Sequence[int], note: str) -> None: ...
    def list_older_seen(self, before: datetime, limit: int) -> list[Deposit]:
        """SEEN deposits older than an instant."""
        ...

    def list_unreturned(self, intent_ids: Collection[int] | None = None) -> list[Deposit]:
        """Credited deposits of a wrong token or chain that were not returned."""
        ...

    def mark_returned(self, ids: Sequence[int], note: str = "") -> None: ...


class OutboundTxRepository(Protocol):
    """Transactions that the service must make for intents, their signed versions and nonces."""

    def enqueue(self, new: Sequence[NewOutboundTx], at: datetime) -> None:
        """Store new ones as DUE. Existing ones are left alone; a cancelled one is DUE again."""
        ...

    def list_due(self, chains: Collection[str], now: datetime, limit: int) -> list[OutboundTx]:
        """DUE ones whose `next_at` has passed, oldest first."""
        ...

    def list_signed(self, chains: Collection[str], limit: int) -> list[InFlightTx]:
        """SIGNED ones, oldest first."""
        ...

    def lock_in_state(self, ids: Collection[int], state: OutboundTxState) -> set[int]:
        """The ids of those in this state, locked until the unit of work ends."""
        ...

    def list_in_state(
        self, chains: Collection[str], state: OutboundTxState, limit: int, min_height: int = -1
    ) -> list[OutboundTx]: ...
    def list_final(self, heights: Mapping[str, int], limit: int) -> list[OutboundTx]:
        """CONFIRMED ones in blocks at or below the final height of their chain."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, OutboundTx]: ...
    def get(self, outbound_tx_id: int) -> OutboundTx | None: ...
    def list_by_intents(
        self, intent_ids: Collection[int], kind: OutboundTxKind | None = None
    ) -> list[OutboundTx]: ...
    def update(self, changes: Sequence[OutboundTxChange], at: datetime) -> None: ...
    def redirect(self, outbound_tx_id: int, to_address: str) -> None: ...
    def list_attempts(self, outbound_tx_ids: Collection[int]) -> list[TxAttempt]: ...
    def add_attempts(self, attempts: Sequence[TxAttempt]) -> None: ...

    def reserve_nonces(self, chain: str, account: str, count: int, at_least: int) -> int:
        """Reserve `count` consecutive nonces, not below `at_least`; returns the first."""
        ...

    def get_nonce_range(self, chain: str, account: str) -> tuple[int, int] | None:
        """The first nonce that was ever reserved, and the next one to reserve."""
        ...

    def find_own_tx_ids(self, chain: str, tx_ids: Collection[str]) -> set[str]:
        """The transactions that are attempts of this service."""
        ...

    def list_overdue(
        self, kinds: Collection[OutboundTxKind], before: datetime, limit: int
    ) -> list[OutboundTx]:
        """DUE ones whose `next_at`, and SIGNED ones whose signing, was before an instant."""
        ...

    def list_needing_attention(self, limit: int) -> list[OutboundTx]:
        """Open or failed ones with a reason, which may need an operator; without failed starts and
        fills of refunded payments."""
        ...

    def reset_backoff(self, now: datetime) -> None:
        """After the clock went back: DUE ones wait from now as long as they were meant to wait."""
        ...


class CursorRepository(Protocol):
    """The position up to which each chain was scanned."""

    def get_all(self) -> dict[str, Cursor]: ...
    def save(self, chain: str, before: Cursor | None, after: Cursor) -> bool:
        """Advance a cursor; False when it is not at `before` any more."""
        ...


class LeaseRepository(Protocol):
    """Which engine works on which chain, which engines run, and named locks."""

    def acquire(
        self, names: Sequence[str], owner: str, now: datetime, until: datetime, limit: int
    ) -> set[str]:
        """Take or renew at most `limit` leases; returns the names held (SKIP LOCKED)."""
        ...

    def register_engine(self, owner: str, now: datetime, until: datetime) -> int:
        """Record that this engine runs, delete expired engines; returns how many others run."""
        ...

    def release(self, owner: str) -> None: ...
    def take_over(self, owner: str) -> None:
        """End every other owner's leases."""
        ...

    def lock(self, name: str) -> None:
        """Hold a named lock until the unit of work ends."""
        ...


class KillSwitchRepository(Protocol):
    """Chains, bridges and routes that operators disabled."""

    def get_reasons(self) -> dict[str, str]:
        """The reason for each disabled subject, `chain:X` or `route:BRIDGE:A:B`."""
        ...

    def list_all(self) -> list[KillSwitch]: ...
    def set(self, subject: str, off: bool, reason: str, by: str, at: datetime) -> None: ...


class UnitOfWork(Protocol):
    """One unit of work: everything in it is stored together or not at all."""

    @property
    def intents(self) -> IntentRepository: ...
    @property
    def deposits(self) -> DepositRepository: ...
    @property
    def outbound_txs(self) -> OutboundTxRepository: ...
    @property
    def ledger(self) -> LedgerRepository: ...
    @property
    def api_keys(self) -> ApiKeyRepository: ...
    @property
    def cursors(self) -> CursorRepository: ...
    @property
    def leases(self) -> LeaseRepository: ...
    @property
    def kill_switches(self) -> KillSwitchRepository: ...
    @property
    def alerts(self) -> AlertRepository: ...
    @property
    def orders(self) -> OrderRepository: ...
    @property
    def kyc_customers(self) -> KycCustomerRepository: ...
    @property
    def audit_log(self) -> AuditLogRepository: ...
    @property
    def request_log(self) -> RequestLogRepository: ...
    @property
    def retention(self) -> RetentionRepository: ...
    @property
    def encrypted_values(self) -> EncryptedValueRepository: ...
    @property
    def staff(self) -> StaffRepository: ...
    @property
    def outbox(self) -> OutboxRepository: ...
    @property
    def webhooks(self) -> WebhookRepository: ...
    @property
    def deliveries(self) -> DeliveryRepository: ...
    @property
    def search(self) -> SearchRepository: ...
    @property
    def notes_and_saved_views(self) -> NotesAndSavedViewsRepository: ...
    @property
    def corridor_stats(self) -> CorridorStatsRepository: ...
    @property
    def treasury(self) -> TreasuryRepository: ...
    @property
    def payment_links(self) -> PaymentLinkRepository: ...
    @property
    def payment_figures(self) -> PaymentFiguresRepository: ...
    @property
    def analytics(self) -> AnalyticsRepository: ...
    @property
    def due_times(self) -> DueTimes: ...


class Store(Protocol):
    """Runs units of work. Never hold one across a call to a chain."""

    def read(self) -> AbstractContextManager[UnitOfWork]:
        """A consistent read-only unit of work."""
        ...

    def write(self, work: Callable[[UnitOfWork], T]) -> T:
        """Run `work` in one transaction; concurrent callers may share a commit.

        `work` may be rolled back and run again, so it must have no effect outside the unit."""
        ...

    def version(self) -> object:
        """A value that changes with every commit of any process. Very cheap."""
        ...

    def stamp(self) -> Mapping[Topic, object]:
        """A value for each topic that changes when something visible of the topic changes; a retry
        that is put off is not visible. Cheap to call often."""
        ...

    def ping(self) -> Iterable[str]:
        """Problems of the database, one sentence each; empty when it works."""
        ...
