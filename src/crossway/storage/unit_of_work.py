"""Units of work, each with all repositories on one connection, and their group commit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import Connection, Engine

from crossway.domain.errors import StorageUnavailable
from crossway.domain.public_ids import PURPOSE, PublicIds, public_ids
from crossway.ports.topics import Topic
from crossway.storage.sealing import vault_of

if TYPE_CHECKING:
    from crossway.storage.account_nonces import SqlAccountNonces
    from crossway.storage.alerts import SqlAlerts
    from crossway.storage.analytics import SqlAnalytics
    from crossway.storage.api_keys import SqlApiKeys
    from crossway.storage.approvals import SqlApprovals
    from crossway.storage.audit_log import SqlAuditLog
    from crossway.storage.bridge_transfers import SqlBridgeTransfers
    from crossway.storage.corridor_stats import SqlCorridorStats
    from crossway.storage.cursors import SqlCursors
    from crossway.storage.deliveries import SqlDeliveries
    from crossway.storage.deposits import SqlDeposits
    from crossway.storage.due_times import SqlDueTimes
    from crossway.storage.encrypted_values import SqlEncryptedValues
    from crossway.storage.exports import SqlExports
    from crossway.storage.intents import SqlIntents
    from crossway.storage.inventory_transfers import SqlInventoryTransfers
    from crossway.storage.invoices import SqlInvoices
    from crossway.storage.kill_switches import SqlKillSwitches
    from crossway.storage.kyc_checks import SqlKycChecks
    from crossway.storage.kyc_customers import SqlKycCustomers
    from crossway.storage.leases import SqlLeases
    from crossway.storage.ledger import SqlLedger
    from crossway.storage.mails import SqlMails
    from crossway.storage.notes_and_saved_views import SqlNotesAndSavedViews
    from crossway.storage.orders import SqlOrders
    from crossway.storage.outbound_txs import SqlOutboundTxs
    from crossway.storage.outbox import SqlOutbox
    from crossway.storage.outgoing_controls import SqlOutgoingControls
    from crossway.storage.payer_signatures import SqlPayerSignatures
    from crossway.storage.payment_archive import SqlPaymentArchive
    from crossway.storage.payment_figures import SqlPaymentFigures
    from crossway.storage.payment_links import SqlPaymentLinks
    from crossway.storage.profit import SqlProfit
    from crossway.storage.rebalancing import SqlRebalancing
    from crossway.storage.request_log import SqlRequestLog
    from crossway.storage.retention import SqlRetention
    from crossway.storage.search import SqlSearch
    from crossway.storage.second_factors import SqlSecondFactors
    from crossway.storage.staff import SqlStaff
    from crossway.storage.standing import SqlStanding
    from crossway.storage.subscriptions import SqlSubscriptions
    from crossway.storage.table_preferences import SqlTablePreferences
    from crossway.storage.treasury import SqlTreasury
    from crossway.storage.webhooks import SqlWebhooks

T = TypeVar("T")


def _repository(module: str) -> cached_property[Any]:
    """The repository of a module, which has the module's name. It is imported and opened on first
    use, as a start needs few."""
    name = f"Sql{module.title().replace('_', '')}"

    @cache
    def load() -> Any:
        return getattr(import_module(f"crossway.storage.{module}"), name)

    def open_repository(unit: SqlUnitOfWork) -> Any:
        return load()(unit._db)

    return cached_property(open_repository)


class SqlUnitOfWork:
    """`ports.store.UnitOfWork` on one connection.

    `changed_topics` are the topics of changes that append no row, as its repositories report them.
    """

    intents: cached_property[SqlIntents] = _repository("intents")
    deposits: cached_property[SqlDeposits] = _repository("deposits")
    account_nonces: cached_property[SqlAccountNonces] = _repository("account_nonces")
    ledger: cached_property[SqlLedger] = _repository("ledger")
    api_keys: cached_property[SqlApiKeys] = _repository("api_keys")
    cursors: cached_property[SqlCursors] = _repository("cursors")
    leases: cached_property[SqlLeases] = _repository("leases")
    orders: cached_property[SqlOrders] = _repository("orders")
    kyc_customers: cached_property[SqlKycCustomers] = _repository("kyc_customers")
    kyc_checks: cached_property[SqlKycChecks] = _repository("kyc_checks")
    exports: cached_property[SqlExports] = _repository("exports")
    encrypted_values: cached_property[SqlEncryptedValues] = _repository("encrypted_values")
    staff: cached_property[SqlStaff] = _repository("staff")
    second_factors: cached_property[SqlSecondFactors] = _repository("second_factors")
    table_preferences: cached_property[SqlTablePreferences] = _repository("table_preferences")
    request_log: cached_property[SqlRequestLog] = _repository("request_log")
    retention: cached_property[SqlRetention] = _repository("retention")
    outbox: cached_property[SqlOutbox] = _repository("outbox")
    webhooks: cached_property[SqlWebhooks] = _repository("webhooks")
    search: cached_property[SqlSearch] = _repository("search")
    notes_and_saved_views: cached_property[SqlNotesAndSavedViews] = _repository(
        "notes_and_saved_views"
    )
    deliveries: cached_property[SqlDeliveries] = _repository("deliveries")
    corridor_stats: cached_property[SqlCorridorStats] = _repository("corridor_stats")
    treasury: cached_property[SqlTreasury] = _repository("treasury")
    payment_links: cached_property[SqlPaymentLinks] = _repository("payment_links")
    invoices: cached_property[SqlInvoices] = _repository("invoices")
    subscriptions: cached_property[SqlSubscriptions] = _repository("subscriptions")
    mails: cached_property[SqlMails] = _repository("mails")
    payment_archive: cached_property[SqlPaymentArchive] = _repository("payment_archive")
    payment_figures: cached_property[SqlPaymentFigures] = _repository("payment_figures")
    analytics: cached_property[SqlAnalytics] = _repository("analytics")
    due_times: cached_property[SqlDueTimes] = _repository("due_times")
    bridge_transfers: cached_property[SqlBridgeTransfers] = _repository("bridge_transfers")
    inventory_transfers: cached_property[SqlInventoryTransfers] = _repository("inventory_transfers")
    rebalancing: cached_property[SqlRebalancing] = _repository("rebalancing")
    standing: cached_property[SqlStanding] = _repository("standing")
    profit: cached_property[SqlProfit] = _repository("profit")
    approvals: cached_property[SqlApprovals] = _repository("approvals")
    outgoing_controls: cached_property[SqlOutgoingControls] = _repository("outgoing_controls")
    payer_signatures: cached_property[SqlPayerSignatures] = _repository("payer_signatures")

    def __init__(self, db: Connection) -> None:
        self._db = db
        self.changed_topics: set[Topic] = set()

    def savepoint(self) -> AbstractContextManager[object]:
        return self._db.begin_nested()

    @cached_property
    def public_ids(self) -> PublicIds:
        return public_ids(vault_of(self._db).derive_key(PURPOSE))

    @cached_property
    def outbound_txs(self) -> SqlOutboundTxs:
        from crossway.storage.outbound_txs import SqlOutboundTxs

        return SqlOutboundTxs(self._db, self.changed_topics)

    @cached_property
    def kill_switches(self) -> SqlKillSwitches:
        from crossway.storage.kill_switches import SqlKillSwitches

        return SqlKillSwitches(self._db, self.changed_topics)

    @cached_property
    def alerts(self) -> SqlAlerts:
        from crossway.storage.alerts import SqlAlerts

        return SqlAlerts(self._db, self.changed_topics)

    @cached_property
    def audit_log(self) -> SqlAuditLog:
        from crossway.storage.audit_log import SqlAuditLog

        return SqlAuditLog(self._db, self.changed_topics)


@dataclass(eq=False, slots=True)
class _Job:
    """One caller's unit of work. Its gate opens when it is done, or when its caller is to run the
    next commit."""

    work: Callable[[SqlUnitOfWork], Any]
    gate: threading.Lock = field(default_factory=threading.Lock)
    unit: SqlUnitOfWork | None = None
    done: bool = False
    result: Any = None
    error: BaseException | None = None


class GroupCommit:
    """Runs units of work on one writing connection; all that wait share the next commit."""

    def __init__(self, writer: Engine, on_commit: Callable[[SqlUnitOfWork], None]) -> None:
        """`on_commit` is called with each unit of work once it is committed."""
        self._writer, self._on_commit = writer, on_commit
        self._jobs: list[_Job] = []
        self._jobs_lock = threading.Lock()
        self._committing = False

    @property
    def waiting(self) -> int:
        """How many units of work wait for a commit."""
        return len(self._jobs)

    def write(self, work: Callable[[SqlUnitOfWork], T]) -> T:
        """Run `work`; the first waiting caller commits the work of all waiting callers."""
        job = _Job(work)
        job.gate.acquire()
        with self._jobs_lock:
            self._jobs.append(job)
            first, self._committing = not self._committing, True
        if not first:
            job.gate.acquire()
        if not job.done:
            with self._jobs_lock:
                group, self._jobs = self._jobs, []
            try:
                self._commit(group)
            finally:
                self._release_waiting(job, group)
        if job.error is not None:
            raise job.error
        return cast(T, job.result)

    def _release_waiting(self, own: _Job, group: list[_Job]) -> None:
        """Let the next waiting caller commit, and release the callers of this commit."""
        with self._jobs_lock:
            self._committing = bool(self._jobs)
            if self._jobs:
                self._jobs[0].gate.release()
        for job in group:
            job.done = True
            if job is not own:
                job.gate.release()

    def _commit(self, group: list[_Job]) -> None:
        """Run all in one transaction; if one fails, run them again with a savepoint each."""
        try:
            try:
                with self._writer.begin() as db:
                    for job in group:
                        job.unit = SqlUnitOfWork(db)
                        job.result = job.work(job.unit)
            except StorageUnavailable:
                raise
            except Exception:
                if len(group) == 1:
                    raise
                # With a savepoint each, only the one that failed gets the error.
                with self._writer.begin() as db:
                    for job in group:
                        self._run_in_savepoint(db, job)
        except BaseException as error:
            for job in group:
                job.error = job.error or error
            if not isinstance(error, Exception):
                raise
        for job in group:
            if job.error is None and job.unit is not None:
                self._on_commit(job.unit)

    def _run_in_savepoint(self, db: Connection, job: _Job) -> None:
        savepoint = db.begin_nested()
        try:
            job.unit = SqlUnitOfWork(db)
            job.result = job.work(job.unit)
            savepoint.commit()
        except Exception as error:
            savepoint.rollback()
            job.error = error
