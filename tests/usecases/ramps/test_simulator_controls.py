"""Simulator controls of ramp providers: order statuses, faults and KYC statuses."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import Client, Scope
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.intent import State
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.domain.roles import Role
from crossway.ports.ramps import KycUser, OrderRequest, ProviderOrderStatus, RampProvider
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from tests.harness import Harness
from tests.storage.ramp_records import an_order

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
O = ProviderOrderStatus  # noqa: E741
EMAIL = "ada@example.com"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)
    yield world
    world.store.close()


def yellow_card(world: Harness) -> RampProvider:
    return next(
        provider for provider in world.services.ramps if provider.name is ProviderName.YELLOW_CARD
    )


def create_placed_order(
    world: Harness, direction: Direction = Direction.ON, **more: Any
) -> RampOrder:
    """A new order that its provider has received."""
    provider = yellow_card(world)
    [channel, *_] = provider.capabilities.channels_for(direction, "NGN", "NG", direct_only=True)
    opening = OrderRequest(
        reference="order-1",
        direction=direction,
        currency=world.services.fiat.corridor("NGN").currency,
        country="NG",
        channel=channel,
        token=provider.capabilities.tokens[0],
        amount=25_000_000,
        fiat_minor=4_000_000,
        fee_minor=0,
        to_address=world.wallet("BASE_MAINNET", "intent"),
        refund_address="",
        email=EMAIL,
        fields={
            field.key: field.options[0].value if field.options else field.example
            for field in channel.fields
        },
    )
    facts: dict[str, Any] = {
        "direction": direction,
        "state": OrderState.INITIATED,
        "provider_reference": provider.create_order(opening).reference,
    }
    order = an_order(**(facts | more))
    return world.store.write(lambda unit: unit.orders.add(order))


def list_statuses(world: Harness, order: RampOrder) -> list[ProviderOrderStatus]:
    reference = order.provider_reference
    return [update.status for update in yellow_card(world).fetch_updates([reference])[reference]]


def test_a_simulated_status_is_applied_at_once(world: Harness) -> None:
    order = create_placed_order(world)
    for outcome in ("paid", "delivered"):
        now = ramp_sandbox.report_order_status(world.services, world.caller, order.id, outcome)
        assert now.next_at == world.clock.now()
    assert list_statuses(world, order) == [O.PAID, O.DELIVERED]
    with pytest.raises(InvalidStatus, match="reported paid already"):
        ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")


def test_an_off_ramp_deposit_is_simulated_once(world: Harness) -> None:
    intent = world.create_intent()
    order = create_placed_order(world, Direction.OFF, intent_address=intent.address)
    ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")
    with pytest.raises(InvalidStatus, match="paid already"):
        ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")
    assert list_statuses(world, order) == []
    assert (
        world.wait_for_state(intent, State.COMPLETED).received_amount == intent.terms.deposit_amount
    )


def test_a_partial_deposit_is_topped_up_to_the_full_amount(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent, "short")
    order = create_placed_order(world, Direction.OFF, intent_address=intent.address)
    ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")
    assert (
        world.wait_for_state(intent, State.COMPLETED).received_amount == intent.terms.deposit_amount
    )


@pytest.mark.parametrize(
    "state", sorted(set(OrderState) - {OrderState.PENDING, OrderState.INITIATED})
)
def test_a_closed_off_ramp_takes_no_simulated_deposit(world: Harness, state: OrderState) -> None:
    order = create_placed_order(
        world, Direction.OFF, intent_address=world.create_intent().address, state=state
    )
    with pytest.raises(InvalidStatus, match=f"invalid status: {state}"):
        ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")


def test_an_order_unknown_to_its_provider_takes_no_simulated_status(world: Harness) -> None:
    pending = an_order()
    order = world.store.write(lambda unit: unit.orders.add(pending))
    with pytest.raises(InvalidStatus, match="Order has invalid status: PENDING"):
        ramp_sandbox.report_order_status(world.services, world.caller, order.id, "paid")


@pytest.mark.parametrize("outcome", ["expired", "", None, 1, "PAID"])
def test_only_four_statuses_can_be_simulated(world: Harness, outcome: object) -> None:
    order = create_placed_order(world)
    with pytest.raises(InvalidInput, match="outcome must be one of paid, delivered, failed"):
        ramp_sandbox.report_order_status(world.services, world.caller, order.id, outcome)


def test_clients_control_their_own_orders_and_operators_all(world: Harness) -> None:
    order = create_placed_order(world)
    other = Client("c-2", "Another shop", 0, None, 250, world.clock.now())
    stranger = replace(world.caller, client=other)
    for caller, number in ((stranger, order.id), (world.caller, order.id + 1)):
        with pytest.raises(NotFound, match="Order not found"):
            ramp_sandbox.report_order_status(world.services, caller, number, "paid")
    operator = replace(stranger, role=Role.ADMIN)
    assert (
        ramp_sandbox.report_order_status(world.services, operator, order.id, "paid").id == order.id
    )


def test_controls_need_a_write_scope_and_the_simulated_environment(world: Harness) -> None:
    order = create_placed_order(world)
    reader = replace(world.caller, scopes=frozenset({Scope.READ}))
    live = replace(world.services, ramp_sandbox=None)
    for services, caller, error in (
        (world.services, reader, Forbidden),
        (live, world.caller, NotFound),
    ):
        with pytest.raises(error):
            ramp_sandbox.report_order_status(services, caller, order.id, "paid")
        with pytest.raises(error):
            ramp_sandbox.inject_faults(services, caller, "FONBNK", {"repeat": True})
        with pytest.raises(error):
            ramp_sandbox.get_faults(services, caller, "FONBNK")
        with pytest.raises(error):
            ramp_sandbox.set_kyc_status(services, caller, "FONBNK", EMAIL, "basic", "approved")


@pytest.mark.parametrize("kyc_type", [KycType.BASIC, KycType.ADVANCED])
@pytest.mark.parametrize("status", sorted(set(KycStatus) - {KycStatus.NOT_STARTED}))
def test_a_kyc_status_set_by_hand_is_returned(
    world: Harness, kyc_type: KycType, status: KycStatus
) -> None:
    ramp_sandbox.set_kyc_status(
        world.services, world.caller, "YELLOW_CARD", " Ada@Example.com ", kyc_type, status
    )
    assessment = yellow_card(world).get_kyc_status(KycUser(EMAIL, world.caller.owner), "NG")
    assert (assessment.kyc_type, assessment.status) == (kyc_type, status)
    ramp_sandbox.set_kyc_status(
        world.services, world.caller, "YELLOW_CARD", EMAIL, "none", "not_started"
    )
    assert (
        yellow_card(world).get_kyc_status(KycUser(EMAIL, world.caller.owner), "NG").passed
        is KycType.NONE
    )


def test_each_invalid_kyc_status_field_is_rejected_by_name(world: Harness) -> None:
    with pytest.raises(InvalidInput) as refusal:
        ramp_sandbox.set_kyc_status(world.services, world.caller, "ACME", "ada", "high", None)
    text = str(refusal.value)
    assert "provider must be one of FONBNK, ONRAMP_MONEY, PAYCREST, YELLOW_CARD" in text
    assert "userEmail must be" in text
    assert "kycType must be one of none, basic, advanced" in text
    assert "status must be one of not_started, pending, approved, rejected" in text


@pytest.mark.parametrize(("kyc_type", "status"), [("none", "approved"), ("basic", "not_started")])
def test_an_inconsistent_kyc_status_is_rejected(world: Harness, kyc_type: str, status: str) -> None:
    with pytest.raises(InvalidInput, match="not_started with kycType none, and only with it"):
        ramp_sandbox.set_kyc_status(world.services, world.caller, "FONBNK", EMAIL, kyc_type, status)


def test_injected_faults_are_shown(world: Harness) -> None:
    body = {
        "downSeconds": 60,
        "slowSeconds": 0.5,
        "refuseNext": 1,
        "shortBps": 100,
        "overchargeBps": 200,
        "repeat": True,
        "shuffle": True,
        "deliverSeconds": -1,
        "rateBps": -300,
        "kyc": "manual",
    }
    faults = ramp_sandbox.inject_faults(world.services, world.caller, "PAYCREST", body)
    assert faults == body
    assert ramp_sandbox.get_faults(world.services, world.caller, "PAYCREST") == body
    assert ramp_sandbox.get_faults(world.services, world.caller, "FONBNK") == {}
    usual = {"downSeconds": 0, "slowSeconds": 0, "refuseNext": 0, "shortBps": 0}
    usual |= {"overchargeBps": 0, "repeat": False, "shuffle": False, "deliverSeconds": 15}
    usual |= {"rateBps": 0, "kyc": "auto"}
    assert ramp_sandbox.inject_faults(world.services, world.caller, "PAYCREST", usual) == {}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("downSeconds", -1, "number of seconds from 0"),
        ("downSeconds", True, "number of seconds from 0"),
        ("slowSeconds", 61, "number of seconds from 0 to 60"),
        ("slowSeconds", float("nan"), "number of seconds from 0 to 60"),
        ("refuseNext", 1.5, "whole number from 0"),
        ("shortBps", 10_001, "whole number from 0 to 10000"),
        ("overchargeBps", "5", "whole number from 0 to 10000"),
        ("repeat", 1, "true or false"),
        ("shuffle", "yes", "true or false"),
        ("deliverSeconds", -2, "whole number from -1"),
        ("rateBps", -10_000, "whole number from -9999"),
        ("kyc", "never", "one of auto, manual, approve"),
        ("kyc", None, "one of auto, manual, approve"),
        ("speed", 1, "is not a setting"),
    ],
)
def test_each_invalid_fault_is_rejected_by_name(
    world: Harness, name: str, value: object, message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"{name} .*{message}"):
        ramp_sandbox.inject_faults(world.services, world.caller, "FONBNK", {name: value})
    with pytest.raises(InvalidInput, match="provider must be one of"):
        ramp_sandbox.inject_faults(world.services, world.caller, None, {})
    assert ramp_sandbox.get_faults(world.services, world.caller, "FONBNK") == {}


def test_an_empty_change_is_rejected(world: Harness) -> None:
    with pytest.raises(InvalidInput, match="kyc must be given"):
        ramp_sandbox.inject_faults(world.services, world.caller, "FONBNK", {})
