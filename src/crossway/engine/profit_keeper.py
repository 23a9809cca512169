"""When the engine records prices, counts profit and loss, and looks for routes at a loss."""

from datetime import datetime, timedelta
from typing import Final

from crossway.engine.figures_keeper import BUSY_INTERVAL, BUSY_PASS, INTERVAL
from crossway.engine.loss_monitor import check_routes
from crossway.ports.services import Services
from crossway.usecases.money.profit_counting import count_slice, hour_number, record_prices

CHECK_INTERVAL: Final = timedelta(minutes=5)
# A pass waits for a price source that does not answer, until its timeout.
PRICES_RETRY: Final = timedelta(minutes=1)


class ProfitKeeper:
    """Records each hour's prices, and counts a slice when it is due; while postings remain, that is
    in every pass with time left."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._recorded_hour = -1
        self._missed_at: datetime | None = None
        self._counted_at: datetime | None = None
        self._behind = True
        self._checked_at: datetime | None = None

    def count(self, pass_began: datetime) -> int:
        """Count a slice if it is due in a pass that began at a time of the machine's clock; returns
        1 if postings remain, else 0."""
        clock = self._services.clock
        now, last = clock.machine(), self._counted_at
        # In every pass: the simulated clock may be moved over several hours between two counts.
        self._record_prices(hour_number(clock.now()), now)
        interval = INTERVAL
        if self._behind:
            interval = BUSY_INTERVAL if now - pass_began > BUSY_PASS else timedelta()
        if last is not None and abs(now - last) < interval:
            return 0
        self._counted_at = now
        self._behind = count_slice(self._services) > 0
        if not self._behind:
            self._check(clock.now())
        return int(self._behind)

    def _record_prices(self, hour: int, now: datetime) -> None:
        """Record an hour's prices once; while there are none, try again at intervals."""
        missed = self._missed_at
        if hour == self._recorded_hour or (missed and abs(now - missed) < PRICES_RETRY):
            return
        if record_prices(self._services):
            self._recorded_hour, self._missed_at = hour, None
        else:
            self._missed_at = now

    def _check(self, now: datetime) -> None:
        """Look for losses at intervals, once everything is counted."""
        last = self._checked_at
        if last is None or abs(now - last) >= CHECK_INTERVAL:
            check_routes(self._services)
            self._checked_at = now
