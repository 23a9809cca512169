"""Nonces that nobody uses or that are not included do not stop a chain."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.engine.loop import Engine
from crossway.ports.alert_repository import AlertFilter
from crossway.ports.chain import Chain, SignedTx
from crossway.ports.sandbox import Faults
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
SKIP = OutboundTxKind.SKIP_NONCE


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


def leave_nonces_unused(world: Harness, chain: str, count: int) -> None:
    """Nonces that were reserved, for transactions that do not exist."""
    relayer = world.services.chains[chain].accounts.relayer
    next_nonce = world.services.chains[chain].next_nonce(relayer)
    world.store.write(lambda unit: unit.account_nonces.reserve(chain, relayer, count, next_nonce))


def create_intents(world: Harness, count: int, **more: Any) -> list[Intent]:
    """Payments to recipients of their own, so that each balance belongs to one payment."""
    return [
        world.create_intent(recipient=world.wallet(ARBITRUM, f"recipient {number}"), **more)
        for number in range(count)
    ]


def active_messages(world: Harness) -> dict[str, str]:
    with world.store.read() as unit:
        return {alert.key: alert.message for alert in unit.alerts.list_active()}


def test_unused_nonces_are_skipped_and_the_payments_behind_them_go_on(world: Harness) -> None:
    leave_nonces_unused(world, BASE, 3)
    intents = create_intents(world, 2)
    for intent in intents:
        world.deposit(intent)
    world.pass_time(20)
    assert {world.reload(intent).state for intent in intents} == {State.FUNDED}
    for intent in intents:
        world.wait_for_state(intent, State.COMPLETED)
    assert active_messages(world)[f"nonce:{BASE}"] == (
        "Nonce 0 of the relayer's account on Base blocks 2 transactions. "
        "No transaction uses it: one that moves nothing is sent with it."
    )
    while not nothing_outstanding(world):
        world.pass_time(5)
    with world.store.read() as unit:
        skips = unit.outbound_txs.list_by_intents([intents[0].id], SKIP)
        attempts = unit.outbound_txs.list_attempts([skip.id for skip in skips])
    assert [skip.state for skip in skips] == [OutboundTxState.FINAL] * 3
    assert sorted(attempt.signed.nonce for attempt in attempts) == [0, 1, 2]
    check_invariants(world)
    world.pass_time(120, 10)
    assert active_messages(world) == {}
    [past] = resolved(world)
    assert past == f"nonce:{BASE}"


def resolved(world: Harness) -> list[str]:
    with world.store.read() as unit:
        return [past.alert.key for past in unit.alerts.list_resolved(AlertFilter(), 10)]


class FussyChain:
    """A simulated chain whose nodes refuse one nonce."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self.refused: int | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        return [
            "intrinsic gas too low"
            if item.nonce == self.refused
            else self._chain.broadcast([item])[0]
            for item in signed
        ]


def test_a_nonce_that_a_node_refuses_is_reported_with_its_reason(world: Harness) -> None:
    fussy = FussyChain(world.services.chains[BASE])
    fussy.refused = 0
    world.services = replace(world.services, chains={**world.services.chains, BASE: fussy})
    world.engine = Engine(world.services, "test", sole=True)
    intents = create_intents(world, 3)
    for intent in intents:
        world.deposit(intent)
    world.pass_time(200, 5)
    with world.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents([i.id for i in intents], OutboundTxKind.START)
        attempts = unit.outbound_txs.list_attempts([start.id for start in starts])
        skips = unit.outbound_txs.list_by_intents([i.id for i in intents], SKIP)
    [first] = {a.outbound_tx_id for a in attempts if a.signed.nonce == 0}
    holder = next(start.intent_id for start in starts if start.id == first)
    assert active_messages(world)[f"nonce:{BASE}"] == (
        "Nonce 0 of the relayer's account on Base blocks 2 transactions. The collection of payment "
        f"{holder} has it, and the node refuses it: intrinsic gas too low"
    )
    assert skips == []
    fussy.refused = None
    for intent in intents:
        world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(120, 10)
    assert active_messages(world) == {}


@pytest.mark.parametrize("source", [BASE, "SOLANA_MAINNET", "TRON_MAINNET", "STARKNET_MAINNET"])
def test_an_engine_that_was_away_too_long_leaves_no_chain_stuck(
    world: Harness, source: str
) -> None:
    symbol = "USDT" if source == "TRON_MAINNET" else "USDC"
    token = world.services.catalogue.tokens[source, symbol].address
    early = world.wallet(ARBITRUM, "early")
    late = world.create_intent(source, token_in=token, recipient=early)
    world.deposit(late)
    world.wait_for_state(late, State.FUNDED)
    world.sandbox.inject_faults(source, Faults(fee_factor=3))
    sent = world.network.facts[source].fee_units
    world.pass_time(2)
    with world.store.read() as unit:
        [start] = unit.outbound_txs.list_by_intents([late.id], OutboundTxKind.START)
        [attempt] = unit.outbound_txs.list_attempts([start.id])
    assert (start.state, attempt.signed.fee_units) == (OutboundTxState.SIGNED, sent)
    world.machine.seconds += 5_000
    [after] = create_intents(world, 1, source=source, token_in=token)
    world.deposit(after)
    assert world.wait_for_state(after, State.COMPLETED).state is State.COMPLETED
    assert world.wait_for_state(late, State.REFUNDED).state is State.REFUNDED
    while not nothing_outstanding(world):
        world.pass_time(5)
    check_invariants(world)
