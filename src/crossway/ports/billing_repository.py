"""The repositories of invoices, subscriptions and mails."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import State
from crossway.domain.invoices import Invoice
from crossway.domain.mails import Mail
from crossway.domain.subscriptions import Subscription


class InvoiceRepository(Protocol):
    """Invoices, and the payments made by their links."""

    def next_sequence(self, client_id: str, mode: str) -> int:
        """The next number of a client and mode; the caller holds the lock of these numbers."""
        ...

    def add(self, invoice: Invoice) -> Invoice:
        """Store a new invoice; its id is assigned."""
        ...

    def get(self, name: str) -> Invoice | None: ...
    def get_many(self, ids: Collection[int]) -> dict[int, Invoice]: ...
    def find_by_links(self, link_ids: Collection[str]) -> dict[str, Invoice]:
        """The invoices that these payment links pay, by link."""
        ...

    def lock(self, invoice_id: int) -> Invoice:
        """The current invoice, locked until the unit of work ends."""
        ...

    def update(self, invoice: Invoice) -> None: ...
    def list_page(
        self,
        owners: OwnerFilter,
        limit: int,
        before_id: int | None = None,
        subscription_id: int | None = None,
    ) -> list[Invoice]:
        """Newest first."""
        ...

    def list_payments(self, link_ids: Collection[str]) -> Mapping[str, Sequence[tuple[State, int]]]:
        """The state and the payout amount of every payment made by these links."""
        ...

    def list_settled(self, limit: int) -> list[Invoice]:
        """Open invoices of whose payments one was completed since they last changed."""
        ...

    def list_to_remind(self, now: datetime, limit: int) -> list[Invoice]:
        """Those whose next reminder is due."""
        ...

    def count_unpaid(self, subscription_id: int) -> int:
        """The open invoices of a subscription."""
        ...


class SubscriptionRepository(Protocol):
    """Subscriptions."""

    def add(self, subscription: Subscription) -> Subscription:
        """Store a new subscription; its id is assigned."""
        ...

    def get(self, name: str) -> Subscription | None: ...
    def get_many(self, ids: Collection[int]) -> dict[int, Subscription]: ...
    def lock(self, subscription_id: int) -> Subscription:
        """The current subscription, locked until the unit of work ends."""
        ...

    def update(self, subscription: Subscription) -> None: ...
    def list_page(
        self, owners: OwnerFilter, limit: int, before_id: int | None = None
    ) -> list[Subscription]:
        """Newest first."""
        ...

    def list_due(self, now: datetime, limit: int) -> list[Subscription]:
        """Those whose next invoice is due."""
        ...


class MailRepository(Protocol):
    """Mails to be sent."""

    def add(self, mail: Mail) -> None:
        """Store a mail, unless there is one of the same cause."""
        ...

    def take_due(self, now: datetime) -> Mail | None:
        """The next due mail, locked; those that others lock are left to them."""
        ...

    def save(self, mail: Mail, attempt_count: int) -> None:
        """Store a mail that still is at this attempt and due."""
        ...
