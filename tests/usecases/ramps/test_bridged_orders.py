"""Ramp orders whose crypto a bridge carries: terms as quoted, delays with reasons, and ends."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.bridge_transfer import BridgeTransfer, Custody
from crossway.domain.bridge_transfer import BridgeTransferState as T
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent, State
from crossway.domain.ramps import OrderState as S
from crossway.domain.ramps import RampOrder
from crossway.ports.sandbox import StrangerAction
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import parse
from crossway.usecases.ramps.order_bridges import get_order_bridges
from crossway.usecases.simulator import bridge_controls, chain_controls
from tests.invariants import check_invariants
from tests.usecases.ramp_world import (
    ARBITRUM,
    BASE,
    POLYGON,
    RampWorld,
    completed_balances,
    new_ramp_world,
)

UNSAID = "{} takes longer than usual and does not say why."


@pytest.fixture
def new_world(tmp_path: Path) -> Any:
    """Opens a world in which these bridges alone carry payments."""
    opened: list[RampWorld] = []

    def open_world(*bridges: str, **more: Any) -> RampWorld:
        world = new_ramp_world(tmp_path, over_bridges=bridges, **more)
        opened.append(world)
        # Fast transfers, which inventory does not pay beforehand.
        set_kill_switch(world.services, world.operator, f"chain:{POLYGON}", True, "not here")
        return world

    yield open_world
    for world in opened:
        world.store.close()


NewWorld = Callable[..., RampWorld]


def inject(world: RampWorld, bridge: str, **faults: Any) -> None:
    bridge_controls.inject_faults(world.services, world.operator, bridge, faults)


def intent_of(world: RampWorld, order: RampOrder) -> Intent:
    with world.store.read() as unit:
        assert order.intent_id is not None
        return unit.intents.get_many([order.intent_id])[order.intent_id]


def transfer_of(world: RampWorld, order: RampOrder) -> BridgeTransfer:
    with world.store.read() as unit:
        assert order.intent_id is not None
        return unit.bridge_transfers.get_many([order.intent_id])[order.intent_id]


def wait_long(world: RampWorld, order: RampOrder, *states: S | State) -> RampOrder:
    """Let time pass in half-minutes until the order, or its payment, has one of these states."""
    for _ in range(1_000):
        order = world.reload_order(order)
        for state in (order.state, intent_of(world, order).state):
            if any(state is wanted for wanted in states):
                return order
        world.pass_time(30, step=30)
    raise AssertionError(f"{order.state}, not {states}")


def paid_order(world: RampWorld, selling: bool) -> RampOrder:
    """A new order that its user has paid, a while ago."""
    order = world.create_off_ramp() if selling else world.create_on_ramp()
    if selling:
        world.deposit_for(order)
    else:
        world.report(order, "paid")
    world.pass_time(60, step=2)
    return world.reload_order(order)


def notes_of(world: RampWorld, order: RampOrder) -> list[str]:
    history = ramp_orders.list_order_history(world.services, world.operator, order.id)
    return [entry.note for entry in history]


@pytest.mark.parametrize("bridge", ["CCTP", "ACROSS"])
@pytest.mark.parametrize("selling", [False, True], ids=["on-ramp", "off-ramp"])
def test_an_order_over_a_bridge_is_delivered_at_the_quoted_terms(
    bridge: str, selling: bool, new_world: NewWorld
) -> None:
    world = new_world(bridge)
    request = world.off_ramp_request() if selling else world.on_ramp_request()
    quote = parse(world.services, world.caller, request).quote
    assert quote.requires_bridge
    assert (quote.intent_quote.bridge, quote.intent_quote.custody) == (bridge, Custody.BRIDGE)
    order = ramp_orders.create_order(world.services, world.caller, request)
    intent = intent_of(world, order)
    terms, quoted = intent.terms, quote.intent_quote
    assert (terms.bridge, intent.custody) == (bridge, Custody.BRIDGE)
    assert (terms.deposit_amount, terms.payout_amount) == (
        quoted.deposit_amount,
        quoted.payout_amount,
    )
    assert (intent.costs, intent.bridge_data) == (quoted.costs, quoted.extra_data)
    assert get_order_bridges(world.services, [order])[order.id].intent == intent
    if selling:
        world.deposit_for(order)
    else:
        world.report(order, "paid")
    order = world.wait_for_order(order, S.COMPLETED)
    assert "DELAYED>PROCESSING" not in world.order_history(order)
    assert world.fiat_balances(order) == completed_balances(order)
    if selling:
        assert world.provider_balance(order, order.pay_to) == order.ramp_units
    else:
        assert world.recipient_balance(order) == order.crypto_units
    world.pass_time(120, step=3)
    assert transfer_of(world, order).state is T.CLOSED
    check_invariants(world)


def test_an_order_on_one_chain_needs_no_bridge(new_world: NewWorld) -> None:
    world = new_world("CCTP")
    request = world.on_ramp_request(destination_chain=BASE, recipient=world.wallet(BASE, "buyer"))
    quote = parse(world.services, world.caller, request).quote
    assert not quote.requires_bridge
    order = ramp_orders.create_order(world.services, world.caller, request)
    assert get_order_bridges(world.services, [order]) == {}
    world.report(order, "paid")
    assert world.wait_for_order(order, S.COMPLETED).delay_reason == ""


def test_the_terms_of_an_off_ramp_are_not_quoted_again_while_its_quote_holds(
    new_world: NewWorld,
) -> None:
    worlds: list[RampWorld] = []

    def at(step: str) -> None:
        # Another quote would have another time in its details.
        if step == "ramp-opened":
            worlds[0].machine.seconds += 5

    world = new_world("ACROSS", reached=at)
    worlds.append(world)
    request = world.off_ramp_request()
    quoted = parse(world.services, world.caller, request).quote.intent_quote
    order = ramp_orders.create_order(world.services, world.caller, request)
    assert intent_of(world, order).bridge_data == quoted.extra_data
    assert "YELLOW_CARD accepted the order" in notes_of(world, order)


def test_a_quote_that_expired_before_its_provider_answered_is_made_again_and_said(
    new_world: NewWorld,
) -> None:
    worlds: list[RampWorld] = []

    def at(step: str) -> None:
        if step == "ramp-created":
            worlds[0].inject_faults(down_seconds=120)

    world = new_world("CCTP", reached=at)
    worlds.append(world)
    order = world.create_off_ramp()
    assert order.state is S.PENDING
    order = world.wait_for_order(order, S.INITIATED)
    deposit = f"{order.gross_units / 10**6:g}"
    again = f"The route was quoted again over CCTP: the deposit is {deposit} USDC, as before"
    assert f"YELLOW_CARD accepted the order. {again}" in notes_of(world, order)


def test_the_user_of_an_off_ramp_pays_early_enough_for_the_bridge(new_world: NewWorld) -> None:
    world = new_world("CCTP")
    order = world.create_off_ramp()
    quoted = parse(world.services, world.caller, world.off_ramp_request()).quote.intent_quote
    waits = 1_800
    assert quoted.fill_seconds > 0
    assert (order.expires_at - order.created_at).total_seconds() == waits - quoted.fill_seconds


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
    reason = f"CCTP on {chain} does not take it now: Pausable: paused."
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


def test_a_provider_without_a_route_is_left_out_with_the_reason(new_world: NewWorld) -> None:
    world = new_world("CCTP")
    request = world.on_ramp_request()
    set_kill_switch(world.services, world.operator, "bridge:CCTP", True, "an incident")
    with pytest.raises(InvalidInput, match=f"CCTP is disabled for {BASE} -> {ARBITRUM}") as caught:
        ramp_orders.create_order(world.services, world.caller, request)
    assert f"{POLYGON} is disabled" in str(caught.value)
    set_kill_switch(world.services, world.operator, "bridge:CCTP", False, "")
    tether = replace(request, symbol="USDT")
    with pytest.raises(InvalidInput, match=r"YELLOW_CARD has no route .*: CCTP carries USDC only"):
        ramp_orders.create_order(world.services, world.caller, tether)
