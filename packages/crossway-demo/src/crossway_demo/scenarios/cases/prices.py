"""Prices that move, or can no longer be used, after the terms of a payment were fixed."""

from crossway.domain.intent import State
from crossway.usecases.money.price_exposure import list_exposures
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld


@scenario(
    37,
    "price-moves",
    "The price of a volatile token falls between quote and deposit",
    ExpectedOutcome(State.COMPLETED),
)
def price_moves(world: ScenarioWorld) -> None:
    world.create_intent(token_in=world.token(BASE, "ETH"))
    world.move_price("ETH", 80)
    _say_exposure(world)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    _say_exposure(world)
    worst = list_exposures(world.services, world.operator)[0]
    world.require(worst.committed, "the payment is paid for at its old terms")
    world.require((worst.gain_micro_usd or 0) < -4_000_000, "the loss is shown")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.require(
        not list_exposures(world.services, world.operator), "afterwards nothing is exposed"
    )


@scenario(
    37,
    "off-peg",
    "A stablecoin leaves its peg between quote and deposit, and stays away",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def off_peg(world: ScenarioWorld) -> None:
    world.create_intent(token_in=world.token(BASE, "USDT"))
    world.move_price("USDT", 90)
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.pass_time(60)
    world.require(world.reload().state is State.FUNDED, "nothing is started at a wrong price")
    world.require("price" in world.alert_kinds(), "an alert of kind price stands")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()


def _say_exposure(world: ScenarioWorld) -> None:
    for exposure in list_exposures(world.services, world.operator):
        world.narrate(f"For the operator: {exposure.describe()}")
