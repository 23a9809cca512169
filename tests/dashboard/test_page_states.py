"""Every page in its states: empty, with data, with errors, and always marked as simulated."""

import json

import pytest
import streamlit as st

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Cctp
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.intent import State
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE

SCREENS = (
    "overview", "alerts", "intents", "new_intent", "quotes", "routes", "chains", "simulator",
    "intent",
)  # fmt: skip


@pytest.mark.parametrize("name", SCREENS)
def test_every_page_is_marked_as_simulated(screen: DashboardApp, name: str) -> None:
    assert SIMULATED in screen.open(name).text


def test_empty_pages_state_the_next_step(screen: DashboardApp) -> None:
    assert any(button.label == "Take a test payment" for button in screen.at.button)
    assert "No test payments yet" in screen.open("intents").text


def test_the_overview_states_that_nothing_needs_attention(screen: DashboardApp) -> None:
    screen.world.create_intent()
    assert "Nothing needs your attention" in screen.rerun().text


def test_the_overview_counts_completed_payments(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent)
    screen.world.wait_for_state(intent, State.COMPLETED)
    st.cache_data.clear()
    screen.rerun()
    figures = {kpi["label"]: kpi["value"] for kpi in screen.widget("figures")["kpis"]}
    assert figures["Completed, 24 h"] == "1"
    assert figures["Volume, 24 h, USD"] == "25.00"
    assert "Recipient paid" in json.dumps(screen.widget("recent"))


def test_the_list_shows_an_underpaid_payment_with_badge_and_link(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent, "short")
    screen.world.pass_time(20)
    row = screen.open("intents").widget("intents")["rows"][0]
    assert row["href"] == f"intent?id={intent.id}"
    assert [badge["text"] for badge in row["cells"][1]["badges"]] == ["Pending", "Underpaid"]


def test_a_filter_without_matches_shows_a_message(screen: DashboardApp) -> None:
    screen.world.create_intent()
    screen.open("intents", all="reference:nowhere")
    assert "No matching payments" in screen.rerun().text


def test_the_list_is_paged_by_key(screen: DashboardApp) -> None:
    ids = [screen.world.create_intent().id for _ in range(27)]
    screen.open("intents")
    assert [int(row["key"]) for row in screen.widget("intents")["rows"]] == ids[:1:-1]
    screen.click("Older")
    assert [int(row["key"]) for row in screen.widget("intents")["rows"]] == ids[1::-1]
    screen.click("Newer")
    assert len(screen.widget("intents")["rows"]) == 25


def test_the_form_creates_a_payment_and_opens_it(screen: DashboardApp) -> None:
    screen.open("new_intent").click("Use example addresses")
    screen.click("Create a payment of 25 USDC")
    assert "Payment #1 is ready" in screen.text
    assert screen.widget("follow")["links"][0]["href"] == "intent?id=1"
    assert screen.image_texts == ["QR code to pay this, simulated, no real money"]


def test_the_form_shows_validation_errors(screen: DashboardApp) -> None:
    screen.open("new_intent").click("Create a payment")
    assert "Enter a recipient address." in screen.text
    screen.at.text_input(key="amount").set_value("many")
    assert "Amount must be a plain decimal number such as 25.50." in screen.rerun().text


def test_quotes_mark_cheapest_and_fastest_and_explain_excluded_chains(
    screen: DashboardApp,
) -> None:
    world = screen.world
    set_kill_switch(world.services, world.operator, "chain:SOLANA_MAINNET", True, "node upgrade")
    screen.open("quotes")
    badges = [
        c["text"] for r in screen.widget("quotes")["rows"] for c in r["cells"][0].get("badges", ())
    ]
    assert {"Cheapest", "Fastest"} <= set(badges)
    missing = screen.widget("missing")["rows"]
    assert [cell["text"] for cell in missing[0]["cells"]] == ["Solana", "is disabled"]


def test_quotes_are_of_the_token_paid_with_and_say_whom_the_payer_trusts(
    screen: DashboardApp,
) -> None:
    """To USDC on Base. Tron has no USDC, so it comes last."""
    screen.use_bridges(Cctp(CATALOGUE, enforced=True), Inventory(CATALOGUE))
    rows = {row["key"]: row["cells"] for row in screen.open("quotes").widget("quotes")["rows"]}
    assert "From Base: the payer trusts the operator from start to payout, usually 4 s." in (
        screen.text
    )
    assert rows["ARBITRUM_MAINNET"][0]["sub"] == "via CCTP"
    assert rows["ARBITRUM_MAINNET"][3]["sub"] == "enforced by contracts"
    assert rows["SOLANA_MAINNET"][0]["sub"] == "out of inventory"
    assert rows["SOLANA_MAINNET"][3]["sub"] == "operator trusted"
    assert list(rows)[-1] == "TRON_MAINNET"
    assert "sub" not in rows["TRON_MAINNET"][0]
    assert (rows["TRON_MAINNET"][1]["text"], rows["TRON_MAINNET"][2]["text"]) == (
        "USDC unavailable",
        "–",
    )
    screen.at.selectbox(key="pay_with").set_value("USDT")
    rows = {row["key"]: row["cells"] for row in screen.rerun().widget("quotes")["rows"]}
    assert rows["ARBITRUM_MAINNET"][0]["sub"] == "out of inventory"
    assert rows["TRON_MAINNET"][1]["text"].endswith(" USDT")


def test_the_form_of_a_payment_says_whom_the_payer_trusts_or_why_it_cannot_be_paid(
    screen: DashboardApp,
) -> None:
    """From Arbitrum to Base, with CCTP as contracts enforce it and nothing else."""
    screen.use_bridges(Cctp(CATALOGUE, enforced=True))
    price = screen.open("new_intent").widget("price")
    assert "Contracts alone decide where the money goes" in json.dumps(price)
    screen.at.selectbox(key="token_in").set_value("WETH")
    refused = screen.rerun()
    assert "no bridge carries WETH to USDC" in refused.text
    assert "CCTP carries USDC only" in refused.text
    screen.use_bridges(Inventory(CATALOGUE))
    price = screen.rerun().widget("price")
    assert "trusts the operator from start to payout, usually 3 s" in json.dumps(price)


def test_the_quotes_page_rejects_an_invalid_amount(screen: DashboardApp) -> None:
    screen.open("quotes").at.text_input(key="amount").set_value("-1")
    assert screen.rerun().at.error


def test_routes_show_every_pair_and_disabled_routes(screen: DashboardApp) -> None:
    screen.open("routes")
    assert "routes are enabled, between 156 pairs" in screen.text
    world = screen.world
    set_kill_switch(
        world.services, world.operator, "route:CCTP:BASE_MAINNET:POLYGON_MAINNET", True, "slow"
    )
    screen.rerun()
    assert "CCTP from Base to Polygon" in screen.text
    (off,) = screen.widget("disabled_all")["rows"]
    assert world.operator.actor_name in json.dumps(off)


def test_the_clock_is_advanced_and_paused(screen: DashboardApp) -> None:
    screen.open("simulator").click("Forward 1 h")
    assert "1 h ahead" in screen.text
    screen.click("Freeze the clock")
    assert "frozen" in screen.text


def test_a_fault_is_injected_and_shown(screen: DashboardApp) -> None:
    screen.open("simulator")
    assert "Arbitrum One: no faults." in screen.text
    screen.click("Apply this fault")
    assert screen.widget("active_faults")["details"]


def test_the_first_keys_are_shown_until_dismissed(screen: DashboardApp) -> None:
    screen.at.session_state["first_keys"] = {"test": "cr_test_secret"}
    assert "cr_test_secret" in screen.rerun().text
    screen.click("I have saved them")
    assert "cr_test_secret" not in screen.text


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "client",
        "webhook",
        "delivery",
        "request",
        "payment_link",
        "rebalancing",
        "standing_address",
    ],
)
@pytest.mark.parametrize("wanted", ["", "999", "nonsense"])
def test_a_link_to_an_unknown_record_leads_to_the_list(
    screen: DashboardApp, name: str, wanted: str
) -> None:
    screen.open(name, **({"id": wanted} if wanted else {}))
    assert screen.at.title[0].value
    assert screen.text.count("Search above or choose one from the list.") == 1
    assert screen.widget("to_list")["links"]


def test_a_redirect_is_repeated_until_the_browser_follows(screen: DashboardApp) -> None:
    """A rerun that starts at once discards the messages of the run before."""
    screen.world.create_intent()
    choose_in_palette(screen.open("keys"), "find:1").rerun()
    request_ids = [way["request_id"] for way in (leaving(screen), leaving(screen.rerun()))]
    assert request_ids[0] == request_ids[1]
    assert screen.open("intent", id="1").at.title[0].value == "Payment #1"
    assert screen.open("keys").at.title[0].value == "API keys"


def test_a_redirect_to_the_current_page_draws_it(screen: DashboardApp) -> None:
    screen.world.create_intent()
    choose_in_palette(screen.open("intent", id="1"), "find:1")
    assert screen.rerun().at.title[0].value == "Payment #1"


def choose_in_palette(screen: DashboardApp, act: str) -> DashboardApp:
    """What the palette of a browser asks for, in the next run."""
    screen.at.session_state["palette_asked"] = act
    return screen


def leaving(screen: DashboardApp) -> dict[str, str]:
    """The redirect target, which is the only element drawn."""
    [way] = [w for w in screen.at.main if w.type == "bidi_component"]
    return dict(json.loads(way.proto.json)[0])
