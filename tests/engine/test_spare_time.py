"""How much of a busy engine's time goes to what can wait."""

import time
from datetime import UTC, datetime, timedelta

from crossway.engine.spare_time import BUSY_PASS, BUSY_SHARE, INTERVAL, SpareTime

MILLISECOND = timedelta(milliseconds=1)
TOOK = 5 * MILLISECOND


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 28, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def machine(self) -> datetime:
        return self.at


def work(time_span: timedelta) -> None:
    """Keep the processor busy."""
    end = time.thread_time() + time_span.total_seconds()
    while time.thread_time() < end:
        pass


class Counting:
    """Counts parts of what remains; each takes five milliseconds of the processor."""

    def __init__(self, remain: int) -> None:
        self.remain, self.calls, self.clock = remain, 0, Clock()
        self.spare_time = SpareTime(self.clock, self)

    def __call__(self) -> int:
        work(TOOK)
        self.calls += 1
        counted, self.remain = min(1, self.remain), max(0, self.remain - 1)
        return counted

    def run(self, passes: int, each: timedelta, took: timedelta) -> int:
        """Let passes use their spare time; returns how many said that something remains."""
        said = 0
        for _ in range(passes):
            self.clock.at += each
            work(each if took > BUSY_PASS else timedelta())
            said += self.spare_time.use(self.clock.at - took)
        return said


def test_passes_with_time_left_count_until_nothing_remains() -> None:
    counting = Counting(remain=3)
    assert counting.run(10, MILLISECOND, BUSY_PASS) == 3
    assert counting.calls == 3 + 1
    counting.remain = 1
    counting.run(9, timedelta(seconds=1), BUSY_PASS)
    assert counting.calls == 3 + 1, "what is new waits for the next look"
    counting.run(1, INTERVAL, BUSY_PASS)
    assert counting.calls == 3 + 2


def test_a_busy_engine_gives_a_twentieth_of_its_time() -> None:
    counting = Counting(remain=1_000)
    began = time.thread_time()
    counting.run(300, MILLISECOND, BUSY_PASS + MILLISECOND)
    used = timedelta(seconds=time.thread_time() - began)
    assert 1 < counting.calls <= used / (TOOK * BUSY_SHARE) + 1
