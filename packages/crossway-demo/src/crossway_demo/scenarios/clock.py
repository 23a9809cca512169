"""The clocks of a scenario: one that is advanced by hand, and the service's, which may be wrong."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from crossway.ports.clock import Clock

START_TIME = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@dataclass
class ManualClock:
    """Epoch seconds that pass only when they are advanced."""

    seconds: float = START_TIME.timestamp()

    def __call__(self) -> float:
        return self.seconds


@dataclass
class SkewedClock:
    """`ports.clock.Clock` of a machine that is off by `offset`; the chains follow `true_clock`."""

    true_clock: Clock
    offset: timedelta = timedelta()

    def now(self) -> datetime:
        """The service's UTC time, including the offset."""
        return self.true_clock.now() + self.offset

    def machine(self) -> datetime:
        """The machine's UTC time, including the offset."""
        return self.true_clock.machine() + self.offset
