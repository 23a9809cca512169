"""The relayer's account and the treasury are compared from the first run."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.ports.chain import Chain
from crossway.ports.services import Services
from crossway.usecases.money import inventory_adjustments, reconciliation_runs
from crossway.usecases.money.own_accounts import TREASURY, own_accounts
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.operating.alerts import Severity, describe_kind
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


def test_the_first_run_takes_in_what_was_there_before_the_books(world: ScenarioWorld) -> None:
    set_balances(world, treasury="7000000")
    complete_payment(world)
    services, usdc = live(world), world.token(BASE, "USDC")
    first = reconciliation_runs.run_and_wait(services, world.operator)
    assert (first.differences, first.missing_opening_balances) == ([], {})
    assert first.taken_in[BASE, TREASURY, usdc] == 7_000_000
    assert "The books and the chains agree." not in first.sentences()
    assert (first.findings(), first.notes()) == ([], first.sentences())
    [notice] = world.alerts()
    assert (notice.kind, describe_kind(notice.kind).severity) == ("taken_in", Severity.NOTICE)
    second = reconciliation_runs.run_and_wait(services, world.operator)
    assert second.sentences() == ["The books and the chains agree."]
    with services.store.read() as unit:
        audited = {actor for _, actor, action, _ in unit.audit_log.list_recent(30)
                   if action == "opening balances booked"}  # fmt: skip
        assert unit.ledger.get_balances()[Account.TREASURY, BASE, usdc] == 7_000_000
        equity = unit.ledger.get_balances()[Account.EQUITY, BASE, usdc]
    assert audited == {"the first reconciliation"}
    # The relayer's stock and the 7 USDC, and not what the payment has earned.
    relayer = world.services.chains[BASE].accounts.relayer
    stock = world.services.sandbox.opening_balances(BASE)[relayer, usdc]
    assert equity == -(stock + 7_000_000)


def test_a_second_run_takes_in_nothing(world: ScenarioWorld) -> None:
    """What appears later may be a gift, or an error of ours: a treasurer records it."""
    services, usdc = live(world), world.token(BASE, "USDC")
    reconciliation_runs.run_and_wait(services, world.operator)
    set_balances(world, treasury="7000000")
    later = reconciliation_runs.run_and_wait(services, world.operator)
    assert later.missing_opening_balances[BASE, TREASURY, usdc] == 7_000_000
    assert (later.findings(), later.notes()) == (later.sentences(), [])
    assert {alert.kind for alert in world.alerts()} == {"taken_in", "opening"}
    inventory_adjustments.book_opening_balances(services, world.operator)
    assert reconciliation_runs.run_and_wait(services, world.operator).sentences() == [
        "The books and the chains agree."
    ]
    assert [alert.kind for alert in world.alerts()] == ["taken_in"]


class Doubted:
    """A chain on whose balances its nodes do not agree."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def agreed_balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        return {}


def test_nothing_is_taken_in_that_the_nodes_do_not_agree_on(world: ScenarioWorld) -> None:
    chains: Any = {name: Doubted(chain) for name, chain in world.services.chains.items()}
    services = replace(live(world), chains=chains)
    run = reconciliation_runs.run_and_wait(services, world.operator)
    assert run.taken_in == {}
    assert run.missing_opening_balances
    assert [alert.kind for alert in world.alerts()] == ["opening"]


def test_a_first_run_takes_in_nothing_where_less_is_left_than_was_booked(
    world: ScenarioWorld,
) -> None:
    complete_payment(world)
    set_balances(world, treasury="0")
    run = reconciliation_runs.run_and_wait(live(world), world.operator)
    assert [difference.kind for difference in run.differences] == ["treasury"]
    assert (BASE, TREASURY, world.token(BASE, "USDC")) not in run.taken_in


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
