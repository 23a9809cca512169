"""The system clock, used by live environments."""

from datetime import UTC, datetime


class SystemClock:
    """`ports.clock.Clock` backed by the machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def machine(self) -> datetime:
        return datetime.now(UTC)
