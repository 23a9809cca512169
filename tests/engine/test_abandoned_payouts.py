"""A started payment that cannot be paid out ends: by itself at its deadline, or by hand before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.clients import staff_principal
from crossway.domain.errors import Forbidden, InvalidStatus
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import last_payout_time
from crossway.domain.roles import Role
from crossway.ports.policy import SessionPolicy
from crossway.ports.sandbox import Faults
from crossway.usecases.money.amount_confirmation import AmountNotConfirmed
from crossway.usecases.payments.abandoned_payouts import give_up_by_hand, payout_deadline
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
EMPTY, FULL = {"relayer": {"USDC": 0}}, {"relayer": {"USDC": 10**12}}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


def payout_of(world: Harness, intent: Intent) -> OutboundTx:
    with world.store.read() as unit:
        (payout,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
    return payout


def start(world: Harness) -> Intent:
    """A payment whose deposit is collected at the moment in which the inventory disappears."""
    intent = world.create_intent(BASE, ARBITRUM)
    world.deposit(intent)
    while world.reload(intent).state is not State.INITIATED:
        with world.store.read() as unit:
            starts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
        if starts and starts[0].state is OutboundTxState.SIGNED:
            world.sandbox.inject_faults(ARBITRUM, Faults(balances=EMPTY))
        world.pass_time(1)
    assert payout_of(world, intent).state is OutboundTxState.DUE
    return intent


def pass_deadline(world: Harness, intent: Intent) -> None:
    """Let time pass to shortly before the deadline, where nothing is decided yet, and past it."""
    seconds = payout_deadline(world.services, intent).timestamp() - world.machine.seconds
    world.pass_time(seconds - 10, 600)
    assert world.reload(intent).state is State.INITIATED
    world.pass_time(15)


def refunded(world: Harness, intent: Intent) -> int:
    address = intent.terms.refund_address
    return world.services.chains[BASE].balances([address], intent.terms.token_in)[address]


def paid_out(world: Harness, intent: Intent) -> int:
    to = intent.terms.recipient
    return world.services.chains[ARBITRUM].balances([to], intent.terms.token_out)[to]


def settle(world: Harness) -> None:
    while not nothing_outstanding(world):
        world.pass_time(5)


def test_without_inventory_until_the_deadline_the_deposit_goes_back(world: Harness) -> None:
    intent = start(world)
    pass_deadline(world, intent)
    world.wait_for_state(intent, State.REFUNDED)
    assert refunded(world, intent) == intent.terms.deposit_amount
    world.sandbox.inject_faults(ARBITRUM, Faults(balances=FULL))
    world.pass_time(120, 10)
    assert world.reload(intent).state is State.REFUNDED
    assert paid_out(world, intent) == 0
    assert payout_of(world, intent).reason.startswith("The payout could not be sent in time")


def test_inventory_that_comes_after_the_deadline_but_before_the_next_look_still_pays(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = Harness(database, chains=[BASE, ARBITRUM], payout_grace_seconds=1_800)
    intent = start(world)
    seconds = payout_deadline(world.services, intent).timestamp() - world.machine.seconds
    world.machine.seconds += seconds + 10
    world.sandbox.inject_faults(ARBITRUM, Faults(balances=FULL))
    world.wait_for_state(intent, State.COMPLETED)
    world.store.close()


def test_nobody_is_paid_more_than_an_hour_after_expiry(world: Harness) -> None:
    intent = start(world)
    seconds = last_payout_time(intent.terms).timestamp() - world.machine.seconds
    world.machine.seconds += seconds + 10
    world.sandbox.inject_faults(ARBITRUM, Faults(balances=FULL))
    world.wait_for_state(intent, State.REFUNDED)
    assert paid_out(world, intent) == 0
    assert payout_of(world, intent).tx_id is None


def test_a_payout_that_may_still_be_included_is_not_given_up(world: Harness) -> None:
    """It was sent, fell out of the mempool, and its nonce was used in a block not final yet."""
    intent = world.create_intent(BASE, ARBITRUM)
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(ARBITRUM, Faults(revert_next=1))
    world.wait_for_state(intent, State.INITIATED)
    while payout_of(world, intent).attempt_count == 0:
        world.pass_time(1)
    world.sandbox.inject_faults(ARBITRUM, Faults(balances=EMPTY))
    with pytest.raises(InvalidStatus, match="may still be included"):
        give_up_by_hand(world.services, world.operator, intent.id, "25.03 USDC")
    world.pass_time(20)
    give_up_by_hand(world.services, world.operator, intent.id)
    assert world.wait_for_state(intent, State.REFUNDED).state is State.REFUNDED


def test_an_operator_gives_a_payout_up_with_one_click(world: Harness) -> None:
    intent = start(world)
    with pytest.raises(Forbidden):
        give_up_by_hand(world.services, world.caller, intent.id)
    give_up_by_hand(world.services, world.operator, intent.id)
    failed = world.reload(intent)
    assert (failed.state, failed.needs_relay) == (State.FAILED, False)
    with pytest.raises(InvalidStatus, match="its status is EXPIRED"):
        give_up_by_hand(world.services, world.operator, intent.id)
    world.wait_for_state(intent, State.REFUNDED)
    assert (refunded(world, intent), paid_out(world, intent)) == (intent.terms.deposit_amount, 0)
    settle(world)
    with world.store.read() as unit:
        assert [action for _, _, action, _ in unit.audit_log.list_recent(9)] == ["payout given up"]


def test_a_large_amount_is_typed_again(tmp_path: Path) -> None:
    world = Harness(
        f"sqlite:///{tmp_path / 'crossway.db'}",
        chains=[BASE, ARBITRUM],
        sessions=SessionPolicy(second_confirmation_micro_usd=0),
    )
    intent, staff = start(world), staff_principal("Tess", Role.TREASURER)
    with pytest.raises(AmountNotConfirmed, match="25"):
        give_up_by_hand(world.services, staff, intent.id)
    give_up_by_hand(world.services, staff, intent.id, f"{intent.terms.deposit_amount / 10**6} USDC")
    assert world.reload(intent).state is State.FAILED
    world.store.close()


def test_a_destination_that_is_silent_for_good_is_given_up_by_hand(world: Harness) -> None:
    intent = world.create_intent(BASE, ARBITRUM)
    world.deposit(intent)
    while not (payouts := outages_begin(world, intent)):
        world.pass_time(1)
    assert payouts[0].state is OutboundTxState.DUE
    pass_deadline(world, intent)
    world.pass_time(120, 10)
    assert world.reload(intent).state is State.INITIATED
    give_up_by_hand(world.services, world.operator, intent.id)
    world.wait_for_state(intent, State.REFUNDED)
    assert refunded(world, intent) == intent.terms.deposit_amount
    settle(world)
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=0))
    world.pass_time(120, 10)
    assert paid_out(world, intent) == 0
    check_invariants(world)


def outages_begin(world: Harness, intent: Intent) -> list[OutboundTx]:
    """The payout once it is due; the destination falls silent when the start is signed."""
    with world.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
    if any(t.kind is OutboundTxKind.START and t.state is OutboundTxState.SIGNED for t in txs):
        world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=10**6))
    return [t for t in txs if t.kind is OutboundTxKind.FILL]


def test_after_a_sent_payout_a_silent_destination_is_waited_for(world: Harness) -> None:
    intent = world.create_intent(BASE, ARBITRUM)
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.sandbox.inject_faults(ARBITRUM, Faults(revert_next=1))
    world.wait_for_state(intent, State.INITIATED)
    while payout_of(world, intent).attempt_count == 0:
        world.pass_time(1)
    world.sandbox.inject_faults(ARBITRUM, Faults(outage_seconds=600))
    with pytest.raises(
        InvalidStatus, match="Arbitrum One does not answer, and the payout was sent"
    ):
        give_up_by_hand(world.services, world.operator, intent.id)
    world.pass_time(600, 20)
    world.wait_for_state(intent, State.COMPLETED)
