"""When the engine does work that it looks for now and then."""

from datetime import UTC, datetime, timedelta

from crossway.engine.now_and_then import NowAndThen

MINUTE = timedelta(minutes=1)


class Clock:
    """A clock that is moved by hand."""

    at = datetime(2026, 11, 28, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    machine = now


def test_work_rests_ten_minutes_after_it_did_something_or_nothing() -> None:
    clock, results = Clock(), iter([3, 0])
    task = NowAndThen(clock, lambda: next(results))
    assert [task.check(), task.check()] == [3, 0]
    clock.at += 9 * MINUTE
    assert task.check() == 0
    clock.at += MINUTE
    assert (task.check(), next(results, "none left")) == (0, "none left")


def test_work_that_goes_on_until_it_is_done_rests_after_it_found_nothing() -> None:
    clock, results = Clock(), iter([200, 7, 0, 5])
    task = NowAndThen(clock, lambda: next(results), until_done=True)
    assert [task.check() for _ in range(5)] == [200, 7, 0, 0, 0]
    clock.at -= 10 * MINUTE  # a clock that was set back is no reason to rest for longer
    assert task.check() == 5
