"""Fiat to crypto and back, with a provider that is correct, late, short or unavailable."""

from crossway.domain.errors import DomainError
from crossway.domain.intent import State
from crossway.domain.ledger import Account, balances, fiat_location
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, OrderState, RampOrder
from crossway.ports.ramps import KycUser
from crossway.ports.sandbox import RampFaults
from crossway.usecases.payments import intents
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, ScenarioWorld

PROVIDER, CURRENCY, COUNTRY = "YELLOW_CARD", "NGN", "NG"
WHO = "ada@example.com"
AMOUNT = 25


@scenario(
    101,
    "on-ramp",
    "Local money is paid, and crypto is delivered over a bridge",
    ExpectedOutcome(State.COMPLETED),
)
def on_ramp(world: ScenarioWorld) -> None:
    order = _buy(world)
    _report(world, order, "paid")
    order = _wait_for(world, order, OrderState.COMPLETED)
    world.settle()
    _books(world, order, _completed_balances(order))


@scenario(
    102,
    "off-ramp",
    "Crypto is sold over a bridge, and local money is paid out",
    ExpectedOutcome(State.COMPLETED),
)
def off_ramp(world: ScenarioWorld) -> None:
    order = _sell(world)
    world.deposit("exact")
    order = _wait_for(world, order, OrderState.COMPLETED)
    world.settle()
    _books(world, order, _completed_balances(order))


@scenario(
    103, "on-ramp-unpaid", "Nobody pays the local money in time", ExpectedOutcome(State.EXPIRED)
)
def on_ramp_unpaid(world: ScenarioWorld) -> None:
    order = _buy(world)
    world.pass_time(order.expires_at.timestamp() - world.manual_clock.seconds + 60)
    order = _wait_for(world, order, OrderState.EXPIRED)
    _books(world, order, {})


@scenario(
    104,
    "on-ramp-short",
    "The provider says that it delivered, and sends less",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def on_ramp_short(world: ScenarioWorld) -> None:
    _behave(world, "it will deliver 5% less than it says", RampFaults(short_bps=500))
    order = _buy(world)
    _report(world, order, "paid")
    world.pass_time(300)
    world.require("ramp" in world.alert_kinds(), "an alert tells of the short sum")
    world.pass_expiry()
    order = _wait_for(world, order, OrderState.REFUNDED, within=600)
    world.settle()
    _books(world, order, {})


@scenario(
    105,
    "off-ramp-cancelled",
    "The crypto of an off-ramp comes in after it was cancelled",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def off_ramp_cancelled(world: ScenarioWorld) -> None:
    order = _sell(world)
    world.try_action(
        "The seller cancels",
        lambda: ramp_orders.cancel_order(world.services, world.caller, order.id),
    )
    world.deposit("exact")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()
    order = _wait_for(world, order, OrderState.CANCELLED)
    world.require(world.balance_of(order.ramp_chain, order.pay_to) == 0, "the provider got nothing")
    _books(world, order, {})


@scenario(
    106,
    "off-ramp-refunded",
    "The provider cannot pay the local money out",
    ExpectedOutcome(State.COMPLETED),
)
def off_ramp_refunded(world: ScenarioWorld) -> None:
    _behave(world, "it delivers only when told", RampFaults(deliver_seconds=-1))
    order = _sell(world)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    _wait_for(world, order, OrderState.PROCESSING)
    _report(world, order, "failed")
    _wait_for(world, order, OrderState.FAILED)
    _report(world, order, "refunded")
    order = _wait_for(world, order, OrderState.REFUNDED)
    world.settle()
    _books(world, order, {})


@scenario(
    107,
    "ramp-provider-down",
    "The provider gives no answer for a while after the order",
    ExpectedOutcome(State.COMPLETED),
)
def ramp_provider_down(world: ScenarioWorld) -> None:
    order = _buy(world)
    _behave(world, "it gives no answer for a minute", RampFaults(down_seconds=60))
    world.try_action("The buyer tries to cancel", lambda: _try_to_cancel(world, order))
    ramp_orders.confirm_order(world.services, world.caller, order.id)
    world.narrate("The buyer says that it is paid")
    world.pass_time(20)
    world.require("provider" in world.alert_kinds(), "an alert tells of the silence")
    order = _wait_for(world, order, OrderState.COMPLETED)
    world.settle()
    _books(world, order, _completed_balances(order))


def _buy(world: ScenarioWorld) -> RampOrder:
    _approve_customer(world)
    return _create(
        world,
        CreateOrderRequest(
            direction=Direction.ON.value,
            provider=PROVIDER,
            currency=CURRENCY,
            country=COUNTRY,
            amount=AMOUNT,
            destination_chain=ARBITRUM,
            recipient=world.wallet(ARBITRUM, "buyer"),
            email=WHO,
            fields=_fields(world, Direction.ON),
        ),
    )


def _sell(world: ScenarioWorld) -> RampOrder:
    _approve_customer(world)
    return _create(
        world,
        CreateOrderRequest(
            direction=Direction.OFF.value,
            provider=PROVIDER,
            currency=CURRENCY,
            country=COUNTRY,
            amount=AMOUNT,
            source_chain=ARBITRUM,
            sender=world.wallet(ARBITRUM, "seller"),
            email=WHO,
            fields=_fields(world, Direction.OFF),
        ),
    )


def _create(world: ScenarioWorld, request: CreateOrderRequest) -> RampOrder:
    order = ramp_orders.create_order(world.services, world.caller, request)
    assert order.intent_id is not None
    world.intents.append(intents.get_by_id(world.services, world.operator, order.intent_id))
    fiat = format_units(order.fiat_minor, order.digits, order.digits)
    verb = "buys" if order.direction is Direction.ON else "sells"
    words = "costs" if order.direction is Direction.ON else "brings"
    world.narrate(
        f"Somebody {verb} {AMOUNT} {order.symbol} on {world.display_name(ARBITRUM)} with "
        f"{PROVIDER}, which {words} {fiat} {CURRENCY}"
    )
    return order


def _approve_customer(world: ScenarioWorld) -> None:
    """Approve the customer at the provider."""
    assert world.services.ramp_sandbox is not None
    user = KycUser(WHO, world.caller.owner)
    world.services.ramp_sandbox.set_kyc_status(PROVIDER, user, "basic", "approved")


def _fields(world: ScenarioWorld, direction: Direction) -> dict[str, str]:
    provider = next(ramp for ramp in world.services.ramps if ramp.name == PROVIDER)
    channel = provider.capabilities.channels_for(direction, CURRENCY, COUNTRY)[0]
    return {
        field.key: field.options[0].value if field.options else field.example
        for field in channel.fields
        if field.required
    }


def _report(world: ScenarioWorld, order: RampOrder, outcome: str) -> None:
    ramp_sandbox.report_order_status(world.services, world.operator, order.id, outcome)
    world.narrate(f"{PROVIDER} reports: {outcome}")


def _behave(world: ScenarioWorld, description: str, faults: RampFaults) -> None:
    assert world.services.ramp_sandbox is not None
    world.services.ramp_sandbox.inject_faults(PROVIDER, faults)
    world.narrate(f"{PROVIDER}: {description}")


def _try_to_cancel(world: ScenarioWorld, order: RampOrder) -> None:
    try:
        ramp_orders.cancel_order(world.services, world.caller, order.id)
    except DomainError:
        raise
    except Exception as silence:
        raise DomainError(str(silence)) from silence


def _wait_for(
    world: ScenarioWorld, order: RampOrder, state: OrderState, within: float = 300
) -> RampOrder:
    end = world.manual_clock.seconds + within
    while (
        now := ramp_orders.get_order(world.services, world.operator, order.id)
    ).state is not state:
        world.require(
            world.manual_clock.seconds < end,
            f"the order, {now.state}, becomes {state} in {within:.0f} s",
        )
        world.pass_time(1)
    world.narrate(f"The order is {state}")
    return now


def _completed_balances(order: RampOrder) -> dict[Account, int]:
    """The fiat balances in the ledger once an order is completed."""
    fiat, fee = order.fiat_minor, order.fee_minor
    if order.direction is Direction.ON:
        return {Account.CUSTOMER: -fiat, Account.FX_CLEARING: fiat - fee, Account.RAMP_FEES: fee}
    return {Account.CUSTOMER: fiat, Account.FX_CLEARING: -fiat - fee, Account.RAMP_FEES: fee}


def _books(world: ScenarioWorld, order: RampOrder, expected: dict[Account, int]) -> None:
    posted = [posting for _, posting in world.timeline().postings]
    location = fiat_location(order.provider)
    found = {
        account: units
        for (account, at, _), units in balances(posted).items()
        if at == location and units
    }
    world.require(found == expected, f"the books of local money hold {expected}, not {found}")
