"""A payout that the recipient's token refuses is simulated once more before it is given up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.ports.sandbox import Faults
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, OPTIMISM])
    yield built
    built.store.close()


def refused_once(world: Harness) -> Intent:
    """A payment whose payout was refused for good once."""
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    # The start is on its way: before it, the simulation would have shown the refusal.
    world.sandbox.inject_faults(OPTIMISM, Faults(refuse=[intent.terms.recipient]))
    world.wait_for_state(intent, State.INITIATED)
    while fill_of(world, intent).attempt_count == 0:
        world.pass_time(1)
    return intent


def fill_of(world: Harness, intent: Intent) -> OutboundTx:
    with world.store.read() as unit:
        (fill,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
    return fill


def test_a_payout_refused_once_is_tried_again_and_can_succeed(world: Harness) -> None:
    intent = refused_once(world)
    assert world.reload(intent).state is State.INITIATED
    world.sandbox.inject_faults(OPTIMISM, Faults(accept=[intent.terms.recipient]))
    world.wait_for_state(intent, State.COMPLETED)
    assert fill_of(world, intent).attempt_count == 1


def test_a_payout_that_would_be_refused_again_is_given_up_and_refunded(world: Harness) -> None:
    intent = refused_once(world)
    world.wait_for_state(intent, State.FAILED)
    # The second attempt was simulated: it costs nothing.
    fill = fill_of(world, intent)
    assert (fill.attempt_count, fill.reason) == (1, "the receiver refuses this transfer")
    world.wait_for_state(intent, State.REFUNDED)
    refund_address = intent.terms.refund_address
    token = intent.terms.token_in
    refunded = world.services.chains[BASE].balances([refund_address], token)
    kept = intent.costs.network_fee_units
    assert 0 < kept < intent.costs.fees_units
    assert refunded == {refund_address: intent.terms.deposit_amount - kept}
    while not nothing_outstanding(world):
        world.pass_time(5)
    check_invariants(world)


def test_a_payout_that_would_be_refused_is_not_started(world: Harness) -> None:
    intent = world.create_intent(BASE, OPTIMISM)
    world.sandbox.inject_faults(OPTIMISM, Faults(refuse=[intent.terms.recipient]))
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.pass_time(30)
    assert world.reload(intent).state is State.FUNDED
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    assert start.reason == (
        "The recipient cannot be paid: the receiver refuses this transfer. "
        "The deposit goes back when the payment expires."
    )
    world.sandbox.inject_faults(OPTIMISM, Faults(accept=[intent.terms.recipient]))
    world.wait_for_state(intent, State.COMPLETED)


def test_a_refusal_that_a_reorg_may_still_undo_gives_nothing_up(world: Harness) -> None:
    """The refused attempt could be included again and succeed: both would be paid."""
    intent = refused_once(world)
    world.pass_time(4)
    accept = [intent.terms.recipient]
    world.sandbox.inject_faults(OPTIMISM, Faults(accept=accept, reorg_depth=7))
    while not nothing_outstanding(world):
        world.pass_time(5)
    assert world.reload(intent).state is State.COMPLETED
    token = intent.terms.token_in
    refund_address = intent.terms.refund_address
    assert world.services.chains[BASE].balances([refund_address], token) == {refund_address: 0}
    check_invariants(world, reorged=True)
