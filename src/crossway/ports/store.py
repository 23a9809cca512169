"""The port of the database: units of work and their repositories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from crossway.domain.public_ids import PublicIds
    from crossway.ports.alert_repository import AlertRepository
    from crossway.ports.analytics import AnalyticsRepository
    from crossway.ports.api_key_repository import ApiKeyRepository
    from crossway.ports.approval_repository import ApprovalRepository
    from crossway.ports.billing_repository import (
        InvoiceRepository,
        MailRepository,
        SubscriptionRepository,
    )
    from crossway.ports.bridge_transfer_repository import BridgeTransferRepository
    from crossway.ports.chain import Cursor
    from crossway.ports.deposit_repository import DepositRepository
    from crossway.ports.due_times import DueTimes
    from crossway.ports.export_repository import ExportRepository
    from crossway.ports.intent_repository import IntentRepository
    from crossway.ports.inventory_transfer_repository import InventoryTransferRepository
    from crossway.ports.kyc_check_repository import KycCheckRepository
    from crossway.ports.logs import AuditLogRepository, RequestLogRepository, RetentionRepository
    from crossway.ports.outbound_tx_repository import AccountNonceRepository, OutboundTxRepository
    from crossway.ports.outbox_repository import OutboxRepository
    from crossway.ports.outgoing_controls_repository import OutgoingControlsRepository
    from crossway.ports.payer_signatures import PayerSignatureRepository
    from crossway.ports.payment_archive import PaymentArchive
    from crossway.ports.payment_figures import PaymentFiguresRepository
    from crossway.ports.payment_link_repository import PaymentLinkRepository
    from crossway.ports.profit_repository import ProfitRepository
    from crossway.ports.ramp_repository import (
        EncryptedValueRepository,
        KycCustomerRepository,
        OrderRepository,
    )
    from crossway.ports.rebalancing_repository import RebalancingRepository
    from crossway.ports.records import KillSwitch
    from crossway.ports.search_repository import NotesAndSavedViewsRepository, SearchRepository
    from crossway.ports.second_factor_repository import SecondFactorRepository
    from crossway.ports.staff_repository import StaffRepository
    from crossway.ports.standing_repository import StandingRepository
    from crossway.ports.table_preferences import TablePreferenceRepository
    from crossway.ports.topics import Topic
    from crossway.ports.treasury_repository import (
        CorridorStatsRepository,
        LedgerRepository,
        TreasuryRepository,
    )
    from crossway.ports.vault import Vault
    from crossway.ports.webhook_repository import DeliveryRepository, WebhookRepository

T = TypeVar("T")


class CursorRepository(Protocol):
    """The position up to which each chain was scanned."""

    def get_all(self) -> dict[str, Cursor]: ...
    def save(self, chain: str, before: Cursor | None, after: Cursor) -> bool:
        """Advance a cursor; False when it is not at `before` any more."""
        ...


class LeaseRepository(Protocol):
    """Which engine works on which chain, which engines run, and named locks. Times are those of the
    database."""

    def lock_own(self, owner: str, prefix: str) -> None:
        """Lock all leases of an owner whose names begin so, once none of its units of work relies
        on them: `acquire` skips what others lock, and would give such a lease up."""
        ...

    def acquire(
        self, names: Sequence[str], owner: str, seconds: float, limit: int
    ) -> dict[str, int]:
        """Take or renew at most `limit` leases for so long; returns the epoch of each that is held,
        which grows with every change of owner. Leases that others lock are skipped."""
        ...

    def holds(self, owner: str, epochs: Mapping[str, int]) -> bool:
        """Whether an owner still holds all these leases, by name and epoch. Nobody takes one over
        until the unit of work ends."""
        ...

    def register_engine(self, owner: str, seconds: float, kind: str = "engine") -> int:
        """Record that this engine, or worker of another kind, runs, and delete expired ones;
        returns how many others of the kind run."""
        ...

    def list_taken(self) -> dict[str, bool]:
        """The names of leases that were taken and not given up, each with whether it is held now or
        has expired."""
        ...

    def end(self, names: Collection[str]) -> set[str]:
        """End these leases, whoever took them; returns the names of those that were left because
        others lock them."""
        ...

    def release(self, owner: str) -> None: ...
    def take_over(self, owner: str) -> None:
        """End every other owner's leases but those of indexers."""
        ...

    def lock(self, name: str) -> None:
        """Hold a named lock until the unit of work ends."""
        ...

    def lock_shared(self, name: str) -> None:
        """Hold a named lock together with others who share it: whoever is to `lock` it waits."""
        ...

    def lock_free(self, names: Collection[str]) -> set[str]:
        """Hold those of the named locks that nobody holds until the unit of work ends; returns
        their names, without waiting for the others."""
        ...


class KillSwitchRepository(Protocol):
    """Chains, bridges and routes that operators disabled, and signing where it is stopped."""

    def get_reasons(self) -> dict[str, str]:
        """The reason for each disabled subject, `chain:X` or `route:BRIDGE:A:B`."""
        ...

    def get(self, subject: str) -> KillSwitch | None:
        """Why, by whom and since when this is disabled; None where it is not."""
        ...

    def list_all(self) -> list[KillSwitch]: ...
    def set(self, subject: str, off: bool, reason: str, by: str, at: datetime) -> None: ...


class UnitOfWork(Protocol):
    """One unit of work: everything in it is stored together or not at all."""

    def savepoint(self) -> AbstractContextManager[object]:
        """Undo what is done in a `with` block if it raises; the rest of the unit of work stays."""
        ...

    @property
    def intents(self) -> IntentRepository: ...
    @property
    def deposits(self) -> DepositRepository: ...
    @property
    def outbound_txs(self) -> OutboundTxRepository: ...
    @property
    def account_nonces(self) -> AccountNonceRepository: ...
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
    def kyc_checks(self) -> KycCheckRepository: ...
    @property
    def exports(self) -> ExportRepository: ...
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
    def second_factors(self) -> SecondFactorRepository: ...
    @property
    def table_preferences(self) -> TablePreferenceRepository: ...
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
    def invoices(self) -> InvoiceRepository: ...
    @property
    def subscriptions(self) -> SubscriptionRepository: ...
    @property
    def mails(self) -> MailRepository: ...
    @property
    def payment_archive(self) -> PaymentArchive: ...
    @property
    def payment_figures(self) -> PaymentFiguresRepository: ...
    @property
    def analytics(self) -> AnalyticsRepository: ...
    @property
    def due_times(self) -> DueTimes: ...
    @property
    def bridge_transfers(self) -> BridgeTransferRepository: ...
    @property
    def inventory_transfers(self) -> InventoryTransferRepository: ...
    @property
    def rebalancing(self) -> RebalancingRepository: ...
    @property
    def standing(self) -> StandingRepository: ...
    @property
    def approvals(self) -> ApprovalRepository: ...
    @property
    def profit(self) -> ProfitRepository: ...
    @property
    def payer_signatures(self) -> PayerSignatureRepository: ...
    @property
    def outgoing_controls(self) -> OutgoingControlsRepository: ...
    @property
    def public_ids(self) -> PublicIds:
        """The record numbers as outsiders see them."""
        ...


class Store(Protocol):
    """Runs units of work. Never hold one across a call to a chain."""

    @property
    def has_one_writer(self) -> bool:
        """Whether one transaction writes at a time, so that none waits for the rows of another."""
        ...

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


class LockedStore(Store, Protocol):
    """A store that encrypts and decrypts sealed columns once it has its vault."""

    def unlock(self, vault: Vault) -> None:
        """Encrypt and decrypt with this vault from now on."""
        ...
