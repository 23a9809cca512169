"""Treasury, books and reconciliation on screen, in each state an operator can meet."""

import json
from dataclasses import replace
from datetime import date
from functools import partial

import streamlit as st

from crossway.domain.intent import State
from crossway.domain.return_budget import ReturnBudget
from crossway.ports.store import UnitOfWork
from crossway.usecases.money import inventory_adjustments, reconciliation_runs
from crossway.usecases.simulator import chain_controls
from tests.dashboard.conftest import DashboardApp, configure
from tests.processes import wait_until


def texts(rows: list[dict[str, object]]) -> str:
    return json.dumps(rows, ensure_ascii=False)


def paid(screen: DashboardApp, amount: str = "exact") -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent, amount)
    screen.world.wait_for_state(intent, State.COMPLETED)


def test_empty_books_explain_the_first_posting(screen: DashboardApp) -> None:
    assert "No postings yet" in screen.open("books").text
    assert "No postings" in screen.text


def test_the_books_balance_and_an_account_opens_its_postings(screen: DashboardApp) -> None:
    paid(screen)
    screen.open("books")
    assert "The books balance: debits equal credits" in screen.text
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


def test_postings_are_paged(screen: DashboardApp) -> None:
    paid(screen)
    assert inventory_adjustments.book_opening_balances(screen.world.services, screen.world.operator)
    first = screen.open("books").widget("trial")["rows"]
    second = screen.click("Next").widget("trial")["rows"]
    assert len(first) == len(second) == 30
    assert not {row["href"] for row in first} & {row["href"] for row in second}
    assert screen.click("Previous").widget("trial")["rows"] == first
    assert screen.has_widget("postings")


def test_an_invalid_date_range_shows_an_error(screen: DashboardApp) -> None:
    paid(screen)
    screen.open("books")
    screen.at.date_input(key="books_first").set_value(date(2026, 11, 21))
    screen.at.date_input(key="books_last").set_value(date(2026, 11, 20))
    assert "Last day must not be before the first day." in screen.rerun().text


def test_reconciliation_runs_and_opening_inventory_is_recorded(screen: DashboardApp) -> None:
    assert "No runs yet" in screen.open("reconcile").text
    paid(screen)
    screen.world.pass_time(60)
    # As on a live network: nobody tells what our accounts began with.
    live, operator = replace(screen.world.services, sandbox=None), screen.world.operator
    reconciliation_runs.run_and_wait(live, operator)
    assert "of this first run became part of the books." in screen.rerun().text
    # What appears at the treasury later is recorded by a treasurer.
    faults = {"balances": {"treasury": {"USDT": "7000000"}}}
    chain_controls.inject_faults(screen.world.services, operator, "BASE_MAINNET", faults)
    reconciliation_runs.run_and_wait(live, operator)
    assert "no opening balance is recorded" in screen.rerun().text
    assert "The books and the chains agree." not in screen.text
    assert "These balances were there before the books." in screen.text
    assert "Record opening balances" in [button.label for button in screen.at.button]
    assert inventory_adjustments.book_opening_balances(live, operator)
    reconciliation_runs.run_and_wait(live, operator)
    assert "The books and the chains agree." in screen.rerun().text
    assert "These balances were there before the books." not in screen.text
    assert len(screen.widget("runs")["rows"]) == 3
    screen.open("reconcile", run="2")
    assert "These balances were there before the books." in screen.text


def test_a_run_is_not_offered_while_another_is_in_progress(screen: DashboardApp) -> None:
    world = screen.world
    begun = world.services.clock.now()
    run_id = world.store.write(lambda unit: unit.treasury.start_reconciliation("Ada", begun, 2))
    screen.open("reconcile")
    assert "Reconcile now" not in [button.label for button in screen.at.button]
    assert "A reconciliation is in progress." in screen.text
    world.store.write(lambda unit: unit.treasury.finish_reconciliation(run_id, begun, 0, {}))
    screen.rerun()
    assert "Reconcile now" in [button.label for button in screen.at.button]
    assert "A reconciliation is in progress." not in screen.text


def test_a_difference_is_shown_with_its_reason_and_can_be_booked(screen: DashboardApp) -> None:
    world = screen.world
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    faults = {"balances": {"relayer": {"USDC": "1000007000000"}}}
    chain_controls.inject_faults(world.services, world.operator, "BASE_MAINNET", faults)
    screen.open("reconcile").click("Reconcile now")
    compared(screen)
    assert "1 difference to review." in screen.rerun().text
    (row,) = screen.widget("findings")["rows"]
    assert "1000007 USDC; the books say 1000000 USDC" in texts([row])
    assert "Inventory was added or withdrawn without an entry in the books" in texts([row])
    screen.click("Book as added")
    with world.store.read() as unit:
        assert [a.kind for a in unit.alerts.list_active()] == ["reconcile"]


def compared(screen: DashboardApp) -> None:
    """Wait until no reconciliation runs."""

    def runs() -> bool:
        with screen.world.store.read() as unit:
            return bool(unit.treasury.list_running_reconciliations())

    wait_until("the comparison has ended", lambda: not runs())


def test_an_inventory_shortage_is_first_on_the_treasury_page(screen: DashboardApp) -> None:
    screen.open("treasury")
    assert "No shortages." in screen.text
    assert "Nothing is below its target or above its maximum." in screen.text
    assert "No open repayments" in screen.text
    figures = {metric.label: metric.value for metric in screen.at.metric}
    assert figures["Locations short"] == "0"
    screen.at.selectbox(key="target_chain").set_value("ARBITRUM_MAINNET")
    screen.rerun().at.selectbox(key="target_token").set_value("USDC")
    screen.rerun().at.text_input(key="target_amount").set_value("2,012,000")
    screen.click("Set target")
    st.cache_resource.clear()
    configure(lambda: screen.world.services)
    screen.open("treasury")
    assert "USDC on Arbitrum One is below its target by 1,012,000.00 USDC" in screen.text
    # It has less than half of its target, and no bridge of this world moves inventory.
    (lack,) = screen.widget("unserved")["rows"]
    assert "Arbitrum One lacks 1,012,000 USDC" in texts([lack])
    first = screen.widget("stock")["rows"][0]
    assert first["marked"]
    assert "Below target" in texts([first])


def test_claims_and_gas_runway_are_explained(screen: DashboardApp) -> None:
    paid(screen)
    screen.open("treasury")
    (claim,) = screen.widget("claims")["rows"]
    assert claim["href"] == "intent?id=1"
    assert "No open payment depends on a price." in screen.text
    eth = screen.world.services.catalogue.tokens["BASE_MAINNET", "ETH"].address
    screen.world.create_intent(token_in=eth)
    # Changes are detected ten times a second, so an immediate rerun may not show them yet.
    wait_until(
        "the open payment is shown", lambda: "No open payment depends" not in screen.rerun().text
    )
    (exposed,) = screen.widget("exposure")["rows"]
    assert "ETH on Base" in texts([exposed])
    gas = screen.widget("gas")["rows"]
    assert len(gas) == 13
    assert "transactions" in texts(gas)
    screen.at.session_state["network"] = "Testnets"
    assert "No open repayments" in screen.rerun().text


def _save_budget(unit: UnitOfWork, budget: ReturnBudget) -> None:
    unit.treasury.save_return_budget(budget)


def test_what_returns_may_still_cost_is_shown_by_chain(screen: DashboardApp) -> None:
    screen.open("treasury")
    assert "Nothing was returned at our cost yet." in screen.text
    at, world = screen.world.clock.now(), screen.world
    for budget in (
        ReturnBudget("BASE_MAINNET", 1_500_000, 50_000_000, at),
        ReturnBudget("ETHEREUM_MAINNET", 0, 0, at),
    ):
        world.store.write(partial(_save_budget, budget=budget))
    screen.open("treasury")
    least, most = (texts([row]) for row in screen.widget("returns")["rows"])
    assert ("Ethereum" in least, "0.00 USD" in least) == (True, True)
    assert ("Base" in most, "51.50 USD" in most, "1.50 USD" in most) == (True, True, True)
