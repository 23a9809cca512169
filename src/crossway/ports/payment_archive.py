"""The repository of payments that expired unpaid and were put away."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol


class PaymentArchive(Protocol):
    """Payments that nobody paid: out of every list, and back as they were if money arrives."""

    def has_due(self, expired_before: datetime) -> bool:
        """Whether there is a payment to archive."""
        ...

    def archive(self, expired_before: datetime, limit: int) -> int:
        """Put away payments that expired before an instant and did not change since, at whose
        addresses nothing was ever seen, and that no order, note, event or uncounted figure refers
        to; returns how many."""
        ...

    def pause(self) -> None:
        """Archive nothing before this transaction ends: it records money for payments."""
        ...

    def find_known(self, addresses: Collection[str]) -> set[str]:
        """Those of the addresses that are the deposit address of an archived payment, on either of
        its chains."""
        ...

    def restore(self, addresses: Collection[str], changed_at: datetime | None = None) -> list[int]:
        """Bring payments back by their deposit addresses, with the numbers they had; returns
        these. With `changed_at` they count as changed then, so that they are not archived again
        at once."""
        ...

    def find_address(self, intent_id: int) -> str | None:
        """The deposit address of an archived payment by its number."""
        ...
