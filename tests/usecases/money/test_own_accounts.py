"""The relayer's account and the treasury are compared from the first run."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.ports.services import Services
from crossway.usecases.money import inventory_adjustments, reconciliation_runs
from crossway.usecases.money.own_accounts import TREASURY, own_accounts
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.simulator import chain_controls
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[ScenarioWorld]:
    with closing(ScenarioWorld(tmp_path)) as scenario_world:
        yield scenario_world


def live(world: ScenarioWorld) -> Services:
    """As on a live network: nobody tells what our accounts began with."""
    return replace(world.services, sandbox=None)


def set_balances(world: ScenarioWorld, **accounts: str) -> None:
    """Move money without a posting."""
    body = {"balances": {name: {"USDC": units} for name, units in accounts.items()}}
    chain_controls.inject_faults(world.services, world.operator, BASE, body)


def complete_payment(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit()
    world.wait_for(State.COMPLETED)
    world.settle()


def sentences(world: ScenarioWorld) -> list[str]:
    return reconciliation_runs.run_and_wait(world.services, world.operator).sentences()


def treasury_balance(world: ScenarioWorld) -> int:
    chain = world.services.chains[BASE]
    return chain.balances([chain.accounts.treasury], world.token(BASE, "USDC"))[
        chain.accounts.treasury
    ]


@pytest.mark.parametrize("account", ["treasury", "relayer"])
def test_an_emptied_account_is_found_by_the_first_run(world: ScenarioWorld, account: str) -> None:
    complete_payment(world)
    assert treasury_balance(world) > 0
    set_balances(world, **{account: "0"})
    [sentence] = sentences(world)
    assert " holds 0 USDC; the books say " in sentence
    assert sentence.startswith("The treasury" if account == "treasury" else "The relayer")
    assert [alert.kind for alert in world.alerts()] == ["reconcile"]


def test_an_emptied_treasury_is_a_difference_before_anything_is_recorded(
    world: ScenarioWorld,
) -> None:
    """Less than the fees that were booked cannot be an opening balance."""
    complete_payment(world)
    set_balances(world, treasury="0")
    [difference] = reconcile(live(world), world.operator).differences
    assert (difference.kind, difference.chain_amount) == ("treasury", 0)
    # Recording opening balances does not make it go away.
    inventory_adjustments.book_opening_balances(live(world), world.operator)
    [difference] = reconcile(live(world), world.operator).differences
    assert difference.kind == "treasury"


def test_books_without_opening_balances_do_not_agree_until_they_are_recorded(
    world: ScenarioWorld,
) -> None:
    set_balances(world, treasury="7000000")
    complete_payment(world)
    services, usdc = live(world), world.token(BASE, "USDC")
    first = reconciliation_runs.run_and_wait(services, world.operator)
    assert first.differences == []
    assert "The books and the chains agree." not in first.sentences()
    assert first.missing_opening_balances[BASE, TREASURY, usdc] == 7_000_000
    [alert] = world.alerts()
    assert alert.kind == "opening"
    assert "record the opening balances" in alert.message
    inventory_adjustments.book_opening_balances(services, world.operator)
    second = reconciliation_runs.run_and_wait(services, world.operator)
    assert second.sentences() == ["The books and the chains agree."]
    assert world.alerts() == []
    with services.store.read() as unit:
        actions = [action for _, _, action, _ in unit.audit_log.list_recent(9)]
        assert unit.ledger.get_balances()[Account.TREASURY, BASE, usdc] == 7_000_000
    assert "opening balances booked" in actions


def test_money_taken_out_of_the_treasury_is_booked_with_a_reason(world: ScenarioWorld) -> None:
    complete_payment(world)
    assert sentences(world) == ["The books and the chains agree."]
    fees = treasury_balance(world)
    set_balances(world, treasury=str(fees - 100))
    [difference] = reconcile(world.services, world.operator).differences
    message = inventory_adjustments.book_difference(
        world.services, world.operator, BASE, difference.token, -100, "To the bank", TREASURY
    )
    assert message == "0.0001 USDC on Base booked as withdrawn."
    assert sentences(world) == ["The books and the chains agree."]
    assert world.alerts() == []
    with world.services.store.read() as unit:
        balances = unit.ledger.get_balances()
    token = (BASE, world.token(BASE, "USDC"))
    # The fees that were earned stay what they were.
    assert balances[Account.SERVICE_FEES, *token] + balances.get((Account.APP_FEES, *token), 0) == (
        fees
    )
    assert balances[Account.TREASURY, *token] == -100


def test_a_relayer_that_is_its_own_treasury_is_compared_as_one_account(
    world: ScenarioWorld,
) -> None:
    chain = world.services.chains[BASE]
    [one] = own_accounts(
        SharedAddress(replace(chain.accounts, treasury=chain.accounts.relayer))  # type: ignore[arg-type]
    )
    assert one.address == chain.accounts.relayer
    assert set(one.accounts) == {
        Account.INVENTORY,
        Account.SERVICE_FEES,
        Account.APP_FEES,
        Account.BRIDGE_SURPLUS,
        Account.UNCLAIMED,
        Account.TREASURY,
    }


class SharedAddress:
    def __init__(self, accounts: object) -> None:
        self.accounts = accounts


def test_a_foreign_transaction_that_moved_nothing_raises_no_alert(world: ScenarioWorld) -> None:
    complete_payment(world)
    assert sentences(world) == ["The books and the chains agree."]
    for _ in range(2):
        world.fault(BASE, "somebody else uses the relayer's next nonce", takeNonce=True)
    world.restart_engine()
    world.pass_time(5)
    assert [alert.kind for alert in world.alerts()] == ["outside"]
    assert sentences(world) == ["The books and the chains agree."]
    assert world.alerts() == []
    world.restart_engine()
    world.pass_time(5)
    assert world.alerts() == [], "it is not raised again"
    # Its fee is in the books, once.
    assert sentences(world) == ["The books and the chains agree."]
    world.fault(BASE, "once more", takeNonce=True)
    world.pass_time(5)
    assert sentences(world) == ["The books and the chains agree."]


def test_the_command_waits_for_its_turn(world: ScenarioWorld) -> None:
    now = world.services.clock.now()
    world.services.store.write(lambda unit: unit.treasury.start_reconciliation("Ada", now, 2))
    assert reconciliation_runs.is_any_running(world.services)
    with pytest.raises(InvalidStatus, match="already running"):
        reconciliation_runs.run_and_wait(world.services, world.operator)


def test_where_the_opening_is_known_what_is_added_is_a_difference_too(
    world: ScenarioWorld,
) -> None:
    set_balances(world, relayer="5000000000000")
    [difference] = reconcile(world.services, world.operator).differences
    message = inventory_adjustments.book_difference(
        world.services,
        world.operator,
        BASE,
        difference.token,
        difference.chain_amount - difference.ledger_amount,
        "As agreed",
    )
    assert message.endswith("booked as added.")
    assert sentences(world) == ["The books and the chains agree."]
