"""When the engine counts payments for analytics: in the time it has left, and a little without."""

from datetime import datetime, timedelta
from typing import Final

from crossway.ports.services import Services
from crossway.usecases.operating.payment_figures import count_changes

INTERVAL: Final = timedelta(seconds=10)
# A slice takes some 50 ms: a twentieth of a busy engine's time.
BUSY_INTERVAL: Final = timedelta(seconds=1)
# A pass that takes longer leaves no time to spare.
BUSY_PASS: Final = timedelta(milliseconds=20)


class FiguresKeeper:
    """Counts a slice when it is due; while changes remain, that is in every pass with time left."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._counted_at: datetime | None = None
        self._behind = True

    def count(self, pass_began: datetime) -> int:
        """Count a slice if it is due in a pass that began at a time of the machine's clock; returns
        1 if changes remain, else 0."""
        now, last = self._services.clock.machine(), self._counted_at
        interval = INTERVAL
        if self._behind:
            interval = BUSY_INTERVAL if now - pass_began > BUSY_PASS else timedelta()
        if last is not None and abs(now - last) < interval:
            return 0
        self._counted_at = now
        self._behind = count_changes(self._services.store) > 0
        return int(self._behind)
