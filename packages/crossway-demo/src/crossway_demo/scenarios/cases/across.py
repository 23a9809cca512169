"""Payments over Across: filled in seconds, late, or returned by its pool."""

from crossway.domain.bridge_transfer import BridgeTransferState as S
from crossway.domain.intent import State
from crossway_demo.scenarios.bridge_actions import bridge_fault, wait_for_transfer
from crossway_demo.scenarios.routes import OVER_ACROSS
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ScenarioWorld


@scenario(
    54,
    "across-fills",
    "A relayer of Across pays the recipient within seconds",
    ExpectedOutcome(State.COMPLETED),
    bridges=OVER_ACROSS,
)
def across_fills(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    55,
    "across-never-fills",
    "No relayer of Across pays: its pool returns the deposit",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
    bridges=OVER_ACROSS,
)
def across_never_fills(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "ACROSS", "no relayer fills deposits", unfilledDeposits=True)
    world.deposit("exact")
    wait_for_transfer(world, S.OVERDUE, within=800, step=60)
    wait_for_transfer(world, S.EXPIRED, S.REFUNDING, within=3_000, step=60)
    world.wait_for(State.REFUNDED, within=3_000, step=60)
    world.settle()


@scenario(
    56,
    "across-fills-late",
    "A relayer of Across pays long after it was expected to",
    ExpectedOutcome(State.COMPLETED),
    bridges=OVER_ACROSS,
)
def across_fills_late(world: ScenarioWorld) -> None:
    world.create_intent()
    bridge_fault(world, "ACROSS", "no relayer fills deposits", unfilledDeposits=True)
    world.deposit("exact")
    wait_for_transfer(world, S.OVERDUE, within=800, step=60)
    bridge_fault(world, "ACROSS", "relayers fill deposits again", unfilledDeposits=False)
    world.wait_for(State.COMPLETED, within=600)
    world.pass_time(2_000)
    world.settle()
