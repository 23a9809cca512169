"""When the engine records prices, counts profit and loss, and looks for routes at a loss."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from crossway.engine.loss_monitor import check_routes
from crossway.engine.spare_time import SpareTime
from crossway.ports.services import Services
from crossway.usecases.money.profit_counting import count_slice, hour_number, record_prices

CHECK_INTERVAL: Final = timedelta(minutes=5)
# A pass waits for a price source that does not answer, until its timeout.
PRICES_RETRY: Final = timedelta(minutes=1)


class ProfitKeeper:
    """Records each hour's prices, and counts postings in the engine's spare time."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._recorded_hour = -1
        self._missed_at: datetime | None = None
        self._spare_time = SpareTime(services.clock, partial(count_slice, services))
        self._checked_at: datetime | None = None

    def count(self, pass_began: datetime) -> int:
        """Count a slice if it is due in a pass that began at a time of the machine's clock; returns
        1 if postings remain, else 0."""
        clock, spare_time = self._services.clock, self._spare_time
        # In every pass: the simulated clock may be moved over several hours between two counts.
        self._record_prices(hour_number(clock.now()), clock.machine())
        remains = spare_time.use(pass_began)
        if not spare_time.is_behind:
            self._check(clock.now())
        return remains

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
