"""Payments that are paid out of inventory which Circle Gateway or rhino.fi moves for them."""

from typing import TypeAlias

from crossway.domain.intent import State
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import UNIFIED_TOKEN, Account, balances, unified_location
from crossway_demo.scenarios.bridge_actions import bridge_fault
from crossway_demo.scenarios.routes import OVER_GATEWAY, OVER_RHINOFI
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, ScenarioWorld

Kind: TypeAlias = InventoryTransferKind
S: TypeAlias = InventoryTransferState
_PAYOUT = 25_000_000


def _empty(world: ScenarioWorld, units: int = 0) -> None:
    body = {"relayer": {"USDC": str(units)}}
    world.fault(ARBITRUM, f"the relayer has {units} units of USDC", balances=body)


def _find(world: ScenarioWorld, kind: Kind) -> InventoryTransfer | None:
    with world.services.store.read() as unit:
        transfers = unit.inventory_transfers.list_by_intents([world.intent.id])
    return next((t for t in transfers if t.kind is kind), None)


def _wait(world: ScenarioWorld, kind: Kind, *states: S, within: float = 300) -> InventoryTransfer:
    end = world.manual_clock.seconds + within
    while (found := _find(world, kind)) is None or found.state not in states:
        now = "nothing" if found is None else found.state
        world.require(
            world.manual_clock.seconds < end, f"{now} becomes {' or '.join(states)} in {within} s"
        )
        world.pass_time(2, 1)
    return found


def _booked(world: ScenarioWorld, account: Account, location: str, token: str) -> int:
    postings = [posting for _, posting in world.timeline().postings]
    return balances(postings).get((account, location, token), 0)


@scenario(
    57,
    "gateway-mints-and-settles",
    "Inventory is minted out of the unified balance, and what comes back is deposited into it",
    ExpectedOutcome(State.COMPLETED),
    bridges=OVER_GATEWAY,
)
def gateway_mints_and_settles(world: ScenarioWorld) -> None:
    _empty(world)
    world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    mint = _wait(world, Kind.MINT, S.CLOSED)
    _wait(world, Kind.DEPOSIT, S.CLOSED)
    world.settle()
    fee = mint.source_amount - mint.amount
    place = (unified_location(testnet=False), UNIFIED_TOKEN)
    world.require(fee > 0, "Circle has taken a fee")
    world.require(
        _booked(world, Account.INVENTORY, *place) == -fee
        and _booked(world, Account.BRIDGE_FEES, *place) == fee,
        "the unified balance is what it was, less Circle's fee",
    )


@scenario(
    58,
    "gateway-attestation-expires",
    "The attestation expires before the mint, and another one is minted, once",
    ExpectedOutcome(State.COMPLETED),
    bridges=OVER_GATEWAY,
)
def gateway_attestation_expires(world: ScenarioWorld) -> None:
    _empty(world)
    world.create_intent()
    bridge_fault(world, "GATEWAY", "its attestations have expired", expiredMessages=True)
    world.deposit("exact")
    _wait(world, Kind.MINT, S.AGREED)
    bridge_fault(world, "GATEWAY", "its attestations are valid again", expiredMessages=False)
    world.wait_for(State.COMPLETED)
    mint = _wait(world, Kind.MINT, S.CLOSED)
    _wait(world, Kind.DEPOSIT, S.CLOSED)
    world.settle()
    world.require(mint.attempt > 1, "another attestation was asked for")
    world.require(world.balance_of(ARBITRUM, _relayer(world)) == 0, "it was minted once")


@scenario(
    59,
    "rhino-never-executes",
    "rhino.fi accepts a transfer of inventory and never executes it: the payer gets all back",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL, alerts=frozenset({"funding_overdue"})),
    bridges=OVER_RHINOFI,
)
def rhino_never_executes(world: ScenarioWorld) -> None:
    _empty(world)
    world.create_intent()
    bridge_fault(world, "RHINOFI", "transfers are never paid out", unexecuted=True)
    world.deposit("exact")
    sent = _wait(world, Kind.TRANSFER, S.OVERDUE)
    world.pass_expiry()
    world.wait_for(State.REFUNDED, within=5_000, step=30)
    world.settle()
    token = world.token(BASE, "USDC")
    loss = _booked(world, Account.IN_TRANSIT, BASE, token)
    world.require(loss == sent.source_amount, "the loss is the operator's, and in the books")


@scenario(
    59,
    "rhino-never-executes-inventory-comes",
    "rhino.fi accepts a transfer and never executes it: other inventory pays the recipient",
    ExpectedOutcome(State.COMPLETED, alerts=frozenset({"funding_overdue"})),
    bridges=OVER_RHINOFI,
)
def rhino_never_executes_inventory_comes(world: ScenarioWorld) -> None:
    _empty(world)
    world.create_intent()
    bridge_fault(world, "RHINOFI", "transfers are never paid out", unexecuted=True)
    world.deposit("exact")
    _wait(world, Kind.TRANSFER, S.OVERDUE)
    _empty(world, _PAYOUT)
    world.wait_for(State.COMPLETED)
    world.settle()


def _relayer(world: ScenarioWorld) -> str:
    return world.services.chains[ARBITRUM].accounts.relayer
