"""Payments that cannot go on: no inventory after the start, a silent chain, a blocking nonce."""

from crossway.domain.intent import State
from crossway.usecases.payments.abandoned_payouts import give_up_by_hand
from crossway_demo.scenarios.cases.payouts import EMPTY, intent_relayer
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld


def _fund(world: ScenarioWorld) -> None:
    """A payment whose deposit is credited."""
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)


def _start_without_inventory(world: ScenarioWorld) -> None:
    """A payment whose start is sent when the inventory for its payout disappears."""
    _fund(world)
    world.fault(ARBITRUM, "the relayer's inventory is gone", balances=EMPTY)
    world.wait_for(State.INITIATED)
    world.pass_time(30)


def _give_up(world: ScenarioWorld) -> None:
    """An operator gives the payout up, and the deposit goes back."""
    world.try_action(
        "An operator gives the payout up",
        lambda: give_up_by_hand(world.services, world.operator, world.intent.id),
    )
    world.wait_for(State.REFUNDED)


@scenario(
    60,
    "no-inventory-after-the-start",
    "The inventory is gone once the deposit is collected, until the deadline",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def no_inventory_after_the_start(world: ScenarioWorld) -> None:
    _start_without_inventory(world)
    world.require("stock" in world.alert_kinds(), "an alert says what is missing")
    story = world.timeline()
    world.require("Else the deposit goes back" in story.next_action, "it says what happens else")
    world.require(story.next_action_due_at is not None, "and by when")
    world.pass_expiry()
    world.pass_time(3_600)
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    65,
    "given-up-by-hand",
    "An operator gives up a payout that waits for inventory",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def given_up_by_hand(world: ScenarioWorld) -> None:
    _start_without_inventory(world)
    _give_up(world)
    world.settle()


@scenario(
    66,
    "destination-silent",
    "The destination falls silent for good after the start; an operator gives the payout up",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def destination_silent(world: ScenarioWorld) -> None:
    _fund(world)
    world.fault(ARBITRUM, "no node answers any more", outageSeconds=20_000)
    world.wait_for(State.INITIATED)
    world.pass_expiry()
    world.pass_time(3_600)
    world.require(world.reload().state is State.INITIATED, "unknown is not failure")
    _give_up(world)
    world.pass_time(20_000)
    world.settle()


@scenario(
    67,
    "away-too-long",
    "A start is sent at too low a fee, and the engine is away until after the expiry",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def away_too_long(world: ScenarioWorld) -> None:
    _fund(world)
    world.fault(BASE, "fees are three times what they were", feeFactor=3)
    world.narrate("The engine is away for two hours")
    world.manual_clock.seconds += 7_200
    world.pass_time(30)
    after = world.create_intent()
    world.deposit("exact", after)
    world.wait_for(State.COMPLETED, intent=after, within=200)
    world.wait_for(State.REFUNDED, within=200)
    world.settle()


@scenario(
    68,
    "nonce-unused",
    "A nonce that no transaction uses is skipped, and the payments behind it go on",
    ExpectedOutcome(State.COMPLETED),
)
def nonce_unused(world: ScenarioWorld) -> None:
    relayer = intent_relayer(world)
    world.services.store.write(lambda unit: unit.account_nonces.reserve(BASE, relayer, 1, 0))
    world.narrate("Base: a nonce was reserved for a transaction that does not exist")
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED, within=200)
    world.require("nonce" in world.alert_kinds(), "an alert says what it blocked")
    world.pass_time(120)
    world.settle()
