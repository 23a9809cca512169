"""The port of time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The service's time; the sandbox clock moves `now` but never `machine`."""

    def now(self) -> datetime:
        """The service's UTC time, used for expiry, retries and statistics."""
        ...

    def machine(self) -> datetime:
        """The machine's UTC time, used for leases."""
        ...
