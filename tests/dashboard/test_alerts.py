"""The alerts page in its states, the strip above every page, and acknowledging alerts."""

import streamlit as st

from crossway.ports.sandbox import Faults
from crossway.usecases.operating import alerts
from tests.dashboard.conftest import DashboardApp

ARBITRUM = "ARBITRUM_MAINNET"


def silence(screen: DashboardApp, seconds: int = 60) -> None:
    screen.world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=seconds))
    screen.world.pass_time(10, 5)
    st.cache_resource.clear()


def test_without_alerts_the_page_and_the_strip_say_so(screen: DashboardApp) -> None:
    assert "No active alerts" in screen.open("alerts").text
    strip = screen.widget("alert_strip")["alerts"]
    assert (strip["counts"], strip["newest"]) == ([], None)
    assert [b for b in screen.at.button if b.label.startswith("Acknowledge")] == []


def test_an_alert_is_on_every_page_until_acknowledged(screen: DashboardApp) -> None:
    silence(screen)
    for name in ("intents", "alerts"):
        strip = screen.open(name).widget("alert_strip")["alerts"]
        assert "does not answer" in strip["newest"]["text"]
        assert strip["newest"]["href"] == "chains?chain=" + ARBITRUM
        assert [(count["n"], count["text"]) for count in strip["counts"]] == [(1, "Warning")]
    world = screen.world
    alerts.acknowledge_alerts(world.services, world.operator, ["unreachable:" + ARBITRUM], "on it")
    screen.rerun()
    [row] = screen.widget("standing")["rows"]
    assert row["cells"][4]["text"].endswith(": on it")
    st.cache_resource.clear()
    strip = screen.rerun().widget("alert_strip")["alerts"]
    assert (strip["counts"], strip["aside"]) == ([], "1 acknowledged")


def test_resolved_alerts_are_listed_with_their_duration(screen: DashboardApp) -> None:
    silence(screen, 30)
    screen.world.pass_time(40, 5)
    screen.open("alerts", which="Resolved")
    screen.at.session_state["which"] = "Resolved"
    [row] = screen.rerun().widget("past")["rows"]
    assert row["cells"][4]["text"] in ("25 s", "30 s", "35 s")
    assert row["cells"][5]["text"] == "Unassigned"
