"""The records of one unit of work, grouped by noun, on one connection."""

from collections.abc import Collection
from functools import cached_property

from sqlalchemy import Connection

from crossway.ports.changes import Topic
from crossway.storage.access import Access
from crossway.storage.announcements import Announcements
from crossway.storage.audit import Audit
from crossway.storage.books import Books
from crossway.storage.deliveries import Deliveries
from crossway.storage.deposits import Deposits
from crossway.storage.desk import Desk
from crossway.storage.finding import Finding
from crossway.storage.flows import Flows
from crossway.storage.intents import Intents
from crossway.storage.links import Links
from crossway.storage.network import Network
from crossway.storage.orders import Orders
from crossway.storage.people import People
from crossway.storage.requests import Requests
from crossway.storage.retention import Retention
from crossway.storage.sealed import Sealed
from crossway.storage.staff import Staff
from crossway.storage.transfers import Transfers
from crossway.storage.treasury import Treasury
from crossway.storage.webhooks import Webhooks


class Records:
    """`ports.store.Unit` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    @property
    def told(self) -> Collection[Topic]:
        """Of what records say themselves that they have changed something."""
        used = vars(self)
        return {
            topic
            for noun in (used.get("network"), used.get("transfers"))
            if isinstance(noun, Network | Transfers)
            for topic in noun.told
        }

    @cached_property
    def intents(self) -> Intents:
        return Intents(self._db)

    @cached_property
    def deposits(self) -> Deposits:
        return Deposits(self._db)

    @cached_property
    def transfers(self) -> Transfers:
        return Transfers(self._db)

    @cached_property
    def books(self) -> Books:
        return Books(self._db)

    @cached_property
    def access(self) -> Access:
        return Access(self._db)

    @cached_property
    def network(self) -> Network:
        return Network(self._db)

    @cached_property
    def orders(self) -> Orders:
        return Orders(self._db)

    @cached_property
    def people(self) -> People:
        return People(self._db)

    @cached_property
    def sealed(self) -> Sealed:
        return Sealed(self._db)

    @cached_property
    def staff(self) -> Staff:
        return Staff(self._db)

    @cached_property
    def audits(self) -> Audit:
        return Audit(self._db)

    @cached_property
    def requests(self) -> Requests:
        return Requests(self._db)

    @cached_property
    def retention(self) -> Retention:
        return Retention(self._db)

    @cached_property
    def announcements(self) -> Announcements:
        return Announcements(self._db)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self._db)

    @cached_property
    def finding(self) -> Finding:
        return Finding(self._db)

    @cached_property
    def desk(self) -> Desk:
        return Desk(self._db)

    @cached_property
    def deliveries(self) -> Deliveries:
        return Deliveries(self._db)

    @cached_property
    def flows(self) -> Flows:
        return Flows(self._db)

    @cached_property
    def treasury(self) -> Treasury:
        return Treasury(self._db)

    @cached_property
    def links(self) -> Links:
        return Links(self._db)
