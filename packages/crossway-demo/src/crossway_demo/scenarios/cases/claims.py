"""What is not returned at our cost waits as a claim, which anyone may carry out."""

from dataclasses import replace

from crossway.domain.intent import State
from crossway.usecases.payments.claims import ClaimKind
from crossway_demo.scenarios.cases.misdirected_funds import DUST
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ScenarioWorld


def _refund_by_stranger(world: ScenarioWorld) -> None:
    terms, sandbox = world.intent.terms, world.services.sandbox
    assert sandbox is not None
    place = (terms.source_chain, world.intent.address, terms.token_in, terms.refund_address)
    sandbox.refund_by_stranger(*place)
    world.narrate("Somebody else calls the contract at the deposit address to return it")


def _set_allowance(world: ScenarioWorld, micro_usd: int) -> None:
    policy = replace(world.services.policy, return_allowance_micro_usd=micro_usd)
    world.services = replace(world.services, policy=policy)
    world.engine = world.new_engine("first")
    world.narrate(f"The operator allows {micro_usd / 1e6} USD a day and chain for returns")


@scenario(
    71,
    "claim-carried-out",
    "Dust that somebody else returns on chain: the books follow",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def claim_carried_out(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit(DUST)
    world.pass_expiry()
    world.settle()
    (claim,) = world.timeline().claims
    world.require(claim.kind is ClaimKind.DUST, "it waits as a claim")
    _refund_by_stranger(world)
    world.pass_time(660)
    world.wait_for(State.REFUNDED)
    world.require(world.timeline().claims == [], "nothing waits any more")


@scenario(
    72,
    "allowance-used-up",
    "Refunds have used up what fees brought and the day's allowance: one waits, then goes",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def allowance_used_up(world: ScenarioWorld) -> None:
    _set_allowance(world, 0)
    world.create_intent()
    world.deposit("short")
    world.pass_expiry()
    world.pass_time(60)
    (claim,) = world.timeline().claims
    world.require(claim.kind is ClaimKind.LIMIT, "the refund waits, and anyone may carry it out")
    world.require("returns" in world.alert_kinds(), "an alert says so")
    world.require("allowance" in world.timeline().next_action, "and the payment's page")
    _set_allowance(world, 960_000)  # a return every quarter of an hour
    world.pass_time(960)
    world.wait_for(State.REFUNDED)
    world.settle()
