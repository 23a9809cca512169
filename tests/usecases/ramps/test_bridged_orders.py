"""Ramp orders whose crypto a bridge carries: routes, and terms as quoted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.bridge_transfer import BridgeTransferState as T
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput
from crossway.domain.ramps import OrderState as S
from crossway.ports.policy import Policy
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import parse
from crossway.usecases.ramps.order_bridges import get_order_bridges
from tests.invariants import check_invariants
from tests.usecases.bridged_ramps import (
    intent_of,
    notes_of,
    transfer_of,
)
from tests.usecases.ramp_world import (
    ARBITRUM,
    BASE,
    POLYGON,
    RampWorld,
    completed_balances,
    new_ramp_world,
)

NewWorld = Callable[..., RampWorld]


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


def test_another_token_is_swapped_before_the_bridge_where_that_can_be(new_world: NewWorld) -> None:
    world = new_world("CCTP")
    request = world.off_ramp_request(symbol="USDT")
    quoted = parse(world.services, world.caller, request).quote.intent_quote
    order = ramp_orders.create_order(world.services, world.caller, request)
    intent = intent_of(world, order)
    assert quoted.swap is not None
    assert (intent.swap, intent.terms.deposit_amount) == (quoted.swap, quoted.deposit_amount)
    world.deposit_for(order)
    order = world.wait_for_order(order, S.COMPLETED)
    assert world.provider_balance(order, order.pay_to) == order.ramp_units


def test_off_ramps_keep_to_the_limit_of_exposure(tmp_path: Path) -> None:
    limited = replace(Policy().prices, exposure_micro_usd=30_000_000)
    # Out of inventory, as a swap at the start depends on no later price.
    world = new_ramp_world(tmp_path, prices=limited)
    first = world.create_off_ramp(symbol="ETH", amount="0.01")
    second = world.create_off_ramp(symbol="ETH", amount="0.01")
    assert (first.state, second.state) == (S.INITIATED, S.FAILED)
    assert "payments with ETH are limited" in second.failure_reason
    assert second.intent_id is None
    world.store.close()
