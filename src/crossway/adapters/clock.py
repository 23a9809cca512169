"""The machine's own time: what a live network goes by."""

from datetime import UTC, datetime


class SystemClock:
    """`ports.clock.Clock` over the clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def machine(self) -> datetime:
        return datetime.now(UTC)
