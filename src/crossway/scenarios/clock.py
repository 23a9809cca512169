"""The two clocks of a stage: one moved by hand, and the service's own, which may jump."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from crossway.ports.clock import Clock

OPENS_AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@dataclass
class HandClock:
    """Epoch seconds that pass only when somebody moves them."""

    seconds: float = OPENS_AT.timestamp()

    def __call__(self) -> float:
        return self.seconds


@dataclass
class JumpingClock:
    """`ports.clock.Clock` of a machine that may be wrong; the chains follow `true`."""

    true: Clock
    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        """UTC-aware time of the service as this machine believes it."""
        return self.true.now() + self.ahead

    def machine(self) -> datetime:
        """UTC-aware time of the machine as it believes it."""
        return self.true.machine() + self.ahead
