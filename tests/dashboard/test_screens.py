"""Every page in its states: empty, with data, with errors, and always marked as simulated."""

import json

import pytest
import streamlit as st

from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.intent import State
from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.dashboard.conftest import Screen

SCREENS = (
    "overview", "alerts", "intents", "new_intent", "quotes", "routes", "chains", "simulator",
    "intent",
)  # fmt: skip


@pytest.mark.parametrize("name", SCREENS)
def test_every_screen_says_that_it_is_simulated(screen: Screen, name: str) -> None:
    assert SIMULATED in screen.open(name).words


def test_an_empty_service_says_what_to_do(screen: Screen) -> None:
    assert "No payments yet" in screen.words
    assert "Nothing needs your attention" in screen.words
    assert "No payments yet" in screen.open("intents").words


def test_the_overview_counts_what_was_paid(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent)
    screen.world.until(intent, State.COMPLETED)
    st.cache_data.clear()
    screen.again()
    figures = {one["label"]: one["value"] for one in screen.widget("figures")["kpis"]}
    assert figures["Completed, 24 h"] == "1"
    assert figures["Volume, 24 h, USD"] == "25.00"
    assert "Recipient paid" in json.dumps(screen.widget("recent"))


def test_the_list_shows_a_short_payment_with_its_chip_and_links_to_it(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent, "short")
    screen.world.pass_time(20)
    row = screen.open("intents").widget("intents")["rows"][0]
    assert row["href"] == f"intent?id={intent.id}"
    assert [badge["text"] for badge in row["cells"][1]["badges"]] == ["Pending", "Underpaid"]


def test_a_filter_that_nothing_matches_says_so(screen: Screen) -> None:
    screen.world.pay()
    screen.open("intents", all="reference:nowhere")
    assert "No matching payments" in screen.again().words


def test_the_list_turns_its_pages_by_key(screen: Screen) -> None:
    made = [screen.world.pay().id for _ in range(27)]
    screen.open("intents")
    assert [int(row["key"]) for row in screen.widget("intents")["rows"]] == made[:1:-1]
    screen.press("Older")
    assert [int(row["key"]) for row in screen.widget("intents")["rows"]] == made[1::-1]
    screen.press("Newer")
    assert len(screen.widget("intents")["rows"]) == 25


def test_a_payment_is_made_with_the_form_and_can_be_followed(screen: Screen) -> None:
    screen.open("new_intent").press("Use example addresses")
    screen.press("Create a payment of 25 USDC")
    assert "Payment #1 is ready" in screen.words
    assert screen.widget("follow")["links"][0]["href"] == "intent?id=1"
    assert screen.pictures == ["QR code to pay this, simulated, no real money"]


def test_the_form_refuses_in_words(screen: Screen) -> None:
    screen.open("new_intent").press("Create a payment")
    assert "Enter a recipient address." in screen.words
    screen.at.text_input(key="amount").set_value("many")
    assert "Amount must be a plain decimal number such as 25.50." in screen.again().words


def test_quotes_mark_the_cheapest_and_the_fastest_and_say_why_a_chain_is_missing(
    screen: Screen,
) -> None:
    world = screen.world
    set_kill_switch(world.services, world.operator, "chain:SOLANA_MAINNET", True, "node upgrade")
    screen.open("quotes")
    badges = [
        c["text"] for r in screen.widget("quotes")["rows"] for c in r["cells"][0].get("badges", ())
    ]
    assert {"Cheapest", "Fastest"} <= set(badges)
    missing = screen.widget("missing")["rows"]
    assert [cell["text"] for cell in missing[0]["cells"]] == ["Solana", "is switched off"]


def test_a_wrong_amount_is_refused_in_words_on_the_quotes_screen(screen: Screen) -> None:
    screen.open("quotes").at.text_input(key="amount").set_value("-1")
    assert screen.again().at.error


def test_routes_show_every_pair_and_what_is_off(screen: Screen) -> None:
    screen.open("routes")
    assert "routes are enabled, between 156 pairs" in screen.words
    world = screen.world
    set_kill_switch(
        world.services, world.operator, "route:CCTP:BASE_MAINNET:SOLANA_MAINNET", True, "slow"
    )
    screen.again()
    assert "CCTP from Base to Solana" in screen.words
    (off,) = screen.widget("off_all")["rows"]
    assert world.operator.actor_name in json.dumps(off)


def test_the_clock_is_moved_and_stopped(screen: Screen) -> None:
    screen.open("simulator").press("Forward 1 h")
    assert "1 h 0 min ahead" in screen.words
    screen.press("Freeze the clock")
    assert "frozen" in screen.words


def test_a_fault_is_switched_and_shown(screen: Screen) -> None:
    screen.open("simulator")
    assert "Arbitrum One: no faults." in screen.words
    screen.press("Apply this fault")
    assert screen.widget("active_faults")["details"]


def test_the_first_keys_are_shown_until_they_are_put_away(screen: Screen) -> None:
    screen.at.session_state["first_keys"] = {"test": "cr_test_secret"}
    assert "cr_test_secret" in screen.again().words
    screen.press("I have saved them")
    assert "cr_test_secret" not in screen.words


@pytest.mark.parametrize(
    "name", ["key", "client", "webhook", "delivery", "request", "payment_link"]
)
@pytest.mark.parametrize("wanted", ["", "999", "nonsense"])
def test_a_link_that_names_nothing_leads_to_the_list(
    screen: Screen, name: str, wanted: str
) -> None:
    screen.open(name, **({"id": wanted} if wanted else {}))
    assert screen.at.title[0].value
    assert screen.words.count("Search above or choose one from the list.") == 1
    assert screen.widget("to_list")["links"]


def test_a_browser_is_shown_its_way_until_it_has_gone(screen: Screen) -> None:
    """What a run tells it is lost where the next run begins at once."""
    screen.world.pay()
    screen.open("keys").at.text_input(key="find_text").set_value("1")
    screen.press("Search")
    told = [way["request_id"] for way in (leaving(screen), leaving(screen.again()))]
    assert told[0] == told[1]
    assert screen.open("intent", id="1").at.title[0].value == "Payment #1"
    assert screen.open("keys").at.title[0].value == "API keys"


def test_a_way_to_where_one_is_draws_the_screen(screen: Screen) -> None:
    screen.world.pay()
    screen.open("intent", id="1").at.text_input(key="find_text").set_value("1")
    assert screen.press("Search").at.title[0].value == "Payment #1"


def leaving(screen: Screen) -> dict[str, str]:
    """Where the browser is sent, by the only thing that is drawn."""
    [way] = [w for w in screen.at.main if w.type == "bidi_component"]
    return dict(json.loads(way.proto.json))
