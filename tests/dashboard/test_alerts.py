"""The alerts page in its states, the strip above every page, and acknowledging alerts."""

import streamlit as st

from crossway.ports.sandbox import Faults
from crossway.usecases.operating import alerts
from tests.dashboard.conftest import Screen

ARBITRUM = "ARBITRUM_MAINNET"


def silence(screen: Screen, seconds: int = 60) -> None:
    screen.world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=seconds))
    screen.world.pass_time(10, 5)
    st.cache_resource.clear()


def test_without_alarms_the_screen_and_the_strip_say_so(screen: Screen) -> None:
    assert "No active alerts" in screen.open("alerts").words
    strip = screen.widget("alert_strip")["alerts"]
    assert (strip["counts"], strip["newest"]) == ([], None)
    screen.press("Acknowledge")
    assert "All alerts are acknowledged" in screen.words


def test_an_alarm_is_on_every_screen_until_somebody_looks_after_it(screen: Screen) -> None:
    silence(screen)
    for name in ("intents", "alerts"):
        strip = screen.open(name).widget("alert_strip")["alerts"]
        assert "does not answer" in strip["newest"]["text"]
        assert strip["newest"]["href"] == "chains"
        assert [(one["n"], one["text"]) for one in strip["counts"]] == [(1, "Warning")]
    world = screen.world
    alerts.acknowledge_alerts(world.services, world.operator, ["unreachable:" + ARBITRUM], "on it")
    screen.again()
    [row] = screen.widget("standing")["rows"]
    assert row["cells"][4]["text"].endswith(": on it")
    st.cache_resource.clear()
    strip = screen.again().widget("alert_strip")["alerts"]
    assert (strip["counts"], strip["seen_to"]) == ([], 1)


def test_what_is_over_is_listed_with_how_long_it_stood(screen: Screen) -> None:
    silence(screen, 30)
    screen.world.pass_time(40, 5)
    screen.open("alerts", which="Resolved")
    screen.at.session_state["which"] = "Resolved"
    [row] = screen.again().widget("past")["rows"]
    assert row["cells"][4]["text"] in ("25 s", "30 s", "35 s")
    assert row["cells"][5]["text"] == "Unassigned"
