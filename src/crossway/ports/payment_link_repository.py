"""The repository of payment links, their uses and clients' branding."""

from datetime import datetime
from typing import Final, Protocol

from crossway.domain.branding import Branding
from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent
from crossway.domain.payment_links import LinkUse, PayerUses, PaymentLink

# The start, included, and the end, excluded; None leaves a side open.
Period = tuple[datetime | None, datetime | None]
EVER: Final[Period] = (None, None)


class PaymentLinkRepository(Protocol):
    """Payment links, the intents that payers created from them, and branding."""

    def add(self, link: PaymentLink) -> None: ...
    def get(self, link_id: str) -> PaymentLink | None: ...
    def lock(self, link_id: str) -> PaymentLink | None:
        """The current link, locked until the unit of work ends."""
        ...

    def update(self, link: PaymentLink) -> None:
        """Store a link except its owner, its mode and its numbers of uses."""
        ...

    def list_page(
        self,
        owners: OwnerFilter,
        limit: int,
        before: PaymentLink | None = None,
        period: Period = EVER,
    ) -> list[PaymentLink]:
        """Those created in a period, newest first."""
        ...

    def count(self, owners: OwnerFilter) -> int: ...

    def record_use(self, use: LinkUse) -> bool:
        """Store a use (its id is assigned); False when its nonce was used before. Links count the
        states of their payments (`domain.payment_links.count_use`) whenever these change."""
        ...

    def find_use(self, link_id: str, nonce: str) -> LinkUse | None: ...
    def list_uses(self, link_id: str, limit: int, before_id: int | None = None) -> list[LinkUse]:
        """Newest first."""
        ...

    def next_expiry(self, link_id: str, since: datetime) -> datetime | None:
        """When the first of a link's open unpaid payments expires, of those made since a time."""
        ...

    def list_open_of_payer(self, payer: str, since: datetime) -> list[Intent]:
        """The open unpaid payments made from a network address since a time, by any link."""
        ...

    def count_uses_of_payer(self, link_id: str, payer: str, since: datetime) -> PayerUses:
        """The payments made by a link from a network address since a time."""
        ...

    def get_branding(self, client_id: str) -> Branding | None:
        """The branding of a client's checkout; None when it has none."""
        ...

    def save_branding(self, value: Branding) -> None: ...
    def find_branding_by_digest(self, digest: str) -> Branding | None:
        """Branding by the digest of its logo."""
        ...
