"""The unit of work: all repositories on one connection."""

from collections.abc import Collection
from functools import cached_property

from sqlalchemy import Connection

from crossway.ports.topics import Topic
from crossway.storage.alerts import SqlAlerts
from crossway.storage.api_keys import SqlApiKeys
from crossway.storage.audit_log import SqlAuditLog
from crossway.storage.corridor_stats import SqlCorridorStats
from crossway.storage.cursors import SqlCursors
from crossway.storage.deliveries import SqlDeliveries
from crossway.storage.deposits import SqlDeposits
from crossway.storage.encrypted_values import SqlEncryptedValues
from crossway.storage.intents import SqlIntents
from crossway.storage.kill_switches import SqlKillSwitches
from crossway.storage.kyc_customers import SqlKycCustomers
from crossway.storage.leases import SqlLeases
from crossway.storage.ledger import SqlLedger
from crossway.storage.notes_and_saved_views import SqlNotesAndSavedViews
from crossway.storage.orders import SqlOrders
from crossway.storage.outbound_txs import SqlOutboundTxs
from crossway.storage.outbox import SqlOutbox
from crossway.storage.payment_links import SqlPaymentLinks
from crossway.storage.request_log import SqlRequestLog
from crossway.storage.retention import SqlRetention
from crossway.storage.search import SqlSearch
from crossway.storage.staff import SqlStaff
from crossway.storage.treasury import SqlTreasury
from crossway.storage.webhooks import SqlWebhooks


class SqlUnitOfWork:
    """`ports.store.UnitOfWork` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    @property
    def changed_topics(self) -> Collection[Topic]:
        """The topics of which the repositories used report a change."""
        return {
            topic
            for repository in vars(self).values()
            if isinstance(repository, SqlAlerts | SqlAuditLog | SqlKillSwitches | SqlOutboundTxs)
            for topic in repository.changed_topics
        }

    @cached_property
    def intents(self) -> SqlIntents:
        return SqlIntents(self._db)

    @cached_property
    def deposits(self) -> SqlDeposits:
        return SqlDeposits(self._db)

    @cached_property
    def outbound_txs(self) -> SqlOutboundTxs:
        return SqlOutboundTxs(self._db)

    @cached_property
    def ledger(self) -> SqlLedger:
        return SqlLedger(self._db)

    @cached_property
    def api_keys(self) -> SqlApiKeys:
        return SqlApiKeys(self._db)

    @cached_property
    def cursors(self) -> SqlCursors:
        return SqlCursors(self._db)

    @cached_property
    def leases(self) -> SqlLeases:
        return SqlLeases(self._db)

    @cached_property
    def kill_switches(self) -> SqlKillSwitches:
        return SqlKillSwitches(self._db)

    @cached_property
    def alerts(self) -> SqlAlerts:
        return SqlAlerts(self._db)

    @cached_property
    def orders(self) -> SqlOrders:
        return SqlOrders(self._db)

    @cached_property
    def kyc_customers(self) -> SqlKycCustomers:
        return SqlKycCustomers(self._db)

    @cached_property
    def encrypted_values(self) -> SqlEncryptedValues:
        return SqlEncryptedValues(self._db)

    @cached_property
    def staff(self) -> SqlStaff:
        return SqlStaff(self._db)

    @cached_property
    def audit_log(self) -> SqlAuditLog:
        return SqlAuditLog(self._db)

    @cached_property
    def request_log(self) -> SqlRequestLog:
        return SqlRequestLog(self._db)

    @cached_property
    def retention(self) -> SqlRetention:
        return SqlRetention(self._db)

    @cached_property
    def outbox(self) -> SqlOutbox:
        return SqlOutbox(self._db)

    @cached_property
    def webhooks(self) -> SqlWebhooks:
        return SqlWebhooks(self._db)

    @cached_property
    def search(self) -> SqlSearch:
        return SqlSearch(self._db)

    @cached_property
    def notes_and_saved_views(self) -> SqlNotesAndSavedViews:
        return SqlNotesAndSavedViews(self._db)

    @cached_property
    def deliveries(self) -> SqlDeliveries:
        return SqlDeliveries(self._db)

    @cached_property
    def corridor_stats(self) -> SqlCorridorStats:
        return SqlCorridorStats(self._db)

    @cached_property
    def treasury(self) -> SqlTreasury:
        return SqlTreasury(self._db)

    @cached_property
    def payment_links(self) -> SqlPaymentLinks:
        return SqlPaymentLinks(self._db)
