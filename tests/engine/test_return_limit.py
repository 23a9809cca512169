"""Anybody can send to a deposit address again and again: returns at our cost have a daily limit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.usecases.payments.manual_operations import return_deposit
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


def returns_of(world: Harness, intent: Intent) -> list[OutboundTx]:
    with world.store.read() as unit:
        return unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.RETURN_EXCESS)


def test_the_sixth_return_of_a_day_waits_for_the_next_day(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    again = str(intent.terms.deposit_amount)
    for _ in range(5):
        world.deposit(intent, again)
        world.pass_time(30, 1)
    world.deposit(intent, again)
    world.pass_time(3_600, 300)
    *sent, waiting = returns_of(world, intent)
    assert {t.state for t in sent} == {OutboundTxState.FINAL}
    assert (len(sent), waiting.state) == (5, OutboundTxState.DUE)
    assert waiting.reason == (
        "5 returns were sent within a day; the next one follows a day after them. Anyone may "
        "return the money on chain."
    )
    world.pass_time(86_400, 3_600)
    while not nothing_outstanding(world):
        world.pass_time(5)
    assert returns_of(world, intent)[-1].state is OutboundTxState.FINAL
    refund_address, token = intent.terms.refund_address, intent.terms.token_in
    refunded = world.services.chains[BASE].balances([refund_address], token)
    assert refunded == {refund_address: 6 * intent.terms.deposit_amount}
    check_invariants(world)


def test_a_return_that_the_operator_asks_for_does_not_wait_for_the_next_day(
    world: Harness,
) -> None:
    intent = world.create_intent()
    usdt, base = CATALOGUE.tokens[BASE, "USDT"].address, world.services.chains[BASE]
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    for _ in range(6):
        world.sandbox.deposit(BASE, intent.address, usdt, 1_000_000)
        world.pass_time(60, 5)
    to = intent.terms.refund_address
    assert base.balances([to], usdt) == {to: 5_000_000}
    with world.store.read() as unit:
        deposits = unit.deposits.list_by_intents([intent.id])
    (newest,) = [d for d in deposits if d.incoming.token == usdt][-1:]
    return_deposit(world.services, world.operator, newest.id)
    world.pass_time(60, 5)
    assert base.balances([to], usdt) == {to: 6_000_000}
    check_invariants(world)
