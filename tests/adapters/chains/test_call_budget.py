"""The budget of calls to one node: so many in any minute and in any day, and no more."""

from crossway.adapters.chains.rpc.call_budget import CallBudget


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_no_minute_has_more_calls_than_allowed() -> None:
    clock = Clock()
    budget = CallBudget(10, None, clock)
    sent: list[tuple[float, int]] = []
    for calls in (4, 3, 5, 2, 9, 1, 1, 10, 3):
        while wait := budget.spend(calls):
            assert wait <= 60
            clock.now += wait
        sent.append((clock.now, calls))
        clock.now += 1.5
    for moment, _ in sent:
        assert sum(calls for at, calls in sent if moment - 60 < at <= moment) <= 10


def test_a_day_has_a_limit_of_its_own() -> None:
    clock = Clock()
    budget = CallBudget(100, 250, clock)
    for _ in range(5):
        assert budget.spend(50) == 0
        clock.now += 60
    wait = budget.spend(1)
    assert 86_400 - 300 <= wait <= 86_400
    clock.now += wait
    assert budget.spend(1) == 0


def test_a_batch_above_the_whole_limit_waits_until_nothing_else_counts() -> None:
    clock = Clock()
    budget = CallBudget(10, None, clock)
    assert budget.spend(25) == 0
    assert budget.spend(25) == 60
    clock.now += 60
    assert budget.spend(25) == 0


def test_calls_are_spread_over_the_tighter_of_both_limits() -> None:
    assert CallBudget(60, 8_640).seconds_worth(7) == 70
    assert CallBudget(60, None).seconds_worth(7) == 7
    assert CallBudget(None, None).seconds_worth(7) == 0
