"""The plans of docs/scaling.md are what the simulation finds, and it finds what can be reckoned."""

import random
from pathlib import Path

import pytest

from benchmarks.scaling import (
    GOAL_BUSY,
    Result,
    Servers,
    Station,
    format_table,
    load,
    simulate,
)

DOCUMENT = Path(__file__).parent.parent / "docs" / "scaling.md"
BEGIN, END = "<!-- python -m benchmarks scaling -->", "<!-- end -->"


@pytest.fixture(scope="module")
def plans() -> dict[str, dict[str, Result]]:
    return {name: simulate(name) for name in load()["plans"]}


def test_the_document_has_the_table_of_the_simulation(
    plans: dict[str, dict[str, Result]],
) -> None:
    shown = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown.split("\n") == ["", "", *format_table(plans), "", ""]


def test_no_station_of_a_plan_is_too_busy(plans: dict[str, dict[str, Result]]) -> None:
    busy = {(n, s): r.busy for n, results in plans.items() for s, r in results.items()}
    assert {where: share for where, share in busy.items() if share > GOAL_BUSY} == {}


@pytest.mark.parametrize(
    ("station", "share"),
    [
        # 1,000 a second, 7.1 ms each, 11 processes; and so on.
        ("API processes", 1_000 * 0.0071 / 11),
        ("PostgreSQL, cores", 1_000 * 0.0132 / 21),
        ("engines", 1_000 * 0.0045 / 10),
        # A send and a delivery, of 16 transactions with 45 calls on 10 chains every 2 s.
        ("accounts that send", 2_000 / (10 * 16 * 45 / 2)),
        ("gas of the chains", 1_000 * (196_706 + 174_914) / (10 * 200_000_000)),
    ],
)
def test_stations_are_as_busy_as_can_be_reckoned(
    plans: dict[str, dict[str, Result]], station: str, share: float
) -> None:
    assert plans["1000"][station].busy == pytest.approx(share, rel=0.04)


def test_waiting_for_one_server_is_as_known_from_queueing() -> None:
    """Random arrivals, equal work, busy to 60 %: 0.75 of the work's time on average."""
    station, rng, now = Station(1, 0.0, 60_000.0), random.Random(1), 0.0
    server = Servers(1, station)
    for _ in range(36_000):
        now += rng.expovariate(0.6)
        server.serve(now, 1.0)
    assert sum(station.waits) / len(station.waits) == pytest.approx(0.75, rel=0.05)


def test_the_plans_of_the_document_are_those_of_the_table() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    plans = load()["plans"].values()
    for title, name in (
        ("API processes, a core each", "api_processes"),
        ("cores of PostgreSQL", "database_cores"),
        ("callers of Circle", "bridge_callers"),
        ("requests a second to the nodes of a chain", "node_calls_a_second"),
    ):
        assert f"| {title} | {' | '.join(str(plan[name]) for plan in plans)} |" in text
