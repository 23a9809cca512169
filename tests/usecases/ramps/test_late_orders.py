"""Paid ramp orders that are late on their way: the reason is said, and how each ends."""

from collections.abc import Callable
from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import BridgeTransferState as T
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.ports.sandbox import StrangerAction
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.ramps.order_bridges import get_order_bridges
from crossway.usecases.simulator import chain_controls
from tests.invariants import check_invariants
from tests.usecases.bridged_ramps import (
    inject,
    intent_of,
    notes_of,
    paid_order,
    transfer_of,
    wait_long,
)
from tests.usecases.ramp_world import (
    BASE,
    POLYGON,
    RampWorld,
    completed_balances,
    new_ramp_world,
)

NewWorld = Callable[..., RampWorld]
UNSAID = "{} takes longer than usual and does not say why."


@pytest.mark.parametrize("selling", [False, True], ids=["on-ramp", "off-ramp"])
def test_a_late_attestation_is_said_and_ends_with_the_delivery(
    selling: bool, new_world: NewWorld
) -> None:
    world = new_world("CCTP")
    inject(world, "CCTP", lateSeconds=900)
    order = paid_order(world, selling)
    world.pass_time(120, step=5)
    order, transfer = world.reload_order(order), transfer_of(world, order)
    assert (order.state, transfer.state) == (S.PROCESSING, T.DELAYED)
    assert order.delay_reason == transfer.reason == UNSAID.format("CCTP")
    assert world.active_alerts() == [f"Order {order.id}: it is late. {order.delay_reason}"]
    assert world.order_history(order).count("DELAYED>PROCESSING") == 1
    world.pass_time(400, step=20)
    stuck = f"Payment {order.intent_id} of order {order.id} was started but not paid out within "
    assert world.active_alerts("stuck") == [f"{stuck}its quoted time. {order.delay_reason}"]
    order = wait_long(world, order, S.COMPLETED)
    assert (order.delay_reason, world.active_alerts()) == ("", [])
    assert world.fiat_balances(order) == completed_balances(order)


def test_each_new_reason_is_said_once(new_world: NewWorld) -> None:
    world = new_world("CCTP")
    inject(world, "CCTP", lateSeconds=3_600)
    order = paid_order(world, selling=True)
    world.pass_time(300, step=5)
    inject(world, "CCTP", wrongAnswer="recipient", lateSeconds=0)
    world.pass_time(1_200, step=30)
    delays = [n for n in notes_of(world, order) if n.startswith("CCTP")]
    assert delays[0] == UNSAID.format("CCTP")
    assert delays[1].startswith("CCTP contradicts the chain, so nothing is delivered. Circle ")
    assert len(delays) == 2
    assert world.reload_order(order).delay_reason == delays[1]
    assert world.active_alerts() == [f"Order {order.id}: it is late. {delays[1]}"]


@pytest.mark.parametrize("selling", [False, True], ids=["on-ramp", "off-ramp"])
def test_a_paused_bridge_is_the_reason_until_it_takes_the_deposit(
    selling: bool, new_world: NewWorld
) -> None:
    world = new_world("CCTP")
    inject(world, "CCTP", paused=True)
    order = paid_order(world, selling)
    world.pass_time(60, step=5)
    order = world.reload_order(order)
    chain = world.services.catalogue.chains[order.source_chain].name
    reason = f"CCTP on {chain} does not accept transfers now: Pausable: paused."
    assert (order.state, order.delay_reason) == (S.PROCESSING, reason)
    assert intent_of(world, order).state is State.FUNDED
    inject(world, "CCTP", paused=False)
    order = wait_long(world, order, S.COMPLETED)
    assert order.delay_reason == ""
    assert world.fiat_balances(order) == completed_balances(order)


def test_a_sale_that_across_never_fills_is_refunded_to_its_seller(new_world: NewWorld) -> None:
    world = new_world("ACROSS")
    inject(world, "ACROSS", unfilledDeposits=True)
    order = paid_order(world, selling=True)
    world.pass_time(60, step=5)
    assert world.reload_order(order).delay_reason == UNSAID.format("Across")
    order = wait_long(world, order, S.FAILED, S.REFUNDED)
    reason = "Nobody filled it in time. Across returns the deposit, usually within 12 hours"
    assert order.failure_reason == f"Payment {order.intent_id} could not be delivered: {reason}"
    order = wait_long(world, order, S.REFUNDED)
    assert world.sender_balance(order) == order.gross_units
    assert world.provider_balance(order, order.pay_to) == 0
    assert (world.fiat_balances(order), world.active_alerts()) == ({}, [])
    check_invariants(world)


def test_a_purchase_that_across_never_fills_goes_back_to_its_provider(new_world: NewWorld) -> None:
    world = new_world("ACROSS")
    inject(world, "ACROSS", unfilledDeposits=True)
    order = paid_order(world, selling=False)
    world.inject_faults(deliver_seconds=-1)
    order = wait_long(world, order, S.FAILED)
    [owed] = world.active_alerts()
    assert "its crypto could not be delivered. Once Yellow Card has it back, it owes " in owed
    wait_long(world, order, State.REFUNDED)
    intent = intent_of(world, order)
    assert world.provider_balance(order, intent.terms.refund_address) == order.ramp_units
    world.report(order, "refunded")
    order = world.wait_for_order(order, S.REFUNDED)
    assert world.recipient_balance(order) == 0
    assert (world.fiat_balances(order), world.active_alerts()) == ({}, [])


def closed_on_the_way(world: RampWorld) -> RampOrder:
    """A sale that its provider closed as unpaid while a bridge was late with its crypto."""
    inject(world, "CCTP", lateSeconds=7_200)
    order = paid_order(world, selling=True)
    world.pass_time(3_300, step=30)
    order = world.reload_order(order)
    assert (order.state, transfer_of(world, order).state) == (S.PROCESSING, T.DELAYED)
    assert order.provider_closed_at is not None
    closed = "Yellow Card has closed the order, but its crypto is on the way and cannot be called "
    assert order.delay_reason.startswith(f"{UNSAID.format('CCTP')} {closed}back.")
    assert world.active_alerts() == [f"Order {order.id}: it is late. {order.delay_reason}"]
    return order


def test_a_sale_closed_on_the_way_ends_when_its_provider_returns_the_crypto(
    new_world: NewWorld,
) -> None:
    world = new_world("CCTP")
    order = closed_on_the_way(world)
    order = wait_long(world, order, S.REFUNDED)
    assert (world.fiat_balances(order), world.active_alerts()) == ({}, [])
    chain, token = world.services.chains[order.ramp_chain], order.ramp_token
    assert chain.balances([order.sender], token)[order.sender] == order.ramp_units


def test_a_sale_closed_on_the_way_is_completed_when_its_provider_pays_out(
    new_world: NewWorld,
) -> None:
    world = new_world("CCTP")
    world.inject_faults(deliver_seconds=-1)
    order = closed_on_the_way(world)
    wait_long(world, order, State.COMPLETED)
    world.pass_time(10)
    order = world.reload_order(order)
    assert order.delay_reason.startswith("Yellow Card closed the order before its crypto arrived.")
    world.report(order, "delivered")
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.fiat_balances(order) == completed_balances(order)
    assert world.active_alerts() == []


def test_a_sale_closed_on_the_way_fails_when_its_provider_keeps_the_crypto(
    new_world: NewWorld,
) -> None:
    world = new_world("CCTP")
    world.inject_faults(deliver_seconds=-1)
    order = closed_on_the_way(world)
    wait_long(world, order, State.COMPLETED)
    world.pass_time(900, step=30)
    assert world.reload_order(order).state is S.PROCESSING
    order = wait_long(world, order, S.FAILED)
    assert order.failure_reason == "YELLOW_CARD closed the order before its crypto arrived"
    received = f"Order {order.id}: Yellow Card received the crypto but did not pay out."
    assert world.active_alerts() == [received]


@pytest.mark.parametrize("selling", [False, True], ids=["on-ramp", "off-ramp"])
def test_parked_crypto_waits_for_its_recipient_to_whom_alone_it_can_go(
    selling: bool, new_world: NewWorld
) -> None:
    world = new_world("CCTP")
    inject(world, "CCTP", lateSeconds=120)
    order = paid_order(world, selling)
    chain, recipient = order.destination_chain, intent_of(world, order).terms.recipient
    controls = world.services, world.operator, chain
    chain_controls.inject_faults(*controls, {"refuse": [recipient]})
    wait_long(world, order, State.FAILED)
    world.pass_time(10)
    order = world.reload_order(order)
    assert (order.state, transfer_of(world, order).state) == (S.PROCESSING, T.PARKED)
    assert order.delay_reason
    assert world.active_alerts() == [f"Order {order.id}: it is late. {order.delay_reason}"]
    # Its provider cannot have it back.
    if not selling:
        world.report(order, "refunded")
        world.pass_time(10)
        assert world.reload_order(order).state is S.PROCESSING
    chain_controls.inject_faults(*controls, {"accept": [recipient]})
    world.bridges.act_as_stranger(intent_of(world, order), StrangerAction.RELEASE)
    order = wait_long(world, order, S.COMPLETED)
    assert order.delay_reason == ""
    assert world.fiat_balances(order) == completed_balances(order)


def test_an_order_that_waits_for_inventory_says_so(tmp_path: Path) -> None:
    world = new_ramp_world(tmp_path)
    set_kill_switch(world.services, world.operator, f"chain:{POLYGON}", True, "not here")
    controls = world.services, world.operator
    emptied = {"balances": {"relayer": {"USDC": "0"}}}
    chain_controls.inject_faults(*controls, BASE, emptied)
    order = paid_order(world, selling=True)
    assert intent_of(world, order).custody is Custody.OPERATOR
    world.pass_time(60, step=5)
    order = world.reload_order(order)
    [bridge] = get_order_bridges(world.services, [order]).values()
    assert (order.state, bridge.progress) == (S.PROCESSING, None)
    [shortage] = world.active_alerts("stock")
    assert order.delay_reason == shortage
    world.store.close()
