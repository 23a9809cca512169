"""Analytics on screen: figures, and the way from each of them to the payments behind it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from crossway.dashboard.analytics_charts import over_time
from crossway.dashboard.views.analytics_changes import relative_change
from crossway.dashboard.views.analytics_measures import MEASURES, time_points
from crossway.dashboard.views.analytics_selection import parse_selection, payments_href
from crossway.dashboard.views.analytics_series import selected_links
from crossway.dashboard.views.formatting import format_share
from crossway.domain.analytics import AnalyticsPeriod
from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.ports.analytics import AnalyticsReport
from crossway.usecases.money.analytics import get_report
from tests.dashboard.conftest import PAGES_FOLDER, DashboardApp, configure
from tests.usecases.ramp_world import ARBITRUM, BASE, RampWorld

SOLANA = "SOLANA_MAINNET"
LIFE = 3_600


@pytest.fixture(scope="module")
def busy_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RampWorld]:
    """Six payments of 25 USDC: two completed, one underpaid, one paid late and one not at all
    before they expired, and one pending. The tests only read them."""
    folder = tmp_path_factory.mktemp("busy")
    world = RampWorld(f"sqlite:///{folder / 'world.db'}", chains=(BASE, ARBITRUM, SOLANA))
    paid = [world.create_intent(), world.create_intent(to=SOLANA)]
    for intent in paid:
        world.deposit(intent)
        world.wait_for_state(intent, State.COMPLETED)
    short, late, unpaid = (world.create_intent() for _ in range(3))
    world.deposit(short, "short")
    world.pass_time(LIFE + 60, step=600)
    world.deposit(late)
    world.wait_for_state(short, State.REFUNDED)
    world.wait_for_state(late, State.REFUNDED)
    assert world.reload(unpaid).state is State.EXPIRED
    world.create_intent()
    world.pass_time(60, step=20)
    yield world
    world.store.close()


@pytest.fixture
def page(busy_world: RampWorld) -> DashboardApp:
    """The dashboard of the six payments."""
    configure(lambda: busy_world.services)
    st.cache_data.clear()
    st.cache_resource.clear()
    at = AppTest.from_file(str(PAGES_FOLDER / "_shell.py"), default_timeout=60)
    return DashboardApp(at, busy_world).rerun()


def rows(page: DashboardApp, table: str) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in page.widget(table)["rows"]}


def texts(row: dict[str, Any]) -> list[str]:
    return [cell.get("text", "") for cell in row["cells"]]


def figures(page: DashboardApp) -> dict[str, str]:
    return {kpi["label"]: kpi["value"] for kpi in page.widget("analytics_kpis")["kpis"]}


def open_href(page: DashboardApp, href: str) -> list[int]:
    """The ids of the payments that a link leads to."""
    name, _, query = href.partition("?")
    assert name == "intents"
    page.open(name, **dict(parse_qsl(query)))
    return [int(row["key"]) for row in page.widget("intents")["rows"]]


def test_a_period_without_payments_says_what_to_do(screen: DashboardApp) -> None:
    screen.world.pass_time(30, step=10)
    text = screen.open("analytics").text
    assert "No payments in this period" in text
    assert "Choose a longer period, or another mode." in text
    assert not screen.has_widget("analytics_kpis")


def test_the_headline_counts_completed_payments_and_shows_counts_with_the_share(
    page: DashboardApp,
) -> None:
    page.open("analytics")
    assert figures(page)["Volume, USD"] == "50.00"
    assert figures(page)["Completed"] == "33.3%"
    [completed] = [k for k in page.widget("analytics_kpis")["kpis"] if k["label"] == "Completed"]
    assert completed["delta"] == "2 of 6 payments; none in the period before"
    assert "Figures up to 21 Nov 2026, " in page.text
    assert "compared with " in page.text


@pytest.mark.parametrize("group", ["merchant", "route", "bridge", "token", "status"])
def test_every_group_leads_to_exactly_its_payments(page: DashboardApp, group: str) -> None:
    table = rows(page.open("analytics", group=group), "analytics_groups")
    assert sum(int(texts(row)[1]) for row in table.values()) == 6
    seen: list[int] = []
    for row in table.values():
        ids = open_href(page, row["href"])
        assert len(ids) == int(texts(row)[1]), row["label"]
        seen += ids
    assert sorted(seen) == [1, 2, 3, 4, 5, 6]


def test_the_funnel_shows_where_people_give_up_and_leads_to_their_payments(
    page: DashboardApp,
) -> None:
    page.open("analytics")
    assert "Most give up after the step “Created”: 3 of 6 (50.0%) got no further." in page.text
    steps = rows(page, "analytics_funnel")
    assert texts(steps["Created"]) == ["Created", "6", "100%", "1", "3"]
    assert texts(steps["Completed"])[:3] == ["Completed", "2", "33.3%"]
    payments = {name: open_href(page, row["href"]) for name, row in steps.items()}
    assert payments == {
        "Created": [6, 5, 4, 3, 2, 1],
        "Deposited": [2, 1],
        "Started": [2, 1],
        "Completed": [2, 1],
    }


def test_every_cause_of_failure_leads_to_its_payments(page: DashboardApp) -> None:
    causes = rows(page.open("analytics"), "analytics_causes")
    payments = {name: open_href(page, row["href"]) for name, row in causes.items()}
    assert payments == {"underpaid": [3], "late": [4], "no_deposit": [5]}
    assert {texts(row)[1] for row in causes.values()} == {"1"}
    assert "Not completed because Underpaid" in [
        button.label for button in page.open("intents", all="cause:underpaid").at.button
    ]


def test_times_to_completion_lead_to_the_completed_payments_of_a_route(page: DashboardApp) -> None:
    table = rows(page.open("analytics"), "analytics_durations")
    assert set(table) == {"BASE_MAINNET>ARBITRUM_MAINNET", f"BASE_MAINNET>{SOLANA}"}
    for row, expected in zip(
        (table["BASE_MAINNET>ARBITRUM_MAINNET"], table[f"BASE_MAINNET>{SOLANA}"]),
        ([1], [2]),
        strict=True,
    ):
        assert re.fullmatch(r"\d+ s", texts(row)[2])
        assert open_href(page, row["href"]) == expected


def test_a_free_filter_counts_the_matching_payments_only(page: DashboardApp) -> None:
    page.open("analytics", all=f"to:{SOLANA}", group="status")
    assert figures(page)["Volume, USD"] == "25.00"
    assert list(rows(page, "analytics_groups")) == ["COMPLETED"]
    assert open_href(page, rows(page, "analytics_groups")["COMPLETED"]["href"]) == [2]
    page.open("analytics", all=f"to:{SOLANA};state:FAILED")
    assert "Remove a filter, or choose a longer period." in page.text


def test_a_cancelled_count_can_be_started_again(page: DashboardApp) -> None:
    selection = parse_selection(page.world.services, Mode.TEST, {"all": "token:USDC"})
    page.at.session_state["analytics_cancelled"] = f"{selection.query}:{selection.filters}"
    assert "Counting was cancelled" in page.open("analytics", all="token:USDC").text
    assert figures(page.click("Count again"))["Volume, USD"] == "50.00"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ({"from": "2026-11-20", "to": "2026-11-10"}, "The period must end after it begins."),
        ({"from": "2027-11-20"}, "The period must end after it begins."),
        ({"from": "yesterday"}, "From must be a day or a time in UTC, such as 2026-11-21"),
        ({"from": "9999-12-31"}, "From must be a day or a time in UTC, such as 2026-11-21"),
        ({"from": "2010-01-01", "to": "2026-01-01"}, "The period must be ten years at most."),
        ({"to": "2026-11-20"}, "The period has an end and no start"),
        ({"period": "century"}, "Period must be one of 24h, 7d, 30d, month, last_month, year"),
        ({"group": "colour"}, "Group must be one of merchant, route, bridge, token, status."),
        ({"all": "colour:red"}, "All: colour is not a filter field"),
    ],
)
def test_a_wrong_link_gets_a_sentence_that_says_what_would_be_right(
    page: DashboardApp, query: dict[str, str], answer: str
) -> None:
    assert answer in page.open("analytics", **query).text
    assert not page.has_widget("analytics_kpis")


def test_the_period_is_kept_in_the_url(page: DashboardApp) -> None:
    page.open("analytics").at.segmented_control(key="asked_period").set_value("custom")
    page.rerun()
    assert set(page.at.query_params) == {"from", "to"}
    assert figures(page)["Volume, USD"] == "50.00"
    page.at.segmented_control(key="asked_period").set_value("last_month")
    assert "No payments in this period" in page.rerun().text
    assert dict(page.at.query_params) == {"period": "last_month"}
    assert "1 Oct 2026 to 31 Oct 2026" in page.text


def test_a_day_as_the_end_of_a_period_is_included(page: DashboardApp) -> None:
    page.open("analytics", **{"from": "2026-11-20", "to": "2026-11-21"})
    assert figures(page)["Volume, USD"] == "50.00"
    page.open("analytics", **{"from": "2026-11-20", "to": "2026-11-21T00:00"})
    assert "No payments in this period" in page.text


def test_selected_points_in_time_lead_to_their_payments_and_to_a_closer_look(
    page: DashboardApp,
) -> None:
    services, operator = page.world.services, page.world.operator
    selection = parse_selection(services, Mode.TEST, {"period": "24h", "group": "route"})
    report = get_report(services, operator, selection.query)
    with_payments = [p for p in report.series if p.figures.measures.created]
    first = with_payments[0]
    payments, closer = selected_links(selection, report, [f"{first.at:%Y-%m-%d %H:%M}"])
    assert payments.label.startswith(f"Show the {first.figures.measures.created} payments of ")
    assert len(open_href(page, payments.href)) == first.figures.measures.created
    assert closer.href.startswith("analytics?from=")
    assert closer.href.endswith("group=route")
    assert selected_links(selection, report, ["2020-01-01"]) == ()


def test_the_chart_over_time_has_the_period_before_as_a_line_if_it_had_payments(
    page: DashboardApp,
) -> None:
    services, operator = page.world.services, page.world.operator
    whole = get_report(services, operator, parse_selection(services, None, {"period": "24h"}).query)
    paid = [point.at for point in whole.series if point.figures.measures.created]
    assert [trace["name"] for trace in traces(whole)] == ["This period"]
    later = AnalyticsPeriod(paid[-1], paid[-1] + (paid[-1] - paid[0]))
    _, before = traces(get_report(services, operator, replace(whole.query, period=later)))
    assert before["name"] == "Period before"
    assert sum(before["y"]) == 50


def traces(report: AnalyticsReport) -> list[dict[str, Any]]:
    drawn = over_time(time_points(report, MEASURES["volume"]), "USD", hourly=True)
    return list(drawn["data"])


def test_a_link_with_more_filters_than_the_list_takes_is_left_out(world: RampWorld) -> None:
    full = ";".join(f"reference:r-{n}" for n in range(12))
    assert payments_href(parse_selection(world.services, None, {"all": full})) == ""
    with pytest.raises(InvalidInput, match="at most 12"):
        parse_selection(world.services, None, {"all": f"{full};mode:test"})


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 0, "–"), (0, 5, "0%"), (5, 5, "100%"), (9_999, 10_000, "99.9%"), (1, 10_000, "0.1%")],
)
def test_a_share_is_100_per_cent_only_if_nothing_is_missing(
    part: int, whole: int, text: str
) -> None:
    assert format_share(part, whole) == text


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        (5, 5, "same as the period before"),
        (5, 0, "none in the period before"),
        (1_001, 1_000, "1% above the period before"),
        (1, 1_000, "99% below the period before"),
        (0, 1_000, "100% below the period before"),
        (50, 5, "10× the period before"),
    ],
)
def test_a_change_is_said_in_words(now: int, before: int, text: str) -> None:
    assert relative_change(now, before)[0] == text
