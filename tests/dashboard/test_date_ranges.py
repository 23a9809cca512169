"""Periods in the URL: what the overview counts and says, and what lists show."""

from datetime import UTC, datetime

import pytest

from crossway.dashboard.views import overview, periods
from crossway.domain.corridor_stats import Period
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.usecases.developers import clients
from tests.dashboard.conftest import DashboardApp

THREE_DAYS = 3 * 86_400
NOW = datetime(2026, 11, 27, 10, 20, tzinfo=UTC)


def at(day: int, hour: int = 0, month: int = 11) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("params", "start", "end"),
    [
        ({"period": "24h"}, at(26, 11), None),
        ({"period": "7d"}, at(20, 11), None),
        ({"period": "month"}, at(1), None),
        ({"period": "last_month"}, at(1, month=10), at(1)),
        ({"from": "2026-11-20", "to": "2026-11-21"}, at(20), at(22)),
        ({"from": "2026-11-20T05:00"}, at(20, 5), None),
        ({"to": "2026-11-20T05:00"}, None, at(20, 5)),
        ({}, None, None),
    ],
)
def test_a_list_has_an_end_only_where_that_is_over(
    params: dict[str, str], start: datetime | None, end: datetime | None
) -> None:
    chosen = periods.parse_list_range(params, NOW)
    assert (chosen.start, chosen.end) == (start, end)


@pytest.mark.parametrize(
    ("params", "step", "count", "title"),
    [
        ({}, Period.HOUR, 24, "Last 24 hours"),
        ({"period": "7d"}, Period.DAY, 7, "Last 7 days"),
        ({"period": "30d"}, Period.DAY, 30, "Last 30 days"),
        ({"period": "month"}, Period.DAY, 27, "This month"),
        ({"period": "last_month"}, Period.DAY, 31, "Last month"),
        ({"from": "2026-11-20", "to": "2026-11-22"}, Period.DAY, 3, "20 Nov 2026 to 22 Nov 2026"),
        ({"from": "2026-11-20", "to": "2026-11-20"}, Period.HOUR, 24, "20 Nov 2026"),
    ],
)
def test_the_overview_counts_hours_of_short_periods_and_days_of_long_ones(
    params: dict[str, str], step: Period, count: int, title: str
) -> None:
    chosen = overview.parse_period(NOW, params)
    assert (chosen.step, chosen.end - chosen.first) == (step, count)
    assert overview.describe_period(NOW, params).title == title


@pytest.mark.parametrize(
    "params",
    [
        {"period": "century"},
        {"from": "yesterday"},
        {"to": "2026-11-20"},
        {"from": "2026-11-20", "to": "2026-11-10"},
        {"from": "2027-01-01"},
        {"from": "2020-01-01"},
    ],
)
def test_a_period_that_is_none_is_refused_in_words(params: dict[str, str]) -> None:
    with pytest.raises(InvalidInput, match=r"eriod|from"):
        overview.parse_period(NOW, params)


def test_the_overview_shows_the_payments_of_its_period(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.machine.seconds += THREE_DAYS

    def completed(**query: str) -> dict[str, str]:
        kpis = screen.open("overview", **query).widget("figures")["kpis"]
        return {kpi["label"]: kpi["value"] for kpi in kpis}

    assert completed()["Completed, 24 h"] == "0"
    assert completed(period="7d")["Completed, 7 d"] == "1"
    assert "Last 7 days" in screen.text
    (by_status,) = (one for one in screen.at.header if one.value == "Payments by status")
    assert by_status.help == "All payments so far, whatever the period"
    assert completed(period="century")["Completed, 24 h"] == "0"
    assert "Period must be one of" in screen.text


@pytest.mark.parametrize(
    ("name", "key"), [("intents", "intents"), ("ramp_orders", "orders"), ("audit", "audit")]
)
def test_a_list_shows_its_period_and_keeps_it_in_the_url(
    screen: DashboardApp, name: str, key: str
) -> None:
    world = screen.world
    world.create_on_ramp()
    world.create_intent()
    clients.create_client(world.services, "Nordlys Games", world.operator)
    world.machine.seconds += THREE_DAYS
    assert screen.open(name).has_widget(key)
    assert not screen.open(name, period="24h").has_widget(key)
    screen.at.segmented_control(key="asked_period").set_value("7d")
    assert screen.rerun().has_widget(key)
    assert screen.at.query_params["period"] in ("7d", ["7d"])
