"""What goes before rebalancing: payments that need the same units, kill switches, the stop."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import State
from crossway.domain.rebalancing import RebalancingState
from crossway.engine.inventory_funding import take_step
from crossway.engine.loop import Engine
from crossway.engine.sweeps import run_alone
from crossway.engine.tx_submitter import submit_due
from crossway.ports.sandbox import Faults
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.money import emergency_stop
from crossway.usecases.money.inventory import read_inventory
from crossway.usecases.money.rebalancing_transfers import carry_out, place
from tests.engine.rebalancing_world import (
    ARBITRUM,
    BASE,
    DEPOSIT,
    MINT,
    TRANSFER,
    USDC,
    RebalancingWorld,
    planned,
    usdc,
)

PAYOUT = 25 * USDC


def test_no_payment_starts_on_units_that_a_signed_transfer_takes(tmp_path: Path) -> None:
    """Its transaction waits in the mempool, so that the balance still has them."""
    world = RebalancingWorld(tmp_path, "INVENTORY", "GATEWAY")
    world.set_inventory(BASE, 1_000 * USDC)
    transfer = world.start(planned(DEPOSIT, most=1_000 * USDC))
    while world.carried_by(transfer).state != "SENDING":
        world.pass_time(0.25, 0.25)
    world.sandbox.inject_faults(BASE, Faults(slow_blocks=100))
    assert world.inventory(BASE) == 1_000 * USDC
    intent = world.pay(source="BSC_MAINNET", to=BASE)
    assert intent.terms.bridge == "INVENTORY"
    world.pass_time(20)
    assert world.carried_by(transfer).state == "SENDING"
    assert world.reload(intent).state is State.FUNDED
    (alert,) = world.alerts("stock")
    assert alert.key == f"stock:{BASE}:USDC"
    # The treasury page tells the same.
    positions = read_inventory(world.services, {usdc(BASE)}).positions
    assert [position.missing for position in positions] == [PAYOUT]
    world.set_inventory(BASE, 1_000 * USDC + PAYOUT)
    world.sandbox.inject_faults(BASE, Faults(slow_blocks=1))
    world.wait_for_state(intent, State.COMPLETED)
    assert world.paid(intent) == PAYOUT
    world.wait_ended(transfer)
    world.check_books()


def test_a_disabled_chain_keeps_back_what_was_planned(tmp_path: Path) -> None:
    """It was disabled after the plan: nobody waits for what rebalances."""
    world = RebalancingWorld(tmp_path, "RHINOFI")
    began, transfer = world.inventory(BASE), world.start(planned(TRANSFER))
    set_kill_switch(world.services, world.operator, f"chain:{ARBITRUM}", True, "it halted")
    world.pass_time(120, 5)
    assert world.carried_by(transfer).state == "PLANNED"
    assert world.carried_by(transfer).reason == "A chain of this transfer is disabled: it halted."
    world.pass_time(3_600, 60)
    assert world.stored(transfer).state is RebalancingState.REFUSED
    assert world.stored(transfer).note.startswith("It could not begin within an hour: A chain of")
    assert world.inventory(BASE) == began


def test_nothing_is_placed_while_all_outgoing_money_is_stopped(tmp_path: Path) -> None:
    """Nor is it left as a proposal that nobody was told of."""
    world = RebalancingWorld(tmp_path, "RHINOFI")
    emergency_stop.press(world.services, world.operator, "a key is known")
    with pytest.raises(InvalidStatus, match="has been stopped by"):
        carry_out(world.services, world.operator, planned(TRANSFER))

    def swept(unit: UnitOfWork) -> None:
        # As the sweep does: what cannot be placed is left out, and the rest stored.
        with suppress(InvalidStatus):
            place(unit, world.services, planned(TRANSFER))

    world.store.write(swept)
    with world.store.read() as unit:
        assert unit.rebalancing.list_page(10) == []


def test_a_mint_leaves_what_payments_were_started_on(tmp_path: Path) -> None:
    """It was placed by a plan that did not know the payment yet, and is asked for first."""
    world = RebalancingWorld(tmp_path, "GATEWAY")
    world.set_inventory(ARBITRUM, 0)
    amount = world.unified() * 6 // 10
    intent = world.create_intent(amount=str(amount))
    world.deposit(intent)
    while not (minted := world.moved(intent, MINT)):
        world.pass_time(0.5, 0.5)
    transfer = world.start(planned(MINT, amount))
    assert minted.state == "PLANNED"
    world.pass_time(2)
    kept = "What the unified balance at Circle Gateway has is promised to payments."
    assert world.carried_by(transfer).reason == kept
    world.wait_for_state(intent, State.COMPLETED)
    assert world.paid(intent) == amount
    # Not enough is left for it: it is planned anew from what there is then.
    assert world.wait_ended(transfer, within=600).state == "REFUSED"
    world.check_books()


def test_a_payment_gets_what_a_planned_transfer_would_take_too(tmp_path: Path) -> None:
    """Both were planned on the same units; neither waits for the other."""
    world = RebalancingWorld(tmp_path, "RHINOFI")
    world.set_inventory(ARBITRUM, 0)
    world.set_inventory(BASE, 1_010 * USDC)
    intent = world.pay()
    while not world.moved(intent, TRANSFER):
        world.pass_time(0.5, 0.5)
    transfer = world.start(planned(TRANSFER))
    world.wait_for_state(intent, State.COMPLETED)
    assert world.paid(intent) == PAYOUT
    assert world.alerts("stock") == []
    assert world.wait_ended(transfer, within=900).state in ("CLOSED", "REFUSED")
    world.check_books()


def test_of_two_that_a_payment_leaves_too_little_for_one_goes(tmp_path: Path) -> None:
    """Neither waits for units that only the other would take."""
    world = RebalancingWorld(tmp_path, "RHINOFI", "GATEWAY")
    transfers = [world.start(planned(TRANSFER)), world.start(planned(DEPOSIT))]
    world.set_inventory(BASE, 1_500 * USDC)
    world.pass_time(300, 5)
    states = {world.stored(transfer).state for transfer in transfers}
    assert states == {RebalancingState.ARRIVED, RebalancingState.STARTED}
    left = world.inventory(BASE)
    assert left < 500 * USDC
    world.pass_time(3_600, 60)
    states = {world.stored(transfer).state for transfer in transfers}
    assert states == {RebalancingState.ARRIVED, RebalancingState.REFUSED}
    assert world.inventory(BASE) == left
    world.check_books()


def test_a_deposit_that_waits_for_an_hour_is_not_made_later(tmp_path: Path) -> None:
    """Gateway promised nothing for it, so that no agreement of it lapses."""
    world = RebalancingWorld(tmp_path, "GATEWAY")
    transfer, began = world.start(planned(DEPOSIT)), world.unified()
    world.set_inventory(BASE, 500 * USDC)
    world.pass_time(3_500, 50)
    assert world.carried_by(transfer).state == "AGREED"
    assert len(world.alerts("funding_overdue")) == 1
    world.pass_time(300, 20)
    assert world.stored(transfer).state is RebalancingState.REFUSED
    short = "The relayer is short of USDC on Base."
    assert world.stored(transfer).note == f"It could not begin within an hour: {short}"
    assert world.alerts("funding_overdue") == []
    world.set_inventory(BASE, 5_000 * USDC)
    world.pass_time(300, 10)
    assert (world.inventory(BASE), world.unified()) == (5_000 * USDC, began)
    world.check_books()


def test_a_deposit_that_is_signed_after_all_is_not_ended(tmp_path: Path) -> None:
    """Another engine signed it after this one had seen that it waits for too long."""
    world = RebalancingWorld(tmp_path, "GATEWAY")
    transfer, began = world.start(planned(DEPOSIT)), world.unified()
    world.set_inventory(BASE, 500 * USDC)
    world.pass_time(3_500, 50)
    waiting = world.carried_by(transfer)
    world.machine.seconds += 200

    def sleep(step: str) -> None:
        if step == "inventory-polled":
            world.set_inventory(BASE, 5_000 * USDC)
            heads = {BASE: world.services.chains[BASE].heads()}
            run_alone(submit_due, world.services, heads)

    sleepy = replace(world.services, process=replace(world.services.process, failpoint=sleep))
    assert take_step(sleepy, "GATEWAY", [(waiting, None)], {}) == 0
    assert world.carried_by(transfer).state == "AGREED"
    is_made = world.wait_ended(transfer).state == "CLOSED"
    moved = 1_000 * USDC if is_made else 0
    assert (world.inventory(BASE), world.unified()) == (5_000 * USDC - moved, began + moved)
    world.check_books()


@pytest.mark.parametrize("gone", ["bridge", "chain"])
def test_what_nobody_can_begin_any_more_ends(tmp_path: Path, gone: str) -> None:
    """Its destination would count on it, and lack what it was to bring, forever."""
    world = RebalancingWorld(tmp_path, "RHINOFI")
    transfer = world.start(planned(TRANSFER))
    services = world.services
    if gone == "bridge":
        services = replace(services, inventory_bridges={})
    else:
        chains = {name: chain for name, chain in services.chains.items() if name != BASE}
        services = replace(services, chains=chains)
    world.services, world.engine = services, Engine(services, "another", sole=True)
    world.pass_time(3_500, 50)
    assert world.stored(transfer).state is RebalancingState.STARTED
    world.pass_time(200, 20)
    assert world.stored(transfer).state is RebalancingState.REFUSED
    assert world.stored(transfer).note.endswith("is not configured any more.")
