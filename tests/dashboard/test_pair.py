"""The bridges of a pair side by side: quotes of now, and what was measured, hour by hour."""

import json
from datetime import timedelta
from typing import Any

from crossway.dashboard import pair_charts
from crossway.dashboard.views import pair as view
from crossway.domain.corridor_stats import CorridorVolume, Outcome, bucket_of
from crossway.ports.store import UnitOfWork
from crossway.usecases.pricing.corridor_quotes import Window
from crossway.usecases.pricing.pair_history import PairHistory, get_pair_history
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import RampWorld

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


def volume(
    bridge: str, seconds: float, usd: int, outcome: Outcome = Outcome.PAID, to: str = ARBITRUM
) -> CorridorVolume:
    bucket, micro_usd = bucket_of(seconds), usd * 1_000_000
    return CorridorVolume(
        "test", BASE, to, bridge, "USDC", outcome, bucket, 1, micro_usd, micro_usd // 1_000
    )


def with_payments(world: RampWorld) -> PairHistory:
    """Two payments over CCTP three hours ago, of which one failed, and one over Across now."""
    now = world.services.clock.now()

    def add(unit: UnitOfWork) -> None:
        earlier = [volume("CCTP", 20, 100), volume("CCTP", 300, 50, Outcome.FAILED)]
        unit.corridor_stats.add(earlier, now - timedelta(hours=3))
        unit.corridor_stats.add([volume("ACROSS", 4, 400)], now)
        unit.corridor_stats.add([volume("ACROSS", 4, 999, to="SOLANA_MAINNET")], now)
        unit.corridor_stats.add([volume("CCTP", 9, 777)], now - timedelta(hours=24))

    world.services.store.write(add)
    return get_pair_history(world.services, world.operator, BASE, ARBITRUM, Window.DAY)


def test_each_hour_counts_its_own_payments_of_this_pair_alone(screen: DashboardApp) -> None:
    history = with_payments(screen.world)
    assert len(history.starts) == 24
    assert set(history.by_bridge) == {"CCTP", "ACROSS"}
    cctp, across = history.by_bridge["CCTP"], history.by_bridge["ACROSS"]
    assert [at for at, of in enumerate(cctp) if of.paid or of.failed] == [20]
    assert (cctp[20].paid, cctp[20].failed, cctp[20].micro_usd) == (1, 1, 100_000_000)
    assert (across[23].micro_usd, across[23].charged_micro_usd) == (400_000_000, 400_000)
    assert history.whole["ACROSS"].paid == 1


def test_bars_share_a_scale_and_hours_without_payments_stay_empty(screen: DashboardApp) -> None:
    history = with_payments(screen.world)
    bridges = view.build_bridges((), history)
    assert [bridge.title for bridge in bridges] == ["Across", "CCTP"]
    ends = pair_charts.scales(bridges)
    assert ends[0] == 400
    assert ends[2] == 100
    chart = bridges[1].chart
    assert chart is not None
    option: dict[str, Any] = pair_charts.over_time(bridges[1], chart, ends, "light")
    assert [axis["max"] for axis in option["yAxis"]] == list(ends)
    # Every chart has one x axis and one y axis, and nothing is drawn as a line.
    assert [axis["gridIndex"] for axis in option["yAxis"]] == [0, 1, 2, 3]
    assert {series["type"] for series in option["series"]} == {"bar", "scatter"}
    volumes = option["series"][0]["data"]
    assert volumes[20] == 100
    assert set(volumes[:20] + volumes[21:]) == {None}
    assert option["series"][2]["data"][20] == 50


def test_the_page_shows_quotes_of_now_and_says_what_is_measured(screen: DashboardApp) -> None:
    with_payments(screen.world)
    screen.open("pair")
    assert "Choose two chains" in screen.text
    screen.at.selectbox(key="pair_from").set_value(BASE)
    screen.rerun().at.selectbox(key="pair_to").set_value(ARBITRUM)
    screen.rerun()
    assert "quotes that led to no payment are not stored" in screen.text
    details = json.dumps(screen.widget("pair_CCTP"))
    assert "50.0% of 2" in details
    assert "100.00 USD" in details
    assert "Quoted time now" in details
    assert "No payment over it ended in the last 24 hours" in screen.text


def test_the_map_and_a_route_lead_to_the_pair(screen: DashboardApp) -> None:
    link = next(
        link
        for link in screen.open("network_map").widget("network_map")["links"]
        if {link["a"], link["b"]} == {BASE, ARBITRUM} or BASE in (link["a"], link["b"])
    )
    assert link["href"].startswith("pair?pair_from=")
    screen.open("routes", corridor=f"CCTP:{BASE}:{ARBITRUM}")
    assert "pair?pair_from=Base&pair_to=Arbitrum+One" in json.dumps(screen.widget("corridor_close"))
