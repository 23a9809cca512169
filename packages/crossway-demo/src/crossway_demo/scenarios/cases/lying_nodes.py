"""Nodes that report what is not there, leave out what is there, or have a false head.

Where deposits are left out or a head is ahead, the simulated chain has two nodes. What they report
is simulated; which head counts, and which blocks are read a second time, is decided by the code
that reads live nodes.
"""

from crossway.domain.intent import State
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import BASE, ScenarioWorld


@scenario(
    22,
    "forged-log",
    "The node lies: it shows a transfer that is in no block",
    ExpectedOutcome(State.EXPIRED),
)
def forged_log(world: ScenarioWorld) -> None:
    _lie(world, "forged", "the node shows a transfer that never was", seconds=20)


@scenario(
    22,
    "wrong-chain-id",
    "The node lies: it answers for another chain",
    ExpectedOutcome(State.EXPIRED),
)
def wrong_chain_id(world: ScenarioWorld) -> None:
    _lie(world, "chain_id", "the node answers with another chain's id", seconds=20)


@scenario(
    22, "stale-head", "The node lies: its newest block is old", ExpectedOutcome(State.EXPIRED)
)
def stale_head(world: ScenarioWorld) -> None:
    _lie(world, "stale", "the node shows an old block as its newest", seconds=400)


def _lie(world: ScenarioWorld, lie: str, description: str, seconds: float) -> None:
    intent = world.create_intent()
    world.pass_time(3)
    world.fault(BASE, description, lie=lie)
    world.pass_time(seconds)
    world.require(bool(world.alerts()), "an alert says so")
    world.require(world.reload().received_amount == 0, "nothing is credited")
    world.fault(BASE, "the node tells the truth again", lie="")
    world.pass_expiry(intent)
    world.settle()


@scenario(
    63,
    "missed-log",
    "One of two nodes leaves the deposit out for good: the other one reports it",
    ExpectedOutcome(State.COMPLETED),
)
def missed_log(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_time(3)
    world.fault(BASE, "the first node leaves out all deposits, for good", lie="missed_logs")
    world.deposit("exact")
    world.pass_time(5)
    world.require(not world.timeline().deposits, "the node that is read first does not report it")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    63,
    "missed-log-at-expiry",
    "One of two nodes leaves the deposit out, and the payment expires before its block is read "
    "again: the deposit is found by the balance of its address",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def missed_log_at_expiry(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(BASE, "the first node leaves out all deposits, for good", lie="missed_logs")
    world.pass_time(intent.terms.expires_at.timestamp() - world.manual_clock.seconds - 3)
    world.deposit("exact")
    world.wait_for(State.REFUNDED)
    world.settle()
    world.require(len(world.timeline().deposits) == 1, "it is booked as the deposit that it is")


@scenario(
    64,
    "time-ahead",
    "One of two nodes once reports a time a day ahead: nothing expires",
    ExpectedOutcome(State.COMPLETED),
)
def time_ahead(world: ScenarioWorld) -> None:
    _once_ahead(world, "time_ahead", "the first node reports a time a day ahead")


@scenario(
    64,
    "height-ahead",
    "One of two nodes once reports a block a million ahead: the chain is read on",
    ExpectedOutcome(State.COMPLETED),
)
def height_ahead(world: ScenarioWorld) -> None:
    _once_ahead(world, "height_ahead", "the first node reports a block a million ahead")


def _once_ahead(world: ScenarioWorld, lie: str, description: str) -> None:
    world.create_intent()
    world.pass_time(3)
    world.fault(BASE, description, lie=lie)
    world.pass_time(1)
    alerts = [alert.key for alert in world.alerts()]
    world.require(alerts == [f"doubted:{BASE}"], "an alert says which node is not believed")
    world.require(world.reload().state is State.PENDING, "nothing expires early")
    world.fault(BASE, "the node tells the truth again", lie="")
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.pass_time(900)


@scenario(
    69,
    "in-no-transfer",
    "At expiry the address holds money that is in no transfer which a node reports",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def in_no_transfer(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_time(3)
    world.fault(BASE, "no node reports any deposit", lie="no_logs")
    world.deposit("exact")
    world.pass_time(120)
    world.require(world.reload().state is State.PENDING, "nobody knows of it")
    world.pass_expiry()
    world.wait_for(State.EXPIRED, State.REFUNDED)
    world.require("unexplained" in world.alert_kinds(), "an alert says what is there")
    world.wait_for(State.REFUNDED)
    world.settle()
    world.require(not world.timeline().deposits, "no deposit is made up")
