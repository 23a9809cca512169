"""What strangers do to payments that CCTP carries, with reorganisations and nodes that are behind:
nobody is paid twice, nothing is lost, and the books follow."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTxKind as K
from crossway.domain.outbound import OutboundTxState
from crossway.engine.loop import Engine
from crossway.ports.bridge import ContractState
from crossway.ports.sandbox import Faults, StrangerAction
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.cancellation import cancel
from crossway.usecases.payments.lifecycle import IntentBatch
from tests.bridges.world import BridgeWorld

SIGNED = OutboundTxState.SIGNED


@pytest.fixture
def world(tmp_path: Path) -> BridgeWorld:
    return BridgeWorld(tmp_path, "CCTP")


def left_in_books(world: BridgeWorld, intent: Intent) -> int:
    """What the books have at the deposit address and in the bridge's contract, of any sign."""
    terms = intent.terms
    with world.store.read() as unit:
        balances = unit.ledger.get_balances()
    accounts = (Account.HELD, Account.ESCROW)
    return sum(abs(balances.get((a, terms.source_chain, terms.token_in), 0)) for a in accounts)


def seconds_left(world: BridgeWorld, intent: Intent) -> int:
    return int((intent.terms.expires_at - world.services.clock.now()).total_seconds())


def collected(world: BridgeWorld) -> Intent:
    """A payment that somebody started while its bridge is paused."""
    world.set_faults("CCTP", paused=True)
    intent = world.pay()
    world.act(intent, StrangerAction.START)
    world.wait_for(intent, "COLLECTED")
    return intent


def test_a_release_that_somebody_else_made_first_is_booked(world: BridgeWorld) -> None:
    intent = world.pay()
    world.wait_for(intent, "SEEN")
    chain, recipient = intent.terms.destination_chain, intent.terms.recipient
    world.sandbox.inject_faults(chain, Faults(refuse=[recipient]))
    world.wait_for_state(intent, State.FAILED, within=60)
    world.sandbox.inject_faults(chain, Faults(accept=[recipient], slow_blocks=3))
    for _ in range(400):
        if world.txs(intent)[K.RELEASE].state is SIGNED:
            break
        world.pass_time(1, 1)
    world.act(intent, StrangerAction.RELEASE)
    assert world.paid(intent) == intent.terms.payout_amount
    world.wait_for_state(intent, State.COMPLETED, within=4_000)
    assert world.paid(intent) == intent.terms.payout_amount
    world.pass_time(60, 5)
    assert world.engine.tick() == 0, "nothing is left to do"


@pytest.mark.parametrize("action", [StrangerAction.SEND, StrangerAction.START])
def test_a_cancelled_payment_that_somebody_started_is_carried_or_given_back(
    world: BridgeWorld, action: StrangerAction
) -> None:
    intent = world.create_intent()
    world.pass_time(10, 5)

    def cancelling(unit: UnitOfWork) -> None:
        batch = IntentBatch(world.services, world.clock.now(), unit.intents.lock([intent.id]))
        cancel(unit, batch, intent.id, "The order was cancelled.")
        batch.store(unit)

    world.store.write(cancelling)
    world.deposit(intent)
    world.act(intent, action)
    world.pass_time(600, 5)
    world.pass_time(8_000, 60)
    assert world.paid(intent) == (
        intent.terms.payout_amount if action is StrangerAction.SEND else 0
    )
    assert world.refunded(intent) == (
        intent.terms.deposit_amount if action is StrangerAction.START else 0
    )
    assert left_in_books(world, intent) == 0


@pytest.mark.parametrize("depth", [1, 3])
def test_a_send_of_a_collected_deposit_that_a_reorg_removes_is_booked_once(
    world: BridgeWorld, depth: int
) -> None:
    intent = collected(world)
    world.pass_time(60, 5)
    world.set_faults("CCTP", paused=False, late_seconds=600)
    world.wait_for(intent, "SEEN", within=100)
    world.reorganise(intent.terms.source_chain, depth, drop=1)
    world.wait_for_state(intent, State.COMPLETED, within=4_000)
    world.pass_time(100, 10)
    assert left_in_books(world, intent) == 0
    assert world.reload(intent).balance_at_address == 0
    # Another deposit goes back like any other.
    terms = intent.terms
    world.sandbox.deposit(terms.source_chain, intent.address, terms.token_in, terms.deposit_amount)
    world.pass_time(8_000, 60)
    assert world.refunded(intent) == terms.deposit_amount


def test_a_deposit_that_a_stranger_gave_back_ends_as_refunded(world: BridgeWorld) -> None:
    intent = collected(world)
    world.pass_time(seconds_left(world, intent) - 4, 50)
    world.machine.seconds += 8
    given_back = world.act(intent, StrangerAction.GIVE_BACK)
    assert world.refunded(intent) == intent.terms.deposit_amount
    done = world.wait_for_state(intent, State.REFUNDED, within=600)
    assert done.tx_hash == given_back
    assert world.transfer(intent).state == "REFUNDED"
    assert left_in_books(world, intent) == 0


@pytest.mark.parametrize("ticks", [6, 9])
def test_a_stranger_s_return_that_a_reorg_removes_is_made_again(
    world: BridgeWorld, ticks: int
) -> None:
    intent = collected(world)
    world.pass_time(seconds_left(world, intent) - 4, 50)
    world.machine.seconds += 8
    world.act(intent, StrangerAction.GIVE_BACK)
    for _ in range(ticks):
        world.engine.tick()
    world.reorganise(intent.terms.source_chain, 1, drop=1)
    assert world.refunded(intent) == 0
    world.pass_time(1_800, 10)
    assert world.reload(intent).state is State.REFUNDED
    assert world.refunded(intent) == intent.terms.deposit_amount
    assert left_in_books(world, intent) == 0


def test_a_send_that_nodes_did_not_tell_is_no_refund(world: BridgeWorld) -> None:
    intent = world.create_intent()
    source, to = intent.terms.source_chain, intent.terms.destination_chain
    world.sandbox.inject_faults(to, Faults(refuse=[intent.terms.recipient]))
    world.deposit(intent)
    world.pass_time(30, 5)
    world.pass_time(seconds_left(world, intent) - 10, 50)
    world.sandbox.inject_faults(to, Faults(accept=[intent.terms.recipient]))
    world.act(intent, StrangerAction.SEND)
    chain, end = world.services.chains[source], world.services.bridge_ends[source]

    class EndBehind:
        def __getattr__(self, name: str) -> Any:
            return getattr(end, name)

        def contract_states(self, _: str, names: Collection[str]) -> Mapping[str, ContractState]:
            return {name: ContractState() for name in names}

    class ChainBehind:
        def __getattr__(self, name: str) -> Any:
            return getattr(chain, name)

        def executed(self, _: Collection[str]) -> set[str]:
            return set()

    ends = {**world.services.bridge_ends, source: EndBehind()}
    chains = {**world.services.chains, source: ChainBehind()}
    behind = replace(world.services, bridge_ends=ends, chains=chains)  # type: ignore[arg-type]
    world.machine.seconds += 14
    world.engine = Engine(behind, "behind", sole=True)
    for _ in range(6):
        world.engine.tick()
        if K.REFUND in world.txs(intent) and world.txs(intent)[K.REFUND].state is SIGNED:
            break
    assert world.txs(intent)[K.REFUND].state is SIGNED
    world.engine = Engine(world.services, "honest", sole=True)
    world.pass_time(4_000, 20)
    assert world.reload(intent).state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
    assert (world.refunded(intent), left_in_books(world, intent)) == (0, 0)
