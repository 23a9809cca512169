"""Every chain, token, bridge and ramp provider has a mark that is shipped and small."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from crossway.catalogue import load_catalogue
from crossway.dashboard.views.marks import mark_bridge, mark_chains, mark_provider, mark_token
from crossway.domain.intent import State
from crossway.domain.quotes import BridgeName
from crossway.domain.ramps import ProviderName
from tests.dashboard.conftest import DashboardApp

MARKS = Path(__file__).parents[2] / "static" / "marks"
CATALOGUE = load_catalogue()
NAMED = (
    *mark_chains(*CATALOGUE.chains),
    *(mark_token(token.symbol)[0] for token in CATALOGUE.by_address.values()),
    *(mark_token(chain.native_symbol)[0] for chain in CATALOGUE.chains.values()),
    *(mark_bridge(bridge.value)[0] for bridge in BridgeName),
    *(mark_provider(provider.value)[0] for provider in ProviderName),
)


@pytest.mark.parametrize("mark", sorted(set(NAMED)))
def test_a_mark_is_a_small_square_drawing_of_its_own(mark: str) -> None:
    file = MARKS / f"{mark.replace('testnets/', 'chains/')}.svg"
    root = ElementTree.fromstring(file.read_text())
    assert root.get("viewBox") == "0 0 24 24"
    assert file.stat().st_size < 10_000
    assert "href" not in file.read_text()
    assert "<script" not in file.read_text()


def test_the_licence_names_every_file() -> None:
    text = (MARKS / "LICENSE.txt").read_text().replace("\n", " ")
    words = set(text.replace(",", " ").replace(";", " ").split())
    tokens = {file.stem for file in (MARKS / "tokens").glob("*.svg")}
    assert tokens <= words
    kinds = {file.parent.name for file in MARKS.rglob("*.svg")}
    assert kinds == {"chains", "tokens", "bridges", "ramps"}


def test_no_file_is_left_without_use() -> None:
    used = {mark.replace("testnets/", "chains/") for mark in NAMED}
    shipped = {f"{file.parent.name}/{file.stem}" for file in MARKS.rglob("*.svg")}
    assert shipped == used


def test_a_test_network_is_told_from_its_main_network() -> None:
    assert mark_chains("BASE_MAINNET", "BASE_TESTNET") == ("chains/BASE", "testnets/BASE")


def test_a_unified_balance_has_the_mark_of_its_bridge() -> None:
    assert mark_chains("gateway:mainnet") == ("bridges/GATEWAY",)


def test_a_payment_on_one_chain_has_no_bridge_mark() -> None:
    assert mark_bridge("") == ()


@pytest.mark.parametrize(
    ("page", "table", "column"),
    [
        ("books", "trial", 1),
        ("books", "postings", 3),
        ("profit", "profit_Chain", 0),
        ("profit", "profit_Route", 0),
        ("treasury", "stock", 0),
        ("treasury", "stock", 1),
        ("routes", "pairs", 2),
    ],
)
def test_tables_show_the_marks_of_what_they_name(
    screen: DashboardApp, page: str, table: str, column: int
) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent)
    screen.world.wait_for_state(intent, State.COMPLETED)
    screen.world.pass_time(300, step=10)
    rows = screen.open(page).widget(table)["rows"]
    assert rows
    assert [row["key"] for row in rows if not row["cells"][column].get("marks")] == []
