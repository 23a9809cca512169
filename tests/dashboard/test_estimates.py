"""Screens of quotes while the service of a bridge is silent: estimates, told as such."""

import json
from typing import Never

import pytest

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Across, Cctp
from crossway.dashboard.route_charts import heatmap
from crossway.dashboard.views.corridor_matrix import build_matrix
from crossway.dashboard.views.corridors import build_cheapest_links
from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName, Route
from crossway.usecases.pricing.corridor_quotes import CorridorSummary
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE

BASE, ARBITRUM, POLYGON = "BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"
LABEL = "Model, not a quote: CCTP gives none now"


class SilentCctp:
    """CCTP, whose service does not answer."""

    runs_in_process = False
    name = BridgeName.CCTP

    def __init__(self) -> None:
        self.routes = Cctp(CATALOGUE, enforced=True).routes

    def get_quotes(self, requests: object, now: object) -> Never:
        raise Unreachable("did not respond in time")


def test_the_comparison_labels_estimates_and_never_marks_one(screen: DashboardApp) -> None:
    screen.use_bridges(SilentCctp())
    rows = {row["key"]: row["cells"] for row in screen.open("quotes").widget("quotes")["rows"]}
    fee = rows[ARBITRUM][2]
    assert fee["text"].startswith("≈ ")
    assert fee["sub"] == LABEL
    assert fee["hint"] == "Did not respond in time. No payment is created at an estimate."
    marked = [key for key, cells in rows.items() if cells[0].get("badges")]
    assert marked == [BASE]
    assert "Cheapest from Base" in screen.text
    missing = screen.widget("missing")["rows"]
    assert ["CCTP", "did not respond in time"] in [
        [cell["text"] for cell in row["cells"]] for row in missing
    ]


def test_where_no_bridge_quotes_a_payment_is_refused_in_words(screen: DashboardApp) -> None:
    screen.use_bridges(SilentCctp())
    screen.open(
        "new_intent",
        source="Base",
        to_chain="Arbitrum One",
        token_out="USDC",
        token_in="USDC",
        amount="25",
    )
    assert "A payment needs a quote, not an estimate." in screen.text
    assert "CCTP did not respond in time" in screen.text


def test_the_routes_page_labels_estimates(screen: DashboardApp) -> None:
    screen.use_bridges(SilentCctp(), Inventory(CATALOGUE))
    screen.open("routes", corridor=f"CCTP:{BASE}:{ARBITRUM}")
    assert LABEL in json.dumps(screen.widget("corridor"), ensure_ascii=False)
    rows = [row["cells"] for row in screen.widget("pairs")["rows"]]
    assert not any(cells[6].get("sub") == LABEL for cells in rows if "operator" in cells[2]["sub"])
    # Every pair has a quote out of inventory.
    assert "≈ marks the figures of a model" not in screen.text
    screen.use_bridges(SilentCctp())
    assert "≈ marks the figures of a model" in screen.open("routes").text


def corridor(bridge: str, to: str, fee: int, reason: str = "") -> CorridorSummary:
    route = Route(BridgeName(bridge), BASE, to, True)
    return CorridorSummary(route, fee_micro_usd=fee, seconds=9, estimate_reason=reason)


@pytest.mark.parametrize("measure", ["Cost", "Time"])
def test_the_matrix_prefers_the_dearest_quote_to_the_cheapest_estimate(measure: str) -> None:
    corridors = [
        corridor("CCTP", ARBITRUM, 10_000, "silent"),
        corridor("ACROSS", ARBITRUM, 5_000_000),
        corridor("CCTP", POLYGON, 20_000, "silent"),
        corridor("ACROSS", POLYGON, 10_000, "silent"),
    ]
    matrix = build_matrix(CATALOGUE, corridors, measure)  # type: ignore[arg-type]
    assert matrix.pairs == ((BASE, ARBITRUM), (BASE, POLYGON))
    assert matrix.estimates == {(BASE, POLYGON)}
    assert [value for *_, value in matrix.cells] == ([5.0, 0.01] if measure == "Cost" else [9, 9])
    quote, estimate = heatmap(matrix, "light", "USD")["series"][0]["data"]
    assert isinstance(quote, list)
    assert estimate["value"] == list(matrix.cells[1])
    assert estimate["label"]["formatter"].startswith("≈")
    links = build_cheapest_links(CATALOGUE, corridors)
    assert [(link.bridge, link.usd) for link in links] == [("Across", 5.0)]


def test_models_of_bridges_that_answer_are_not_asked(screen: DashboardApp) -> None:
    screen.use_bridges(Across(CATALOGUE, enforced=True))
    assert "Model, not a quote" not in json.dumps(screen.open("quotes").widget("quotes")["rows"])
