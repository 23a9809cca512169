"""Treasury, books and reconciliation on screen, in each state an operator can meet."""

import json
from datetime import date

import streamlit as st

from crossway.dashboard import session
from crossway.domain.intent import State
from crossway.usecases.money import inventory_adjustments
from crossway.usecases.simulator import chain_controls
from tests.dashboard.conftest import Screen
from tests.processes import wait_until


def texts(rows: list[dict[str, object]]) -> str:
    return json.dumps(rows, ensure_ascii=False)


def paid(screen: Screen, amount: str = "exact") -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent, amount)
    screen.world.until(intent, State.COMPLETED)


def test_empty_books_say_what_will_be_their_first_line(screen: Screen) -> None:
    assert "No postings yet" in screen.open("books").words
    assert "No postings" in screen.words


def test_the_books_balance_and_a_line_opens_its_postings(screen: Screen) -> None:
    paid(screen)
    screen.open("books")
    assert "The books balance: debits equal credits" in screen.words
    lines = screen.widget("trial")["rows"]
    (recipient,) = [row for row in lines if "Recipient" in texts([row])]
    assert "25.00 USDC" in texts([recipient])
    assert len(screen.widget("postings")["rows"]) >= 5
    query = dict(part.split("=") for part in recipient["href"].partition("?")[2].split("&"))
    screen.open("books", **query)
    assert screen.at.title[0].value == "Recipient: USDC on Arbitrum One"
    assert [m.value for m in screen.at.metric] == ["0.00 USDC", "25.00 USDC (debit)"]
    (posting,) = screen.widget("postings")["rows"]
    assert posting["href"] == "intent?id=1"
    assert "Debit" in texts([posting])


def test_the_lines_of_the_books_are_turned_like_pages(screen: Screen) -> None:
    paid(screen)
    assert inventory_adjustments.book_opening_balances(screen.world.services, screen.world.operator)
    first = screen.open("books").widget("trial")["rows"]
    second = screen.press("Next").widget("trial")["rows"]
    assert len(first) == len(second) == 30
    assert not {row["href"] for row in first} & {row["href"] for row in second}
    assert screen.press("Previous").widget("trial")["rows"] == first
    assert screen.has("postings")


def test_a_range_that_ends_before_it_begins_is_refused_in_words(screen: Screen) -> None:
    paid(screen)
    screen.open("books")
    screen.at.date_input(key="books_first").set_value(date(2026, 11, 21))
    screen.at.date_input(key="books_last").set_value(date(2026, 11, 20))
    assert "Last day must not be before the first day." in screen.again().words


def test_books_and_chains_are_compared_and_the_stock_is_taken_in(screen: Screen) -> None:
    assert "No runs yet" in screen.open("reconcile").words
    paid(screen)
    screen.world.pass_time(60)
    screen.press("Reconcile now")
    compared(screen)
    assert "The books and the chains agree." in screen.again().words
    assert "its inventory is not reconciled" in screen.words
    assert inventory_adjustments.book_opening_balances(screen.world.services, screen.world.operator)
    screen.press("Reconcile now")
    compared(screen)
    assert "its inventory is not reconciled" not in screen.again().words
    assert len(screen.widget("runs")["rows"]) == 2
    screen.open("reconcile", run="1")
    assert "its inventory is not reconciled" in screen.words


def test_a_difference_is_shown_with_its_reason_and_can_be_booked(screen: Screen) -> None:
    world = screen.world
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    faults = {"balances": {"relayer": {"USDC": "1000007000000"}}}
    chain_controls.inject_faults(world.services, world.operator, "BASE_MAINNET", faults)
    screen.open("reconcile").press("Reconcile now")
    compared(screen)
    assert "1 difference to review." in screen.again().words
    (row,) = screen.widget("findings")["rows"]
    assert "1000007 USDC; the books say 1000000 USDC" in texts([row])
    assert "Inventory was added or withdrawn without an entry in the books" in texts([row])
    screen.press("Book as added")
    with world.store.read() as unit:
        assert [a.kind for a in unit.alerts.list_active()] == ["reconcile"]


def compared(screen: Screen) -> None:
    """Wait until no comparison runs."""

    def runs() -> bool:
        with screen.world.store.read() as unit:
            return bool(unit.treasury.list_running_reconciliations())

    wait_until("the comparison has ended", lambda: not runs())


def test_short_stock_is_the_first_thing_on_the_treasurys_page(screen: Screen) -> None:
    screen.open("treasury")
    assert "No shortages." in screen.words
    assert "No suggestions" in screen.words
    assert "No open claims" in screen.words
    figures = {metric.label: metric.value for metric in screen.at.metric}
    assert figures["Below target"] == "0"
    screen.at.selectbox(key="target_chain").set_value("ARBITRUM_MAINNET")
    screen.again().at.selectbox(key="target_token").set_value("USDC")
    screen.again().at.text_input(key="target_amount").set_value("1,012,000")
    screen.press("Set target")
    st.cache_resource.clear()
    session.configure(lambda: screen.world.services)
    screen.open("treasury")
    assert "USDC on Arbitrum One is below its target by 12,000.00 USDC" in screen.words
    (move,) = screen.widget("moves")["rows"]
    assert "12,000.00 USDC" in texts([move])
    first = screen.widget("stock")["rows"][0]
    assert first["marked"]
    assert "Below target" in texts([first])


def test_claims_and_gas_are_shown_with_what_they_mean(screen: Screen) -> None:
    paid(screen)
    screen.open("treasury")
    (claim,) = screen.widget("claims")["rows"]
    assert claim["href"] == "intent?id=1"
    assert "No open payments" in screen.words
    screen.world.pay()
    # Changes are looked for ten times a second: a screen drawn at once may not show it yet.
    wait_until("the open payment is shown", lambda: "No open payments" not in screen.again().words)
    (exposed,) = screen.widget("exposure")["rows"]
    assert "USDC on Base" in texts([exposed])
    gas = screen.widget("gas")["rows"]
    assert len(gas) == 13
    assert "transactions" in texts(gas)
    screen.at.session_state["network"] = "Testnets"
    assert "No open claims" in screen.again().words
