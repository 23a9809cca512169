"""When the engine records prices and counts profit and loss: in the time it has left."""

from datetime import datetime, timedelta

from crossway.engine.figures_keeper import BUSY_INTERVAL, BUSY_PASS, INTERVAL
from crossway.ports.services import Services
from crossway.usecases.money.profit_counting import count_slice, hour_number, record_prices


class ProfitKeeper:
    """Records each hour's prices, and counts a slice when it is due; while postings remain, that is
    in every pass with time left."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._recorded_hour = -1
        self._counted_at: datetime | None = None
        self._behind = True

    def count(self, pass_began: datetime) -> int:
        """Count a slice if it is due in a pass that began at a time of the machine's clock; returns
        1 if postings remain, else 0."""
        clock = self._services.clock
        now, last = clock.machine(), self._counted_at
        interval = INTERVAL
        if self._behind:
            interval = BUSY_INTERVAL if now - pass_began > BUSY_PASS else timedelta()
        if last is not None and abs(now - last) < interval:
            return 0
        self._counted_at = now
        hour = hour_number(clock.now())
        if hour != self._recorded_hour and record_prices(self._services):
            self._recorded_hour = hour
        self._behind = count_slice(self._services) > 0
        return int(self._behind)
