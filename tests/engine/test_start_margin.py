"""What is decided about a start shortly before its payment expires."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.sandbox import Faults
from tests.harness import Harness

BASE, OPTIMISM = "BASE_MAINNET", "OPTIMISM_MAINNET"
LIFE, MARGIN = 300, 60


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(
        f"sqlite:///{tmp_path / 'crossway.db'}",
        chains=[BASE, OPTIMISM],
        intent_life_seconds=LIFE,
        start_margin_seconds=MARGIN,
    )
    yield built
    built.store.close()


def funded_without_inventory(world: Harness) -> Intent:
    """A funded payment whose start waits, because the relayer cannot pay the recipient."""
    world.sandbox.inject_faults(OPTIMISM, Faults(balances={"relayer": {"USDC": 0}}))
    world.pass_time(2)
    intent = world.create_intent(BASE, OPTIMISM)
    world.deposit(intent)
    return world.wait_for_state(intent, State.FUNDED)


def start_of(world: Harness, intent: Intent) -> OutboundTx:
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return start


def pass_time_until(world: Harness, intent: Intent, seconds_before_expiry: int) -> None:
    end = intent.terms.expires_at.timestamp() - seconds_before_expiry
    world.pass_time(end - world.machine.seconds - 20, step=10)
    world.pass_time(end - world.machine.seconds)


def execute_elsewhere(world: Harness, intent: Intent) -> None:
    """Start the payment from the relayer's account without the books, as before a restore."""
    chain = world.services.chains[BASE]
    call = build_outbound_call(start_of(world, intent), intent, chain.accounts)
    nonce = chain.next_nonce(chain.accounts.relayer)
    chain.broadcast(chain.sign([(call, nonce)], chain.fee_units()))


def events_of(world: Harness, intent: Intent) -> list[str | None]:
    with world.store.read() as unit:
        return [record.event_type for record in unit.intents.list_transitions([intent.id])]


def test_a_start_that_the_chain_executed_is_found_before_the_payment_expires(
    world: Harness,
) -> None:
    intent = funded_without_inventory(world)
    execute_elsewhere(world, intent)
    pass_time_until(world, intent, MARGIN + 10)
    assert start_of(world, intent).state is OutboundTxState.DUE
    pass_time_until(world, intent, MARGIN - 20)
    assert start_of(world, intent).state is OutboundTxState.FINAL
    assert world.reload(intent).state is State.INITIATED
    assert events_of(world, intent)[-2:] == ["intent_funded", "intent_initiated"]


def test_inventory_that_arrives_within_the_margin_comes_too_late_to_start(world: Harness) -> None:
    intent = funded_without_inventory(world)
    pass_time_until(world, intent, MARGIN - 10)
    world.sandbox.inject_faults(OPTIMISM, Faults(balances={"relayer": {"USDC": 10**12}}))
    pass_time_until(world, intent, 2)
    start = start_of(world, intent)
    assert start.state is OutboundTxState.DUE
    assert start.reason == "Too close to expiry to start safely: refunded when it expires."
    world.wait_for_state(intent, State.REFUNDED, within=60)


def test_inventory_that_arrives_before_the_margin_still_starts_the_payment(world: Harness) -> None:
    intent = funded_without_inventory(world)
    pass_time_until(world, intent, MARGIN + 10)
    world.sandbox.inject_faults(OPTIMISM, Faults(balances={"relayer": {"USDC": 10**12}}))
    world.wait_for_state(intent, State.COMPLETED, within=60)
