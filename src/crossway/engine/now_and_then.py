"""Work that the engine looks for now and then, as looking for it costs by what is stored."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from crossway.ports.clock import Clock

INTERVAL: Final = timedelta(minutes=10)


class NowAndThen:
    """Does work every ten minutes of a clock, also when that was changed."""

    def __init__(self, clock: Clock, work: Callable[[], int], until_done: bool = False) -> None:
        """`work` returns how much it did. With `until_done`, it is done in each check as long as
        that is something."""
        self._clock, self._work, self._until_done = clock, work, until_done
        self._rests_since: datetime | None = None

    def check(self) -> int:
        """Do the work if it is time for it; returns how much was done."""
        now, last = self._clock.now(), self._rests_since
        if last is not None and abs(now - last) < INTERVAL:
            return 0
        done = self._work()
        self._rests_since = None if done and self._until_done else now
        return done
