"""The port of time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time as the service sees it; the sandbox clock moves `now` and never `machine`."""

    def now(self) -> datetime:
        """UTC-aware time of the service: expiry, retries and statistics follow it."""
        ...

    def machine(self) -> datetime:
        """UTC-aware time of the machine, for leases alone."""
        ...
