"""The budget for returns refills evenly, does not pile up, and keeps what fees brought."""

from datetime import UTC, datetime, timedelta

from crossway.domain.return_budget import ReturnBudget, full_budget

NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
PER_DAY = 48_000_000


def budget(earned: int, allowance: int) -> ReturnBudget:
    return ReturnBudget("BASE_MAINNET", earned, allowance, NOW)


def after(start: ReturnBudget, **time: float) -> ReturnBudget:
    return start.refilled(NOW + timedelta(**time), PER_DAY)


def test_it_refills_evenly_up_to_the_amount_of_a_day() -> None:
    assert after(budget(0, 0), hours=1).micro_usd == 2_000_000
    assert after(budget(0, 0), hours=12).micro_usd == 24_000_000
    assert after(budget(0, 0), days=1).micro_usd == PER_DAY
    assert after(budget(0, 0), days=4_000).micro_usd == PER_DAY


def test_many_short_times_refill_as_much_as_a_long_one() -> None:
    steps = budget(0, 0)
    for n in range(1, 36_001):
        steps = steps.refilled(NOW + timedelta(seconds=n / 10), PER_DAY)
    assert 1_999_990 <= steps.micro_usd <= 2_000_000


def test_what_fees_brought_stays_beside_the_allowance_and_is_spent_first() -> None:
    rich = after(budget(60_000_000, 0), days=2)
    assert rich.micro_usd == 60_000_000 + PER_DAY
    spent = rich.spend(61_000_000)
    assert (spent.earned_micro_usd, spent.allowance_micro_usd) == (0, PER_DAY - 1_000_000)


def test_a_smaller_allowance_counts_at_once_and_none_is_none() -> None:
    full = full_budget("BASE_MAINNET", NOW, PER_DAY)
    assert full.refilled(NOW, 5).micro_usd == 5
    assert full.refilled(NOW, 0).micro_usd == 0
    assert budget(7, 0).refilled(NOW + timedelta(days=9), 0).micro_usd == 7


def test_a_clock_that_was_set_back_takes_nothing() -> None:
    assert budget(0, 5_000_000).refilled(NOW - timedelta(hours=3), PER_DAY).micro_usd == 5_000_000


def test_how_long_until_a_cost_is_there() -> None:
    assert budget(3, 4).time_until(7, PER_DAY) == timedelta()
    assert budget(0, 0).time_until(2_000_000, PER_DAY) == timedelta(hours=1)
    assert budget(0, 0).time_until(PER_DAY + 1, PER_DAY) is None
    assert budget(0, 0).time_until(1, 0) is None
