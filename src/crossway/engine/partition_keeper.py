"""Renews the partitions of records that are kept by time, now and then."""

from datetime import datetime, timedelta
from typing import Final

from crossway.ports.services import Services
from crossway.usecases.operating.retention import renew_partitions

INTERVAL: Final = timedelta(minutes=10)


class PartitionKeeper:
    """Looks whether partitions lack or are old, also when the clock was changed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._checked_at: datetime | None = None

    def check(self) -> int:
        """Make and drop partitions if that is due; returns how many were dropped."""
        now = self._services.clock.now()
        if self._checked_at is not None and abs(now - self._checked_at) < INTERVAL:
            return 0
        self._checked_at = now
        return renew_partitions(self._services)
